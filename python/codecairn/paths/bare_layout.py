"""The folder around a bare git repository: its branches are checked out as worktrees, and it has no files of its own.

`.git` is the bare repository there, or a text file that names it: `gitdir: ./.bare`. Git's files are read, and git is not run.
"""

import re
from pathlib import Path

from codecairn.paths.workspace_files import read_regular

AROUND_BARE = "the folder around a bare git repository, without any files checked out"
"""The reason why such a folder is no workspace, as messages say it."""

_MAX_SHOWN = 5
"""Worktrees that a hint names."""

_MAX_BYTES = 64 * 1024
"""Pointers and configurations are read up to this size."""

_MAX_WORKTREES = 1_000

_SECTION = re.compile(r"\s*\[\s*(?P<name>[^\]]*?)\s*\]\s*")
_SETTING = re.compile(r"\s*(?P<name>[\w-]+)\s*(?:=\s*(?P<value>[^#;]*))?")
_TRUE = re.compile(r"true|yes|on|0*[1-9][0-9]*", re.IGNORECASE)


def is_bare_layout(folder: Path) -> bool:
    """Whether `.git` in this folder is, or names, a bare repository."""
    git_folder = _named_by(folder / ".git")
    if git_folder is None or _has(git_folder / "commondir"):
        return False
    config = _text(git_folder / "config")
    if _is_true(config, "extensions", "worktreeconfig"):
        config += "\n" + _text(git_folder / "config.worktree")
    return _is_true(config, "core", "bare")


def worktrees(folder: Path) -> list[Path]:
    """The worktrees of the repository that `.git` in this folder is or names, by path; those that are gone left out."""
    git_folder = _named_by(folder / ".git")
    found = set()
    for pointer in _entries(None if git_folder is None else git_folder / "worktrees"):
        dot_git = _text(pointer / "gitdir").strip()
        if dot_git and _has(pointer / dot_git):
            found.add((pointer / dot_git).parent.resolve())
    return sorted(found)


def worktrees_hint(folder: Path) -> str:
    """Which folders to use instead of the one around a bare repository: its worktrees."""
    shown = [_below(each, folder) for each in worktrees(folder)]
    if not shown:
        return f'check a branch out: `git -C "{folder}" worktree add BRANCH`'
    more = f" and {len(shown) - _MAX_SHOWN:,} more" if len(shown) > _MAX_SHOWN else ""
    listed = ", ".join(f"`{each}`" for each in shown[:_MAX_SHOWN])
    return f"use one of its worktrees: {listed}{more}"


def _below(place: Path, folder: Path) -> str:
    return str(place.relative_to(folder)) if place.is_relative_to(folder) else str(place)


def _named_by(dot_git: Path) -> Path | None:
    try:
        if dot_git.is_dir():
            return dot_git
    except OSError:
        return None
    prefix, _, target = _text(dot_git).partition("gitdir:")
    return dot_git.parent / target.strip() if target.strip() and not prefix.strip() else None


def _is_true(config: str, section: str, name: str) -> bool:
    """Whether the last value of a setting says yes, as one without a value does."""
    current, is_true = "", False
    for line in config.splitlines():
        if head := _SECTION.match(line):
            current = head["name"].lower()
        setting = _SETTING.match(line, head.end() if head else 0)
        if current == section and setting and setting["name"].lower() == name:
            value = setting["value"]
            is_true = value is None or _TRUE.fullmatch(value.strip().strip('"')) is not None
    return is_true


def _entries(folder: Path | None) -> list[Path]:
    try:
        return [] if folder is None else sorted(folder.iterdir())[:_MAX_WORKTREES]
    except OSError:
        return []


def _text(file: Path) -> str:
    try:
        return read_regular(file, max_bytes=_MAX_BYTES).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""


def _has(place: Path) -> bool:
    try:
        return place.exists()
    except (OSError, ValueError):
        return False
