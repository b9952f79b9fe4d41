"""What the memory's tools say. What others have said is quoted, with where it comes from: it is no instruction."""

from collections.abc import Sequence

from codecairn.documents import plain_document, record_document
from codecairn.mcp.answers import Answer, rows_answer
from codecairn.memory.moments import written
from codecairn.records import Added, Event, Fact, MemoryStatus, Recalled, Session, Timeline

_SNIPPET = 600
"""Characters of one record in a list; `memory_get` shows all of it."""


def recalled_answer(found: Sequence[Recalled]) -> Answer:
    """What is remembered about something, best first."""
    lines, rows = [], []
    for each in found:
        record = each.fact if each.fact is not None else each.event
        if record is None:
            continue
        lines.append(_line(record))
        rows.append({"score": round(each.score, 6), **record_document(record)})
    return rows_answer(lines, rows, empty="nothing is remembered about this")


def records_answer(records: Sequence[Fact | Event]) -> Answer:
    """Facts and events in full."""
    lines = [_line(record, most=None) for record in records]
    rows = [record_document(record) for record in records]
    return rows_answer(lines, rows, empty="nothing is remembered yet")


def facts_answer(facts: Sequence[Fact]) -> Answer:
    """Facts in a list."""
    rows = [record_document(fact) for fact in facts]
    return rows_answer([_line(fact) for fact in facts], rows, empty="nothing is remembered yet")


def fact_answer(fact: Fact) -> Answer:
    """One fact after a change."""
    return Answer(text=_line(fact, most=None), document=record_document(fact))


def timeline_answer(timeline: Timeline) -> Answer:
    """Events in order."""
    events = (*timeline.before, timeline.anchor, *timeline.after)
    return rows_answer(
        [_line(event) for event in events], [record_document(event) for event in events], empty=""
    )


def added_answer(added: Added) -> Answer:
    """What became of a fact."""
    how = "" if added.is_new else ", which was held already"
    return Answer(text=f"{added.id}{how}", document=plain_document(added))


def sessions_answer(sessions: Sequence[Session]) -> Answer:
    """Sessions, the newest first."""
    lines = [
        f"{session.id} {session.host} {written(session.started_ms)} {session.status}, "
        f"{session.events:,} events {session.title}".rstrip()
        for session in sessions
    ]
    return rows_answer(lines, [plain_document(row) for row in sessions], empty="no sessions yet")


def memory_status_answer(status: MemoryStatus) -> Answer:
    """How much is remembered."""
    types = ", ".join(f"{name} {count:,}" for name, count in status.types)
    text = (
        f"{status.project or 'this project is not known yet'}: {status.sessions:,} sessions, "
        f"{status.events:,} events, {status.facts:,} facts"
    )
    document = plain_document(status) | {"types": dict(status.types)}
    return Answer(text=f"{text} ({types})" if types else text, document=document)


def _line(record: Fact | Event, *, most: int | None = _SNIPPET) -> str:
    if isinstance(record, Fact):
        marks = [record.type, written(record.valid_from_ms), f"from {record.origin}"]
        marks += [record.state] if record.state != "live" else []
        text = record.text
    else:
        marks = [record.category, written(record.ts_ms), f"from {record.origin}"]
        text = "\n".join(part for part in (record.title, record.command, record.body) if part)
    if most is not None and len(text) > most:
        text = f"{text[:most]}… ({len(text) - most:,} more characters: `memory_get`)"
    quoted = text.replace("\n", "\n  ")
    return f"[{record.id}] {', '.join(marks)}: {quoted}"
