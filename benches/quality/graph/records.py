"""The files of truth: one line of JSON for each call site, and a header file."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches.quality.graph.grammar import Kind

# Syntax around a name that only the function around it knows.
_LOCAL = re.compile(
    r"parameter|<let_declaration|<short_var_declaration|<lexical_declaration<statement_block"
    r"|<assignment<block<function_definition|<var_spec<var_declaration<statement"
)


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Target:
    """A definition.

    Attributes:
        path: File, relative to the project's top.
        line: Line of the defined name, from 1.
        node: Types of the syntax nodes around that name, innermost first.
    """

    path: str
    line: int
    node: str = ""

    @property
    def is_local(self) -> bool:
        """Whether a parameter or a local variable is named there."""
        return _LOCAL.search(self.node) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What is right for one call site. Without targets, what is called lies outside the project."""

    path: str
    line: int
    column: int
    name: str
    kind: Kind
    targets: tuple[Target, ...] = ()

    @property
    def is_external(self) -> bool:
        """Whether what is called lies outside the project."""
        return not self.targets

    @property
    def is_local(self) -> bool:
        """Whether a parameter or a local variable is called, which is no symbol of an index."""
        return any(each.is_local for each in self.targets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Where a file of truth comes from.

    Attributes:
        project: Name of the checkout's folder.
        language: The language.
        url: The project's public address.
        revision: The commit.
        sources: Folders whose call sites were drawn.
        server: What was asked.
        version: Its version.
        sites: Call sites in those folders.
        sampled: Sites that were asked for.
        inside: Answers that lie in the project.
        external: Answers that lie outside.
        unknown: Sites without an answer, which are left out.
    """

    project: str
    language: str
    url: str
    revision: str
    sources: tuple[str, ...]
    server: str
    version: str
    sites: int
    sampled: int
    inside: int
    external: int
    unknown: int


def to_record(truth: Truth) -> dict[str, Any]:
    """A site as it is written."""
    record: dict[str, Any] = {
        "path": truth.path,
        "line": truth.line,
        "column": truth.column,
        "name": truth.name,
        "kind": truth.kind,
    }
    if truth.is_external:
        return record | {"external": True}
    targets = [{"path": each.path, "line": each.line, "node": each.node} for each in truth.targets]
    return record | {"targets": targets}


def from_record(record: Mapping[str, Any]) -> Truth:
    """A site as it was written."""
    given = {key: value for key, value in record.items() if key not in {"external", "targets"}}
    targets = tuple(Target(**each) for each in record.get("targets", ()))
    return Truth(**given, targets=targets)


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write one record a line."""
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text(text, encoding="utf-8")


def read_truth(path: Path) -> list[Truth]:
    """All sites of a file."""
    return [from_record(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def read_header(path: Path) -> Header:
    """The header of a file of truth."""
    given = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return Header(**(given | {"sources": tuple(given["sources"])}))
