"""The searches of codex-mem's tools: titles, then their context, then the full text."""

from collections.abc import Sequence
from datetime import datetime, timezone

from codecairn.clock import SystemClock
from codecairn.core.types.memory import Event, Fact, Recalled
from codecairn.errors import UsageError
from codecairn.mcp.compatibility.shared_format import (
    DEEP,
    Document,
    is_labelled,
    iso,
    label_of,
    number_of,
    own_fact,
    record_of,
    text_of,
    texts_of,
)
from codecairn.mcp.tool import Values
from codecairn.memory.excerpts import one_line, tokens
from codecairn.memory.memory import Memory
from codecairn.memory.question_analysis import profile_of, read_question
from codecairn.workspace.workspace import Workspace

DEFAULT = "default"
"""What its clients call their project if they call it nothing: all of the workspace's."""

_SNIPPET = 240
_PROFILES = {
    "onboarding": "onboarding",
    "daily": "daily_qa",
    "bugs": "bug_triage",
    "implementation": "implementation",
}


def labels_of(values: Values) -> tuple[str, ...]:
    """The project that is asked about; none for all of the workspace's."""
    project = text_of(values, "project")
    return (project,) if project and project != DEFAULT else ()


def search(workspace: Workspace, values: Values) -> Document:
    """The first layer: titles."""
    return _found(workspace.memory, values)[0]


def nl_search(workspace: Workspace, values: Values) -> Document:
    """The same with what was read from the question, and snippets."""
    document, found = _found(workspace.memory, values)
    size = number_of(values, "snippet_chars", _SNIPPET)
    for row, each in zip(document["results"], found, strict=True):
        row["snippet"] = _text(record_of(each))[:size]
    now = datetime.fromtimestamp(SystemClock().now_ns() / 1e9, tz=timezone.utc).astimezone()
    asked = read_question(text_of(values, "query"), now=now)
    parsed = {
        "query": asked.text,
        "intent": _PROFILES[profile_of(text_of(values, "query"))],
        "since": asked.since.isoformat() if asked.since else None,
        "until": asked.until.isoformat() if asked.until else None,
        "types": list(asked.types),
    }
    return {"parsed": parsed, **document}


def timeline(workspace: Workspace, values: Values) -> Document:
    """The second layer: what happened around something."""
    size = number_of(values, "snippet_chars", _SNIPPET)
    around = workspace.memory.timeline(
        _known(workspace.memory, text_of(values, "id")),
        before=number_of(values, "before", 5),
        after=number_of(values, "after", 5),
        with_private=bool(values.get("include_private")),
    )
    return {
        "anchor": _item(workspace.memory, around.anchor, size),
        "before": [_item(workspace.memory, event, size) for event in around.before],
        "after": [_item(workspace.memory, event, size) for event in around.after],
    }


def get_observations(workspace: Workspace, values: Values) -> Document:
    """The third layer: all of it."""
    size = number_of(values, "snippet_chars", _SNIPPET) if values.get("compact") else None
    items, skipped = [], []
    for id_ in texts_of(values, "ids"):
        try:
            (record,) = workspace.memory.get(_known(workspace.memory, id_))
        except UsageError:
            skipped.append(id_)
            continue
        is_hidden = record.is_private and not values.get("include_private")
        if is_hidden or not is_labelled(workspace.memory, record, labels_of(values)):
            skipped.append(id_)
        else:
            items.append(_item(workspace.memory, record, size))
    return {"count": len(items), "skipped_ids": skipped, "items": items}


def ask(workspace: Workspace, values: Values) -> Document:
    """Memory and code for a question, in one prompt."""
    question = text_of(values, "question")
    material = workspace.ask(question)
    prompt: Document = {"suggested_prompt": material.text, "token_estimate": material.tokens}
    if values.get("prompt_only"):
        return prompt
    wanted = {**values, "query": question, "limit": number_of(values, "search_limit", 8)}
    layer1, found = _found(workspace.memory, wanted)
    read = found[: number_of(values, "detail_limit", 4)]
    code = [piece for piece in material.pieces if piece.part == "code"]
    steps = [{"source": piece.source, "tokens": piece.tokens} for piece in material.pieces]
    open_aspects = [each.name for each in material.aspects if not each.is_covered]
    return {
        "question": question,
        "layer1_search": layer1,
        "layer3_observations": [
            _item(workspace.memory, record_of(each), number_of(values, "snippet_chars", 0) or None)
            for each in read
        ],
        "repo_context": [
            {"source": piece.source, "about": piece.about, "text": piece.text} for piece in code
        ],
        "mapping_decision": {"profile": _PROFILES[material.profile], "method": "rules"},
        "coverage_gate": {
            "passed": not open_aspects,
            "missing": open_aspects,
            "searches": material.searches,
        },
        "prompt_plan": steps,
        "prompt_metrics": {"token_budget": material.token_budget, "tokens": material.tokens},
        **prompt,
        "forced_next_input": question,
    }


def observation_id(record: Fact | Event) -> str:
    """`E<n>` for an event, `O<n>` for a fact."""
    return record.id if isinstance(record, Event) else f"O{int(record.id[1:], 16)}"


def _known(memory: Memory, id_: str) -> str:
    number = id_[1:]
    if id_[:1] == "O" and number.isdecimal():
        return own_fact(memory, f"f{int(number):010x}").id
    return id_


def _found(memory: Memory, values: Values) -> tuple[Document, Sequence[Recalled]]:
    limit, labels = number_of(values, "limit", 20), labels_of(values)
    query, session = text_of(values, "query"), text_of(values, "session_id") or None
    since, until = text_of(values, "since") or None, text_of(values, "until") or None
    found = memory.recall(
        query,
        limit=limit * (DEEP if labels else 1),
        session=session,
        since=since,
        until=until,
        with_private=bool(values.get("include_private")),
        kinds=("event",) if session else (),
    )
    kept = [each for each in found if is_labelled(memory, record_of(each), labels)][:limit]
    alpha = values.get("alpha")
    if isinstance(alpha, float):
        kept.sort(key=lambda each: -_mixed(each, kept, alpha))
    status = memory.status()
    rows = [
        _row(memory, each, _mixed(each, kept, alpha) if isinstance(alpha, float) else each.score)
        for each in kept
    ]
    document: Document = {
        "query": query,
        "stage": "layer1",
        "filters": {
            "project": text_of(values, "project") or DEFAULT,
            "session_id": session,
            "since": since,
            "until": until,
            "include_private": bool(values.get("include_private")),
        },
        "auto_seeded": False,
        "db_counts": {
            "sessions": status.sessions,
            "events": status.events,
            "observations": status.facts,
        },
        "results": rows,
        "token_estimate_total": sum(row["token_estimate"] for row in rows),
    }
    return document, kept


def _mixed(each: Recalled, all_found: Sequence[Recalled], alpha: float) -> float:
    """Words and meaning in the part that was asked for; the best words count 1."""
    most = max((one.lexical for one in all_found), default=0.0) or 1.0
    return alpha * each.lexical / most + (1 - alpha) * each.cosine


def _row(memory: Memory, found: Recalled, score: float) -> Document:
    record = record_of(found)
    return {
        **_heading(memory, record),
        "score": round(score, 6),
        "lexical": round(found.lexical, 6),
        "semantic": round(found.cosine, 6),
        "token_estimate": tokens(_text(record)),
    }


def _item(memory: Memory, record: Fact | Event, size: int | None) -> Document:
    text = _text(record)
    content = text if size is None or len(text) <= size else f"{text[:size]}..."
    return {**_heading(memory, record), "content": content, "token_estimate": tokens(text)}


def _heading(memory: Memory, record: Fact | Event) -> Document:
    is_event = isinstance(record, Event)
    return {
        "id": observation_id(record),
        "item_type": "event" if is_event else "observation",
        "project": label_of(memory, record),
        "session_id": record.session
        if isinstance(record, Event)
        else record.meta.get("session", ""),
        "kind": record.category if isinstance(record, Event) else record.type,
        "title": record.title or one_line(_text(record))[:80],
        "created_at": iso(record.ts_ms if isinstance(record, Event) else record.valid_from_ms),
    }


def _text(record: Fact | Event) -> str:
    if isinstance(record, Fact):
        return record.text
    return "\n".join(part for part in (record.command, record.body) if part) or record.title
