"""Finding a workspace's root, and refusing folders that should not become one by accident.

Invariant: finding a root reads a few directory entries and never runs git. Decisions about path strings are pure
functions over `PurePath`, so that Windows rules are tested everywhere.
"""

import os
from collections import deque
from pathlib import Path, PurePath, PureWindowsPath

from codecairn.errors import BadWorkspace

STORE_NAME = ".codecairn"
"""The folder at a workspace's root that holds its store."""

MANY_FILES = 50_000
"""A folder without a project marker must hold fewer files than this to become a workspace unnamed."""

PROJECT_MARKERS = (
    ".git",
    ".hg",
    ".svn",
    ".jj",
    STORE_NAME,
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
"""Names whose presence shows that a folder is somebody's project."""


def resolve_folder(path: str | os.PathLike[str]) -> Path:
    """The folder that `path` names, absolute and with its links followed.

    Raises:
        BadWorkspace: If it does not exist, is not a folder, or can't be read.
    """
    folder = Path(path).expanduser()
    try:
        resolved = folder.resolve(strict=True)
    except FileNotFoundError as err:
        raise BadWorkspace(f"`{folder}` does not exist", hint="check the path") from err
    except (OSError, RuntimeError) as err:
        raise BadWorkspace(f"can't open `{folder}`: {err}") from err
    if not resolved.is_dir():
        raise BadWorkspace(f"`{folder}` is not a folder", hint="name the folder that holds it")
    return resolved


def find_root(start: Path, *, home: Path) -> Path:
    """The root of the workspace that `start`, a resolved folder, lies in.

    It is the nearest ancestor with a store, else git's top level, else `start` itself. A linked worktree is always
    a root of its own, even inside its main worktree. A home folder or a file system's root counts only if it is
    `start`, or holds a store and there is no repository on the way to it.
    """
    git_top: Path | None = None
    for folder in (start, *start.parents):
        is_far = folder != start and forbidden_reason(folder, home=home) is not None
        if is_far and git_top is not None:
            return git_top
        if (folder / STORE_NAME).is_dir():
            return folder
        if is_far:
            continue
        dot_git = folder / ".git"
        if dot_git.is_file() and _is_linked_worktree(dot_git):
            return folder
        if git_top is None and dot_git.exists():
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
        BadWorkspace: For home folders, roots of file systems, and folders that have no project marker and hold
            `MANY_FILES` files or more.
    """
    hint = f'run `codecairn index "{folder}"` if you mean it'
    reason = forbidden_reason(folder, home=home)
    if reason is not None:
        raise BadWorkspace(f"`{folder}` is {reason}", hint=hint)
    if has_project_marker(folder) or not holds_many_files(folder, limit=MANY_FILES):
        return
    raise BadWorkspace(
        f"`{folder}` has no project marker and holds {MANY_FILES:,} files or more", hint=hint
    )


def has_project_marker(folder: Path) -> bool:
    """Whether something in this folder shows that it is a project."""
    return any((folder / marker).exists() for marker in PROJECT_MARKERS)


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


def _is_linked_worktree(dot_git: Path) -> bool:
    """Whether this `.git` file points to a git folder that shares another one's objects."""
    try:
        text = dot_git.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return False
    if not text.startswith("gitdir:"):
        return False
    git_folder = dot_git.parent / text.removeprefix("gitdir:").strip()
    return (git_folder / "commondir").is_file()
