"""Which folders share a memory: shows why, finds the memory that a folder may have lost, merges projects and parts them."""

from collections.abc import Sequence
from pathlib import Path, PurePath

from codecairn.core.git import start
from codecairn.core.light_dataclass import dataclass
from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.text_format import amount
from codecairn.core.types.projects import FolderProject, Project, ProjectChange
from codecairn.errors import CodecairnError, UsageError

REASONS = {
    "named": "the settings name it",
    "folder": "this folder was met before",
    "moved": "this folder was met before, at another path",
    "remote": "its remote is that of the project",
    "new": "neither this folder nor its remote was met before",
    "replaced": "another folder was at this path before",
    "left": "its remote changed, and other folders of the project kept the old one",
    "other_repository": "its remote changed together with its git folder",
    "former_remote": "the folder that had this remote has another one now",
    "unsure": "an older version met this folder with another remote",
}
"""Why a folder has its project, by the core's word for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectReport:
    """The project of a folder, or all of them, after an action.

    Attributes:
        action: `show`, `list`, `adopt` or `part`.
        changed: What `adopt` and `part` changed; `None` otherwise.
        this: The project of the folder.
        why: Why it is that one, in words.
        candidates: Projects whose memory the folder may have lost.
        projects: All projects, with `list`.
    """

    action: str
    changed: ProjectChange | None
    this: FolderProject
    why: str
    candidates: tuple[Project, ...]
    projects: tuple[Project, ...]


class Projects:
    """The projects of one memory, seen from a folder."""

    def __init__(self, root: Path, engine: MemoryEngine) -> None:
        self._root = root
        self._engine = engine

    def report(
        self, action: str = "show", *, changed: ProjectChange | None = None
    ) -> ProjectReport:
        """The project of the folder; with `list`, all of them."""
        this = self._engine.project()
        every = self._engine.projects()
        return ProjectReport(
            action=action,
            changed=changed,
            this=this,
            why=REASONS[this.reason],
            candidates=_candidates(self._root, this, every),
            projects=every if action == "list" else (),
        )

    def hint(self) -> str:
        """The commands that bring back a memory that the folder may have lost; empty if there is none."""
        this = self._engine.project()
        if this.project is not None and this.project.events + this.project.facts:
            return ""
        candidates = _candidates(self._root, this, self._engine.projects())
        if not candidates:
            return ""
        return (
            f"this folder may have had another memory ({_named(candidates[0])}): see "
            f"`codecairn memory project`, and `codecairn memory project adopt {candidates[0].number}`"
        )

    def adopt(self, which: str, *, is_confirmed: bool) -> ProjectChange:
        """Join another project with that of the folder; `which` is its number, its name or one of its folders.

        Raises:
            UsageError: If there is no such project, several have the name, or it is not confirmed.
        """
        chosen = _chosen(which, self._engine.projects())
        this = self._engine.project().project
        if this is not None and this.number == chosen.number:
            raise UsageError(
                f"{_named(chosen)} is already that of this folder",
                hint="see `codecairn memory project`",
            )
        if not is_confirmed:
            others = [folder.path for folder in chosen.folders if folder.is_there]
            shared = f"; it is shared with {', '.join(f'`{path}`' for path in others)}"
            raise UsageError(
                f"this joins the memory of this folder with {_named(chosen)}, "
                f"{amount(chosen.events, 'event')} and {amount(chosen.facts, 'fact')}, for good"
                f"{shared * bool(others)}",
                hint=f"`codecairn memory project adopt {chosen.number} --yes` does it",
            )
        return self._engine.adopt_project(chosen.number)

    def part(self, *, is_confirmed: bool) -> ProjectChange:
        """Give the folder a project of its own, without any memory; `adopt` takes that back.

        Raises:
            UsageError: If the settings name the project, there is none to leave, or it is not confirmed.
        """
        this = self._engine.project()
        if this.named is not None:
            raise UsageError(
                f"the settings name the project of this folder `{this.named}`",
                hint="change `memory.project`",
            )
        if this.project is None:
            raise UsageError(
                "nothing is remembered of this folder yet", hint="see `codecairn memory project`"
            )
        if not is_confirmed:
            raise UsageError(
                f"this folder would begin without memory; {_named(this.project)} keeps "
                f"{amount(this.project.events, 'event')} and {amount(this.project.facts, 'fact')}",
                hint="`codecairn memory project part --yes` does it, and "
                f"`codecairn memory project adopt {this.project.number}` takes it back",
            )
        return self._engine.part_project()


def _named(project: Project) -> str:
    return f"project {project.number} `{project.name}`"


def _chosen(which: str, every: Sequence[Project]) -> Project:
    wanted = which.strip()
    by_number = [each for each in every if wanted == str(each.number)]
    by_name = [each for each in every if wanted == each.name or wanted in each.names]
    by_folder = [
        each
        for each in every
        if any(PurePath(folder.path) == PurePath(wanted) for folder in each.folders)
    ]
    found = by_number or by_name or by_folder
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(
            f"there is no project `{which:.100}`", hint="`codecairn memory project list` lists them"
        )
    numbers = ", ".join(str(each.number) for each in found)
    raise UsageError(
        f"{len(found)} projects are named `{wanted}`", hint=f"give a number: {numbers}"
    )


def _candidates(root: Path, this: FolderProject, every: Sequence[Project]) -> tuple[Project, ...]:
    """The former project, and those of which no folder is left and whose name or commits this folder has."""
    own = this.project.number if this.project is not None else None
    lost = [
        each
        for each in every
        if each.number != own
        and each.events + each.facts
        and not each.names
        and not any(folder.is_there for folder in each.folders)
    ]
    known = _known_commits(root, [commit for each in lost for commit in each.commits])
    name = PurePath(this.folder).name
    alike = [
        each
        for each in lost
        if not known.isdisjoint(each.commits)
        or each.name == name
        or any(PurePath(folder.path).name == name for folder in each.folders)
    ]
    former = [this.former] if this.former is not None else []
    return (*former, *(each for each in alike if each not in former))


def _known_commits(root: Path, commits: Sequence[str]) -> frozenset[str]:
    """Those of the commits that the repository has; none without a repository."""
    if not commits:
        return frozenset()
    try:
        with start(
            root, "cat-file", "--batch-check=%(objectname) %(objecttype)", is_fed=True
        ) as running:
            out = running.output(given="\n".join(commits).encode(), may_fail=True, timeout_s=5)
    except CodecairnError:
        return frozenset()
    lines = out.decode("utf-8", "replace").splitlines()
    return frozenset(line.split(" ")[0] for line in lines if line.endswith(" commit"))
