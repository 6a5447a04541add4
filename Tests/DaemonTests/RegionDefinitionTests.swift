import Daemon
import Testing

/// A region in one line, as it is kept in the state file.
struct RegionDefinitionTests {
  @Test func everyKindOfRegionIsReadBackAsItWas() throws {
    let yaml = #"""
      regions:
        - id: "a \"quoted\" \\ id"
          match:
            - ibeacon: {uuid: 74278bda-b644-4520-8f0c-720eaf059935}
            - ibeacon: {uuid: 74278bda-b644-4520-8f0c-720eaf059935, major: 1, minor: 65535}
            - eddystone-uid: {namespace: 00112233445566778899}
            - eddystone-uid: {namespace: "00112233445566778899", instance: 0123456789ab}
            - eddystone-url: https://example.org/*
            - altbeacon: {id: 00112233445566778899aabbccddeeff}
            - altbeacon: {id: 00112233445566778899aabbccddeeff0102}
            - altbeacon: {id: 00112233445566778899aabbccddeeff01020304}
            - address: c0:00:00:00:00:01
            - any
          each: true
          within: 2.5 m
          range: true
          assuming: inside
          exit-after: 30.5 s
          enter-packets: 1
          distinguish: address
        - id: plain
          match: [any]
        - id: yard
          circle: {latitude: -0.00001234, longitude: 13.3777, radius: 120 m}
          notify-after: 5 min
          assuming: unknown
        - id: quay
          polygon: [[53.54, 9.96], [53.55, 9.96], [53.55, 9.98]]
      """#
    let regions = try Configuration(yaml).regions
    #expect(regions.count == 4)
    for region in regions {
      let definition = region.definition
      #expect(!definition.contains("\n"))
      #expect(Configuration.Region(definition: definition) == region, "\(definition)")
    }
  }

  @Test(arguments: [
    "", "{}", "{id: a}", "{id: a, match: [any], color: red}", "{id: a, match: [any]}, {id: b, match: [any]}",
  ])
  func whatIsNoDefinitionIsNone(text: String) {
    #expect(Configuration.Region(definition: text) == nil)
  }
}
