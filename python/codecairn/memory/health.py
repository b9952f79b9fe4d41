"""Checks a memory: its files, pending records, settings, models, and the errors of its hooks."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.config.settings import Settings
from codecairn.core.light_dataclass import dataclass
from codecairn.core.memory_engine import REPAIR_HINT
from codecairn.core.types.memory import MemoryStatus
from codecairn.errors import CodecairnError
from codecairn.llm.choice import require_models
from codecairn.memory.embedder import is_named, require_embedder
from codecairn.paths import user

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

_LOG_BYTES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: What.
        is_ok: Whether it is in order.
        detail: How it is.
        hint: What to do where it is not in order.
    """

    name: str
    is_ok: bool
    detail: str
    hint: str = ""


def checkup(memory: "Memory", settings: Settings) -> tuple[Check, ...]:
    """Look at everything; what fails is a check that is not in order, never an error."""
    return tuple(_checks(memory, settings))


def rescued(memory: "Memory") -> Check | None:
    """Repair the database if it is damaged; what became of it, or `None` if nothing is wrong."""
    if not memory.path.exists() or not memory.engine().verify():
        return None
    rescue = memory.engine().rescue()
    detail = f"set aside as {rescue.aside}; kept {rescue.events:,} events and {rescue.facts:,} versions of facts"
    return Check(name="repair", is_ok=True, detail=detail)


def _checks(memory: "Memory", settings: Settings) -> Iterator[Check]:
    yield _folder(memory.path)
    yield _tried("database", lambda: _database(memory))
    yield _rights(memory.path)
    status = _status(memory)
    if status is not None:
        yield _project(status)
        yield _waiting(status)
        yield _ignored(status)
        yield _jobs(status)
    yield _hooks(settings)
    yield _tried("models", lambda: _models(settings))
    if is_named(settings):
        yield _tried("embedding", lambda: _embedding(memory, settings))
    yield _complaints(user.data_folder() / "hooks" / "log")


def _tried(name: str, look: Callable[[], Check]) -> Check:
    try:
        return look()
    except CodecairnError as err:
        return Check(name=name, is_ok=False, detail=err.message, hint=err.hint or "")


def _folder(path: Path) -> Check:
    folder = next((each for each in path.parents if each.exists()), path.parent)
    is_ok = folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
    detail = f"{path.parent}" + ("" if is_ok else " can't be written")
    hint = "" if is_ok else "let it be written, or name another place with `memory.path`"
    return Check(name="folder", is_ok=is_ok, detail=detail, hint=hint)


def _database(memory: "Memory") -> Check:
    if not memory.path.exists():
        return Check(name="database", is_ok=True, detail="not there yet: nothing was recorded")
    problems = memory.engine().verify()
    if problems:
        detail = f"{memory.path} is damaged: {problems[0]}"
        return Check(name="database", is_ok=False, detail=detail, hint=REPAIR_HINT)
    status = memory.status()
    detail = f"{status.path} answers: {status.bytes:,} bytes, {status.projects:,} projects"
    return Check(name="database", is_ok=True, detail=detail)


def _rights(path: Path) -> Check:
    if os.name != "posix" or not path.exists():
        return Check(name="rights", is_ok=True, detail="nothing to look at")
    is_ok = not path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return Check(
        name="rights",
        is_ok=is_ok,
        detail="only you may read it" if is_ok else "others may read the database",
        hint="" if is_ok else f"chmod 600 '{path}'",
    )


def _status(memory: "Memory") -> MemoryStatus | None:
    try:
        return memory.status()
    except CodecairnError:
        return None  # reported by the check of the database


def _project(status: MemoryStatus) -> Check:
    known = f"{status.project}: {status.sessions:,} sessions, {status.events:,} events, {status.facts:,} facts"
    return Check(
        name="project", is_ok=True, detail=known if status.project else "nothing is known of it yet"
    )


def _waiting(status: MemoryStatus) -> Check:
    return Check(
        name="waiting",
        is_ok=status.waiting == 0,
        detail=f"{status.waiting:,} records wait to be taken in",
        hint="`codecairn memory work` takes them in where the database can be written"
        if status.waiting
        else "",
    )


def _ignored(status: MemoryStatus) -> Check:
    """Records that came with a repository, or that an earlier version left without a signature."""
    return Check(
        name="unsigned",
        is_ok=status.ignored == 0,
        detail=f"{status.ignored:,} files in `.codecairn/memory-spool` are without your signature",
        hint="they are not read; remove them, if you do not want to keep them"
        if status.ignored
        else "",
    )


def _jobs(status: MemoryStatus) -> Check:
    return Check(
        name="jobs",
        is_ok=status.dead_jobs == 0,
        detail=f"{status.jobs:,} to do, {status.dead_jobs:,} failed for good",
    )


def _hooks(settings: Settings) -> Check:
    told = [f"`{key}` is {'on' if is_on else 'off'}" for key, is_on in _switches(settings).items()]
    return Check(name="hooks", is_ok=True, detail=", ".join(told))


def _switches(settings: Settings) -> dict[str, bool]:
    return {"hooks.capture": settings.hooks_capture, "hooks.inject": settings.hooks_inject}


def _models(settings: Settings) -> Check:
    names = require_models(settings)
    return Check(
        name="models",
        is_ok=True,
        detail=f"{', '.join(names)}, with their keys or programs"
        if names
        else "none; rules read sessions",
    )


def _embedding(memory: "Memory", settings: Settings) -> Check:
    """The memory's embedder: its settings and key, how far it has come, and that of the latest vectors."""
    status = memory.embedding()
    assert status is not None
    if status.problem:
        return Check(name="embedding", is_ok=False, detail=status.problem)
    require_embedder(settings)
    refused = f", {status.refused:,} refused" if status.refused else ""
    detail = f"{status.space} at {status.destination}: {status.embedded:,} texts embedded, {status.pending:,} pending{refused}"
    hint = "`codecairn memory work` embeds them" if status.pending else ""
    return Check(name="embedding", is_ok=True, detail=detail, hint=hint)


def _complaints(log: Path) -> Check:
    """The latest error of the hooks, which report none to their hosts."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _LOG_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    if not lines:
        return Check(name="log", is_ok=True, detail="hooks have complained of nothing")
    detail = f"hooks have complained, at last: {lines[-1][:200]}"
    return Check(name="log", is_ok=True, detail=detail, hint=f"all of it is in {log}")
