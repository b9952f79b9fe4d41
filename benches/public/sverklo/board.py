"""The board's own program, run in a clone of it with further baselines, on checkouts of mirrors.

Afterwards the clone has a further folder of results, and is else as it was: files that are added or changed for a run are put
back, and checkouts that were made for it are removed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from benches.public.sverklo.data import Row, holds, rows, tasks
from codecairn.errors import UsageError

ADDRESS = "https://github.com/sverklo/sverklo"
_HERE = Path(__file__).parent
_SOURCE = Path("benchmark", "src")
_MANIFEST = _SOURCE / "datasets" / "manifest.json"
_BASELINES = _SOURCE / "baselines"
_RUNNER = _SOURCE / "runner" / "run-primitive.ts"
_RESULTS = Path("benchmark", "results")
_IMPORTS = 'import type { Baseline } from "../baselines/base.ts";\n'
_LIST = "const allBaselines: Baseline[] = [\n"
_NODE = ("node", "--experimental-strip-types", "--no-warnings")
_OLDEST_NODE = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A baseline that is added to the board: its file without the ending, and its class."""

    file: str
    name: str

    @property
    def text(self) -> str:
        """The file's text."""
        return (_HERE / f"{self.file}.ts").read_text(encoding="utf-8")


OURS = Added(file="codecairn", name="CodecairnBaseline")
ADDED = (OURS, Added(file="codegraph_index", name="CodeGraphIndexBaseline"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of the board.

    Attributes:
        rows: Its scored answers.
        holding: The ids of the tasks whose truth can be met in the files.
        folder: Its documents, in a folder of results.
        left_out: Repositories whose revision is in no mirror.
    """

    rows: tuple[Row, ...]
    holding: frozenset[str]
    folder: Path
    left_out: tuple[str, ...]


def registered(runner: str, added: Sequence[Added]) -> str:
    """The board's list of baselines with further ones.

    Raises:
        UsageError: If the list is not where it was.
    """
    if _IMPORTS not in runner or _LIST not in runner:
        raise UsageError(
            f"{_RUNNER} has no list of baselines in the form that is known here",
            hint=f"take {ADDRESS} at the revision that benches/public/README.md names",
        )
    imports = "".join(
        f'import {{ {each.name} }} from "../baselines/{each.file}.ts";\n' for each in added
    )
    instances = "".join(f"    new {each.name}(),\n" for each in added)
    return runner.replace(_IMPORTS, _IMPORTS + imports).replace(_LIST, _LIST + instances)


def patch(clone: Path) -> str:
    """Our baseline and its registration, as `git apply` takes them."""
    runner = (clone / _RUNNER).read_text(encoding="utf-8")
    changes = (
        (_BASELINES / f"{OURS.file}.ts", "", OURS.text),
        (_RUNNER, runner, registered(runner, [OURS])),
    )
    parts: list[str] = []
    for path, old, new in changes:
        name = path.as_posix()
        before = f"a/{name}" if old else "/dev/null"
        parts.append(f"diff --git a/{name} b/{name}\n")
        parts += [] if old else ["new file mode 100644\n"]
        parts += unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), before, f"b/{name}"
        )
    return "".join(parts)


def mirror_of(address: str, reference: str, mirrors: Path) -> Path | None:
    """The mirror that has a revision: of the address' owner, else of another with the same name, as after a move."""
    owner, name = address.removesuffix(".git").split("/")[-2:]
    own = mirrors / f"{owner}+{name}" / "repo"
    for folder in (own, *sorted(mirrors.glob(f"*+{name}/repo"))):
        command = ["git", "-C", str(folder), "cat-file", "-e", f"{reference}^{{commit}}"]
        if (
            folder.is_dir()
            and not subprocess.run(command, check=False, capture_output=True).returncode
        ):
            return folder
    return None


def run(clone: Path, mirrors: Path, systems: Sequence[str], only: Sequence[str]) -> Run:
    """Have the board ask and score.

    Raises:
        UsageError: If the clone is none of the board, or Node is missing or too old.
    """
    check(clone)
    listed = json.loads((clone / _MANIFEST).read_text(encoding="utf-8"))["datasets"]
    wanted = [each for each in listed if not only or each["name"] in only]
    runner = (clone / _RUNNER).read_text(encoding="utf-8")
    with (
        tempfile.TemporaryDirectory(prefix="codecairn-board-") as home,
        checkouts(clone, mirrors, wanted) as there,
    ):
        environment = _environment(Path(home)) | {"BASELINES": ",".join(systems)}
        changes = {clone / _BASELINES / f"{each.file}.ts": each.text for each in ADDED}
        changes |= {
            clone / _RUNNER: registered(runner, ADDED),
            clone / _MANIFEST: json.dumps({"datasets": there}),
            clone / _SOURCE / "tasks.ts": (_HERE / "tasks.ts").read_text(encoding="utf-8"),
        }
        with replaced(changes):
            printed = _node(clone, environment, "tasks.ts")
            holding = frozenset(each.id for each in tasks(printed) if holds(each))
            before = set(_folders(clone))
            _node(clone, environment, "index.ts")
            (folder,) = set(_folders(clone)) - before
    return Run(
        rows=tuple(rows(folder / "raw.jsonl")),
        holding=holding,
        folder=folder,
        left_out=tuple(each["name"] for each in wanted if each not in there),
    )


def check(clone: Path) -> None:
    """Raise a UsageError if there is no clone of the board, or Node can't run it."""
    missing = [path for path in (_MANIFEST, _RUNNER) if not (clone / path).is_file()]
    if missing:
        raise UsageError(
            f"{clone} has no {missing[0]}",
            hint=f"`git clone {ADDRESS}`, and in it `npm ci --ignore-scripts && npm run build`",
        )
    program = shutil.which("node")
    printed = (
        subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        if program
        else ""
    )
    version = re.match(r"v(\d+)", printed)
    if not version or int(version[1]) < _OLDEST_NODE:
        raise UsageError(
            f"the board needs Node {_OLDEST_NODE} or newer, and there is {printed.strip() or 'none'}",
            hint="put its folder first in PATH",
        )


@contextmanager
def replaced(texts: Mapping[Path, str]) -> Iterator[None]:
    """Files with other texts for a while; those that were not there are removed again."""
    before = {path: path.read_bytes() if path.is_file() else None for path in texts}
    try:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        yield
    finally:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(content)


@contextmanager
def checkouts(
    clone: Path, mirrors: Path, listed: Sequence[Mapping[str, Any]]
) -> Iterator[list[Mapping[str, Any]]]:
    """The repositories of a list that are there or in a mirror, each checked out where the board looks for it."""
    made: list[Path] = []
    there: list[Mapping[str, Any]] = []
    try:
        for each in listed:
            folder = clone / each.get("checkoutDir", ".")
            if not (folder / ".git").exists():
                mirror = mirror_of(each["repo"], each["ref"], mirrors)
                if mirror is None:
                    continue
                made.append(folder)
                _clone(mirror, each["ref"], folder)
            there.append(each)
        yield there
    finally:
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)


def _clone(mirror: Path, reference: str, folder: Path) -> None:
    """One commit, as the board clones it."""
    address = mirror.resolve().as_uri()
    options = ["--quiet", "--depth", "1", "--branch", reference, "-c", "advice.detachedHead=false"]
    subprocess.run(["git", "clone", *options, address, str(folder)], check=True)


def _environment(home: Path) -> dict[str, str]:
    """A home without any index; a model that sverklo has loaded before is there."""
    models = Path.home() / ".sverklo" / "models"
    if models.is_dir():
        (home / ".sverklo").mkdir()
        (home / ".sverklo" / "models").symlink_to(models)
    program = Path(sys.executable).with_name("codecairn")
    return {
        "BENCH_CODECAIRN": str(program) if program.is_file() else "codecairn",
        **os.environ,
        "HOME": str(home),
    }


def _node(clone: Path, environment: Mapping[str, str], script: str) -> str:
    """What a program of the board prints; its progress is passed on."""
    done = subprocess.run(
        [*_NODE, str(clone / _SOURCE / script)],
        cwd=clone,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def _folders(clone: Path) -> list[Path]:
    return [each for each in (clone / _RESULTS).glob("*") if each.is_dir()]
