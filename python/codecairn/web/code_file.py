"""The pages of a file and of a symbol: code, structure, uses, history and memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from codecairn.context.anchored_facts import anchored_facts
from codecairn.core.types.graph import Definition, Neighbours, Use
from codecairn.core.types.provenance import Blame
from codecairn.errors import HistoryUnavailable, SymbolAmbiguous, UsageError
from codecairn.graph.source_lines import source_lines
from codecairn.graph.test_detection import is_in_tests, is_test_path
from codecairn.search.blame import blame_of
from codecairn.web.code_color import colored_lines
from codecairn.web.code_search import ShownLine
from codecairn.web.page import render, workspace_of
from codecairn.workspace.workspace import Workspace

LINES = 800
"""Lines of a file on a page."""

_MAX_USES = 100
_MAX_FACTS = 20
_MAX_COMMITS = 20
_MAX_SYMBOL_LINES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class UseRow:
    """The uses of one line by one symbol: where they are, how they use it, how that was resolved, and what is meant."""

    path: str
    line: int
    columns: tuple[int, ...]
    use: Use


def file(request: Request) -> Response:
    """A file as it was indexed, with its symbols and what the memory knows of it."""
    project, workspace = workspace_of(request)
    path = request.query_params.get("path", "")
    engine = workspace.graph.engine(refresh=False)
    _require_indexed(workspace, path)
    asked = _number(request, "line", 1)
    first = (asked - 1) // LINES * LINES + 1
    lines = source_lines(engine.engine, path, first, first + LINES)
    rows = _rows(lines[:LINES], first, path)
    symbols = sorted(engine.symbols_in(path), key=lambda each: (each.line, each.column))
    return render(
        request,
        "code_file.html",
        section="Code",
        project=project,
        path=path,
        folders=_folders(path),
        rows=rows,
        asked=asked,
        first=first,
        last=first + len(rows) - 1,
        before=max(first - LINES, 1) if first > 1 else None,
        after=first + LINES if len(lines) > LINES else None,
        symbols=symbols,
        facts=anchored_facts(workspace.memory, lambda anchor: anchor.path == path)[:_MAX_FACTS],
        commits=_commits(workspace, path, 1, 2**31 - 1),
    )


def symbol(request: Request) -> Response:
    """A symbol: its code, who uses it, what it uses, its history and what the memory knows of it."""
    project, workspace = workspace_of(request)
    name = request.query_params.get("name", "")
    try:
        callers = workspace.graph.callers(name, limit=_MAX_USES, refresh=False)
    except SymbolAmbiguous as err:
        return render(
            request, "code_ambiguous.html", section="Code", project=project, name=name,
            candidates=err.candidates,
        )  # fmt: skip
    callees = workspace.graph.callees(name, limit=_MAX_USES, refresh=False)
    own = callers.symbols
    first = own[0]
    wanted = {(each.path, each.qualified_name) for each in own}
    facts = anchored_facts(workspace.memory, lambda anchor: (anchor.path, anchor.name) in wanted)
    return render(
        request,
        "code_symbol.html",
        section="Code",
        project=project,
        own=first,
        overloads=own[1:],
        also=callers.also,
        rows=_symbol_rows(workspace, first),
        is_cut=first.end_line - first.start_line >= _MAX_SYMBOL_LINES,
        callers=callers,
        callees=callees,
        caller_rows=_use_rows([use for use in callers.uses if not _is_by_test(use)]),
        test_rows=_use_rows([use for use in callers.uses if _is_by_test(use)]),
        candidate_rows=_use_rows(callers.possible),
        unresolved_rows=_use_rows(callers.unresolved),
        callee_rows=_targets(callees),
        facts=facts[:_MAX_FACTS],
        commits=_commits(workspace, first.path, first.start_line, first.end_line),
    )


def _require_indexed(workspace: Workspace, path: str) -> None:
    """Only files of the index are shown, so that no address leads out of the workspace.

    Raises:
        UsageError: If the index does not have it.
    """
    if path not in workspace.paths():
        raise UsageError(
            f"`{path[:200]}` is not in the index",
            hint="the page of the index lists what is left out",
        )


def _number(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, "")
    return max(int(text), 1) if text.isdecimal() and len(text) < 9 else default


def _rows(lines: Sequence[str], first: int, path: str) -> list[ShownLine]:
    colored = colored_lines(lines, path=path)
    return [ShownLine(number=first + at, html=html) for at, html in enumerate(colored)]


def _symbol_rows(workspace: Workspace, own: Definition) -> list[ShownLine]:
    engine = workspace.graph.engine(refresh=False)
    last = min(own.end_line, own.start_line + _MAX_SYMBOL_LINES - 1)
    return _rows(
        source_lines(engine.engine, own.path, own.start_line, last), own.start_line, own.path
    )


def _folders(path: str) -> list[str]:
    return path.split("/")


def _is_by_test(use: Use) -> bool:
    return is_test_path(use.path) or (use.source is not None and is_in_tests(use.source))


def _use_rows(uses: Sequence[Use]) -> list[UseRow]:
    rows = []
    for _, group in groupby(
        uses, lambda use: (use.path, use.line, use.name, use.kind, use.how, use.source)
    ):
        same = [*group]
        columns = tuple(each.column + 1 for each in same)
        rows.append(UseRow(path=same[0].path, line=same[0].line, columns=columns, use=same[0]))
    return rows


def _targets(callees: Neighbours) -> list[tuple[Definition, int]]:
    """What is used for certain, with the line of the first use."""
    found: dict[tuple[str, int, int], tuple[Definition, int]] = {}
    for use in callees.uses:
        for target in use.targets:
            found.setdefault(target.place, (target, use.line))
    return [*found.values()]


def _commits(workspace: Workspace, path: str, first: int, last: int) -> list[Blame]:
    """The commits that these lines come from, the newest first; none without a history."""
    try:
        lines = blame_of(workspace.root / path).lines[first - 1 : last]
    except HistoryUnavailable:
        return []
    found = {each.commit: each for each in lines if each is not None and each.commit}
    return sorted(found.values(), key=lambda each: -each.time_s)[:_MAX_COMMITS]


ROUTES = (Route("/code/file", file), Route("/code/symbol", symbol))
