"""Many readers and competing writers on a repository that changes all the time, each killed now and then.

`python -m support.storm SECONDS` runs one and tells its figures.
"""

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from codecairn import Workspace
from support.answers import answers, answers_of_full_index
from support.repository import Repository
from support.storm_child import COUNTS, FILES, fixed_answers, storm_text

READERS = 16
WRITERS = 2


@dataclass
class Figures:
    """What happened."""

    seconds: float = 0.0
    kills: int = 0
    edits: int = 0
    switches: int = 0
    checkpoints: int = 0
    compared: int = 0
    answers: int = 0
    runs: int = 0
    waits: int = 0
    collections: int = 0


@dataclass
class Storm:
    """The storm; `run` it once."""

    repository: Repository
    seed: int
    figures: Figures = field(default_factory=Figures)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self._versions = 0
        self._still, self._over = threading.Event(), threading.Event()
        self._quiet = threading.Lock()
        self._counts = self.repository.root.parent / "counts"
        self._counts.write_bytes(bytes(COUNTS.size * (READERS + WRITERS)))
        for number in range(FILES):
            self._edit(number)
        self.repository.write(".gitignore", "*.tmp\n")
        self.repository.commit()

    def run(self, seconds: float, *, checkpoints: int) -> Figures:
        """Let it rage for so long, with so many pauses in which everything is compared."""
        started_s = time.monotonic()
        children = [self._start(slot) for slot in range(READERS + WRITERS)]
        changing = threading.Thread(target=self._change_all_the_time)
        changing.start()
        try:
            for checkpoint in range(checkpoints):
                ends_s = started_s + seconds * (checkpoint + 1) / checkpoints
                while time.monotonic() < ends_s:
                    time.sleep(self._chance.uniform(0, 0.4))
                    slot = self._chance.randrange(len(children))
                    _kill(children[slot])
                    self.figures.kills += 1
                    children[slot] = self._start(slot)
                with self._quiet:
                    self._compare(children)
        finally:
            self._over.set()
            changing.join()
            for child in children:
                child.kill()
                child.communicate()
        self._sum_up(time.monotonic() - started_s)
        return self.figures

    def _compare(self, children: "list[subprocess.Popen[str]]") -> None:
        """Nobody writes: then everybody answers as a full index does."""
        _tell(children, "pause")
        assert {_heard(child) for child in children} == {"paused"}
        root = self.repository.root
        with Workspace.open(root) as workspace:
            workspace.index(wait=False)
            assert workspace.doctor() == ()
            assert workspace.status().indexing == ""
            expected = fixed_answers(workspace)
        assert answers(root, names=()) == answers_of_full_index(root, names=())
        readers = children[:READERS]
        _tell(readers, "answer")
        assert {_heard(child) for child in readers} == {expected}
        self.figures.checkpoints += 1
        self.figures.compared += READERS
        _tell(children, "go")

    def _start(self, slot: int) -> "subprocess.Popen[str]":
        role = "reader" if slot < READERS else "writer"
        seed = self._chance.randrange(2**31)
        arguments = [role, str(slot), str(self.repository.root), str(self._counts), str(seed)]
        return subprocess.Popen(
            [sys.executable, "-m", "support.storm_child", *arguments],
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _change_all_the_time(self) -> None:
        chance = random.Random(self.seed + 1)
        while not self._over.wait(chance.uniform(0, 0.1)):
            with self._quiet:
                for _ in range(chance.randrange(1, 4)):
                    self._edit(chance.randrange(FILES))
                if chance.randrange(20) == 0:
                    (self.repository.root / f"s/file{chance.randrange(FILES)}.py").unlink(
                        missing_ok=True
                    )
                if chance.randrange(12) == 0:
                    self._switch(chance)

    def _edit(self, number: int) -> None:
        self._versions += 1
        self.figures.edits += 1
        # As editors do: nobody ever reads half a file.
        file = self.repository.write(f"s/file{number}.tmp", storm_text(number, self._versions))
        file.replace(file.with_suffix(".py"))

    def _switch(self, chance: random.Random) -> None:
        self.repository.commit()
        branch = chance.choice(["main", "other"])
        known = self.repository.git("branch", "--list", branch)
        self.repository.git("switch", "--quiet", *([] if known else ["--create"]), branch)
        self.figures.switches += 1

    def _sum_up(self, seconds: float) -> None:
        rows = [*COUNTS.iter_unpack(self._counts.read_bytes())]
        self.figures.seconds = round(seconds, 1)
        names = ("answers", "runs", "waits", "collections")
        for name, column in zip(names, zip(*rows, strict=True), strict=True):
            setattr(self.figures, name, sum(column))


def _kill(child: "subprocess.Popen[str]") -> None:
    """Kill it; one that has ended by itself has failed."""
    ended = child.poll()
    child.kill()
    _, err = child.communicate()
    assert ended is None, err


def _tell(children: "list[subprocess.Popen[str]]", line: str) -> None:
    for child in children:
        assert child.stdin is not None
        child.stdin.write(f"{line}\n")
        child.stdin.flush()


def _heard(child: "subprocess.Popen[str]") -> str:
    assert child.stdout is not None
    line = child.stdout.readline().strip()
    assert line, child.communicate()[1]
    return line


def main() -> None:
    seconds = float(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="codecairn-storm-") as folder:
        storm = Storm(Repository.make(Path(folder) / "repository"), seed=1)
        sys.stdout.write(f"{storm.run(seconds, checkpoints=max(1, round(seconds / 20)))}\n")


if __name__ == "__main__":
    main()
