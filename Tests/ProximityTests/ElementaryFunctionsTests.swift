import Glibc
import Proximity
import TestSupport
import Testing

/// What the own functions are measured against: the C library with 64 bits of significand where there are as many.
enum Exact {
  #if arch(x86_64)
    typealias Real = Float80
    static let allowedUlps = 2.0
  #else
    typealias Real = Double
    // The reference may be off by one itself.
    static let allowedUlps = 3.0
  #endif

  /// How far `value` is from the exact result, in units of the last place there.
  static func ulps(_ value: Double, _ exact: Real) -> Double {
    let rounded = Double(exact)
    if value == rounded { return 0 }
    guard value.isFinite, rounded.isFinite else { return .infinity }
    return abs(Double((Real(value) - exact) / Real(rounded.ulp)))
  }
}

struct ElementaryFunctionsTests {
  struct Function: CustomTestStringConvertible {
    let testDescription: String
    let own: @Sendable (Double) -> Double
    let exact: @Sendable (Exact.Real) -> Exact.Real
  }

  static let exponentials = [
    Function(testDescription: "exp", own: Double.exp, exact: { Glibc.exp($0) }),
    Function(testDescription: "exp10", own: Double.exp10, exact: { Glibc.pow(10, $0) }),
  ]
  static let logarithms = [
    Function(testDescription: "ln", own: Double.ln, exact: { Glibc.log($0) }),
    Function(testDescription: "log10", own: Double.log10, exact: { Glibc.log10($0) }),
  ]

  @Test(arguments: exponentials)
  func exponentialsAreWithinTwoUlp(_ function: Function) {
    var random = SplitMix(seed: 1)
    var arguments: [Double] = [
      0, -0.0, 1, -1, 0.5, 1e-300, -1e-300, .leastNonzeroMagnitude, 709.7827, -708.4, -745.13, 308.2547, -307.66,
      -323.6,
    ]
    for _ in 0..<40_000 {
      arguments.append(random.uniform(-760...720))
      arguments.append(random.uniform(-330...310))
      arguments.append(random.uniform(-3...3))
      arguments.append(random.uniform(-1...1) * 0x1p-30)
    }
    expectClose(function, arguments)
  }

  @Test(arguments: logarithms)
  func logarithmsAreWithinTwoUlp(_ function: Function) {
    var random = SplitMix(seed: 2)
    var arguments = [
      1, 1.0.nextUp, 1.0.nextDown, 2, 10, 0.5, .leastNonzeroMagnitude, .leastNormalMagnitude,
      Double.leastNormalMagnitude.nextDown, .greatestFiniteMagnitude, 0.5.squareRoot(), 2.0.squareRoot(),
    ]
    for _ in 0..<40_000 {
      // Any positive finite bit pattern, subnormal ones among them; around 1; everyday values.
      arguments.append(Double(bitPattern: random.next() % Double.infinity.bitPattern))
      arguments.append(Double(bitPattern: random.next() % (1 << 52)))
      arguments.append(1 + random.uniform(-1...1) * 0x1p-12)
      arguments.append(random.uniform(0.5...2))
      arguments.append(random.uniform(0...1000))
    }
    expectClose(function, arguments)
  }

  static let circular = [
    Function(
      testDescription: "sine", own: Double.sine(degrees:),
      exact: { degrees in
        let (quarter, radians) = reduced(degrees)
        return [Glibc.sin(radians), Glibc.cos(radians), -Glibc.sin(radians), -Glibc.cos(radians)][quarter]
      }),
    Function(
      testDescription: "cosine", own: Double.cosine(degrees:),
      exact: { degrees in
        let (quarter, radians) = reduced(degrees)
        return [Glibc.cos(radians), -Glibc.sin(radians), -Glibc.cos(radians), Glibc.sin(radians)][quarter]
      }),
  ]

  /// Quarters of a turn, 0 to 3, and the rest, at most an eighth.
  private static func reduced(_ degrees: Exact.Real) -> (quarter: Int, radians: Exact.Real) {
    let turn = degrees.remainder(dividingBy: 360)
    let quarters = (turn / 90).rounded()
    return ((Int(quarters) + 4) % 4, (turn - quarters * 90) * Exact.Real.pi / 180)
  }

  @Test(arguments: circular)
  func sinesAndCosinesAreWithinTwoUlp(_ function: Function) {
    var random = SplitMix(seed: 3)
    var arguments: [Double] = [0, -0.0, 30, 45, -45, 60, 90, 135, -180, 180.0.nextUp, 360, 1e-300, 1e15, -7e22]
    for _ in 0..<40_000 {
      arguments.append(random.uniform(-180...180))
      arguments.append(random.uniform(-1...1) * 0x1p-20)
      arguments.append(random.uniform(-1e6...1e6))
      arguments.append(90 * random.uniform(-4...4).rounded() + random.uniform(-1...1) * 0x1p-30)
    }
    expectClose(function, arguments)
    #expect(function.own(.nan).isNaN && function.own(.infinity).isNaN)
  }

  @Test func sinesOfWholeTurnsAreExact() {
    for quarter in -8...8 {
      #expect(Double.sine(degrees: 90 * Double(quarter)) == [0, 1, 0, -1][(quarter + 8) % 4])
      #expect(Double.cosine(degrees: 90 * Double(quarter)) == [1, 0, -1, 0][(quarter + 8) % 4])
    }
  }

  func expectClose(_ function: Function, _ arguments: [Double]) {
    var worst = (ulps: 0.0, argument: 0.0)
    for x in arguments {
      let error = Exact.ulps(function.own(x), function.exact(Exact.Real(x)))
      if error > worst.ulps { worst = (error, x) }
    }
    print("\(function.testDescription): \(arguments.count) arguments, at worst \(worst.ulps) ulp, at \(worst.argument)")
    #expect(worst.ulps <= Exact.allowedUlps, "\(function.testDescription)(\(worst.argument))")
  }

  @Test func edgesAreSensible() {
    for exponential in [Double.exp, Double.exp10] {
      #expect(exponential(0) == 1)
      #expect(exponential(.infinity) == .infinity)
      #expect(exponential(.greatestFiniteMagnitude) == .infinity)
      #expect(exponential(-.infinity) == 0)
      #expect(exponential(-.greatestFiniteMagnitude) == 0)
      #expect(exponential(.nan).isNaN)
    }
    #expect(Double.exp(709.79) == .infinity)
    #expect(Double.exp(-745.14) == 0)
    #expect(Double.exp(-745.1) == .leastNonzeroMagnitude)
    #expect(Double.exp10(308.26) == .infinity)
    #expect(Double.exp10(-323.61) == 0)
    for logarithm in [Double.ln, Double.log10] {
      #expect(logarithm(1) == 0)
      #expect(logarithm(0) == -.infinity)
      #expect(logarithm(-0.0) == -.infinity)
      #expect(logarithm(.infinity) == .infinity)
      #expect(logarithm(-1).isNaN)
      #expect(logarithm(-.infinity).isNaN)
      #expect(logarithm(.nan).isNaN)
    }
  }

  /// Bits, not values: what a replay gives on one machine it gives on any.
  @Test func bitsAreTheSameEverywhere() {
    var hash: UInt64 = 0
    for i in 0..<2000 {
      let x = Double(i) * 0.37 - 350
      for value in [Double.exp(x), .exp10(x * 0.4), .ln(Double(i) + 0.3), .log10(Double(i) * 0.01 + 1e-9)] {
        hash = (hash ^ value.bitPattern) &* 0x0000_0100_0000_01b3
      }
    }
    #expect(hash == 1_546_300_788_109_063_655)
    hash = 0
    for i in 0..<2000 {
      let x = Double(i) * 0.37 - 350
      for value in [Double.sine(degrees: x), .cosine(degrees: x)] {
        hash = (hash ^ value.bitPattern) &* 0x0000_0100_0000_01b3
      }
    }
    #expect(hash == 5_668_037_938_885_982_113)
  }
}
