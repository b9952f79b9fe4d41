"""Files of a store damaged at random under a process that searches it all the while.

`python -m support.corruption SEED TRIALS` (in `tests`) plays trials in a folder of its own and prints each and
what they came to.
"""

import contextlib
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codecairn import Workspace
from codecairn.errors import CodecairnError
from support.answers import NAMES, QUERIES
from support.corpus import module_text
from support.repository import Repository

MODULES = 24
PAGE = 4096

NOT_CUT = ("index.db-shm",)
"""Mapped by SQLite itself, for writing: a cut is its process's end, see `.github/decisions`."""

Damage = Callable[[random.Random, Path], str]


def _place(rng: random.Random, file: Path) -> int:
    return rng.randrange(max(1, file.stat().st_size))


def _overwrite(file: Path, at: int, content: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(content)


def flip(rng: random.Random, file: Path) -> str:
    """Change one byte."""
    at = _place(rng, file)
    with file.open("rb") as opened:
        opened.seek(at)
        before = opened.read(1)
    _overwrite(file, at, bytes([(before or b"\0")[0] ^ rng.randrange(1, 256)]))
    return f"at {at}"


def zero_page(rng: random.Random, file: Path) -> str:
    """A page that was never written."""
    at = _place(rng, file) // PAGE * PAGE
    _overwrite(file, at, bytes(min(PAGE, max(0, file.stat().st_size - at))))
    return f"at {at}"


def garble_page(rng: random.Random, file: Path) -> str:
    """A page of something else."""
    at = _place(rng, file) // PAGE * PAGE
    _overwrite(file, at, rng.randbytes(min(PAGE, max(0, file.stat().st_size - at))))
    return f"at {at}"


def truncate(rng: random.Random, file: Path) -> str:
    """Cut the file where it is, as a restored backup or a full disk may."""
    size = rng.choice([0, _place(rng, file), _place(rng, file) // PAGE * PAGE])
    os.truncate(file, size)
    return f"to {size}"


def extend(rng: random.Random, file: Path) -> str:
    """Append what does not belong there."""
    with file.open("ab") as opened:
        opened.write(rng.randbytes(rng.choice([1, 100, PAGE, 3 * PAGE])))
    return ""


def swap(rng: random.Random, file: Path) -> str:
    """Exchange the contents of two files."""
    others = [other for other in data_files(file.parents[0]) if other != file]
    if not others or file.name in NOT_CUT:
        return flip(rng, file)
    other = rng.choice(others)
    one, two = file.read_bytes(), other.read_bytes()
    for target, content in ((file, two), (other, one)):
        with target.open("r+b") as opened:
            opened.truncate(len(content))
            opened.write(content)
    return f"with {other.name}"


DAMAGES: tuple[Damage, ...] = (flip, flip, zero_page, garble_page, truncate, extend, swap)


def data_files(folder: Path) -> list[Path]:
    """The files of a store, or of a folder in it, but for those that nobody reads back."""
    return sorted(
        file
        for file in folder.rglob("*")
        if file.is_file()
        and file.name not in (".gitignore", *NOT_CUT)
        and "damaged-" not in str(file.relative_to(folder))
    )


def look(workspace: Workspace) -> tuple[list[Any], list[str], Counter[str]]:
    """What a workspace answers, what of it is not in the files it names, and the errors that came instead."""
    found: list[Any] = []
    wrong: list[str] = []
    errors: Counter[str] = Counter()
    asked = [
        lambda query=query: workspace.search(query, limit=20, refresh=False) for query in QUERIES
    ]
    asked += [lambda name=name: workspace.define(name, refresh=False) for name in NAMES]
    for ask in asked:
        try:
            hits = ask().hits
        except CodecairnError as err:
            errors[err.code] += 1
            found.append(err.code)
            continue
        for hit in hits:
            shown = _lines(workspace.root / hit.path, hit.start_line, hit.end_line)
            if shown != hit.text.rstrip("\r\n"):
                wrong.append(f"{hit.path}:{hit.start_line}-{hit.end_line}")
        found.append(
            [(hit.path, hit.start_line, hit.end_line, hit.kind, hit.name, hit.text) for hit in hits]
        )
    return found, wrong, errors


def _lines(path: Path, first: int, last: int) -> str:
    try:
        return "\n".join(path.read_text().splitlines()[first - 1 : last])
    except OSError:
        return "there is no such file"


def digest(found: list[Any]) -> str:
    """Tells answers apart."""
    return hashlib.sha256(repr(found).encode()).hexdigest()


class Reader:
    """Another process that keeps its workspace open, and looks whenever it is asked to."""

    def __init__(self, root: Path, *options: str) -> None:
        """Start it; `options` are Python's own."""
        self._process = subprocess.Popen(
            [sys.executable, *options, "-m", "support.corruption", "--read", str(root)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            cwd=Path(__file__).parents[1],
        )  # fmt: skip

    def look(self) -> dict[str, Any]:
        """One round of questions.

        Raises:
            AssertionError: If the process has ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write("look\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the reader ended with {self._process.wait()}"
        return dict(json.loads(line))

    def close(self) -> None:
        """Let it end by itself."""
        self._process.communicate("")
        assert self._process.returncode == 0, self._process.returncode


def read() -> None:
    """The reader's process."""
    with Workspace.open(sys.argv[2]) as workspace:
        for _ in sys.stdin:
            found, wrong, errors = look(workspace)
            document = {"digest": digest(found), "wrong": wrong, "errors": errors}
            sys.stdout.write(json.dumps(document) + "\n")
            sys.stdout.flush()


@dataclass
class Outcome:
    """What trials came to."""

    trials: int = 0
    live: Counter[str] = field(default_factory=Counter)
    opened: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    unrepaired: list[str] = field(default_factory=list)


def play(
    root: Path, seed: int, trials: int, notify: Callable[[str], object] = lambda _: None
) -> Outcome:
    """Damage the store in `root` time and again; each time it is to be as a fresh index afterwards."""
    outcome = Outcome()
    with Workspace.open(root) as workspace:
        workspace.index()
        store, expected = workspace.store, digest(look(workspace)[0])
    reader = Reader(root)
    assert reader.look()["digest"] == expected
    rng = random.Random(seed)
    for _ in range(trials):
        file, damage = rng.choice(_weighted(rng, store)), rng.choice(DAMAGES)
        what = f"{damage.__name__} {file.relative_to(store)} {damage(rng, file)}"
        outcome.trials += 1
        notify(f"{outcome.trials} {what}")
        for look_number in range(2):
            seen = reader.look()
            outcome.live[_kind(seen["digest"], expected, seen["errors"])] += look_number
            outcome.wrong += [f"{what}: {place}" for place in seen["wrong"]]
        with Workspace.open(root) as workspace:
            found, wrong, errors = look(workspace)
        kind = _kind(digest(found), expected, errors)
        outcome.opened[kind] += 1
        outcome.wrong += [f"{what}: {place}" for place in wrong]
        if kind == "other":
            outcome.silent.append(what)
        _mend(root, expected, reader, what, outcome)
        for aside in store.glob("damaged-*"):
            shutil.rmtree(aside)
    reader.close()
    return outcome


def _weighted(rng: random.Random, store: Path) -> list[Path]:
    """Mostly what answers are made from."""
    files = data_files(store)
    if rng.random() < 0.85:
        files = [file for file in files if file.name.startswith("index.db") or file.parent != store]
    return files


def _kind(found: str, expected: str, errors: "Counter[str] | dict[str, int]") -> str:
    return "same" if found == expected else "error" if errors else "other"


def _mend(root: Path, expected: str, reader: Reader, what: str, outcome: Outcome) -> None:
    """Whatever was damaged, a repair and the next index leave what a fresh index is, for the reader as well."""
    try:
        with Workspace.open(root) as workspace:
            problems = workspace.doctor(repair=True)
            workspace.index()
            found = digest(look(workspace)[0])
            left = workspace.doctor()
    except CodecairnError as err:
        outcome.unrepaired.append(f"{what}: {err.code}: {err.message}")
        return
    if found != expected or left or not all(problem.repaired for problem in problems):
        outcome.unrepaired.append(f"{what}: {[problem.detail for problem in left]}")
    seen = reader.look()
    if seen["digest"] != expected:
        outcome.unrepaired.append(f"{what}: the reader still answers otherwise: {seen['errors']}")


def make_project(root: Path) -> Repository:
    """What is indexed."""
    repository = Repository.make(root)
    for seed in range(MODULES):
        repository.write(f"a/module{seed}.py", module_text(seed, functions=6))
    return repository


@contextlib.contextmanager
def _home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="codecairn-corruption-") as folder:
        os.environ["CODECAIRN_HOME"] = str(Path(folder) / "home")
        yield Path(folder)


def main() -> None:
    """Play what the arguments ask for."""
    if sys.argv[1] == "--read":
        read()
        return
    seed, trials, started_s = int(sys.argv[1]), int(sys.argv[2]), time.monotonic()
    with _home() as folder:
        outcome = play(
            make_project(folder / "repository").root,
            seed,
            trials,
            lambda what: sys.stderr.write(f"{time.monotonic() - started_s:.1f} s {what}\n"),
        )
    document = {
        "trials": outcome.trials, "live": outcome.live, "opened": outcome.opened,
        "wrong": outcome.wrong, "silent": outcome.silent, "unrepaired": outcome.unrepaired,
    }  # fmt: skip
    sys.stdout.write(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
