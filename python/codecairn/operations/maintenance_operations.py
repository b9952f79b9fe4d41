"""The operations that maintain, import and share a memory; see `codecairn.operations.index_operations`."""

from typing import Annotated

from codecairn.core.requests import Doc
from codecairn.core.types.memory import Fact
from codecairn.errors import NotIndexed, UsageError
from codecairn.llm.cost_log import Cost
from codecairn.memory.activity import KINDS, Activity
from codecairn.memory.extract.pending_work import WorkOptions
from codecairn.memory.extract.reports import WorkPlan, WorkReport
from codecairn.memory.health import Check
from codecairn.memory.importing.ingestion import ImportReport
from codecairn.memory.importing.sources import SOURCES
from codecairn.memory.initialise.outline import Outline
from codecairn.memory.initialise.project_memory import InitReport
from codecairn.memory.review import ReviewItem, to_review
from codecairn.memory.team.sharing import TeamReport
from codecairn.operations.operation import OperationTable
from codecairn.workspace.workspace import Workspace

MAINTENANCE_OPERATIONS = OperationTable()
"""These operations by name."""


WithModels = Annotated[
    bool,
    Doc(text="Use no model, even if `extraction.providers` names some.", name="no-models"),
]
DryRun = Annotated[bool, Doc(text="Only report what would be done.")]
Ids = Annotated[
    tuple[str, ...], Doc(text="Facts, by id or its beginning.", metavar="ID...", is_positional=True)
]


@MAINTENANCE_OPERATIONS.add
def work(
    workspace: Workspace,
    *,
    session: Annotated[
        str | None, Doc(text="Only this session, even if it is active.", metavar="SESSION")
    ] = None,
    limit: Annotated[
        int, Doc(text="How many sessions at most.", letter="n", metavar="N", minimum=1)
    ] = 20,
    no_models: WithModels = False,
    with_imported: Annotated[
        bool, Doc(text="Models also read imports from other tools.", name="imported")
    ] = False,
    dry_run: Annotated[
        bool, Doc(text="Only report what would be read and sent, where, and its cost.")
    ] = False,
) -> WorkReport | WorkPlan:
    """Read new events of sessions and summarise them.

    Models read them if `extraction.providers` names any, else rules. Nothing is read twice or dropped: the next run continues unfinished work.
    """
    options = WorkOptions(
        session=session, limit=limit, with_models=not no_models, with_imported=with_imported
    )
    upkeep = workspace.memory.upkeep
    return upkeep.plan(options) if dry_run else upkeep.work(options)


@MAINTENANCE_OPERATIONS.add
def summarise(
    workspace: Workspace,
    session: Annotated[str, Doc(text="A session's id.", metavar="SESSION")],
    *,
    no_models: WithModels = False,
) -> tuple[Fact, ...]:
    """Summarise a session now.

    What was investigated, learned and completed, and what comes next.
    """
    if not any(found.id == session for found in workspace.memory.session(session)):
        raise UsageError(f"there is no session `{session}`", hint="see `codecairn memory session`")
    id_ = workspace.memory.upkeep.summarise(session, with_models=not no_models)
    found = workspace.memory.get(id_) if id_ else ()
    return tuple(fact for fact in found if isinstance(fact, Fact))


@MAINTENANCE_OPERATIONS.add
def init(
    workspace: Workspace,
    *,
    no_models: WithModels = False,
    no_index: Annotated[bool, Doc(text="Do not use the code index.")] = False,
) -> InitReport:
    """Extract first facts from the project's files, commits and index.

    When repeated, only from what changed.
    """
    outline = None if no_index else outline_of(workspace)
    return workspace.memory.upkeep.initialise(with_models=not no_models, outline=outline)


@MAINTENANCE_OPERATIONS.add
def costs(workspace: Workspace) -> tuple[Cost, ...]:
    """Show the costs of language models, call by call."""
    return workspace.memory.upkeep.costs()


@MAINTENANCE_OPERATIONS.add
def activity(
    workspace: Workspace,
    *,
    limit: Annotated[int, Doc(text="How many at most.", letter="n", metavar="N", minimum=1)] = 30,
    kinds: Annotated[
        tuple[str, ...], Doc(text="Only of this kind.", name="kind", metavar="KIND", choices=KINDS)
    ] = (),
    with_private: Annotated[bool, Doc(text="Include private records.", name="private")] = False,
) -> tuple[Activity, ...]:
    """Show recent activity.

    Events, new and ended facts, what agents were shown, calls of models.
    """
    return workspace.memory.upkeep.activity(limit=limit, kinds=kinds, with_private=with_private)


@MAINTENANCE_OPERATIONS.add
def review(
    workspace: Workspace,
    *,
    limit: Annotated[int, Doc(text="How many at most.", letter="n", metavar="N", minimum=1)] = 20,
) -> tuple[ReviewItem, ...]:
    """List facts that a person should look at.

    Those that may contradict others, are stale, or are unconfirmed; on a terminal, decide about each.
    """
    return to_review(workspace.memory, limit=limit)


@MAINTENANCE_OPERATIONS.add
def doctor(
    workspace: Workspace,
    *,
    repair: Annotated[
        bool,
        Doc(text="Set a damaged database aside and create one with every row that can be read."),
    ] = False,
) -> tuple[Check, ...]:
    """Check the memory.

    Its files, waiting records, settings, models and failures of hooks.
    """
    return workspace.memory.upkeep.checkup(repair=repair)


@MAINTENANCE_OPERATIONS.add
def import_(
    workspace: Workspace,
    place: Annotated[
        str | None,
        Doc(
            text="A file or folder, or `-` for JSON on standard input.",
            metavar="[FILE|FOLDER|-]",
            is_positional=True,
        ),
    ] = None,
    *,
    source: Annotated[
        str | None,
        Doc(
            text=f"The tool that it comes from ({', '.join(SOURCES)}); without a file, its usual location is read.",
            name="from",
            metavar="TOOL",
            choices=tuple(SOURCES),
        ),
    ] = None,
    of: Annotated[
        tuple[str, ...],
        Doc(text="The name or tag of this project in that tool.", metavar="NAME"),
    ] = (),
    dry_run: DryRun = False,
    text: Annotated[
        str | None, Doc(text="A JSON document instead of a file.", metavar="JSON")
    ] = None,
) -> ImportReport:
    """Import what `export` wrote, or another tool's memory.

    Importing twice has no effect. Other tools' files are only read.
    """
    return workspace.memory.upkeep.import_from(
        place, source=source, of=of, dry_run=dry_run, text=text
    )


@MAINTENANCE_OPERATIONS.add
def promote(workspace: Workspace, ids: Ids = ()) -> TeamReport:
    """Share facts with the team.

    They go into `.codecairn/memory/`, to be committed and reviewed.
    """
    return workspace.memory.upkeep.team.promote(_some(ids))


@MAINTENANCE_OPERATIONS.add
def demote(workspace: Workspace, ids: Ids = ()) -> TeamReport:
    """Withdraw shared facts from the team; they remain valid here."""
    return workspace.memory.upkeep.team.demote(_some(ids))


@MAINTENANCE_OPERATIONS.add
def team(workspace: Workspace, *, dry_run: DryRun = False) -> TeamReport:
    """Import what the team shares, and hide what it withdrew.

    Shared facts lie in `.codecairn/memory/`.
    """
    return workspace.memory.upkeep.team.take_in(dry_run=dry_run)


def outline_of(workspace: Workspace) -> Outline | None:
    """The code index at a glance; `None` if there is none."""
    try:
        status = workspace.status()
        languages = sorted(status.languages, key=lambda share: (-share.files, share.language))
        return Outline(
            paths=workspace.paths(),
            languages=tuple((share.language, share.files) for share in languages),
        )
    except NotIndexed:
        return None


def _some(ids: tuple[str, ...]) -> tuple[str, ...]:
    if not ids:
        raise UsageError("say which facts", hint="their ids; see `codecairn memory list`")
    return ids
