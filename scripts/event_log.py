"""What the scripts that end beacond by force hold its log against: the files, the numbers, and who is where."""

import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What may be lost by a power cut, since it comes again by itself.
LISTS = {"didRange", "didUpdateLocations", "didUpdateHeading"}
# What a beacon object says beside its identity.
OF_ADVERTISEMENT = {"address", "measuredPower", "powerSource", "name", "telemetry"}
SEGMENT = re.compile(r"\d{20}\.jsonl")


class Fault(Exception):
    """What a log may not be."""


def program():
    """Installs what the scripts need, builds beacond as it is released, and gives its path."""
    subprocess.run([ROOT / "scripts/install-packages", "crash"], check=True)
    built = subprocess.run(
        [ROOT / "scripts/build-release", "--product", "beacond"], check=True, stdout=subprocess.PIPE, text=True)
    return pathlib.Path(built.stdout.splitlines()[-1])


def capture(path, *options):
    """Makes a capture, and gives its seconds."""
    made = subprocess.run(
        [ROOT / "Benchmarks/kit/generate-capture.py", "--eddystone", "2", "--altbeacons", "2", "--noise", "0.1", "--h4",
         path, *options], check=True, stdout=subprocess.PIPE)
    return json.loads(made.stdout)["seconds"]


def segments(folder):
    """The paths of a log's files, the oldest first."""
    return sorted(path for path in pathlib.Path(folder).iterdir() if SEGMENT.fullmatch(path.name))


def read(folder, known={}):
    """The whole lines of a log, as octets and as events, and how many octets of a torn line follow them.

    Only the last file may end torn. Numbers have no gap and no repeat, and each file is named for its first one. `known`
    has events by their lines, which are not read again.
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
                event = known.get(line) or json.loads(line)
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
    """The `seq` of the state file; None where there is no file that is as it was written."""
    try:
        *lines, end = (pathlib.Path(folder) / "state").read_bytes().split(b"\n")
        head, last = json.loads(lines[0]), json.loads(lines[-1])
        is_whole = not end and last["lines"] == len(lines) - 2 and last["check"] == fnv(b"\n".join(lines[:-1]) + b"\n")
        return head["seq"] if is_whole else None
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None


def fnv(octets):
    """FNV-1a of 32 bits."""
    check = 0x811C9DC5
    for octet in octets:
        check = (check ^ octet) * 0x01000193 & 0xFFFFFFFF
    return check


def identity(beacon):
    return tuple(sorted((key, value) for key, value in (beacon or {}).items() if key not in OF_ADVERTISEMENT))


class Sides:
    """Who is inside, as told by didEnter and didExit, which alternate for a region and for each beacon in it.

    All are outside at first, or nobody knows: the log's beginning is removed.
    """

    def __init__(self, from_the_beginning=True):
        self.first = False if from_the_beginning else None
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
        was, number = self.sides.get(key, (self.first, 0))
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
