"""The grants that this user holds, in the data folder, and the workspaces that they are for.

A workspace is known by its path, by that of its main worktree, or by the address that it was cloned from, so that a fresh clone
finds the grant of an earlier one. An address in `.git/config` is a claim: anyone can write it there. So nothing is pulled without a
command unless the folder has the commits, too, that the history of the accepted workspace begins with (`is_confirmed`).

Lists are read and written under a lock, so that of two processes neither overwrites what the other has just written.
"""

import hashlib
import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from codecairn.core.engine import main_worktree
from codecairn.core.git import git, text
from codecairn.errors import FileAccessError, HistoryUnavailable, UsageError
from codecairn.objects.grant import MAX_GRANT_BYTES, Grant, read_grant
from codecairn.objects.opening import normalised
from codecairn.objects.signature import PUBLIC_KEY_BYTES
from codecairn.paths import user
from codecairn.paths.atomic_write import write_atomically
from codecairn.paths.file_lock import locked
from codecairn.paths.workspace_files import read_regular

OFF = "off"
"""As the setting `index.remote`: no shared index is used."""

_GRANT_FILE = "grant.json"
_EPOCHS_FILE = "epochs.json"
_WORKSPACES_FILE = "workspaces.json"
_LOCK_FILE = "lock"
_LOCK_TIMEOUT_S = 10
_CACHE = "cache"
_FIRST_COMMITS = "first commits "
"""How a line of the workspaces begins that names the commits without parents instead of a path or an address."""

_MAX_FIRST_COMMITS = 64
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_PUBLISHER_CHARACTERS = 2 * PUBLIC_KEY_BYTES
_MAX_BYTES = 4 << 20
"""A larger list is not ours: a workspace takes about 150 bytes."""


def save(grant: Grant) -> None:
    """Keep a grant, readable for this user alone, in place of an earlier one for the repository.

    Raises:
        FileAccessError: If it can't be written.
    """
    _write(_file(grant.repository, _GRANT_FILE), grant.document())


def remove(grant: Grant) -> None:
    """Forget a grant with its keys, its cache, the epochs that were read, and the workspaces that it is for.

    Raises:
        FileAccessError: If the data folder can't be written.
    """
    folder = user.remotes_folder() / grant.repository
    with _updating():
        _detach(grant)
        try:
            shutil.rmtree(folder)
        except OSError as err:
            raise _not_removed(grant, err) from err


def revoke(grant: Grant) -> None:
    """Forget a grant that was revoked, but not the epochs that were read: one that is given again refuses older states.

    Raises:
        FileAccessError: If the data folder can't be written.
    """
    with _updating():
        _detach(grant)
        shutil.rmtree(cache_folder(grant), ignore_errors=True)
        try:
            _file(grant.repository, _GRANT_FILE).unlink(missing_ok=True)
        except OSError as err:
            raise _not_removed(grant, err) from err


def grants() -> tuple[Grant, ...]:
    """All grants, by name.

    Raises:
        FileAccessError: If one can't be read, or others may write it.
        UsageError: If one is damaged.
    """
    folder = user.remotes_folder()
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names are enough
    except FileNotFoundError:
        return ()
    except OSError as err:
        raise FileAccessError(f"can't read `{folder}`: {err.strerror or err}") from err
    files = (folder / name / _GRANT_FILE for name in names)
    found = (_read_grant(file) for file in files if file.is_file())
    return tuple(sorted(found, key=lambda grant: (grant.name, grant.repository)))


def attach(root: Path, grant: Grant) -> None:
    """Use a grant in a workspace, and in other clones of what it was cloned from.

    Raises:
        FileAccessError: If the data folder can't be written.
    """
    _attach(grant, [*_paths_of(root)[:1], _origin_of(root), _first_commits_of(root)])


def attach_folder(root: Path, grant: Grant) -> None:
    """Use a grant in this folder, and nowhere else; errors as for `attach`."""
    _attach(grant, _paths_of(root)[:1])


def find(root: Path, setting: str) -> Grant | None:
    """The grant that holds for a workspace: the one that `setting` names, else the one it was accepted for.

    Raises:
        UsageError: If the setting names none, or several.
        FileAccessError: If the grants can't be read.
    """
    if setting == OFF or (not setting and not user.has_grants()):
        return None
    held = grants()
    attached = _attached(root) if held else None
    if not setting:
        return next((each for each in held if each.repository == attached), None)
    url = normalised(setting)
    named = [each for each in held if setting in {each.repository, each.name} or each.url == url]
    if len(named) > 1:
        named = [each for each in named if each.repository == attached] or named
    if not named:
        raise UsageError(
            f"you hold no grant for the shared index `{setting}`",
            hint="accept one by `codecairn remote accept FILE`, or begin by `codecairn remote init URL`",
        )
    if len(named) > 1:
        names = ", ".join(f"`{each.name}`" for each in named)
        raise UsageError(
            f"several of your grants are for `{setting}`: {names}", hint="give the name of one"
        )
    return named[0]


def is_confirmed(root: Path, grant: Grant) -> bool:
    """Whether a grant may be used in a folder without a command.

    It may where it was accepted or pulled, in linked worktrees of that, and in clones: a folder that has the commits with which
    the history of the accepted workspace begins, so it was made by someone who can read the repository.

    Raises:
        FileAccessError: If the list of workspaces can't be read.
    """
    known = _workspaces()
    if any(known.get(path) == grant.repository for path in _paths_of(root)):
        return True
    return any(
        _has_commits(root, name.removeprefix(_FIRST_COMMITS).split())
        for name, repository in known.items()
        if repository == grant.repository and name.startswith(_FIRST_COMMITS)
    )


def cache_folder(grant: Grant) -> Path:
    """Where fetched objects lie until a pull is complete."""
    return user.remotes_folder() / grant.repository / _CACHE


def remembered_epoch(grant: Grant, branch: str) -> int:
    """The highest epoch of a branch that was read, from any publisher; 0 for none.

    Raises:
        FileAccessError: If what was remembered can't be read.
    """
    known = _read_numbers(_file(grant.repository, _EPOCHS_FILE))
    return max(
        (epoch for line, epoch in known.items() if line[_PUBLISHER_CHARACTERS + 1 :] == branch),
        default=0,
    )


def remember_epoch(grant: Grant, branch: str, publisher: bytes, epoch: int) -> None:
    """Remember an epoch of a branch, unless a higher one was read from this publisher.

    Raises:
        FileAccessError: If it can't be written.
    """
    file, line = _file(grant.repository, _EPOCHS_FILE), _line(branch, publisher)
    with _updating():
        known = _read_numbers(file)
        if known.get(line, 0) < epoch:
            _write(file, _json({**known, line: epoch}))


def _line(branch: str, publisher: bytes) -> str:
    return f"{publisher.hex()} {branch}"


def _file(repository: str, name: str) -> Path:
    return user.remotes_folder() / repository / name


def _attached(root: Path) -> str | None:
    known = _workspaces()
    by_path = next((known[name] for name in _paths_of(root) if name in known), None)
    return by_path or known.get(_origin_of(root))


def _attach(grant: Grant, names: list[str]) -> None:
    named = dict.fromkeys(filter(None, names), grant.repository)
    with _updating():
        _write_workspaces({**_workspaces(), **named})


def _detach(grant: Grant) -> None:
    known = _workspaces()
    _write_workspaces({key: each for key, each in known.items() if each != grant.repository})


def _not_removed(grant: Grant, err: OSError) -> FileAccessError:
    return FileAccessError(f"can't remove the grant `{grant.name}`: {err.strerror or err}")


@contextmanager
def _updating() -> Iterator[None]:
    """Around reading a list and writing it."""
    folder = user.remotes_folder()
    _make(folder)
    with locked(folder / _LOCK_FILE, timeout_s=_LOCK_TIMEOUT_S):
        yield


def _paths_of(root: Path) -> list[str]:
    return [str(each) for each in (root, main_worktree(root)) if each is not None]


def _origin_of(root: Path) -> str:
    """The address that a repository was cloned from, without credentials; empty if there is none."""
    try:
        found = text(git(root, "config", "--get", "remote.origin.url", may_fail=True))
    except HistoryUnavailable:
        return ""
    parts = urlsplit(found) if "://" in found else None
    if parts is not None:
        host = parts.netloc.rpartition("@")[2]
        found = urlunsplit((parts.scheme, host, parts.path, "", ""))
    return found.removesuffix("/").removesuffix(".git")


def _first_commits_of(root: Path) -> str:
    """The line of the commits without parents that the checked-out commit comes from; empty without git or commits."""
    try:
        found = text(git(root, "rev-list", "--max-parents=0", "HEAD", may_fail=True)).split()
    except HistoryUnavailable:
        return ""
    return _FIRST_COMMITS + " ".join(sorted(found)) if 0 < len(found) <= _MAX_FIRST_COMMITS else ""


def _has_commits(root: Path, commits: list[str]) -> bool:
    """Whether a repository has all of these commits. Git does not compare an object with its name, so that is done here."""
    return bool(commits) and all(
        _COMMIT.fullmatch(each) and _has_commit(root, each) for each in commits
    )


def _has_commit(root: Path, commit: str) -> bool:
    try:
        content = git(root, "cat-file", "commit", commit, may_fail=True)
    except HistoryUnavailable:
        return False
    stored = b"commit %d\0%b" % (len(content), content)
    if len(commit) == 2 * hashlib.sha256().digest_size:
        return hashlib.sha256(stored).hexdigest() == commit
    return hashlib.sha1(stored, usedforsecurity=False).hexdigest() == commit


def _workspaces() -> Mapping[str, str]:
    file = user.remotes_folder() / _WORKSPACES_FILE
    return {key: value for key, value in _read(file).items() if isinstance(value, str)}


def _write_workspaces(workspaces: Mapping[str, str]) -> None:
    _write(user.remotes_folder() / _WORKSPACES_FILE, _json(workspaces))


def _read_numbers(file: Path) -> dict[str, int]:
    return {key: value for key, value in _read(file).items() if isinstance(value, int)}


def _read_grant(file: Path) -> Grant:
    return read_grant(_read_own(file, max_bytes=MAX_GRANT_BYTES), source=str(file))


def _read(file: Path) -> Mapping[str, object]:
    """The JSON object in a file; empty if there is no file."""
    if not os.path.lexists(file):
        return {}
    try:
        document = json.loads(_read_own(file, max_bytes=_MAX_BYTES))
    except (ValueError, RecursionError) as err:
        raise FileAccessError(f"`{file}` is damaged", hint="remove that file") from err
    return document if isinstance(document, dict) else {}


def _read_own(file: Path, *, max_bytes: int) -> bytes:
    """The content of a file that this user alone may write."""
    try:
        found = file.lstat()
        is_own = sys.platform == "win32" or (
            found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
        )
        if not is_own:
            raise FileAccessError(
                f"`{file}` belongs to another user, or others may read or write it",
                hint=f'if it is yours: `chmod 600 "{file}"`',
            )
        return read_regular(file, max_bytes=max_bytes)
    except OSError as err:
        raise FileAccessError(f"can't read `{file}`: {err.strerror or err}") from err


def _write(file: Path, content: bytes) -> None:
    _make(file.parent)
    try:
        write_atomically(file, content)
    except OSError as err:
        raise _not_written(file, err) from err


def _make(folder: Path) -> None:
    try:
        user.make_data_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as err:
        raise _not_written(folder, err) from err


def _not_written(path: Path, err: OSError) -> FileAccessError:
    return FileAccessError(
        f"can't write `{path}`: {err.strerror or err}",
        hint=f"make its folder writable, or move your data folder with `{user.HOME_VARIABLE}`",
    )


def _json(document: Mapping[str, object]) -> bytes:
    return json.dumps(document, indent=2, sort_keys=True).encode()
