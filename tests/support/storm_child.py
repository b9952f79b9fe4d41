"""One process of a storm: a reader or a writer, `python -m support.storm_child ROLE SLOT ROOT COUNTS SEED`.

Between two pieces of work it listens: `pause` is answered by a line, then each `answer` by what it finds and each `go`
by going on. What it has done is counted in a file, where it stays if the process is killed.
"""

import hashlib
import json
import mmap
import random
import re
import select
import struct
import sys
from dataclasses import asdict
from pathlib import Path

from codecairn import IndexLocked, Workspace
from codecairn.core.types.hits import Hit

FILES = 24
FUNCTIONS = 5
COUNTS = struct.Struct("<4Q")
"""Answers checked, runs of indexing, times that another process was writing, collections of garbage."""

_VERSION = re.compile(r"_v(\d+)_")
_QUERIES = ("check the token", "merge the ledger of a parcel", "load record", "file_3", "session")


def storm_text(number: int, version: int) -> str:
    """A file of the storm: whoever sees any part of it knows which version it is."""
    chance = random.Random(number * 1_000_003 + version)
    verbs, nouns = ("load", "check", "merge"), ("token", "ledger", "parcel", "session", "record")
    return "\n\n".join(
        f"def file_{number}_v{version}_{at}(value):\n"
        f'    """{chance.choice(verbs).title()} the {chance.choice(nouns)} of a '
        f'{chance.choice(nouns)}."""\n'
        f"    return value + {chance.randrange(1000)}\n"
        for at in range(FUNCTIONS)
    )


def check_hit(hit: Hit) -> None:
    """What is shown is what stood in that file, at those lines, in one of its versions."""
    number = int(Path(hit.path).stem.removeprefix("file"))
    versions = set(_VERSION.findall(hit.text))
    assert len(versions) == 1, hit
    lines = storm_text(number, int(versions.pop())).splitlines()
    shown = "\n".join(lines[hit.start_line - 1 : hit.end_line])
    assert hit.text.rstrip("\n") == shown.rstrip("\n"), (hit, shown)


def fixed_answers(workspace: Workspace) -> str:
    """What the index answers to fixed questions, as it is, in few letters."""
    found = [workspace.search(query, limit=50, refresh=False).hits for query in _QUERIES]
    text = json.dumps([[asdict(hit) for hit in hits] for hits in found], default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class _Child:
    def __init__(self, slot: int, root: Path, counts: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.workspace = Workspace.open(root, writer=f"storm {slot}")
        with counts.open("r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)
        self.at = slot * COUNTS.size
        self.counts = list(COUNTS.unpack_from(self.map, self.at))
        self.generation = 0
        # Without a buffer, in which an order would stay undelivered.
        self.orders = open(0, "rb", buffering=0)  # noqa: SIM115 - it lives as long as the process

    def count(self, which: int) -> None:
        self.counts[which] += 1
        COUNTS.pack_into(self.map, self.at, *self.counts)

    def read(self, *, refresh: bool) -> None:
        query = self.chance.choice(_QUERIES)
        if self.chance.randrange(4) == 0:
            query = f"file_{self.chance.randrange(FILES)}"
        result = self.workspace.search(query, refresh=refresh)
        assert list(result) == sorted(result, key=lambda hit: -hit.score)
        for hit in result:
            check_hit(hit)
        generation = self.workspace.status().generation
        assert generation >= self.generation
        self.generation = generation
        self.count(0)

    def write(self) -> None:
        force = self.chance.randrange(8) == 0
        try:
            self.workspace.index(force=force, wait=False)
        except IndexLocked:
            self.count(2)
            self.workspace.index(force=force)
        self.count(1)
        if self.chance.randrange(6) == 0:
            self.workspace.gc()
            self.count(3)

    def listen(self) -> None:
        """Runs the orders that it receives."""
        if not select.select([self.orders], [], [], 0)[0]:
            return
        while (order := self.orders.readline().strip()) != b"go":
            if order == b"pause":
                _say("paused")
            elif order == b"answer":
                _say(fixed_answers(self.workspace))
            else:
                sys.exit(0)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    role, slot = sys.argv[1], int(sys.argv[2])
    child = _Child(slot, Path(sys.argv[3]), Path(sys.argv[4]), int(sys.argv[5]))
    while True:
        child.listen()
        if role == "writer":
            child.write()
        else:
            child.read(refresh=slot % 2 == 0)


if __name__ == "__main__":
    main()
