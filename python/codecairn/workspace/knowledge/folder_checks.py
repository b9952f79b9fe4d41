"""Checks whether a folder may become a knowledge base, and under which name."""

from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from codecairn.errors import BadWorkspace, UsageError
from codecairn.paths import root as root_paths
from codecairn.paths import user
from codecairn.workspace.knowledge.registry import RESERVED, free_name

if TYPE_CHECKING:
    from codecairn.core.types.provenance import KnowledgeBase

_SYSTEM = ("/etc", "/proc", "/sys", "/dev", "/boot", "/var/run", "/run", "/var/log")
_IN_MEMORY = "/dev/shm"  # noqa: S108
"""A file system in memory for everybody's files, as `/tmp` is on some machines."""
_SECRET = (".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".docker", ".kube", ".netrc.d")
"""Below the home folder: where programs keep what opens other people's doors."""


def checked_folder(
    given: str, *, root: Path, bases: "Sequence[KnowledgeBase]", is_walked: Callable[[str], bool]
) -> Path:
    """The folder, absolute, if it may be a knowledge base of the workspace at `root`.

    `is_walked` tells whether the workspace's own index has files of a folder below its root.

    Raises:
        BadWorkspace: If it is no folder, or one that should not be read.
        UsageError: If it overlaps the workspace or another base.
    """
    folder = root_paths.resolve_folder(root / Path(user.expanded(Path(given))))
    if folder == root:
        raise UsageError(f"`{folder}` is the workspace itself", hint="it is searched anyway")
    if folder in root.parents:
        raise UsageError(
            f"`{folder}` holds the workspace `{root}`",
            hint="name the folders beside the workspace, one by one",
        )
    reason = forbidden_reason(folder, home=user.home_folder(), data=user.data_folder())
    if reason is not None:
        raise BadWorkspace(f"`{folder}` is {reason}", hint="name a folder with what is to be found")
    if root in folder.parents and is_walked(folder.relative_to(root).as_posix()):
        raise UsageError(
            f"`{folder}` is part of the workspace `{root}`",
            hint="it is searched with it; `--dir` narrows a search to it",
        )
    for base in bases:
        other = Path(base.path)
        if folder == other:
            raise UsageError(f"`{folder}` is a knowledge base already, `{base.name}`")
        if other in folder.parents or folder in other.parents:
            raise UsageError(
                f"`{folder}` overlaps the knowledge base `{base.name}`, `{other}`",
                hint=f"take that out first: `codecairn knowledge remove {base.name}`",
            )
    return folder


def forbidden_reason(folder: PurePath, *, home: PurePath, data: PurePath) -> str | None:
    """Why this folder should not be read into an index; `None` if it may be."""
    reason = root_paths.forbidden_reason(folder, home=home)
    if reason is not None:
        return reason
    places = {
        **dict.fromkeys(map(type(folder), _SYSTEM), "a folder of the system"),
        **dict.fromkeys((home / name for name in _SECRET), "a folder of keys and passwords"),
        data: "codecairn's own data folder",
    }
    is_in_memory = type(folder)(_IN_MEMORY) in folder.parents
    for place, words in places.items():
        if is_in_memory and place == type(folder)("/dev"):
            continue
        if folder == place or place in folder.parents:
            return f"{words}, or lies in one"
        if folder in place.parents:
            return f"too wide: it holds `{place}`"
    return None


def checked_name(name: str | None, *, folder: Path, bases: "Sequence[KnowledgeBase]") -> str:
    """The name asked for, or else the folder's, made distinct.

    Raises:
        UsageError: If the name is taken, means something else, or would be hard to type.
    """
    if name is None:
        return free_name(folder.name, bases)
    if name in RESERVED:
        raise UsageError(f"`{name}` means something else where a base is named")
    if not name or free_name(name, ()) != name:
        raise UsageError(
            f"`{name}` can't be a name", hint="use letters, digits, `-`, `_` and dots alone"
        )
    if any(base.name == name for base in bases):
        raise UsageError(f"there is a knowledge base `{name}` already", hint="choose another name")
    return name
