"""What other ways to find callees answer at the same call sites: codegraph, and a plain search by name."""

import json
import os
import re
import shutil
import sqlite3  # noqa: TID251 - another program wrote this database
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches.quality.graph.judging import EdgeTarget
from benches.quality.graph.records import Truth
from codecairn.errors import SymbolNotFound

_INDEXING_S = 1800.0
# Edges of codegraph that say what is called; it records an instance that is created as any of them.
_KINDS = ("calls", "instantiates", "references")
_TAIL = re.compile(r"[\w$]+[?!]?$")
# A line that goes on with a chain of calls, whose edges codegraph puts where the chain begins.
_CHAINED = re.compile(r"\s*(\.|\?\.|->|::|\)|\}|\])")
_MAX_CHAIN_LINES = 30
# A definition begins with decorators, attributes and modifiers; its name follows within so many lines.
_MAX_HEAD_LINES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerTarget:
    """A definition that a peer names."""

    path: str
    line: int
    qualified_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerEdge:
    """A peer's answer for one call site."""

    line: int
    column: int
    how: str
    is_resolved: bool
    targets: Sequence[EdgeTarget]
    kind: str = "call"
    confidence: float = 1.0
    declared: None = None


def search_names(graph: Any, truths: Iterable[Truth]) -> dict[str, list[PeerEdge]]:  # noqa: ANN401
    """Every definition of the called name; a fact where there is exactly one."""
    edges: dict[str, list[PeerEdge]] = defaultdict(list)
    for truth in truths:
        try:
            found = graph.definitions(truth.name, refresh=False)
        except SymbolNotFound:
            continue
        targets = [each for each in found if each.name == truth.name]
        edge = PeerEdge(
            line=truth.line,
            column=truth.column,
            how="name",
            is_resolved=len(targets) == 1,
            targets=targets,
        )
        edges[truth.path].append(edge)
    return edges


def ask_codegraph(program: Path, root: Path, truths: Iterable[Truth]) -> dict[str, list[PeerEdge]]:
    """What codegraph's index has for each site: all of its edges are facts to its users.

    An edge of codegraph lies where the call expression begins, not where the name does. It answers for the site of its name
    on that line that is nearest behind it; in a chain of calls over several lines, also for those further down.
    """
    folder = Path(tempfile.mkdtemp(prefix="codegraph-"))
    try:
        copy = folder / root.name
        shutil.copytree(root, copy, symlinks=True)
        environment = os.environ | {"HOME": str(folder), "DO_NOT_TRACK": "1"}
        subprocess.run(
            [program, "init", copy],
            env=environment,
            stdout=subprocess.DEVNULL,
            check=True,
            timeout=_INDEXING_S,
        )
        with closing(sqlite3.connect(copy / ".codegraph" / "codegraph.db")) as database:
            found = _Recorded(database, root)
        edges: dict[str, list[PeerEdge]] = defaultdict(list)
        for truth in truths:
            if targets := found.targets(truth):
                edge = PeerEdge(
                    line=truth.line,
                    column=truth.column,
                    how="codegraph",
                    is_resolved=True,
                    targets=targets,
                )
                edges[truth.path].append(edge)
        return edges
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    column: int
    target: PeerTarget


class _Recorded:
    """The edges of a database of codegraph, by file, called name and line."""

    def __init__(self, database: sqlite3.Connection, root: Path) -> None:
        self._root = root
        self._lines: dict[str, list[str]] = {}
        self._rows: dict[tuple[str, str], dict[int, list[_Row]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for path, line, column, metadata, target in self._read(database):
            called = json.loads(metadata or "{}").get("refName") or target["name"]
            tail = _TAIL.search(called)
            name = tail.group() if tail else called
            # For a member that it does not know, codegraph names the receiver: a use of that, no answer about the member.
            if name != called and target["name"] != name:
                continue
            row = _Row(column=column or 0, target=self._named(target))
            self._rows[path, name][line].append(row)

    def targets(self, truth: Truth) -> list[PeerTarget]:
        """The definitions that the edges at a site lead to."""
        by_line = self._rows.get((truth.path, truth.name), {})
        for line in self._lines_of_site(truth):
            if rows := by_line.get(line):
                behind = [row.column for row in rows if row.column <= truth.column]
                nearest = max(behind) if behind else min(row.column for row in rows)
                if line != truth.line:
                    nearest = rows[-1].column
                return [row.target for row in rows if row.column == nearest]
        return []

    def _lines_of_site(self, truth: Truth) -> Iterator[int]:
        yield truth.line
        lines = self._text(truth.path)
        for line in range(truth.line, max(1, truth.line - _MAX_CHAIN_LINES), -1):
            if line == truth.line and not _CHAINED.match(lines[line - 1]):
                return
            yield line - 1

    def _read(
        self, database: sqlite3.Connection
    ) -> Iterator[tuple[str, int, int | None, str | None, Mapping[str, Any]]]:
        marks = ", ".join("?" * len(_KINDS))
        rows = database.execute(
            "select s.file_path, e.line, e.col, e.metadata, t.file_path, t.start_line, t.end_line, t.name, t.qualified_name"
            " from edges e join nodes s on s.id = e.source join nodes t on t.id = e.target"
            f" where e.kind in ({marks}) and e.line is not null order by e.id",
            _KINDS,
        )
        keys = ("path", "line", "end", "name", "qualified_name")
        for path, line, column, metadata, *target in rows:
            yield path, line, column, metadata, dict(zip(keys, target, strict=True))

    def _named(self, target: Mapping[str, Any]) -> PeerTarget:
        """The target at the line of its name."""
        lines = self._text(target["path"])
        name = re.compile(rf"(?<![\w$]){re.escape(target['name'])}(?![\w$])")
        last = min(target["end"], target["line"] + _MAX_HEAD_LINES, len(lines))
        for line in range(target["line"], last + 1):
            if name.search(lines[line - 1]):
                break
        else:
            line = target["line"]
        return PeerTarget(path=target["path"], line=line, qualified_name=target["qualified_name"])

    def _text(self, path: str) -> list[str]:
        if path not in self._lines:
            text = (self._root / path).read_text(encoding="utf-8", errors="replace")
            self._lines[path] = text.split("\n")
        return self._lines[path]
