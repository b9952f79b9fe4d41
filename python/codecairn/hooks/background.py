"""Maintains a project in the background, in a process that `processes` starts.

Hooks start it at the start and end of a session: one process a project at a time, at low priority, for a bounded time. It
drains the spool, reads and summarises sessions, and creates the memory of a new project.
"""

import hashlib
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from codecairn import _native
from codecairn.hooks.processes import WHEN_QUIET
from codecairn.memory.extract.pending_work import WorkOptions
from codecairn.paths import root as root_paths
from codecairn.paths import user
from codecairn.paths.file_lock import lease
from codecairn.workspace.workspace import Workspace

MAX_S = 900
"""How long it may take; what is left is done the next time."""

_STATE_AGES_S = {
    "claims": 600.0,
    "sessions": 30 * 86_400.0,
    "session-places": 30 * 86_400.0,
    "asked": 30 * 86_400.0,
    "hints": 30 * 86_400.0,
    "places": 30 * 86_400.0,
}
"""The age from which files of the hooks' state are removed, by folder."""


def main(arguments: list[str]) -> None:
    """Look after the project at a root; nothing is ever printed."""
    root, when = [*arguments, ""][:2]
    with suppress(AttributeError, OSError):
        os.nice(10)
    timer = threading.Timer(MAX_S, os._exit, args=(0,))
    timer.daemon = True
    timer.start()
    try:
        if when == WHEN_QUIET:
            read_when_quiet(Path(root))
        else:
            look_after(Path(root))
    except Exception as err:  # noqa: BLE001 - the outer edge: there is no caller to report to
        _native.hooks_log(f"background: {type(err).__name__}: {err}")


def look_after(root: Path) -> None:
    """Do the pending work of a project, unless another process does."""
    for name, older_s in _STATE_AGES_S.items():
        _native.hooks_sweep(name, older_s=older_s)
    with Workspace.open(root) as workspace:
        name = hashlib.sha1(os.fsencode(root), usedforsecurity=False).hexdigest()
        with lease(Path(_native.hooks_folder()) / "locks" / name) as is_ours:
            if is_ours:
                workspace.memory.tidy()
                if root_paths.forbidden_reason(root, home=user.home_folder()) is None:
                    report = workspace.memory.upkeep.work()
                    if report.obstacle:
                        _native.hooks_log(f"background: {report.obstacle}")
                    _send_to_backends(workspace)


def read_when_quiet(root: Path) -> None:
    """Work on sessions that go on, if they are quiet after the settings' cooldown.

    Models read them if much is new in them, and backends get their events.
    """
    with Workspace.open(root) as workspace:
        time.sleep(workspace.settings.extraction_cooldown_s)
        if workspace.settings.extraction_providers:
            options = WorkOptions(min_chars=workspace.settings.extraction_window_chars // 2)
            report = workspace.memory.upkeep.work(options)
            if report.obstacle:
                _native.hooks_log(f"background: {report.obstacle}")
        _send_to_backends(workspace)


def _send_to_backends(workspace: Workspace) -> None:
    """Drain into backends, and take over from them, unless hooks are to record nothing."""
    if not workspace.settings.hooks_capture:
        return
    obstacle = workspace.memory.upkeep.backends.run_in_background()
    if obstacle:
        _native.hooks_log(f"background: {obstacle}")
