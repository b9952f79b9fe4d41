"""Finds a workspace's root, and refuses folders that should not become one by accident.

Invariant: finding a root reads a few directory entries and never runs git. Decisions about path strings are pure
functions over `PurePath`, so that Windows rules are tested everywhere.
"""

import os
from collections import deque
from collections.abc import Callable
from pathlib import Path, PurePath, PureWindowsPath

from codecairn.errors import BadWorkspace
from codecairn.paths.bare_layout import AROUND_BARE, is_bare_layout, worktrees_hint
from codecairn.paths.user import expanded
from codecairn.paths.workspace_files import read_regular

STORE_NAME = ".codecairn"
"""The folder at a workspace's root that holds its store."""

MANY_FILES = 50_000
"""A folder without a project marker must hold fewer files than this to become a workspace unnamed."""

_MAX_POINTER_BYTES = 64 * 1024
"""A `.git` file holds one path; git itself reads no more than 1 MiB of it."""

PROJECT_MARKERS = (
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".codecairn.toml",
    "BUILD.bazel",
    "CMakeLists.txt",
    "Cargo.toml",
    "Gemfile",
    "Makefile",
    "Package.swift",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "build.zig",
    "composer.json",
    "deno.json",
    "dune-project",
    "go.mod",
    "meson.build",
    "mix.exs",
    "package.json",
    "pom.xml",
    "pubspec.yaml",
    "pyproject.toml",
    "rebar.config",
    "requirements.txt",
    "setup.cfg",
    "setup.py",
    "stack.yaml",
)
"""Names whose presence marks a folder as a project."""


def resolve_folder(path: str | os.PathLike[str] | None) -> Path:
    """The folder that `path` names, or else the current one, absolute and with its links followed.

    Raises:
        BadWorkspace: If it does not exist, is not a folder, or can't be read.
    """
    if path is None:
        return _current_folder()
    if not os.fspath(path):
        raise BadWorkspace("the path is empty", hint="name a folder, or leave the path out")
    folder = expanded(Path(path))
    try:
        resolved = folder.resolve(strict=True)
        if not resolved.is_dir():
            raise BadWorkspace(f"`{folder}` is not a folder", hint="name the folder that holds it")
        os.scandir(resolved).close()
    except FileNotFoundError as err:
        raise BadWorkspace(f"`{folder}` does not exist", hint="check the path") from err
    except OSError as err:
        raise BadWorkspace(f"can't open `{folder}`: {err.strerror or err}") from err
    except (RuntimeError, ValueError) as err:
        raise BadWorkspace(f"can't open `{folder}`: {err}") from err
    return resolved


def find_root(start: Path, *, home: Path, has_store: Callable[[Path], bool]) -> Path:
    """The root of the workspace that `start`, a resolved folder, lies in.

    It is the nearest ancestor that has a store, as `has_store` finds, else git's top level, else `start` itself. A linked worktree is always
    a root of its own, even inside its main worktree. A home folder or a file system's root counts only if it is
    `start`, or holds a store and there is no repository on the way to it.
    """
    git_top: Path | None = None
    for folder in (start, *start.parents):
        is_far = folder != start and forbidden_reason(folder, home=home) is not None
        if is_far and git_top is not None:
            return git_top
        if has_store(folder):
            return folder
        if is_far:
            continue
        dot_git = folder / ".git"
        if _is_linked_worktree(dot_git):
            return folder
        if git_top is None and _exists(dot_git):
            git_top = folder
    return git_top or start


def forbidden_reason(folder: PurePath, *, home: PurePath) -> str | None:
    """Why this folder should never become a workspace unless it is named; `None` if it may."""
    if folder.parent == folder:
        return "the root of a file system"
    if folder == home or folder in home.parents:
        return "a home folder" if folder == home else "a folder of home folders"
    parts = folder.parts
    homes = ("users",) if isinstance(folder, PureWindowsPath) else ("home", "Users", "root")
    first = parts[1].lower() if isinstance(folder, PureWindowsPath) else parts[1]
    if first not in homes:
        return None
    if first == "root":
        return "a home folder" if len(parts) == 2 else None
    return {2: "a folder of home folders", 3: "a home folder"}.get(len(parts))


def require_reasonable(folder: Path, *, home: Path) -> None:
    """Refuse a folder that should not become a workspace without having been named.

    Raises:
        BadWorkspace: For home folders, roots of file systems, bare git repositories and the folders around them, and
            folders that have no project marker and hold `MANY_FILES` files or more.
    """
    hint = f'run `codecairn index "{folder}"` if you mean it'
    reason = forbidden_reason(folder, home=home)
    if reason is None and is_git_folder(folder):
        reason = "the inside of a git repository, without any files checked out"
    if reason is None and is_bare_layout(folder):
        reason, hint = AROUND_BARE, worktrees_hint(folder)
    if reason is not None:
        raise BadWorkspace(f"`{folder}` is {reason}", hint=hint)
    if has_project_marker(folder) or not holds_many_files(folder, limit=MANY_FILES):
        return
    raise BadWorkspace(
        f"`{folder}` has no project marker and holds {MANY_FILES:,} files or more", hint=hint
    )


def is_git_folder(folder: Path) -> bool:
    """Whether this is what git itself keeps: a bare repository, or the `.git` of another."""
    return _exists(folder / "HEAD") and _is_dir(folder / "objects") and _is_dir(folder / "refs")


def has_project_marker(folder: Path) -> bool:
    """Whether something in this folder shows that it is a project."""
    return any(_exists(folder / marker) for marker in PROJECT_MARKERS)


def holds_many_files(folder: Path, *, limit: int) -> bool:
    """Whether `limit` files or more lie in this folder, counting no further than that; links are not followed."""
    found = 0
    waiting = deque([str(folder)])
    while waiting:
        try:
            with os.scandir(waiting.popleft()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        found += 1
                        if found >= limit:
                            return True
        except OSError:
            continue
    return False


def _current_folder() -> Path:
    try:
        return Path.cwd().resolve()
    except OSError as err:
        raise BadWorkspace(
            f"can't open the current folder: {err.strerror or err}", hint="go to another one"
        ) from err


def _is_linked_worktree(dot_git: Path) -> bool:
    """Whether this `.git` file points to a git folder that shares another one's objects."""
    try:
        if not dot_git.is_file():
            return False
        content = read_regular(dot_git.resolve(), max_bytes=_MAX_POINTER_BYTES)
        text = content.decode("utf-8", "surrogateescape")
        git_folder = dot_git.parent / text.removeprefix("gitdir:").strip()
        return text.startswith("gitdir:") and (git_folder / "commondir").is_file()
    except (OSError, RuntimeError, ValueError):
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
