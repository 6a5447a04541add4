"""What the scripts that end beacond by force hold its log against: the files, the numbers, and who is where."""

import json
import pathlib
import re

# What may be lost by a power cut, since it comes again by itself.
LISTS = {"didRange", "didUpdateLocations", "didUpdateHeading"}
# What a beacon object says beside its identity.
OF_ADVERTISEMENT = {"address", "measuredPower", "powerSource", "name", "telemetry"}
SEGMENT = re.compile(r"\d{20}\.jsonl")


class Fault(Exception):
    """What a log may not be."""


def segments(folder):
    """The paths of a log's files, the oldest first."""
    return sorted(path for path in pathlib.Path(folder).iterdir() if SEGMENT.fullmatch(path.name))


def read(folder):
    """The whole lines of a log, as octets and as events, and how many octets of a torn line follow them.

    Only the last file may end torn. Numbers have no gap and no repeat, and each file is named for its first one.
    """
    lines, events, torn, expected = [], [], 0, None
    paths = segments(folder)
    for path in paths:
        first = int(path.name[:20])
        if expected is not None and first != expected:
            raise Fault(f"{path.name} should begin with event {expected}")
        expected = first
        *whole, rest = path.read_bytes().split(b"\n")
        if rest and path != paths[-1]:
            raise Fault(f"{path.name} is torn and not the last")
        torn = len(rest)
        for line in whole:
            try:
                event = json.loads(line)
                number = event["seq"]
            except (ValueError, TypeError, KeyError):
                raise Fault(f"{path.name}: no event of a log: {line[:200]}") from None
            if number != expected:
                raise Fault(f"{path.name}: seq {number} where {expected} should be")
            expected += 1
            lines.append(line)
            events.append(event)
    return lines, events, torn


def saved(folder):
    """The `seq` of the state file and whether it is of an end; None where there is none that can be read."""
    try:
        *lines, end = (pathlib.Path(folder) / "state").read_bytes().split(b"\n")
        objects = [json.loads(line) for line in lines]
        if end or objects[-1]["lines"] != len(lines) - 2:
            return None
        return objects[0]["seq"], objects[0]["final"]
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None


def identity(beacon):
    return tuple(sorted((key, value) for key, value in (beacon or {}).items() if key not in OF_ADVERTISEMENT))


class Sides:
    """Who is inside, as told by didEnter and didExit, which alternate for a region and for each beacon in it."""

    def __init__(self):
        self.sides = {}
        self.forgotten = 0

    @staticmethod
    def key(event):
        """What enters or leaves; None for other events."""
        if event["event"] not in ("didEnter", "didExit"):
            return None
        return event["region"], identity(event.get("beacon")) if event["scope"] == "beacon" else None

    def take(self, event):
        key = self.key(event)
        if key is None:
            return
        enters = event["event"] == "didEnter"
        was, number = self.sides.get(key, (False, 0))
        if was is enters:
            told = f"since event {number}" if number else "from the beginning"
            raise Fault(f"event {event['seq']}: {event['event']} of {key}, {'inside' if was else 'outside'} {told}")
        self.sides[key] = enters, event["seq"]

    def forget(self, first, end):
        """Takes note that a start does not know events first..<end: old ones are removed beyond `max-size`."""
        for key, (side, number) in self.sides.items():
            if first <= number < end and side is not None:
                self.sides[key] = None, number
                self.forgotten += 1
