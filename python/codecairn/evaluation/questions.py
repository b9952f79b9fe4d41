"""Questions with their expected answers, from a file of JSON or JSON lines.

The simple form is `{"query": "...", "expected": ["path", "path:first-last", "path::symbol"]}`. The form of open-codebase-index, with
`retrievalMode`, `args` and an object as `expected`, is read as well.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from codecairn.config.validation import nearest
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import FileAccessError, UsageError
from codecairn.paths.named_entry import require_no_device

MODES = ("search", "definition", "context", "edit-context")
"""What is asked: a search, a definition, or a pack."""

_PLACE = re.compile(r"(?P<path>.+?)(?:::(?P<symbol>[^:]+)|:(?P<first>\d+)(?:-(?P<last>\d+))?)?")
_QUERY_KEYS = ("id", "query", "queryType", "type", "retrievalMode", "mode", "args", "expected")
_ARGUMENT_KEYS = ("symbol", "fileType", "directory", "filePath", "limit")
_EXPECTED_KEYS = (
    "filePath", "symbol", "acceptableFiles", "gradedEvidence", "expectedRoute", "expectedOutcome", "graphNeighbor",
)  # fmt: skip
_ROUTES = {"conceptual": "search", "call-path": "path", "callpath": "path"}
_MAX_RELEVANT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an answer is: a file, lines of it, or a symbol in it."""

    path: str
    symbol: str = ""
    first: int = 0
    last: int = 0

    def covers(self, path: str, name: str, first: int, last: int) -> bool:
        """Whether a result lies here. One path may be the end of the other, as roots differ."""
        if not f"/{path}".endswith(f"/{self.path}") and not self.path.endswith(f"/{path}"):
            return False
        if self.symbol and self.symbol not in {name, re.split(r"[.:#/]+", name)[-1]}:
            return False
        return not self.first or (last >= self.first and first <= self.last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One right answer; any of the places will do. `relevance` is 1 to 3."""

    places: tuple[Place, ...]
    relevance: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question.

    Attributes:
        id: What it is called in reports.
        query: What is asked.
        kind: What sort of question its writer calls it.
        mode: One of `MODES`.
        targets: The right answers.
        arguments: What narrows it: `symbol`, `directory`, `glob`.
        route: The way that a pack must take; empty for any.
        neighbour: A symbol that a pack must hold; empty for none.
    """

    id: str
    query: str
    kind: str
    mode: str
    targets: tuple[Target, ...]
    arguments: Mapping[str, str] = field(default_factory=dict)
    route: str = ""
    neighbour: str = ""


def read_questions(file: Path) -> tuple[Question, ...]:
    """The questions in a file: a list, an object with `queries`, or an object a line.

    Raises:
        FileAccessError: If it can't be read.
        UsageError: If something in it is not as it should be; the message names the question and the key.
    """
    rows = _rows(file)
    questions = tuple(_question(row, at, file) for at, row in enumerate(rows, start=1))
    if not questions:
        raise UsageError(f"`{file}` holds no question")
    names = [question.id for question in questions]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(
            f"`{file}`: two questions are called `{twice}`", hint="ids tell them apart"
        )
    return questions


def read_json(file: Path) -> Any:  # noqa: ANN401 - any JSON
    """What a JSON file holds.

    Raises:
        FileAccessError: If it can't be read.
        UsageError: If it is no JSON.
    """
    text = _text(file)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as err:
        raise UsageError(f"`{file}` is no JSON: {err}") from err


def _text(file: Path) -> str:
    require_no_device(file)
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as err:
        raise FileAccessError(f"can't read `{file}`: {err.strerror or err}") from err
    except UnicodeDecodeError as err:
        raise UsageError(f"`{file}` is not UTF-8") from err


def _rows(file: Path) -> list[Any]:
    if file.suffix == ".jsonl":
        try:
            return [json.loads(line) for line in _text(file).splitlines() if line.strip()]
        except (ValueError, RecursionError) as err:
            raise UsageError(f"`{file}` is no JSON lines: {err}") from err
    found = read_json(file)
    rows = found.get("queries") if isinstance(found, dict) else found
    if not isinstance(rows, list):
        raise UsageError(f"`{file}` holds no list of questions", hint='`{"queries": [...]}`')
    return rows


def _question(row: object, at: int, file: Path) -> Question:
    name = f"`{file}`, question {at}"
    if not isinstance(row, dict):
        raise UsageError(f"{name} is no object")
    _require_known(row, _QUERY_KEYS, name)
    query = _string(row, "query", name)
    if not query.strip():
        raise UsageError(f"{name}: `query` is missing or empty")
    mode = _string(row, "retrievalMode", name) or _string(row, "mode", name) or "search"
    if mode not in MODES:
        raise UsageError(f"{name}: `{mode}` is no mode", hint=f"there are {', '.join(MODES)}")
    expected = row.get("expected")
    targets, more = _expected(expected, name)
    route = _string(more, "expectedRoute", name)
    return Question(
        id=_string(row, "id", name) or str(at),
        query=query,
        kind=_string(row, "queryType", name) or _string(row, "type", name),
        mode=mode,
        targets=targets,
        arguments=_arguments(row.get("args", {}), name),
        route=_ROUTES.get(route, route),
        neighbour=_string(more, "graphNeighbor", name),
    )


def _arguments(given: object, name: str) -> dict[str, str]:
    if not isinstance(given, dict):
        raise UsageError(f"{name}: `args` is no object")
    _require_known(given, _ARGUMENT_KEYS, f"{name}, `args`")
    found = {key: _string(given, key, name) for key in ("symbol", "directory")}
    extension = _string(given, "fileType", name).lstrip(".")
    found["glob"] = f"*.{extension}" if extension else ""
    return {key: value for key, value in found.items() if value}


def _expected(given: object, name: str) -> tuple[tuple[Target, ...], Mapping[str, object]]:
    if isinstance(given, str):
        given = [given]
    if isinstance(given, list):
        if not given or not all(isinstance(each, str) and each for each in given):
            raise UsageError(f"{name}: `expected` must hold places", hint="such as `src/a.py:1-20`")
        return tuple(Target(places=(_place(each),)) for each in given), {}
    if not isinstance(given, dict):
        raise UsageError(f"{name}: `expected` is missing", hint='such as `["src/a.py:1-20"]`')
    _require_known(given, _EXPECTED_KEYS, f"{name}, `expected`")
    graded = given.get("gradedEvidence")
    if isinstance(graded, list) and graded:
        return tuple(_graded(each, name) for each in graded), given
    symbol = _string(given, "symbol", name)
    others = given.get("acceptableFiles", [])
    paths = [_string(given, "filePath", name), *(others if isinstance(others, list) else [])]
    places = tuple(
        Place(path=_plain(path), symbol=symbol) for path in paths if isinstance(path, str) and path
    )
    if not places:
        raise UsageError(f"{name}: `expected` names no file", hint="`filePath` or `gradedEvidence`")
    return (Target(places=places),), given


def _graded(given: object, name: str) -> Target:
    if not isinstance(given, dict) or not _string(given, "path", name):
        raise UsageError(f"{name}: a piece of `gradedEvidence` has no `path`")
    relevance = given.get("relevance", 1)
    if type(relevance) is not int or not 1 <= relevance <= _MAX_RELEVANT:
        raise UsageError(f"{name}: `relevance` is {relevance!r}", hint="1, 2 or 3")
    place = Place(path=_plain(given["path"]), symbol=_string(given, "symbol", name))
    return Target(places=(place,), relevance=relevance)


def _place(text: str) -> Place:
    found = _PLACE.fullmatch(text)
    assert found is not None
    first = int(found["first"] or 0)
    return Place(
        path=_plain(found["path"]),
        symbol=found["symbol"] or "",
        first=first,
        last=int(found["last"] or first),
    )


def _plain(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def _string(row: Mapping[str, object], key: str, name: str) -> str:
    value = row.get(key, "")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UsageError(f"{name}: `{key}` is no text")
    return value


def _require_known(row: Mapping[str, object], known: Sequence[str], name: str) -> None:
    for key in row:
        if key not in known:
            raise UsageError(f"{name}: unknown key `{key}`", hint=nearest(key, known))
