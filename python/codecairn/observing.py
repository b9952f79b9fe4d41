"""A workspace's log and memory looked at together: what agents were shown, and what they opened of it."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from codecairn.core.store_log import Logbook
from codecairn.effectiveness import Effectiveness, effectiveness, is_shown, note_shown
from codecairn.workspace import Workspace

if TYPE_CHECKING:
    from codecairn.core.types.memory import Event

_AT_ONCE = 500
_MOST_EVENTS = 20_000


def note_answer(workspace: Workspace, document: Mapping[str, object]) -> None:
    """Note the files of an answer that an agent is given, if the settings want that."""
    results = document.get("results")
    if not workspace.settings.log_shown or not isinstance(results, list):
        return
    paths = [str(each["path"]) for each in results if isinstance(each, Mapping) and "path" in each]
    note_shown(Logbook(workspace.store, level=workspace.settings.log_level), paths)


def observed_effectiveness(workspace: Workspace) -> Effectiveness | None:
    """What became of what agents were shown since the log began; `None` if they were shown nothing."""
    entries = [entry for entry in workspace.logs(categories=("search",)) if is_shown(entry)]
    if not entries:
        return None
    return effectiveness(entries, _events(workspace, since_ms=entries[0].time_ns // 1_000_000))


def _events(workspace: Workspace, *, since_ms: int) -> "Iterator[Event]":
    """Events of the project since then, the newest first, but no more than a bounded number."""
    before = None
    for _ in range(_MOST_EVENTS // _AT_ONCE):
        found = workspace.memory.events(before=before, limit=_AT_ONCE, with_private=True)
        yield from found
        if len(found) < _AT_ONCE or found[-1].ts_ms < since_ms:
            return
        before = found[-1].seq
