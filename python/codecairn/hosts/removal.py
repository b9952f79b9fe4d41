"""Removes codecairn from every file that an installation changed, of the user's hosts and of all projects.

The list of installations names these files. The edits in a file follow from its path: it is a file of some host, for the user or
for a project in one of the folders above it. A file that is unchanged since its installation is restored to its original
content.
"""

from collections.abc import Iterator
from pathlib import Path

from codecairn.errors import CodecairnError, FileAccessError
from codecairn.hosts.edits import Edit
from codecairn.hosts.host_table import HOSTS, NAME, Place
from codecairn.hosts.installation import Change, Installer


class HostRemoval:
    """All installations that are on the list in `folder`, those of the person with this home folder and of projects."""

    def __init__(self, *, home: Path, folder: Path) -> None:
        self._home = home
        self._installer = Installer(self._place("user", home), folder=folder, installed=NAME)

    def planned(self) -> tuple[list[Change], list[CodecairnError]]:
        """What would be changed, and why some files can't be."""
        changes: list[Change] = []
        problems: list[CodecairnError] = []
        for path in self._installer.installed():
            try:
                changes.append(self._planned(path))
            except CodecairnError as err:
                problems.append(err)
        return changes, problems

    def uninstall(self) -> tuple[list[Change], list[CodecairnError]]:
        """Make the changes; what can't be changed stays on the list."""
        done: list[Change] = []
        changes, problems = self.planned()
        # A folder that was made for several files is on the list with the first: it is empty when that one goes last.
        for change in reversed(changes):
            try:
                self._installer.take_out([change])
                done.append(change)
            except CodecairnError as err:
                problems.append(err)
        return done, problems

    def _planned(self, path: Path) -> Change:
        edits, project = self._edits(path)
        if project is not None:
            _require_inside(path, project)
        return self._installer.change_without(path, edits)

    def _edits(self, path: Path) -> tuple[list[Edit], Path | None]:
        """What may have been entered in a file, and the root of the project that it belongs to, if it does."""
        for place in self._places(path):
            found = [
                edit
                for host in HOSTS.values()
                for edit in (*host.edits(place), *host.retired_edits(place))
                if edit.path == path
            ]
            if found:
                return found, None if place.scope == "user" else place.root
        return [], None

    def _places(self, path: Path) -> Iterator[Place]:
        yield self._place("user", self._home)
        for folder in path.parents:
            yield self._place("project", folder)

    def _place(self, scope: str, root: Path) -> Place:
        return Place(
            scope="user" if scope == "user" else "project",
            home=self._home,
            root=root,
            program=NAME,
        )


def _require_inside(path: Path, root: Path) -> None:
    """Refuse a project's file that is reached through a link: the project may have put it there since.

    Raises:
        FileAccessError: If it is.
    """
    inner = path.relative_to(root).parts
    reached = root
    for part in inner:
        reached = reached / part
        if reached.is_symlink():
            raise FileAccessError(
                f"`{path}` was left as it is: `{reached}` is a link",
                hint="codecairn made no link there; take its entry out by hand",
            )
