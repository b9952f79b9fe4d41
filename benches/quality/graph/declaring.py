"""What kind of thing is defined at a place, in the words of the syntax around the name."""

from functools import cache
from pathlib import Path

from tree_sitter import Node, Tree
from tree_sitter_language_pack import get_parser

from benches.quality.graph.grammar import GRAMMARS, Grammar
from benches.quality.graph.places import Place

_DEPTH = 3
# Several of these with one name in a row are one function, declared for several types of arguments.
_OVERLOADS = frozenset(
    {
        "function_signature",
        "function_declaration",
        "method_signature",
        "method_definition",
        "abstract_method_signature",
    }
)
_QUALIFIED = "qualified_identifier"
_CONSTRUCTORS = frozenset({"constructor", "__init__", "__new__", "__construct", "initialize"})


class Declarations:
    """Reads the project's files, each once."""

    def __init__(self, root: Path, grammar: Grammar) -> None:
        self._root = root
        # Languages share ends of names: that of the project goes before the others.
        self._grammars = (grammar, *GRAMMARS.values())
        self._tree = cache(self._parse)

    def around(self, place: Place) -> str:
        """Types of the nodes around the name there, innermost first; empty if the language is unknown."""
        node = self._name(place)
        types: list[str] = []
        while node is not None and len(types) <= _DEPTH:
            types.append(node.type)
            node = node.parent
        return "<".join(types)

    def constructed(self, place: Place) -> Place | None:
        """Where the type is named whose constructor is named at this place, if it is one's inside of its type."""
        name = self._name(place)
        node = name.parent if name is not None else None
        while name is not None and node is not None:
            if "class" in node.type or node.type.startswith(("enum_", "record_", "struct_")):
                owner = node.child_by_field_name("name")
                if owner is not None and owner.id != name.id:
                    is_constructor = name.text == owner.text or _text(name) in _CONSTRUCTORS
                    row, column = owner.start_point
                    found = Place(path=place.path, line=row + 1, column=column)
                    return found if is_constructor else None
            node = node.parent
        return None

    def overloads(self, place: Place) -> list[Place]:
        """Where the function named there is declared further, as TypeScript lets one do; empty if it is not."""
        name = self._name(place)
        declared = name.parent if name is not None else None
        if name is None or declared is None or declared.type not in _OVERLOADS:
            return []
        holder = declared.parent
        if holder is not None and holder.type == "export_statement":
            holder = holder.parent
        found = []
        for sibling in holder.named_children if holder is not None else ():
            inner = sibling.child_by_field_name("declaration") or sibling
            other = inner.child_by_field_name("name")
            if inner.type in _OVERLOADS and other is not None and other.text == name.text:
                row, column = other.start_point
                found.append(Place(path=place.path, line=row + 1, column=column))
        return found

    def is_outside_its_type(self, place: Place) -> bool:
        """Whether a member is defined there that C++ lets one define apart from its class."""
        name = self._name(place)
        return name is not None and name.parent is not None and name.parent.type == _QUALIFIED

    def text(self, place: Place) -> str:
        """The name at this position."""
        node = self._name(place)
        return _text(node) if node is not None else ""

    def _name(self, place: Place) -> Node | None:
        tree = self._tree(place.path)
        point = (place.line - 1, place.column)
        return tree.root_node.descendant_for_point_range(point, point) if tree else None

    def _parse(self, path: str) -> Tree | None:
        end = Path(path).suffix
        for grammar in self._grammars:
            if end in grammar.parsers:
                parser = get_parser(grammar.parsers[end])
                return parser.parse((self._root / path).read_bytes())
        return None


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", errors="replace")
