"""What kind of thing is defined at a place, in the words of the syntax around the name."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

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
# What the preprocessor of C and C++ chooses between, and where a name is defined or declared in it.
_CONDITIONS = frozenset({"preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef"})
_C_DEFINING = frozenset({"function_declarator", "preproc_def", "preproc_function_def"})
# What gives a name to a value, and the field of the value; what a name and a member of something look like.
_ASSIGNMENTS = {
    "assignment": "right",
    "assignment_expression": "right",
    "variable_declarator": "value",
    "pair": "value",
}
_MEMBERS = {"attribute": "attribute", "member_expression": "property"}
_NAMES = frozenset({"identifier", "property_identifier", *_MEMBERS})
# Where a search for the declaration around a name ends.
_STATEMENTS = frozenset({"program", "statement_block", "expression_statement", "class_body"})
_CLASSES = frozenset({"class_specifier", "struct_specifier"})
_DECLARED = "function_declarator"
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
        # Where a constructor is private, some servers name the word that says so.
        if (
            name is not None
            and name.parent is not None
            and name.parent.type == "accessibility_modifier"
        ):
            member = name.parent.parent
            name = member.child_by_field_name("name") if member is not None else None
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

    def constructors(self, place: Place) -> list[Place]:
        """Where the C++ class that is named at this place declares or defines constructors."""
        name = self._name(place)
        declared = name.parent if name is not None else None
        if name is None or declared is None or declared.type not in _CLASSES:
            return []
        found = []
        pending = [declared.child_by_field_name("body")]
        while pending:
            node = pending.pop()
            if node is None or node.type in _CLASSES:
                continue
            pending.extend(node.named_children)
            inner = node.child_by_field_name("declarator") if node.type == _DECLARED else None
            if inner is not None and inner.text == name.text:
                row, column = inner.start_point
                found.append(Place(path=place.path, line=row + 1, column=column))
        return found

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

    def alternatives(self, place: Place) -> list[Place]:
        """Where the name there is defined in the other branches of the conditions of C's preprocessor around it."""
        name = self._name(place)
        found: set[Place] = set()
        branch, node = name, name.parent if name is not None else None
        while name is not None and branch is not None and node is not None:
            if node.type in _CONDITIONS and (other := _other_branches(node, branch)):
                for point in _defined_in(other, name):
                    found.add(Place(path=place.path, line=point[0] + 1, column=point[1]))
            branch, node = node, node.parent
        return sorted(found)

    def implemented(self, place: Place) -> Place | None:
        """Where the type is named whose Rust `impl` block has its head at this place, if one has."""
        node = self._name(place)
        while node is not None and node.type not in {"impl_item", "declaration_list", "block"}:
            node = node.parent
        named = node.child_by_field_name("type") if node is not None else None
        if node is None or node.type != "impl_item" or named is None:
            return None
        while (
            inner := named.child_by_field_name("type") or named.child_by_field_name("name")
        ) is not None:
            named = inner
        row, column = named.start_point
        return Place(path=place.path, line=row + 1, column=column)

    def renamed(self, place: Place) -> Place | None:
        """The name that the variable at this place is another name for, as in `append = parts.append`; None if it is not."""
        node = self._name(place)
        while node is not None and node.type not in _ASSIGNMENTS:
            if node.type not in _NAMES:
                return None
            node = node.parent
        value = node.child_by_field_name(_ASSIGNMENTS[node.type]) if node is not None else None
        while value is not None and value.type in _MEMBERS:
            value = value.child_by_field_name(_MEMBERS[value.type])
        if value is None or value.type not in _NAMES:
            return None
        row, column = value.start_point
        found = Place(path=place.path, line=row + 1, column=column)
        return None if found == place else found

    def receiver(self, place: Place) -> Place | None:
        """The plain variable whose member JavaScript names at this place, as `parts` in `parts.append`."""
        name = self._name(place)
        node = name.parent if name is not None else None
        if node is None or node.type != "member_expression":
            return None
        left = node.child_by_field_name("object")
        if left is None or left.type != "identifier":
            return None
        row, column = left.start_point
        return Place(path=place.path, line=row + 1, column=column)

    def written_members(self, place: Place, name: str) -> list[Place]:
        """Where the object literal that the variable at this place is made of, as it is or frozen, defines a member."""
        node = self._name(place)
        declared = node.parent if node is not None else None
        if declared is None or declared.type != "variable_declarator":
            return []
        value = declared.child_by_field_name("value")
        literals = [value] if value is not None else []
        if value is not None and value.type == "call_expression":
            arguments = value.child_by_field_name("arguments")
            literals = arguments.named_children if arguments is not None else []
        found = []
        for literal in literals:
            for member in literal.named_children if literal.type == "object" else ():
                key = member.child_by_field_name("key") or member.child_by_field_name("name")
                if key is not None and _text(key) == name:
                    row, column = key.start_point
                    found.append(Place(path=place.path, line=row + 1, column=column))
        return found

    def is_required(self, place: Place) -> bool:
        """Whether a variable is named there that holds what JavaScript's `require` gives."""
        node = self._name(place)
        while node is not None and node.type not in _STATEMENTS:
            if node.type == "variable_declarator":
                value = node.child_by_field_name("value")
                return value is not None and (value.text or b"").startswith(b"require(")
            node = node.parent
        return False

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
                name: Any = grammar.parsers[end]
                parser = get_parser(name)
                return parser.parse((self._root / path).read_bytes())
        return None


def _other_branches(condition: Node, branch: Node) -> list[Node]:
    alternative = condition.child_by_field_name("alternative")
    if alternative is None:
        return []
    if branch.id != alternative.id:
        return [alternative]
    return [each for each in condition.named_children if each.id != alternative.id]


def _defined_in(nodes: list[Node], name: Node) -> Iterator[tuple[int, int]]:
    pending = list(nodes)
    while pending:
        node = pending.pop()
        pending.extend(node.named_children)
        if node.type in _C_DEFINING:
            defined = node.child_by_field_name("declarator") or node.child_by_field_name("name")
            if defined is not None and defined.text == name.text:
                yield defined.start_point


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", errors="replace")
