"""Lists and removes all data that codecairn has stored for this user.

Only entries with known names are removed from the data folder, only indexes that are known to be this user's from workspaces, and
never what git tracks or a team's shared memory. Links are removed, never followed: a folder is emptied through the descriptor by
which it was opened (`shutil.rmtree`).
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from codecairn.config.layers import load
from codecairn.core.light_dataclass import dataclass
from codecairn.core.trust_engine import tracked_below
from codecairn.errors import CodecairnError, FileAccessError
from codecairn.memory.fork_safe import memory_file
from codecairn.memory.team.record_file import FOLDER as TEAM_FOLDER
from codecairn.paths import user
from codecairn.paths.entries import MEMORY_SUFFIXES, is_own_entry
from codecairn.paths.root import STORE_NAME
from codecairn.trust import store_list
from codecairn.trust.registry import trusted_roots
from codecairn.trust.store_trust import inspect


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnEntry:
    """One file or folder that is to be removed, and what it is."""

    path: Path
    what: str


def own_data() -> list[OwnEntry]:
    """Everything, in the order of removal: the lists that locate the rest come last.

    Raises:
        ConfigError: If the settings, which say where the memory lies, can't be read.
        FileAccessError: If it can't be read which workspaces are trusted.
    """
    found = [*_in_workspaces(), *_memory_elsewhere(), *_in_data_folder(), *_settings()]
    return list({entry.path: entry for entry in found}.values())


def remove(
    entries: Sequence[OwnEntry], *, keep: Sequence[Path] = ()
) -> tuple[list[OwnEntry], list[CodecairnError]]:
    """Remove entries but those to `keep`; returns those that are gone, and why others are not."""
    gone: list[OwnEntry] = []
    problems: list[CodecairnError] = []
    for entry in entries:
        if entry.path in keep:
            continue
        try:
            _remove(entry.path)
            gone.append(entry)
        except OSError as err:
            message = f"can't remove `{entry.path}`: {err.strerror or err}"
            problems.append(FileAccessError(message))
    folders = dict.fromkeys(entry.path.parent for entry in entries)
    for folder in [*folders, user.data_folder(), user.config_folder()]:
        if _is_own_folder(folder):
            with suppress(OSError):
                folder.rmdir()
    return gone, problems


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _is_own_folder(folder: Path) -> bool:
    """Whether codecairn made this folder, so that it goes once it is empty."""
    own = {user.data_folder(), user.config_folder()}
    return folder in own or folder.name == STORE_NAME


def _in_workspaces() -> Iterator[OwnEntry]:
    trusted = (root / STORE_NAME for root in trusted_roots())
    signed = {store for store in trusted if inspect(store).is_trusted}
    for store in sorted({*store_list.remembered(), *signed}):
        yield from _in_store(store)


def _in_store(store: Path) -> Iterator[OwnEntry]:
    """What is ours in the folder of a store inside a workspace; nothing if it is a link or another user's."""
    if not _is_plain_folder(store):
        return
    tracked = tracked_below(store)
    if tracked is None:
        return  # git's index can't be read, so any of it may be the repository's
    names = sorted(entry.name for entry in os.scandir(store))
    kept = {TEAM_FOLDER, *(path.partition("/")[0] for path in tracked)} & set(names)
    if kept:
        kept.add(".gitignore")  # it keeps what is shared visible to git
    for name in names:
        if name not in kept:
            yield OwnEntry(path=store / name, what="an index inside a workspace")


def _is_plain_folder(folder: Path) -> bool:
    try:
        is_own = not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
    except OSError:
        return False
    return is_own and folder.is_dir() and not folder.is_symlink()


def _memory_elsewhere() -> Iterator[OwnEntry]:
    file = memory_file(load(None).settings)
    if file.parent == user.data_folder():
        return
    for suffix in MEMORY_SUFFIXES:
        path = file.with_name(file.name + suffix)
        if os.path.lexists(path):
            yield OwnEntry(path=path, what="the memory")


def _in_data_folder() -> Iterator[OwnEntry]:
    folder = user.data_folder()
    try:
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return
    for name in names:
        if is_own_entry(name):
            yield OwnEntry(path=folder / name, what="data")


def _settings() -> Iterator[OwnEntry]:
    if os.path.lexists(user.config_file()):
        yield OwnEntry(path=user.config_file(), what="your settings")
