"""Maintains a project in the background, in a process that `processes` starts.

Hooks start it at the start and end of a session: one process a project at a time, at low priority, for a bounded time. It
drains the spool, reads and summarises sessions, creates the memory of a new project, and prepares the context of the next
session.
"""

import json
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from codecairn.hooks import project_config, state
from codecairn.hooks.event import ANCHORED, COMPACTION, STATIC
from codecairn.hooks.processes import WHEN_QUIET
from codecairn.memory.extract.pending_work import WorkOptions
from codecairn.memory.injection_format import PREPARED
from codecairn.memory.lease import lease
from codecairn.memory.memory import Memory
from codecairn.paths import root as root_paths
from codecairn.paths import user
from codecairn.workspace.workspace import Workspace

MAX_S = 900
"""How long it may take; what is left is done the next time."""

_FACTS = 2_000
_KEPT_S = {
    "claims": 600.0,
    "sessions": 30 * 86_400.0,
    "asked": 30 * 86_400.0,
    "hints": 30 * 86_400.0,
    "places": 30 * 86_400.0,
    "spoken": 30 * 86_400.0,
}


def main(arguments: list[str]) -> None:
    """Look after the project at a root; nothing is ever printed."""
    root, session, when = [*arguments, "", ""][:3]
    with suppress(AttributeError, OSError):
        os.nice(10)
    timer = threading.Timer(MAX_S, os._exit, args=(0,))
    timer.daemon = True
    timer.start()
    try:
        if when == WHEN_QUIET:
            read_when_quiet(Path(root))
        else:
            look_after(Path(root), session)
    except Exception as err:  # noqa: BLE001 - the outer edge: there is no caller to report to
        state.log(f"background: {type(err).__name__}: {err}")


def look_after(root: Path, session: str = "") -> None:
    """Do the pending work of a project, unless another process does."""
    for name, older_s in _KEPT_S.items():
        state.sweep(name, older_s=older_s)
    with Workspace.open(root) as workspace:
        if session:
            _prepare_compaction(workspace.memory, session)
        lock = Path(state.folder()) / "locks" / state.name_of(str(root))
        with lease(lock) as is_ours:
            if is_ours:
                workspace.memory.tidy()
                prepare(workspace.memory, root)
                if root_paths.forbidden_reason(root, home=user.home_folder()) is None:
                    report = workspace.memory.upkeep.work()
                    if report.obstacle:
                        state.log(f"background: {report.obstacle}")
                prepare(workspace.memory, root)


def read_when_quiet(root: Path) -> None:
    """Have models read sessions that go on, if they are quiet after the settings' cooldown, and much is new in them."""
    with Workspace.open(root) as workspace:
        time.sleep(workspace.settings.extraction_cooldown_s)
        options = WorkOptions(min_chars=workspace.settings.extraction_window_chars // 2)
        report = workspace.memory.upkeep.work(options)
        if report.obstacle:
            state.log(f"background: {report.obstacle}")


def prepare(memory: Memory, root: Path) -> None:
    """Make what opens sessions, and note which files facts speak of."""
    memory.context(PREPARED, part=STATIC, refresh=True)
    engine = memory.engine()
    facts = [fact for fact in memory.list(limit=_FACTS) if fact.state == "live"]
    anchored: dict[str, list[str]] = {}
    for fact, anchors in zip(facts, engine.anchors([each.id for each in facts]), strict=True):
        for path in dict.fromkeys(anchor.path for anchor in anchors):
            anchored.setdefault(path, []).append(fact.id)
    items = [
        {"id": fact.id, "version": fact.version}
        for fact in facts
        if any(fact.id in ids for ids in anchored.values())
    ]
    _keep(memory, PREPARED, ANCHORED, "json", json.dumps(anchored), items)
    project_config.save_anchored_paths(project_config.find(str(root)), anchored)


def _prepare_compaction(memory: Memory, session: str) -> None:
    made = memory.context(session, part=COMPACTION)
    items = [{"id": item.id, "version": item.version} for item in made.items]
    _keep(memory, session, COMPACTION, "markdown", made.text, items)


def _keep(
    memory: Memory,
    session: str,
    placement: str,
    form: str,
    text: str,
    items: list[dict[str, object]],
) -> None:
    newest = memory.events(limit=1, with_private=True)
    memory.engine().note_injection(
        {
            "session": session,
            "placement": placement,
            "form": form,
            "body": text,
            "items": items,
            "tokens": 0,
            "seq": newest[0].seq if newest else 0,
            "is_kept": True,
        }
    )
