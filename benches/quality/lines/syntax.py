"""Definitions, comments and string literals of a source file, as tree-sitter's grammars see them.

The grammars are those of the package `tree-sitter-language-pack`: questions must not depend on our own parser. Each kind
of node is looked up by one query per language, compiled on first use; kinds that a grammar lacks are left out of it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from benches.quality.graph.sampling import is_test
from benches.quality.model.corpus import is_own

LANGUAGES: Mapping[str, str] = {
    ".py": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".mts": "typescript", ".tsx": "tsx", ".go": "go", ".rs": "rust", ".java": "java",
    ".c": "c", ".h": "cpp", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".cs": "csharp",
    ".rb": "ruby", ".php": "php", ".kt": "kotlin", ".swift": "swift", ".scala": "scala",
}  # fmt: skip

_FUNCTIONS = (
    "function_definition", "function_declaration", "method_declaration", "method_definition", "function_item",
    "generator_function_declaration", "constructor_declaration", "method", "singleton_method", "variable_declarator",
)  # fmt: skip
_TYPES = (
    "class_definition", "class_declaration", "abstract_class_declaration", "class_specifier", "class", "struct_specifier",
    "struct_item", "struct_declaration", "enum_item", "enum_specifier", "enum_declaration", "trait_item", "trait_definition",
    "trait_declaration", "interface_declaration", "record_declaration", "object_declaration", "object_definition",
    "protocol_declaration", "impl_item", "type_declaration", "type_alias_declaration", "module",
)  # fmt: skip
_COMMENTS = ("comment", "line_comment", "block_comment", "multiline_comment")
_STRINGS = (
    "string", "string_literal", "interpreted_string_literal", "raw_string_literal", "template_string", "encapsed_string",
    "line_string_literal", "interpolated_string_expression", "interpolated_string", "verbatim_string_literal",
)  # fmt: skip
_CLOSURES = frozenset({"arrow_function", "function_expression", "generator_function"})
_WRAPPERS = frozenset({"export_statement", "template_declaration", "lexical_declaration"})
_ATTRIBUTES = frozenset({"attribute_item", "decorator", "attribute_list", "annotation"})
_STATEMENTS = frozenset({"block", "module", "expression_statement"})

_NO_PRODUCT = re.compile(
    r"(?:^|[/_.-])(?:tests?|specs?|testing|testdata|bench(?:es|marks?)?|examples?|samples?|demos?|fixtures?)/|"
    r"[_.-](?:tests?|specs?|min)\.\w+$",
    re.IGNORECASE,
)

Span = tuple[int, int]
"""Offsets in bytes, the end not included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A function with a body. `docs` are the comments directly above it, or its docstring, in order."""

    name: str
    line: int
    body: Span
    docs: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """The lines of a function or a type, with its attributes; `name` is the line with its name."""

    first: int
    last: int
    name: int


class Source:
    """One parsed file."""

    def __init__(self, content: bytes, language: str) -> None:
        self.content = content
        self.language = language
        parser, self._query = _tools(language)
        self._root = parser.parse(content).root_node
        self._found: dict[str, list[Any]] | None = None

    def comments(self) -> list[Span]:
        """Every comment."""
        return sorted((node.start_byte, node.end_byte) for node in self._nodes("comment"))

    def docstrings(self) -> list[Span]:
        """Every string that is a statement, in Python."""
        if self.language != "python":
            return []
        nodes = [each for each in self._nodes("string") if each.parent.type in _STATEMENTS]
        return sorted((node.start_byte, node.end_byte) for node in nodes)

    def definitions(self) -> Iterator[Definition]:
        """Every function that has a body."""
        for node in self._nodes("function"):
            function = node
            if node.type == "variable_declarator":
                function = node.child_by_field_name("value")
                if function is None or function.type not in _CLOSURES:
                    continue
            body = function.child_by_field_name("body") or _child(function, "function_body")
            name = _name(node)
            if body is None or name is None:
                continue
            docs = _docstring(body) if self.language == "python" else self._docs(node)
            yield Definition(
                name=self.text((name.start_byte, name.end_byte)),
                line=name.start_point[0] + 1,
                body=(body.start_byte, body.end_byte),
                docs=tuple(docs),
            )

    def extents(self) -> Iterator[Extent]:
        """The lines of every function and of every type that has more than its name."""
        for node in (*self._nodes("function"), *self._nodes("type")):
            if node.parent is None or not _is_definition(node):
                continue
            outer, name = _with_attributes(node), _name(node)
            first, last = outer.start_point[0] + 1, node.end_point[0] + 1
            yield Extent(
                first=_first_row_of_attributes(outer) or first,
                last=last,
                name=name.start_point[0] + 1 if name is not None else node.start_point[0] + 1,
            )

    def strings(self) -> Iterator[tuple[Span, tuple[str, ...]]]:
        """Every string literal, with what its enclosing calls and statements begin with, innermost first."""
        for node in self._nodes("string"):
            yield (node.start_byte, node.end_byte), tuple(self._openings(node))

    def text(self, span: Span) -> str:
        """The text of a span."""
        return self.content[span[0] : span[1]].decode("utf-8", "replace")

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""
        return self.content.count(b"\n", 0, offset) + 1

    def _nodes(self, kind: str) -> list[Any]:
        if self._found is None:
            from tree_sitter import QueryCursor

            self._found = QueryCursor(self._query).captures(self._root)
        return sorted(self._found.get(kind, []), key=lambda node: (node.start_byte, -node.end_byte))

    def _openings(self, node: Any) -> Iterator[str]:  # noqa: ANN401 - the package has no types
        around = node.parent
        while around is not None and not _is_scope(around.type):
            if _is_opening(around.type):
                start = max(around.start_byte, node.start_byte - 120)
                yield self.text((start, node.start_byte))
            around = around.parent

    def _docs(self, node: Any) -> list[Span]:  # noqa: ANN401
        """The comments that end on the line above, attributes passed over, each on lines of its own."""
        anchor = node
        while anchor.parent is not None and (
            anchor.parent.type in _WRAPPERS
            or (anchor.parent.start_byte == anchor.start_byte and anchor.parent.parent is not None)
        ):
            anchor = anchor.parent
        found: list[Span] = []
        first_row, above = anchor.start_point[0], anchor.prev_named_sibling
        while above is not None and (above.type in _ATTRIBUTES or above.type in _COMMENTS):
            if above.type in _COMMENTS:
                if _last_row(above) < first_row - 1 or not self._begins_line(above.start_byte):
                    break
                found.append((above.start_byte, above.end_byte))
            first_row, above = above.start_point[0], above.prev_named_sibling
        return found[::-1]

    def _begins_line(self, offset: int) -> bool:
        return not self.content[self.content.rfind(b"\n", 0, offset) + 1 : offset].strip()


def is_asked_about(path: str) -> bool:
    """Whether a file is source code of the project itself: no test, example, benchmark, copy or minified file."""
    is_product = is_own(path) and not is_test(path) and not _NO_PRODUCT.search(path)
    return language_of(path) is not None and is_product


def language_of(path: str) -> str | None:
    """The grammar for a file, by the end of its name."""
    return LANGUAGES.get(PurePosixPath(path).suffix.lower())


@cache
def _tools(language: str) -> tuple[Any, Any]:
    from tree_sitter import Query
    from tree_sitter_language_pack import get_language, get_parser

    name: Any = language
    grammar = get_language(name)
    parts = []
    kinds = (
        ("function", _FUNCTIONS),
        ("type", _TYPES),
        ("comment", _COMMENTS),
        ("string", _STRINGS),
    )
    for kind, names in kinds:
        known = [f"({name})" for name in names if grammar.id_for_node_kind(name, True) is not None]  # noqa: FBT003
        if known:
            parts.append(f"[{' '.join(known)}] @{kind}")
    return get_parser(name), Query(grammar, "\n".join(parts))


def _is_definition(node: Any) -> bool:  # noqa: ANN401
    """Whether a node is a definition with a body: not a name of a type in use, not a variable without a closure."""
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        return value is not None and value.type in _CLOSURES
    if node.type.endswith("_specifier"):
        return node.child_by_field_name("body") is not None
    return True


def _with_attributes(node: Any) -> Any:  # noqa: ANN401
    """The statement that a definition is, with the export, the template or the decorators around it."""
    while node.parent is not None and (
        node.parent.type in _WRAPPERS or node.parent.type == "decorated_definition"
    ):
        node = node.parent
    return node


def _first_row_of_attributes(node: Any) -> int | None:  # noqa: ANN401
    """The line of the first of the attributes that stand before a definition as nodes of their own."""
    first, above = None, node.prev_named_sibling
    while above is not None and above.type in _ATTRIBUTES:
        first, above = above.start_point[0] + 1, above.prev_named_sibling
    return first


def _name(node: Any) -> Any:  # noqa: ANN401
    """The node of a definition's name; C's declarators are nested."""
    name = node.child_by_field_name("name") or _child(node, "simple_identifier")
    declarator = node.child_by_field_name("declarator")
    while name is None and declarator is not None:
        inner = declarator.child_by_field_name("declarator") or declarator.child_by_field_name(
            "name"
        )
        if inner is None:
            return (
                declarator
                if "identifier" in declarator.type or "operator" in declarator.type
                else None
            )
        declarator = inner
    return name


def _child(node: Any, kind: str) -> Any:  # noqa: ANN401
    return next((each for each in node.named_children if each.type == kind), None)


def _docstring(body: Any) -> list[Span]:  # noqa: ANN401
    first = next((each for each in body.named_children if each.type != "comment"), None)
    if first is not None and first.type == "expression_statement":
        first = next(iter(first.named_children), None)
    return (
        [(first.start_byte, first.end_byte)] if first is not None and first.type == "string" else []
    )


def _last_row(node: Any) -> int:  # noqa: ANN401
    """The row that a comment ends on: some grammars count the line break to it."""
    row, column = node.end_point
    return int(row) - int(column == 0)


def _is_opening(kind: str) -> bool:
    words = (
        "call",
        "invocation",
        "creation",
        "new_expression",
        "instance_expression",
        "raise",
        "throw",
        "jump",
    )
    return any(word in kind for word in words)


def _is_scope(kind: str) -> bool:
    words = (
        "function",
        "block",
        "class",
        "program",
        "module",
        "source",
        "body",
        "lambda",
        "closure",
        "unit",
    )
    return any(word in kind for word in words) and "call" not in kind
