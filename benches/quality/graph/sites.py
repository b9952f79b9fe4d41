"""Find every place in a project where something is called by name."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tree_sitter import Node, Parser
from tree_sitter_language_pack import get_parser

from benches.quality.graph.grammar import Grammar, Kind, Site
from benches.quality.graph.places import Place

# Folders of things that are not the project's own source.
_FOREIGN = frozenset({"node_modules", "vendor", "third_party", "build", "dist", "target"})
# Calls of a constructor that do not name it.
_UNNAMED = frozenset({"super", "this"})
_CONSTANTS = frozenset({"constant", "scope_resolution"})
_NAME = re.compile(r"[^\W\d][\w$]*[?!]?")
# Sources that a compilation database names one by one; headers are not named.
_UNITS = frozenset({".c", ".cc", ".cpp", ".cxx", ".c++"})
# A file beyond this is generated, or data.
_LARGEST_FILE_BYTES = 1_000_000


def find_sites(root: Path, grammar: Grammar, *, sources: Sequence[str] = (".",)) -> list[Site]:
    """Every call in the files of a project that the grammar knows, by place.

    Args:
        root: The project's top.
        grammar: The language.
        sources: Folders and files below `root` to look in.
    """
    names: dict[str, Any] = dict(grammar.parsers)
    parsers = {end: get_parser(name) for end, name in names.items()}
    compiled = _compiled(root)
    return sorted(
        site
        for path in source_files(root, frozenset(parsers), sources=sources)
        if compiled is None or path.suffix not in _UNITS or path in compiled
        for site in _sites_of(path, root, parsers[path.suffix], grammar)
    )


def _compiled(root: Path) -> frozenset[Path] | None:
    """The files that the compilation database at the project's top names; None without one.

    The others belong to other systems: a server reads them with the commands of their neighbours, and finds this system's definitions.
    """
    database = root / "compile_commands.json"
    if not database.is_file():
        return None
    listed = json.loads(database.read_text(encoding="utf-8"))
    return frozenset(Path(each["directory"], each["file"]).resolve() for each in listed)


def source_files(root: Path, ends: frozenset[str], *, sources: Sequence[str]) -> list[Path]:
    """The project's own files whose names end so, in order."""
    found: set[Path] = set()
    for source in sources:
        top = root / source
        found.update([top] if top.is_file() else top.rglob("*"))
    return sorted(path for path in found if path.suffix in ends and _is_own(path, root))


def _is_own(path: Path, root: Path) -> bool:
    folders = path.relative_to(root).parts[:-1]
    return (
        path.is_file()
        and not path.is_symlink()
        and path.stat().st_size <= _LARGEST_FILE_BYTES
        and ".min." not in path.name
        and not any(part in _FOREIGN or part.startswith(".") for part in folders)
    )


def _sites_of(path: Path, root: Path, parser: Parser, grammar: Grammar) -> Iterator[Site]:
    tree = parser.parse(path.read_bytes())
    relative = path.relative_to(root).as_posix()
    pending = [tree.root_node]
    while pending:
        node = pending.pop()
        pending.extend(node.children)
        if node.type not in grammar.calls:
            continue
        callee, kind = _callee(node, grammar)
        while callee is not None and callee.type in grammar.steps:
            if callee.type in grammar.members and kind == "call":
                kind = "method_call"
            callee = _child(callee, grammar.steps[callee.type])
        if callee is None or callee.named_child_count or callee.text is None:
            continue
        if callee.type in _UNNAMED:
            continue
        name = callee.text.decode("utf-8", errors="replace")
        if _NAME.fullmatch(name):
            row, column = callee.start_point
            yield Site(
                place=Place(path=relative, line=row + 1, column=column), name=name, kind=kind
            )


def _callee(node: Node, grammar: Grammar) -> tuple[Node | None, Kind]:
    where, kind = grammar.calls[node.type]
    callee = _child(node, where)
    receiver = node.child_by_field_name(grammar.receiver) if grammar.receiver else None
    if callee is None or receiver is None:
        return callee, kind
    if grammar.maker and callee.text == grammar.maker.encode() and receiver.type in _CONSTANTS:
        return receiver, "construct"
    return callee, "method_call"


def _child(node: Node, where: str | int) -> Node | None:
    if isinstance(where, str):
        return node.child_by_field_name(where)
    children = node.named_children
    return children[where] if -len(children) <= where < len(children) else None
