"""The operations on events and notes; see `codecairn.operations.index_operations`."""

from typing import Annotated

from codecairn.core.requests import Doc
from codecairn.core.types.memory import ORIGINS, Event, Fact, Recorded
from codecairn.memory.manual_records import WHOLE_BYTES, end_session, record_event
from codecairn.memory.notes import delete_note, read_notes, write_note
from codecairn.memory.requests import Limit, WithPrivate
from codecairn.operations.operation import OperationTable
from codecairn.workspace.workspace import Workspace

RECORD_OPERATIONS = OperationTable()
"""These operations by name."""

ROLES = ("user", "assistant", "tool", "system")
"""Who may speak in an event."""


Session = Annotated[str, Doc(text="The agent's session.", metavar="SESSION")]
Origin = Annotated[str, Doc(text="Its origin.", metavar="ORIGIN", choices=ORIGINS)]


@RECORD_OPERATIONS.add
def record(
    workspace: Workspace,
    session: Session,
    text: Annotated[
        str | None,
        Doc(
            text="The prompt, the answer, or the tool's output.", metavar="TEXT", is_positional=True
        ),
    ] = None,
    *,
    role: Annotated[str, Doc(text="The author's role.", metavar="ROLE", choices=ROLES)] = "system",
    hook: Annotated[
        str,
        Doc(text="The hook of the host that fired (`session-end` ends a session).", metavar="HOOK"),
    ] = "",
    title: Annotated[str, Doc(text="A few words.", metavar="TEXT")] = "",
    tool: Annotated[str, Doc(text="The tool that was used.", metavar="NAME")] = "",
    command: Annotated[
        str, Doc(text="The input of the tool: a command line, a pattern.", metavar="TEXT")
    ] = "",
    file: Annotated[
        str, Doc(text="The file concerned, inside the workspace.", metavar="FILE")
    ] = "",
    exit_code: Annotated[int | None, Doc(text="The exit code of a command.", metavar="N")] = None,
    tags: Annotated[
        tuple[str, ...], Doc(text="A tag to find it by.", name="tag", metavar="WORD")
    ] = (),
    privacy_tags: Annotated[
        tuple[str, ...],
        Doc(
            text="`private` shows it on request only, `redact` hides more, `block` keeps nothing.",
            name="privacy-tag",
            metavar="TAG",
        ),
    ] = (),
    compact: Annotated[
        bool | None,
        Doc(text="Whether a tool's output is shortened; default: if it is long."),
    ] = None,
    compact_chars: Annotated[
        int | None, Doc(text="The number of characters that are kept.", metavar="N", minimum=128)
    ] = None,
    key: Annotated[
        str,
        Doc(
            text="The host's id of the event: an event delivered twice is kept once.", metavar="KEY"
        ),
    ] = "",
    parent: Annotated[str, Doc(text="The session that started this one.", metavar="SESSION")] = "",
    origin: Annotated[
        str | None,
        Doc(text="Its origin; default: by the role.", metavar="ORIGIN", choices=ORIGINS),
    ] = None,
) -> Recorded:
    """Record an event of a session, for programs without hooks.

    Text in `<private>…</private>` and secrets are removed first.
    """
    max_bytes = WHOLE_BYTES if compact is False else compact_chars
    return record_event(
        workspace.memory,
        session,
        text or "",
        max_bytes=max_bytes,
        role=role,
        hook=hook,
        title=title,
        tool=tool,
        command=command,
        path=file,
        exit_code=exit_code,
        tags=tags,
        privacy_tags=privacy_tags,
        key=key,
        parent_session=parent,
        origin=origin,
    )


@RECORD_OPERATIONS.add
def end(workspace: Workspace, session: Session, *, origin: Origin = "user") -> Recorded:
    """End a session that its host left open."""
    return end_session(workspace.memory, session, origin=origin)


@RECORD_OPERATIONS.add
def events(
    workspace: Workspace,
    *,
    session: Annotated[
        str | None, Doc(text="Only events of this session.", metavar="SESSION")
    ] = None,
    limit: Limit = 50,
    with_private: WithPrivate = False,
) -> tuple[Event, ...]:
    """List recent events, the newest first."""
    return workspace.memory.events(session=session, limit=limit, with_private=with_private)


@RECORD_OPERATIONS.add
def notes(
    workspace: Workspace,
    action: Annotated[
        str | None,
        Doc(
            text="What to do, usually read; without a key that lists all.",
            metavar="read|write|delete",
            choices=("read", "write", "delete"),
            is_positional=True,
        ),
    ] = None,
    key: Annotated[
        str | None, Doc(text="What the note is called.", metavar="KEY", is_positional=True)
    ] = None,
    text: Annotated[str | None, Doc(text="The note.", metavar="TEXT", is_positional=True)] = None,
    *,
    origin: Origin = "user",
) -> tuple[Fact, ...]:
    """Keep short texts by key: plans, checklists, next steps."""
    if action == "write":
        return (write_note(workspace.memory, key or "", text or "", origin=origin),)
    if action == "delete":
        return (delete_note(workspace.memory, key or ""),)
    return read_notes(workspace.memory, key or "")
