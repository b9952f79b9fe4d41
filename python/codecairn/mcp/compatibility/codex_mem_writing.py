"""The tools of codex-mem that record, set, summarise and export."""

import json
from typing import Any

from codecairn.core.types.memory import Fact, Recorded
from codecairn.errors import FileAccessError, UsageError
from codecairn.mcp.client_settings import change_setting
from codecairn.mcp.compatibility.codex_mem_reading import labels_of, observation_id
from codecairn.mcp.compatibility.shared_format import (
    Document,
    iso,
    labels_meta,
    number_of,
    text_of,
    texts_of,
)
from codecairn.mcp.memory_answers import exported
from codecairn.mcp.tool import Values
from codecairn.memory.extract.event_window import HOOKS
from codecairn.memory.manual_records import SESSION_END, WHOLE_BYTES, end_session, record_event
from codecairn.memory.memory import Memory
from codecairn.paths.relative import inner_name
from codecairn.paths.workspace_files import create_inside
from codecairn.workspace.workspace import Workspace

_REFRESH_S = 3


def config_get(workspace: Workspace, _values: Values) -> Document:
    """The settings that hold in this server."""
    settings = workspace.settings
    return {
        "channel": settings.memory_channel,
        "viewer_refresh_sec": _REFRESH_S,
        "beta_endless_mode": settings.memory_endless,
    }


def config_set(workspace: Workspace, values: Values) -> Document:
    """Change settings in the workspace's file and in this server."""
    if "channel" in values:
        change_setting(workspace, "memory.channel", text_of(values, "channel"))
    if "beta_endless_mode" in values:
        is_on = "true" if values["beta_endless_mode"] else "false"
        change_setting(workspace, "memory.endless", is_on)
    return config_get(workspace, values)


def session_start(workspace: Workspace, values: Values) -> Document:
    """Record that a session began."""
    return _recorded(workspace, values, "session-start", "system", text_of(values, "content"))


def user_prompt_submit(workspace: Workspace, values: Values) -> Document:
    """Record a prompt."""
    return _recorded(workspace, values, "user-prompt-submit", "user", text_of(values, "prompt"))


def stop(workspace: Workspace, values: Values) -> Document:
    """Record an answer."""
    return _recorded(workspace, values, "stop", "assistant", text_of(values, "content"))


def post_tool_use(workspace: Workspace, values: Values) -> Document:
    """Record a tool's use."""
    most = values.get("compact_chars")
    max_bytes = WHOLE_BYTES if values.get("compact") is False else most
    return _recorded(
        workspace,
        values,
        "post-tool-use",
        "tool",
        text_of(values, "content"),
        tool=text_of(values, "tool_name"),
        path=text_of(values, "file_path"),
        exit_code=values.get("exit_code"),
        tags=texts_of(values, "tags"),
        privacy_tags=texts_of(values, "privacy_tags"),
        max_bytes=max_bytes,
    )


def session_end(workspace: Workspace, values: Values) -> Document:
    """Record that a session ended, and summarise it."""
    session = text_of(values, "session_id")
    end_session(workspace.memory, session, origin="agent")
    summary = None if values.get("skip_summary") else _summary(workspace.memory, session)
    return {"session_id": session, "status": "ended", "summary": summary}


def summarize_session(workspace: Workspace, values: Values) -> Document:
    """Summarise a session."""
    session = text_of(values, "session_id")
    return {"session_id": session, "summary": _summary(workspace.memory, session)}


def export_session(workspace: Workspace, values: Values) -> Document:
    """A session as one document, in the answer or in a new file of the workspace."""
    session = text_of(values, "session_id")
    is_anonymous = text_of(values, "anonymize") != "off"
    told: dict[str, Any] = exported(
        workspace.memory,
        session,
        anonymise=is_anonymous,
        most_events=number_of(values, "max_events", 1_000),
        most_facts=number_of(values, "max_observations", 500),
        with_private=bool(values.get("include_private")),
    )
    document: Document = {
        "schema": "codex-mem-session-export-v1",
        "session_id": session,
        "anonymized": is_anonymous,
        "sessions": told["sessions"],
        "events": [
            {"id": f"E{row['seq']}", **row}
            for row in told["events"]
            if not row["hook"].startswith(HOOKS)
        ],
        "observations": told["facts"],
    }
    place = text_of(values, "output_path")
    if not place:
        return document
    name = inner_name(place, root=workspace.root)
    indent = number_of(values, "indent", 2)
    try:
        text = json.dumps(document, ensure_ascii=False, indent=indent)
        content = text.encode("utf-8", "replace")
        create_inside(workspace.root, workspace.root / name, content)
    except OSError as err:
        raise FileAccessError(f"can't write `{name}`: {err.strerror or err}") from err
    counts = {"events": len(document["events"]), "observations": len(document["observations"])}
    return {"schema": document["schema"], "session_id": session, "output_path": name, **counts}


def _recorded(
    workspace: Workspace,
    values: Values,
    hook: str,
    role: str,
    body: str,
    *,
    max_bytes: object = None,
    **fields: object,
) -> Document:
    session = text_of(values, "session_id")
    if not session.strip():
        raise UsageError("session_id is empty")
    assert hook != SESSION_END
    done: Recorded = record_event(
        workspace.memory,
        session,
        body,
        max_bytes=max_bytes if isinstance(max_bytes, int) else None,
        hook=hook,
        role=role,
        origin="tool" if role == "tool" else "agent",
        title=text_of(values, "title"),
        meta=labels_meta(next(iter(labels_of(values)), "")),
        **fields,
    )
    id_ = None if done.seq is None else f"E{done.seq}"
    document: Document = {"session_id": session, "event_kind": hook.replace("-", "_"), "id": id_}
    return document if done.is_kept else document | {"skipped": True}


def _summary(memory: Memory, session: str) -> Document | None:
    id_ = memory.upkeep.summarise(session)
    if id_ is None:
        return None
    (fact,) = memory.get(id_)
    assert isinstance(fact, Fact)
    return {
        "id": observation_id(fact),
        "title": fact.title,
        "body": fact.text,
        "created_at": iso(fact.recorded_ms),
    }
