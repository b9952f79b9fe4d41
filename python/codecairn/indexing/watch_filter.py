"""Decides what a file system event means for an index: a changed path, an ignore rule, a setting, git, or nothing."""

import os
from collections.abc import Callable
from pathlib import Path

from codecairn.core.engine import git_excludes, git_folders, is_rule_file
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import UsageError
from codecairn.indexing.watch_changes import Changes
from codecairn.paths import user

SETTINGS_NAMES = (".codecairn.toml", "pyproject.toml")
"""Files at a workspace's root that may hold its settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitAndSettingsFiles:
    """The files of git and of the settings, whose changes matter although they are not indexed.

    Attributes:
        git_files: Files whose change may mean another branch or commit.
        refs: Folders of branches; everything below matters like `git_files`.
        rule_files: Files whose change may change which others are indexed.
        settings_files: Files of settings.
        locks: Files that are there while git is in the middle of something.
    """

    git_files: frozenset[str]
    refs: tuple[str, ...]
    rule_files: frozenset[str]
    settings_files: frozenset[str]
    locks: tuple[str, ...]

    @classmethod
    def of(cls, root: Path) -> "GitAndSettingsFiles":
        """What matters to the workspace at `root`."""
        settings = {str(root / name) for name in SETTINGS_NAMES} | {str(user.config_file())}
        excludes = git_excludes()
        rules = set() if excludes is None else {str(excludes)}
        found = git_folders(root)
        if found is None:
            return cls(
                git_files=frozenset(),
                refs=(),
                rule_files=frozenset(rules),
                settings_files=frozenset(settings),
                locks=(),
            )
        own, shared = found
        return cls(
            git_files=frozenset({str(own / "HEAD"), str(shared / "packed-refs")}),
            refs=(str(shared / "refs" / "heads"),),
            rule_files=frozenset(rules | {str(shared / "info" / "exclude")}),
            settings_files=frozenset(settings),
            locks=(str(own / "index.lock"),),
        )

    def folders(self) -> list[str]:
        """The folders to watch for these files; those of branches with all below them."""
        files = self.git_files | self.rule_files | self.settings_files
        found = {str(Path(file).parent) for file in files}
        for refs in self.refs:
            found.update(folder for folder, _, _ in os.walk(refs))
        return sorted(folder for folder in found if Path(folder).is_dir())

    def is_ref(self, place: str) -> bool:
        """Whether this is a branch, or a folder of branches."""
        return any(place.startswith(refs + os.sep) for refs in self.refs)

    def is_git_busy(self) -> bool:
        """Whether git is in the middle of something."""
        return any(Path(lock).exists() for lock in self.locks)


class EventFilter:
    """Turns events at places into changes.

    `is_walked` tells whether a change of an entry may matter to the index: path relative to the root, and whether it
    is a folder.
    """

    def __init__(
        self,
        root: Path,
        git_and_settings: GitAndSettingsFiles,
        changes: Changes,
        *,
        is_walked: Callable[[str, bool], bool],
    ) -> None:
        self.git_and_settings = git_and_settings
        self._prefix = str(root).rstrip(os.sep) + os.sep
        self._changes = changes
        self._is_walked = is_walked

    def saw(self, place: str, *, is_dir: bool) -> None:
        """Something happened at this place."""
        git_and_settings = self.git_and_settings
        if place in git_and_settings.git_files or (
            git_and_settings.is_ref(place) and not place.endswith(".lock")
        ):
            self._changes.add_git()
        if place in git_and_settings.settings_files:
            self._changes.add_settings()
        if place in git_and_settings.rule_files:
            # They were read when the store was opened.
            self._changes.add_settings()
            self._changes.add_everything()
        path = self.inside(place)
        if path is None:
            return
        if is_rule_file(path):
            self._changes.add_everything()
        elif self._matters(path, is_dir=is_dir):
            self._changes.add(path)

    def inside(self, place: str) -> str | None:
        """The path of a place relative to the root, with `/`; `None` for the root itself and what lies outside."""
        if not place.startswith(self._prefix):
            return None
        return place[len(self._prefix) :].replace(os.sep, "/")

    def _matters(self, path: str, *, is_dir: bool) -> bool:
        try:
            return self._is_walked(path, is_dir)
        except UsageError:
            # A name that is not valid Unicode: only a full scan finds it.
            self._changes.add_everything()
            return False
