"""Blocks: the definitions of a file, of the kinds that ContextBench's evaluation counts.

Python is read by `ast`; the other seven languages of the set by tree-sitter's grammars, those of `tree-sitter-language-pack`:
questions must not depend on our own parser.
"""

import ast
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any

from benches.quality.lines.syntax import language_of

_PYTHON = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SCRIPT = ("function_declaration", "class_declaration", "method_definition")
_C = ("function_definition", "struct_specifier")
_KINDS: dict[str, tuple[str, ...]] = {
    "c": _C,
    "cpp": (*_C, "class_specifier"),
    "go": ("function_declaration", "method_declaration", "type_declaration"),
    "java": (
        "method_declaration",
        "constructor_declaration",
        "class_declaration",
        "interface_declaration",
    ),
    "javascript": (*_SCRIPT, "arrow_function"),
    "rust": ("function_item", "impl_item", "struct_item", "trait_item"),
    "tsx": (*_SCRIPT, "interface_declaration"),
    "typescript": (*_SCRIPT, "interface_declaration"),
}

Block = tuple[int, int, int]
"""First line, last line, and the column of its beginning, which tells two on one line apart."""


def touched(path: str, text: str, lines: Iterable[int]) -> frozenset[Block]:
    """The blocks of a file that hold one of some lines, those round them included: a method's class is touched too."""
    wanted = frozenset(lines)
    return frozenset(
        block
        for block in blocks(path, text)
        if not wanted.isdisjoint(range(block[0], block[1] + 1))
    )


@lru_cache(maxsize=2048)
def blocks(path: str, text: str) -> tuple[Block, ...]:
    """All blocks of a file; none of one in another language, or that Python can't parse."""
    language = language_of(path)
    if language == "python":
        return tuple(_of_python(text))
    return tuple(_of_grammar(language, text)) if language in _KINDS else ()


def _of_python(text: str) -> Iterator[Block]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, _PYTHON):
            yield node.lineno, node.end_lineno or node.lineno, node.col_offset


def _of_grammar(language: str, text: str) -> Iterator[Block]:
    from tree_sitter import QueryCursor

    parser, query = _tools(language)
    root = parser.parse(text.encode("utf-8")).root_node
    for node in QueryCursor(query).captures(root).get("block", ()):
        row, column = node.end_point
        yield node.start_point[0] + 1, int(row) + int(column > 0), int(node.start_point[1])


@cache
def _tools(language: str) -> tuple[Any, Any]:
    from tree_sitter import Query
    from tree_sitter_language_pack import get_language, get_parser

    name: Any = language
    kinds = " ".join(f"({kind})" for kind in _KINDS[language])
    return get_parser(name), Query(get_language(name), f"[{kinds}] @block")
