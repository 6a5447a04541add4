#!/usr/bin/env python3
"""CPU time a report of a Python library that decodes advertisements, on a btsnoop capture (datalink 1002).

usage: peer.py LIBRARY CAPTURE [REPORTS]

LIBRARY: bluetooth-data-tools, bluetooth-data-tools-uncached, beacontools, aioblescan, bleparser. Reading the capture and
splitting it into what the library takes is not counted, only the library's own calls and a match of the beacons where
it has none. Prints one line.
"""
import struct
import sys
import time

if len(sys.argv) < 3:
    sys.exit(__doc__)
LIBRARY, CAPTURE = sys.argv[1:3]
LIMIT = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000

counts = {}


def count(kind):
    counts[kind] = counts.get(kind, 0) + 1


def events():
    """H4 event packets that hold at least LIMIT advertising reports, and how many they hold."""
    with open(CAPTURE, "rb") as file:
        capture = file.read()
    packets, offset, reports = [], 16, 0
    while len(capture) - offset >= 24 and reports < LIMIT:
        size = struct.unpack_from(">I", capture, offset + 4)[0]
        packet = capture[offset + 24:offset + 24 + size]
        offset += 24 + size
        if len(packet) > 5 and packet[0] == 0x04 and packet[1] == 0x3E and packet[3] in (0x02, 0x0D):
            packets.append(packet)
            reports += packet[4]
    return packets, reports


def advertisements(packets):
    """The advertising data of every report."""
    result = []
    for packet in packets:
        offset = 5
        header, trailer = (9, 1) if packet[3] == 0x02 else (24, 0)
        for _ in range(packet[4]):
            size = packet[offset + header - 1]
            result.append(packet[offset + header:offset + header + size])
            offset += header + size + trailer
    return result


def match(manufacturer_data, service_data):
    for company, data in manufacturer_data.items():
        if company == 0x004C and data[:2] == b"\x02\x15" and len(data) >= 23:
            count("ibeacon")
        elif data[:2] == b"\xbe\xac" and len(data) >= 24:
            count("altbeacon")
    data = service_data.get("0000feaa-0000-1000-8000-00805f9b34fb")
    if data:
        count("eddystone-%02x" % data[0])


def bluetooth_data_tools(packets, cached=True):
    from bluetooth_data_tools import parse_advertisement_data_bytes as parse
    if not cached:
        parse = parse.__wrapped__
    inputs = advertisements(packets)

    def decode():
        for data in inputs:
            _, _, service_data, manufacturer_data, _ = parse(data)
            match(manufacturer_data, service_data)
    return decode


def beacontools(packets):
    from beacontools import parse_packet
    inputs = advertisements(packets)

    def decode():
        for data in inputs:
            try:
                frame = parse_packet(data)
            except Exception:
                count("failed")
                continue
            if frame is not None:
                count(type(frame).__name__)
    return decode


def aioblescan(packets):
    import aioblescan as library
    from aioblescan.plugins import EddyStone
    plugin = EddyStone()

    def decode():
        for packet in packets:
            try:
                event = library.HCI_Event()
                event.decode(packet)
                if plugin.decode(event):
                    count("eddystone")
            except Exception:
                count("failed")
    return decode


def bleparser(packets):
    from bleparser import BleParser
    parser = BleParser(discovery=True, filter_duplicates=False)

    def decode():
        for packet in packets:
            try:
                sensor, _ = parser.parse_raw_data(packet)
            except Exception:
                count("failed")
                continue
            if sensor:
                count(sensor.get("type"))
    return decode


LIBRARIES = {
    "bluetooth-data-tools": bluetooth_data_tools,
    "bluetooth-data-tools-uncached": lambda packets: bluetooth_data_tools(packets, cached=False),
    "beacontools": beacontools,
    "aioblescan": aioblescan,
    "bleparser": bleparser,
}

if LIBRARY not in LIBRARIES:
    sys.exit(__doc__)
packets, reports = events()
decode = LIBRARIES[LIBRARY](packets)
start = time.process_time()
decode()
spent = time.process_time() - start
print("%-32s%11.1f ns/report  %s" % (LIBRARY, spent * 1e9 / reports, dict(sorted(counts.items(), key=str))))
