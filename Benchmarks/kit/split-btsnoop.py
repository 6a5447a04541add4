#!/usr/bin/env python3
"""Cuts a btsnoop capture in two at the end of a record, each part a capture of its own.

usage: split-btsnoop.py CAPTURE FIRST SECOND

FIRST gets the records that end within the first half of the octets, SECOND the others.
"""
import struct
import sys

if len(sys.argv) != 4:
    sys.exit(__doc__)
with open(sys.argv[1], "rb") as file:
    capture = file.read()
if capture[:8] != b"btsnoop\0":
    sys.exit("%s is no btsnoop capture" % sys.argv[1])
HEADER = 16
cut = HEADER
while cut + 24 <= len(capture):
    end = cut + 24 + struct.unpack_from(">I", capture, cut + 4)[0]
    if end > len(capture) // 2:
        break
    cut = end
with open(sys.argv[2], "wb") as file:
    file.write(capture[:cut])
with open(sys.argv[3], "wb") as file:
    file.write(capture[:HEADER] + capture[cut:])
