"""The registry of a workspace's knowledge bases: a file in the user's data folder, and a setting of the user's own.

A file of the workspace can't name any, because a cloned repository must not cause other folders to be read. Linked worktrees share
those of their main worktree.
"""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.core.engine import main_worktree
from codecairn.errors import FileAccessError
from codecairn.paths import user
from codecairn.paths.atomic_write import write_atomically
from codecairn.paths.store import global_name

if TYPE_CHECKING:
    from codecairn.core.types.provenance import KnowledgeBase

IN_WORKSPACE = "workspace"
IN_SETTINGS = "settings"


class Registry:
    """The knowledge bases of the workspace at `root`; `named` are those of the setting, as `name=path` or a path."""

    def __init__(self, root: Path, *, named: Sequence[str] = ()) -> None:
        self._root = root
        self._named = tuple(named)
        self._seen: tuple[int, int, int] | None = None
        self._known: tuple[KnowledgeBase, ...] = ()

    @cached_property
    def file(self) -> Path:
        """Where the workspace's own list lies; it need not exist."""
        owner = main_worktree(self._root) or self._root
        return _lists() / f"{global_name(owner)}.json"

    def all(self) -> "tuple[KnowledgeBase, ...]":
        """All of them, the workspace's own first; a folder that comes twice once, and none that holds the workspace.

        Raises:
            FileAccessError: If the list can't be read.
        """
        found = list(self._own())
        for given in self._named:
            name, path = _split(given)
            folder = (self._root / user.expanded(Path(path))).resolve()
            if any(Path(base.path) == folder for base in found):
                continue
            from codecairn.core.types.provenance import KnowledgeBase

            free = free_name(name or folder.name, found)
            found.append(KnowledgeBase(name=free, path=str(folder), source=IN_SETTINGS))
        return tuple(base for base in found if not self._holds_root(Path(base.path)))

    def _holds_root(self, folder: Path) -> bool:
        """Whether the workspace is this folder or lies in it: one that is shared by several may be one of them."""
        return folder == self._root or folder in self._root.parents

    def add(self, base: "KnowledgeBase") -> None:
        """Put one down.

        Raises:
            FileAccessError: If the list can't be written.
        """
        self._write((*self._read(), base))

    def remove(self, base: "KnowledgeBase") -> None:
        """Take one out.

        Raises:
            FileAccessError: If the list can't be written.
        """
        self._write(tuple(each for each in self._read() if each.path != base.path))

    def _own(self) -> "tuple[KnowledgeBase, ...]":
        """The content of the list; every search needs it, so it is read again only if its file has changed."""
        if not _lists().is_dir():
            return ()  # no workspace has any, so this one's name is not needed
        try:
            state = self.file.stat()
            seen = (state.st_mtime_ns, state.st_size, state.st_ino)
        except OSError:
            seen = None
        if seen is None or seen != self._seen:
            self._known = self._read()
            self._seen = seen
        return self._known

    def _read(self) -> "tuple[KnowledgeBase, ...]":
        from codecairn.core.types.provenance import KnowledgeBase

        file = self.file
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
            return tuple(
                KnowledgeBase(
                    name=str(row["name"]),
                    path=str(self._found(row["path"])),
                    source=IN_WORKSPACE,
                )
                for row in document["bases"]
            )
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError) as err:
            raise FileAccessError(
                f"can't read the list of knowledge bases `{file}`: {err}",
                hint="mend or remove that file; `codecairn knowledge add` creates it again",
            ) from err

    def _found(self, written: str) -> Path:
        """The folder; what git ignores in the main worktree need not be in a linked one."""
        here = (self._root / written).resolve()
        owner = None if here.is_dir() else main_worktree(self._root)
        return here if owner is None else (owner / written).resolve()

    def _write(self, bases: "Sequence[KnowledgeBase]") -> None:
        file = self.file
        rows = [{"name": base.name, "path": self._written(Path(base.path))} for base in bases]
        document = {"workspace": str(self._root), "bases": rows}
        try:
            user.make_data_folder()
            file.parent.mkdir(mode=0o700, exist_ok=True)
            write_atomically(file, json.dumps(document, indent=2).encode())
        except OSError as err:
            raise FileAccessError(
                f"can't write the list of knowledge bases `{file}`: {err.strerror or err}",
                hint=f"give its folder back its rights, or move your data folder with `{user.HOME_VARIABLE}`",
            ) from err

    def _written(self, folder: Path) -> str:
        """How a folder is put down: relative where it lies in the workspace, so that it moves with it."""
        is_inside = self._root in folder.parents
        return folder.relative_to(self._root).as_posix() if is_inside else str(folder)


def _lists() -> Path:
    """The folder of all lists; it need not exist."""
    return user.data_folder() / "knowledge"


def free_name(wanted: str, taken: "Sequence[KnowledgeBase]") -> str:
    """The name, or it with a number, that no other one has."""
    names = {base.name for base in taken} | RESERVED
    tidy = "".join(char if char.isalnum() or char in "-_." else "-" for char in wanted) or "base"
    if tidy not in names:
        return tidy
    return next(name for at in range(2, len(names) + 3) if (name := f"{tidy}-{at}") not in names)


WORKSPACE = "workspace"
ALL = "all"
RESERVED = frozenset({WORKSPACE, ALL})
"""Names that mean something else where a base is named."""


def _split(given: str) -> tuple[str, str]:
    """Name and path of `name=path`; a path alone has no name."""
    name, equals, path = given.partition("=")
    is_name = bool(equals) and name.replace("-", "").replace("_", "").replace(".", "").isalnum()
    return (name.strip(), path.strip()) if is_name else ("", given)
