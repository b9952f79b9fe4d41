"""Issues with the places that their fix changed: SWE-bench and the sets in its form, of which nothing is kept here."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from benches.public.issues import Issue, rows

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")
_OLD_NAME = re.compile(r"^--- a/(.+)$", re.MULTILINE)
_FIELDS = ("instance_id", "repo", "base_commit", "problem_statement", "patch")


def instances(path: Path) -> Iterator[Issue]:
    """The issues of a set whose fix changed files, one JSON object a line.

    Raises:
        UsageError: If the file is missing or a line lacks a field.
    """
    for _, row in rows(path, _FIELDS, "it has one instance a line, as SWE-bench's data sets do"):
        changed = {name: lines for name, lines in changes(row["patch"]).items() if lines}
        if changed:
            yield Issue(
                id=row["instance_id"],
                repository=row["repo"],
                revision=row["base_commit"],
                text=row["problem_statement"],
                changed=changed,
            )


def changes(patch: str) -> dict[str, frozenset[int]]:
    """The lines of the old files that a patch removes, and those that it adds others behind; by path."""
    found: dict[str, frozenset[int]] = {}
    for part in re.split(r"^diff --git .*\n", patch, flags=re.MULTILINE):
        name = _OLD_NAME.search(part)
        if name:
            found[name[1]] = frozenset(_old_lines(part.split("\n")))
    return found


def _old_lines(rows: Sequence[str]) -> Iterator[int]:
    """The changed lines of one file's hunks. An addition right behind a removal replaces it and has no line of its own."""
    line = 0
    before = ""
    for row in rows:
        hunk = _HUNK.match(row)
        if hunk:
            line = int(hunk[1])
        elif not line or row.startswith("\\"):
            continue
        elif row.startswith("+"):
            if before not in ("-", "+"):
                yield max(line - 1, 1)
        else:
            if row.startswith("-"):
                yield line
            line += 1
        before = row[:1] if not hunk else ""


def functions(text: str, lines: Sequence[int]) -> frozenset[str]:
    """The innermost functions of a Python file that hold some lines, by their qualified names.

    None for lines outside of functions, and of a text that Python can't parse.
    """
    spans = _spans(text)
    inner = (
        next((name for first, last, name in spans if first <= line <= last), "") for line in lines
    )
    return frozenset(filter(None, inner))


@lru_cache(maxsize=256)
def _spans(text: str) -> tuple[tuple[int, int, str], ...]:
    """First line, last line and name of each function, the shortest first."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(sorted(_functions(tree, ""), key=lambda span: span[1] - span[0]))


def _functions(node: ast.AST, outer: str) -> Iterator[tuple[int, int, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{outer}.{child.name}" if outer else child.name
            if not isinstance(child, ast.ClassDef):
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                yield first, child.end_lineno or child.lineno, name
            yield from _functions(child, name)
        else:
            yield from _functions(child, outer)
