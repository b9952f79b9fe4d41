"""What is mutated, and what is known to be equivalent: two tables next to this file."""

import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benches.mutants.mutant import Mutant

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
AREAS = Path(__file__).parent / "areas.toml"
EQUIVALENT = Path(__file__).parent / "equivalent.toml"


@dataclass(frozen=True)
class Areas:
    """Which files decide about what, and how much of it tests must notice."""

    globs: dict[str, tuple[str, ...]]
    strict: frozenset[str]
    """Areas in which every mutant must be noticed."""
    floor: float
    """The share of all mutants that must be noticed."""

    def area_of(self, path: str) -> str | None:
        """The first area that has this file; none has tests."""
        if re.search(r"(?:^|/)tests?(?:/|\.rs$)|_tests\.rs$", path):
            return None
        for area, globs in self.globs.items():
            if any(_matches(path, glob) for glob in globs):
                return area
        return None

    def files(self, names: Iterable[str] = ()) -> dict[str, str]:
        """The tracked files of these areas (of all, if none is named), each with its area."""
        wanted = set(names) or set(self.globs)
        unknown = wanted - set(self.globs)
        if unknown:
            raise SystemExit(f"no area `{min(unknown)}`; there are {', '.join(self.globs)}")
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        found = {path: self.area_of(path) for path in sorted(listed) if (ROOT / path).is_file()}
        return {path: area for path, area in found.items() if area in wanted}


def _matches(path: str, glob: str) -> bool:
    """Whether a path is meant by a glob: `**` stands for any folders, `*` for a part of a name."""
    pieces = re.split(r"(\*\*/|\*)", glob)
    forms = {"**/": "(?:.*/)?", "*": "[^/]*"}
    return (
        re.fullmatch("".join(forms.get(piece, re.escape(piece)) for piece in pieces), path)
        is not None
    )


def load_areas(path: Path = AREAS) -> Areas:
    """The table of areas."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    globs = {area: tuple(patterns) for area, patterns in table["areas"].items()}
    return Areas(globs=globs, strict=frozenset(table["strict"]), floor=table["floor"])


@dataclass(frozen=True)
class Equivalent:
    """A mutant that no test can notice, because it changes nothing that is promised."""

    path: str
    function: str
    before: str
    after: str
    reason: str

    def is_(self, mutant: Mutant) -> bool:
        """Whether this is that mutant, wherever its line is in the file."""
        return (self.path, self.function, self.before, self.after) == (
            mutant.path,
            mutant.function,
            mutant.before,
            mutant.after,
        )


def load_equivalent(path: Path = EQUIVALENT) -> list[Equivalent]:
    """The table of equivalent mutants."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return [Equivalent(**row) for row in table.get("mutant", [])]
