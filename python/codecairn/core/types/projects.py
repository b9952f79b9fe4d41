"""The projects of a memory: which folders share one, and why."""

from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFolder:
    """A folder of a project.

    Attributes:
        path: Where it was last met.
        remote: Its remote then; `None` without one.
        is_there: Whether it is still there.
        is_this: Whether it is the folder that is asked for.
    """

    path: str
    remote: str | None
    is_there: bool
    is_this: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project, with the names, remotes and folders that lead to it.

    Attributes:
        number: Its number, by which it is chosen.
        name: Its display name.
        names: The names that settings give it.
        remotes: The remotes that lead to it.
        folders: Its folders.
        sessions: Its sessions.
        events: Its events.
        facts: Its facts that hold.
        last_ms: When its last event happened, in milliseconds since 1970; `None` without one.
        commits: Commits that were checked out at its last events.
    """

    number: int
    name: str
    names: tuple[str, ...]
    remotes: tuple[str, ...]
    folders: tuple[ProjectFolder, ...]
    sessions: int
    events: int
    facts: int
    last_ms: int | None
    commits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderProject:
    """The project of a folder.

    Attributes:
        folder: The folder that is asked for.
        remote: Its remote; `None` without one.
        named: The name that the settings give its project; `None` without one.
        project: Its project; `None` if nothing is remembered yet.
        reason: Why it is that one: `named`, `folder`, `moved`, `remote`, `new`, `replaced`, `left`, `other_repository`, `former_remote`, `unsure`.
        former: The project that the folder had, or might have had, before.
        parents: The projects around a submodule, whose memory it is shown.
    """

    folder: str
    remote: str | None
    named: str | None
    project: Project | None
    reason: str
    former: Project | None
    parents: tuple[Project, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectChange:
    """How much changed its project.

    Attributes:
        events: Events.
        facts: Facts, with all their versions.
        folders: Folders.
    """

    events: int
    facts: int
    folders: int
