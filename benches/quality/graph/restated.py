"""What JavaScript defines and a declaration file next to it repeats for TypeScript."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from tree_sitter import Node
from tree_sitter_language_pack import get_parser

from benches.quality.graph.places import Place
from benches.quality.graph.sites import source_files

_ENDS = (".d.ts", ".d.mts", ".d.cts")
SCRIPTS = frozenset({".js", ".mjs", ".cjs"})
_DEFINING = frozenset({"method_definition", "function_declaration", "class_declaration"})


def is_restating(path: str) -> bool:
    """Whether a file only declares what another one defines."""
    return path.endswith(_ENDS)


class Scripts:
    """The functions, methods and classes of the JavaScript below some folders of a project."""

    def __init__(self, root: Path, *, sources: Sequence[str]) -> None:
        self._root = root
        self._sources = sources

    def only(self, name: str) -> Place | None:
        """Where this name is defined; None if nowhere or in several places."""
        found = self._places.get(name, [])
        return found[0] if len(found) == 1 else None

    @cached_property
    def _places(self) -> dict[str, list[Place]]:
        places: dict[str, list[Place]] = defaultdict(list)
        for path in source_files(self._root, SCRIPTS, sources=self._sources):
            tree = get_parser("javascript").parse(path.read_bytes())
            relative = path.relative_to(self._root).as_posix()
            for name in _defined(tree.root_node):
                row, column = name.start_point
                place = Place(path=relative, line=row + 1, column=column)
                places[(name.text or b"").decode("utf-8", errors="replace")].append(place)
        return places


def _defined(top: Node) -> Iterator[Node]:
    pending = [top]
    while pending:
        node = pending.pop()
        pending.extend(node.named_children)
        name = node.child_by_field_name("name") if node.type in _DEFINING else None
        if name is not None:
            yield name
