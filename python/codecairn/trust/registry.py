"""The registry of trusted workspaces, a file of the user's data folder.

A workspace is trusted as one particular folder: by its canonical path, its device and its inode. Another folder at the same path, a
fresh clone for instance, is not trusted. The file lies outside of every workspace, so no repository can add itself.
"""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from codecairn.errors import FileAccessError
from codecairn.paths import user
from codecairn.paths.atomic_write import write_atomically

FILE_NAME = "trust.json"

MAX_BYTES = 4 * 1024 * 1024
"""A larger file is not ours: one workspace takes about 150 bytes."""

_Identity = Mapping[str, int]


def registry_file() -> Path:
    """The file that holds the trusted workspaces; it need not exist."""
    return user.data_folder() / FILE_NAME


def is_trusted(root: Path) -> bool:
    """Whether the user trusts the workspace at `root`. A registry that can't be read trusts none."""
    try:
        canonical = root.resolve(strict=True)
        known = _read().get(str(canonical))
        return known is not None and known == _identity(canonical)
    except (FileAccessError, OSError, RuntimeError):
        return False


def trust(root: Path) -> None:
    """Trust the workspace at `root`, as the folder that it is now.

    Raises:
        FileAccessError: If the folder is gone, or the registry can't be read or written.
    """
    try:
        canonical = root.resolve(strict=True)
        identity = _identity(canonical)
    except (OSError, RuntimeError) as err:
        raise FileAccessError(f"can't open `{root}`: {err}") from err
    _write({**_read(), str(canonical): identity})


def distrust(root: Path) -> bool:
    """Trust the workspace at `root` no longer, and return whether it was in the registry. It may be gone.

    Raises:
        FileAccessError: If the registry can't be read or written.
    """
    known = dict(_read())
    was_known = known.pop(str(root.resolve()), None) is not None
    if was_known:
        _write(known)
    return was_known


def trusted_roots() -> tuple[Path, ...]:
    """Every workspace that is trusted, sorted; some may be gone.

    Raises:
        FileAccessError: If the registry can't be read.
    """
    return tuple(Path(path) for path in sorted(_read()))


def _identity(folder: Path) -> _Identity:
    found = folder.stat()
    return {"device": found.st_dev, "inode": found.st_ino}


def _read() -> Mapping[str, _Identity]:
    file = registry_file()
    try:
        with file.open("rb") as opened:
            _require_own_and_small(opened.fileno())
            document = json.load(opened)
        rows = document["workspaces"].items()
        return {
            str(path): {key: int(row[key]) for key in ("device", "inode")} for path, row in rows
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as err:
        raise FileAccessError(
            f"can't read the trusted workspaces `{file}`: {err}",
            hint="remove that file, and trust your workspaces again with `codecairn trust`",
        ) from err


def _require_own_and_small(handle: int) -> None:
    """Refuse a registry that another user could have written, and one that no list of workspaces fills."""
    found = os.fstat(handle)
    if found.st_size > MAX_BYTES:
        message = f"it is larger than {MAX_BYTES:,} bytes"
        raise ValueError(message)
    if sys.platform == "win32":
        return
    if found.st_uid != os.getuid() or found.st_mode & 0o022:
        message = "it belongs to another user, or others may write it"
        raise PermissionError(message)


def _write(workspaces: Mapping[str, _Identity]) -> None:
    file = registry_file()
    document = {"workspaces": {path: dict(workspaces[path]) for path in sorted(workspaces)}}
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(file, json.dumps(document, indent=2).encode())
    except OSError as err:
        raise FileAccessError(
            f"can't write the trusted workspaces `{file}`: {err.strerror or err}",
            hint=f"make its folder writable, or move your data folder with `{user.HOME_VARIABLE}`",
        ) from err
