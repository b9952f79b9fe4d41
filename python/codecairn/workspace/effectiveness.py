"""How often agents opened the files that they were shown: the store's log joined with the events of their sessions.

The server logs which files a search showed, hooks record which files are read and changed. A file that is used within `WITHIN_S` of
being shown counts for the latest search that showed it. Concurrent agents are not distinguished.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from codecairn.core.light_dataclass import dataclass
from codecairn.core.store_log import Entry, Logbook

if TYPE_CHECKING:
    from codecairn.core.types.memory import Event
    from codecairn.workspace.workspace import Workspace

SHOWN = "shown to an agent"
"""The message of the log's entries that hold, as their detail, the files of an answer, best first."""

WITHIN_S = 900.0
"""Seconds after which a use of a file has nothing to do with its being shown."""

RANKS = (("1", 1), ("2", 2), ("3", 3), ("4-5", 5), ("6-10", 10), ("later", 2**31))
"""The columns of the histogram: their names, and the last place that each holds."""

NONE = "none"
"""The column of searches of which nothing was opened."""

_MAX_CHARACTERS = 1900
_AT_ONCE = 500
_MAX_EVENTS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Effectiveness:
    """What became of that which agents were shown.

    Attributes:
        searches: How many answers held files.
        opened: By place of the best file that was then read or changed, how many answers; `NONE` where none was.
        changed: How many answers held a file that was then changed.
        is_observed: Whether hooks recorded any tool since; if not, it is unknown what was opened.
    """

    searches: int
    opened: Mapping[str, int]
    changed: int
    is_observed: bool


def note_shown(
    logbook: Logbook, paths: Sequence[str], numbers: Mapping[str, float] | None = None
) -> None:
    """Note which files an agent is shown, best first, with `numbers` about the answer."""
    files = list(dict.fromkeys(paths))
    detail = json.dumps(files, ensure_ascii=False)
    while len(detail) > _MAX_CHARACTERS:
        files.pop()
        detail = json.dumps(files, ensure_ascii=False)
    if files:
        shown = {"files": float(len(files)), **(numbers or {})}
        logbook.add("search", SHOWN, numbers=shown, detail=detail)


def effectiveness(entries: Iterable[Entry], events: "Iterable[Event]") -> Effectiveness:
    """What became of the files in these entries, by these events, the newest first."""
    shown = [(entry.time_ns // 1_000_000, _files(entry)) for entry in entries if is_shown(entry)]
    best: dict[int, int] = {}
    changed: set[int] = set()
    is_observed = False
    for event in _tools(events, since_ms=shown[0][0] if shown else 0):
        is_observed = True
        for at in range(len(shown) - 1, -1, -1):
            time_ms, files = shown[at]
            if not 0 <= event.ts_ms - time_ms <= WITHIN_S * 1000 or event.path not in files:
                continue
            place = files.index(event.path) + 1
            best[at] = min(place, best.get(at, place))
            if event.category == "file-edit":
                changed.add(at)
            break
    columns = [_column(best.get(at)) for at in range(len(shown))]
    return Effectiveness(
        searches=len(shown),
        opened={name: columns.count(name) for name in (*dict(RANKS), NONE)},
        changed=len(changed),
        is_observed=is_observed,
    )


def is_shown(entry: Entry) -> bool:
    """Whether an entry of the log lists shown files."""
    return entry.message == SHOWN


def _tools(events: "Iterable[Event]", *, since_ms: int) -> "Iterator[Event]":
    for event in events:
        if event.ts_ms < since_ms:
            return
        if event.role == "tool":
            yield event


def _files(entry: Entry) -> list[str]:
    with suppress(ValueError):
        found = json.loads(entry.detail)
        if isinstance(found, list):
            return [each for each in found if isinstance(each, str)]
    return []


def _column(place: int | None) -> str:
    return NONE if place is None else next(name for name, last in RANKS if place <= last)


def note_answer(workspace: "Workspace", document: Mapping[str, object], text: str) -> None:
    """Note the files of an answer that an agent is given, and what it is worth, if the settings want that."""
    results = document.get("results")
    if not workspace.settings.log_shown or not isinstance(results, list):
        return
    paths = [str(each["path"]) for each in results if isinstance(each, Mapping) and "path" in each]
    if paths:
        from codecairn.workspace.savings import costs

        question = str(document.get("query") or "")
        numbers = costs(workspace, question, paths, text)
        note_shown(Logbook(workspace.store, level=workspace.settings.log_level), paths, numbers)


def observed_effectiveness(workspace: "Workspace") -> Effectiveness | None:
    """What became of what agents were shown since the log began; `None` if they were shown nothing."""
    entries = [entry for entry in workspace.logs(categories=("search",)) if is_shown(entry)]
    if not entries:
        return None
    return effectiveness(entries, _events(workspace, since_ms=entries[0].time_ns // 1_000_000))


def _events(workspace: "Workspace", *, since_ms: int) -> "Iterator[Event]":
    """Events of the project since then, the newest first, but no more than a bounded number."""
    before = None
    for _ in range(_MAX_EVENTS // _AT_ONCE):
        found = workspace.memory.events(before=before, limit=_AT_ONCE, with_private=True)
        yield from found
        if len(found) < _AT_ONCE or found[-1].ts_ms < since_ms:
            return
        before = found[-1].seq
