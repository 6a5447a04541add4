// The C library's exp and log differ between CPUs in the last bit, and hysteresis turns a last bit into another event.
// These are made of + - * / and integer operations alone, so every machine computes the same bits. Within 2 ulp.
//
// No coefficient is fitted: they are those of the power series, and the tables of constants are the first bits of the
// number and the rest of it ("high" and "low"), so that an integer multiple of the high part is exact.

extension Double {
  /// e raised to `x`. Infinity above 709.79, 0 below -745.14, NaN for NaN; subnormal results are rounded once.
  ///
  /// Method: x = k ln 2 + r with |r| <= 0.35 and ln 2 in two parts; e^r from its series; times 2^k.
  package static func exp(_ x: Double) -> Double {
    guard x < 709.79 else { return x + .infinity }
    guard x > -745.14 else { return 0 }
    let k = nearestInteger(x * log2OfE)
    let high = x - k.value * ln2High
    let low = k.value * ln2Low
    return scaled(exponential(high: high, low: low), exponent: k.integer)
  }

  /// 10 raised to `x`. Infinity above 308.26, 0 below -323.61, NaN for NaN; subnormal results are rounded once.
  ///
  /// Method: x = k log10 2 + r, then e^(r ln 10) as in `exp`, with log10 2 and ln 10 in two parts.
  package static func exp10(_ x: Double) -> Double {
    guard x < 308.26 else { return x + .infinity }
    guard x > -323.61 else { return 0 }
    let k = nearestInteger(x * log2Of10)
    let exact = x - k.value * log10Of2High
    let rest = k.value * log10Of2Low
    let head = Double(bitPattern: exact.bitPattern & headMask)
    let high = head * ln10High
    let low = head * ln10Low + ((exact - head) - rest) * ln10
    return scaled(exponential(high: high, low: -low), exponent: k.integer)
  }

  /// The natural logarithm of `x`: -infinity for either zero, NaN below zero, infinity for infinity.
  ///
  /// Method: x = 2^k (1 + f) with 1 + f in 0.707...1.415; ln(1 + f) from the series of 2 artanh(f / (2 + f)).
  package static func ln(_ x: Double) -> Double {
    guard let m = Mantissa(x) else { return logarithmWithoutMantissa(x) }
    return m.k * ln2High - ((m.halfSquare - (m.tail + m.k * ln2Low)) - m.f)
  }

  /// The decimal logarithm of `x`: -infinity for either zero, NaN below zero, infinity for infinity.
  ///
  /// Method: as `ln`, kept in two parts and multiplied by 1 / ln 10 in two parts.
  package static func log10(_ x: Double) -> Double {
    guard let m = Mantissa(x) else { return logarithmWithoutMantissa(x) }
    let head = Double(bitPattern: (m.f - m.halfSquare).bitPattern & headMask)
    let rest = ((m.f - head) - m.halfSquare) + m.tail
    let big = m.k * log10Of2High
    let middle = head * inverseLn10High
    let sum = big + middle
    let small = m.k * log10Of2Low + (head + rest) * inverseLn10Low + rest * inverseLn10High
    return sum + (small + ((big - sum) + middle))
  }
}

extension Double {
  /// The sine of an angle in degrees; NaN for what is no angle.
  ///
  /// Method: the nearest multiple of 90 is taken off, which is exact; what is left, at most 45, in radians, and its series.
  package static func sine(degrees: Double) -> Double {
    let (quarter, radians) = reduced(degrees)
    let value = quarter & 1 == 0 ? sineSeries(radians) : cosineSeries(radians)
    return quarter & 2 == 0 ? value : -value
  }

  /// The cosine of an angle in degrees; NaN for what is no angle.
  package static func cosine(degrees: Double) -> Double {
    let (quarter, radians) = reduced(degrees)
    let value = quarter & 1 == 0 ? cosineSeries(radians) : sineSeries(radians)
    return (quarter &+ 1) & 2 == 0 ? value : -value
  }
}

/// The nearest multiple of 90 degrees, counted, and the rest in radians.
private func reduced(_ degrees: Double) -> (quarter: Int, radians: Double) {
  guard degrees.isFinite else { return (0, .nan) }
  let turn = degrees.remainder(dividingBy: 360)
  let quarters = (turn / 90).rounded(.toNearestOrEven)
  return (Int(quarters), (turn - quarters * 90) * radiansPerDegree)
}

/// For |x| <= 0.79, up to x^15: what is left out is below 2^-54 of the whole.
private func sineSeries(_ x: Double) -> Double {
  let t = x * x
  let low = -1.0 / 6 + t * (1.0 / 120 + t * (-1.0 / 5040))
  let high = 1.0 / 362_880 + t * (-1.0 / 39_916_800 + t * (1.0 / 6_227_020_800 - t * (1.0 / 1_307_674_368_000)))
  return x + x * (t * (low + t * t * t * high))
}

/// For |x| <= 0.79, up to x^16: what is left out is below 2^-58.
private func cosineSeries(_ x: Double) -> Double {
  let t = x * x
  let low = 1.0 / 24 + t * (-1.0 / 720 + t * (1.0 / 40_320))
  let middle = -1.0 / 3_628_800 + t * (1.0 / 479_001_600)
  let high = -1.0 / 87_178_291_200 + t * (1.0 / 20_922_789_888_000)
  let rest = t * t * (low + t * t * t * (middle + t * t * high))
  // 1 - t/2, and what that loses in rounding.
  let half = 0.5 * t
  let head = 1 - half
  return head + (((1 - head) - half) + rest)
}

/// What a logarithm is for the arguments that have no mantissa to work on: zeros, negatives, infinity, NaN.
private func logarithmWithoutMantissa(_ x: Double) -> Double {
  x == 0 ? -.infinity : x < 0 ? .nan : x
}

/// A positive finite number as 2^k (1 + f), and the parts of ln(1 + f) = f - (halfSquare - tail).
private struct Mantissa {
  let k: Double
  let f: Double
  let halfSquare: Double
  let tail: Double

  init?(_ x: Double) {
    guard x > 0, x < .infinity else { return nil }
    // A subnormal is lifted by 2^54 first: then its bits have the normal form.
    let isSubnormal = x < .leastNormalMagnitude
    let bits = (isSubnormal ? x * 0x1p54 : x).bitPattern
    let exponent = Int64(bitPattern: bits &- squareRootOfHalf) >> 52
    k = Double(isSubnormal ? exponent &- 54 : exponent)
    f = Double(bitPattern: bits &- UInt64(bitPattern: exponent << 52)) - 1
    halfSquare = 0.5 * f * f
    // 2 artanh s = 2 s + s R, R = z (2/3 + 2/5 z + ...), z = s^2 <= 0.0295; what is left out is below 2^-60 of the whole.
    let s = f / (2 + f)
    let z = s * s
    let w = z * z
    let v = w * w
    let first = (2.0 / 3 + z * (2.0 / 5)) + w * (2.0 / 7 + z * (2.0 / 9))
    let second = (2.0 / 11 + z * (2.0 / 13)) + w * (2.0 / 15 + z * (2.0 / 17))
    let third = 2.0 / 19 + z * (2.0 / 21)
    tail = s * (halfSquare + z * (first + v * (second + v * third)))
  }
}

/// e^(high - low) for |high - low| <= 0.36, from the power series up to r^13: what is left out is below 2^-57.
///
/// Terms are paired (Estrin's scheme), so that a processor works on several at once; the small ones are added first.
func exponential(high: Double, low: Double) -> Double {
  let r = high - low
  let t = r * r
  let w = t * t
  let a = (1.0 / 2 + r * (1.0 / 6)) + t * (1.0 / 24 + r * (1.0 / 120))
  let b = (1.0 / 720 + r * (1.0 / 5040)) + t * (1.0 / 40_320 + r * (1.0 / 362_880))
  let c = (1.0 / 3_628_800 + r * (1.0 / 39_916_800)) + t * (1.0 / 479_001_600 + r * (1.0 / 6_227_020_800))
  return 1 + (high + (t * (a + w * (b + w * c)) - low))
}

/// `x` (below 2^50 in magnitude) to the nearest integer: adding 1.5 * 2^52 pushes the fraction out of the significand.
private func nearestInteger(_ x: Double) -> (value: Double, integer: Int64) {
  let shift = 0x1.8p52
  let shifted = x + shift
  return (shifted - shift, Int64(bitPattern: shifted.bitPattern) &- Int64(bitPattern: shift.bitPattern))
}

/// `y` times 2^`exponent`, for `y` in 0.5...2 and exponents of -1080...1024: one rounding, also to a subnormal.
private func scaled(_ y: Double, exponent: Int64) -> Double {
  func power(_ e: Int64) -> Double { Double(bitPattern: UInt64(bitPattern: (e &+ 1023) << 52)) }
  if exponent > 1023 { return y * 2 * power(exponent &- 1) }
  if exponent < -1022 { return y * power(exponent &+ 128) * 0x1p-128 }
  return y * power(exponent)
}

private let radiansPerDegree = 0x1.1df46a2529d39p-6
private let log2OfE = 0x1.71547652b82fep+0
private let log2Of10 = 0x1.a934f0979a371p+1
// 33 bits, so that a multiple by an exponent (11 bits) is exact; the rest in the low part.
private let ln2High = 0x1.62e42feep-1
private let ln2Low = 0x1.a39ef35793c76p-33
private let log10Of2High = 0x1.34413509p-2
private let log10Of2Low = 0x1.ef3fde623e256p-35
// 26 bits, so that the product with a head of 26 bits is exact.
private let ln10 = 0x1.26bb1bbb55516p+1
private let ln10High = 0x1.26bb1b8p+1
private let ln10Low = 0x1.daaa8ac16ea57p-26
private let inverseLn10High = 0x1.bcb7b1p-2
private let inverseLn10Low = 0x1.49b9438ca9aaep-28
/// Cuts a significand to its upper 26 bits.
private let headMask: UInt64 = 0xffff_ffff_f800_0000
/// The bits of 0.70710..., where the mantissa's interval begins.
private let squareRootOfHalf: UInt64 = 0x3fe6_a09e_0000_0000
