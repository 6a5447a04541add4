import BluetoothLE
import FuzzChecks
import FuzzSupport
import Glibc

exit(
  fuzz { input in
    let advertisement = Octets(input)
    var structures = ADStructures(advertisement)
    var offset = 0
    var frames = 0
    while let structure = structures.next() {
      precondition(structure.offset == offset, "structures lie behind each other")
      offset += 2 + structure.data.count
      precondition(offset <= input.count, "a structure ends behind the advertisement")
      do throws(DecodingFailure) {
        if try Frame(structure) != nil { frames += 1 }
      } catch {
        precondition(error.offset <= structure.data.count, "the fault is outside the structure")
        precondition(!error.reason.description.isEmpty)
      }
    }
    precondition((structures.end == .complete) == (offset == input.count), "the walk ends where its end says")
    precondition(Array(Frames(advertisement)).count == frames)
    var checks = ReportChecks()
    let packet = CapturedPacket(
      record: 1, time: nil, adapter: 0, content: .advertisement, octets: advertisement, isCut: false)
    checks.take(packet)
    checks.finish(packet)
  })
