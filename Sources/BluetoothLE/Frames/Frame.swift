/// A beacon's payload, decoded.
package enum Frame {
  case iBeacon(IBeacon)
  case altBeacon(AltBeacon)
  case eddystoneUID(EddystoneUID)
  case eddystoneURL(EddystoneURL)
  case eddystoneTLM(EddystoneTLM)
  case eddystoneETLM(EddystoneETLM)
  case eddystoneEID(EddystoneEID)

  /// Reads one AD structure; nil when it is no beacon's.
  @inline(__always)
  package init?(_ structure: ADStructure) throws(DecodingFailure) {
    switch structure.type {
    case .manufacturerData: try self.init(manufacturerData: structure.data)
    case .serviceData16: try self.init(serviceData: structure.data)
    default: return nil
    }
  }

  @inline(__always)
  private init?(manufacturerData data: Octets) throws(DecodingFailure) {
    guard data.count >= 2 else {
      throw DecodingFailure(format: .manufacturerData, offset: 0, reason: .noCompany(octets: data.count))
    }
    if let frame = try AltBeacon(manufacturerData: data) {
      self = .altBeacon(frame)
    } else if let frame = try IBeacon(manufacturerData: data) {
      self = .iBeacon(frame)
    } else {
      return nil
    }
  }

  private init?(serviceData data: Octets) throws(DecodingFailure) {
    guard data.count >= 3, data.littleEndian(at: 0, as: UInt16.self) == Eddystone.service else { return nil }
    let frame = data.dropping(2)
    switch Eddystone.FrameType(rawValue: frame[0]) {
    case .uid: self = .eddystoneUID(try EddystoneUID(frame))
    case .url: self = .eddystoneURL(try EddystoneURL(frame))
    case .eid: self = .eddystoneEID(try EddystoneEID(frame))
    case .tlm:
      guard frame.count >= 2 else {
        throw DecodingFailure(format: .eddystoneTLM, offset: 2, reason: .length(1, expected: 14))
      }
      switch frame[1] {
      case 0x00: self = .eddystoneTLM(try EddystoneTLM(frame))
      case 0x01: self = .eddystoneETLM(try EddystoneETLM(frame))
      default: throw DecodingFailure(format: .eddystoneTLM, offset: 3, reason: .version(frame[1]))
      }
    case nil:
      throw DecodingFailure(format: .eddystone, offset: 2, reason: .frameType(frame[0]))
    }
  }

  /// The power at 1 m in dBm that the frame states, which may be nonsense; nil for telemetry.
  package var powerAtOneMeter: Int? {
    switch self {
    case .iBeacon(let frame): Int(frame.measuredPower)
    case .altBeacon(let frame): Int(frame.referenceRSSI)
    case .eddystoneUID(let frame): Int(frame.power) - Eddystone.lossToOneMeter
    case .eddystoneURL(let frame): Int(frame.power) - Eddystone.lossToOneMeter
    case .eddystoneEID(let frame): Int(frame.power) - Eddystone.lossToOneMeter
    case .eddystoneTLM, .eddystoneETLM: nil
    }
  }
}

extension AdvertisingReport {
  /// Calls `body` with each frame of a sound report, in their order; gives how many AD structures only look like one.
  ///
  /// The walk is a function with a body, not a sequence, so that its state stays in registers.
  @discardableResult
  package func readFrames(_ body: (Frame) -> Void) -> Int {
    guard isSound else { return 0 }
    var broken = 0
    var structures = ADStructures(data)
    while let structure = structures.next() {
      do throws(DecodingFailure) {
        if let frame = try Frame(structure) { body(frame) }
      } catch {
        broken += 1
      }
    }
    return broken
  }
}

/// The frames of an advertisement in their order; what is broken is passed over.
package struct Frames: Sequence, IteratorProtocol {
  private var structures: ADStructures

  package init(_ advertisement: Octets) {
    structures = ADStructures(advertisement)
  }

  package mutating func next() -> Frame? {
    while let structure = structures.next() {
      guard structure.type == .manufacturerData || structure.type == .serviceData16 else { continue }
      do throws(DecodingFailure) {
        if let frame = try Frame(structure) { return frame }
      } catch {
        continue
      }
    }
    return nil
  }
}
