"""Probes: which blocks of code a test runs, in its own process and in every process that it starts.

Each block of a copied Python file begins with a call that sets one byte of a file which all processes map. The core's
functions set theirs in the same file (`switch`). An environment variable would not reach every process, and coverage's
own tracer makes the hooks, which have milliseconds, miss their time.
"""

import ast
from dataclasses import dataclass

PYTHON_MAP = "python/codecairn/_probes.map"

REACHED_MODULE = '''"""Marks what is run."""

import mmap
import os


def _open():
    try:
        file = os.open(os.path.join(os.path.dirname(__file__), "_probes.map"), os.O_RDWR)
    except OSError:
        return bytearray(1 << 20)
    try:
        return mmap.mmap(file, 0)
    finally:
        os.close(file)


_bytes = _open()


def reached(number):
    _bytes[number] = 1
'''


_IMPORT = """try:
    from codecairn._probes import reached as _reached_probe
except ImportError:  # a script that finds the package later
    def _reached_probe(number): pass
"""


@dataclass(frozen=True)
class Block:
    """Statements that run one after the other: all of them, if the first does and none raises."""

    path: str
    name: str
    """The function and which of its blocks; it holds when the file is edited elsewhere."""
    first_line: int
    last_line: int

    @property
    def key(self) -> str:
        """What it is known by in a recording."""
        return f"{self.path}:{self.name}"


def blocks_of(text: str, path: str) -> list[Block]:
    """All blocks inside the functions of a Python file, outer ones first."""
    return [block for block, _ in _places(text, path)]


def block_at(blocks: list[Block], line: int) -> Block | None:
    """The innermost block that has this line."""
    having = [block for block in blocks if block.first_line <= line <= block.last_line]
    return min(having, key=lambda block: block.last_line - block.first_line, default=None)


def with_probes(text: str, path: str, first_number: int) -> str:
    """The file with a probe at the beginning of each block, numbered in the order of `blocks_of`."""
    lines = text.splitlines(keepends=True)
    places = _places(text, path)
    insertions = [(before, number) for number, (_, before) in enumerate(places, start=first_number)]
    for before, number in sorted(insertions, key=lambda one: (-one[0], -one[1])):
        line = lines[before - 1]
        indentation = line[: len(line) - len(line.lstrip())]
        lines.insert(before - 1, f"{indentation}_reached_probe({number})\n")
    if places:
        lines.insert(_first_import(text) - 1, _IMPORT)
    return "".join(lines)


def _first_import(text: str) -> int:
    """The line before which a module may import something."""
    for statement in ast.parse(text).body:
        is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not is_docstring and not is_future:
            return _first_line(statement)
    return 1


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _places(text: str, path: str) -> list[tuple[Block, int]]:
    """Blocks, each with the line before which its probe is."""
    lines = text.splitlines()
    found: list[tuple[Block, int]] = []
    counts: dict[str, int] = {}

    def visit(node: ast.AST, name: str, *, is_inside: bool) -> None:
        if is_inside:
            made = (make(body, name) for body in _bodies(node))
            found.extend(place for place in made if place is not None)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                visit(child, f"{name}.{child.name}".lstrip("."), is_inside=False)
            elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                visit(child, f"{name}.{child.name}".lstrip("."), is_inside=True)
            else:
                visit(child, name, is_inside=is_inside)

    def make(body: list[ast.stmt], name: str) -> tuple[Block, int] | None:
        first = body[0]
        is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        rest = body[1:] if is_docstring else body
        if not rest:
            return None
        before = _first_line(rest[0])
        line = lines[before - 1]
        if line[: rest[0].col_offset].strip() or line.lstrip().startswith("elif "):
            return None  # after a colon, or an `if` that is written as `elif`: no line of its own
        number = counts.get(name, 0)
        counts[name] = number + 1
        last = body[-1].end_lineno or body[-1].lineno
        return Block(path, f"{name}#{number}", first.lineno, last), before

    visit(ast.parse(text), "", is_inside=False)
    return found


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    if isinstance(node, ast.Lambda):
        return []
    fields = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    return [
        field
        for field in fields
        if isinstance(field, list) and field and isinstance(field[0], ast.stmt)
    ]
