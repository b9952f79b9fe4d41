"""Results of the memory's tools. Recorded text is quoted with its source, as it is no instruction."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from codecairn.context import answer as asking
from codecairn.core.contained import contained, contained_lines
from codecairn.core.types.memory import (
    Added,
    AnchorStatus,
    Context,
    Event,
    Fact,
    MemoryStatus,
    Recorded,
    Session,
    Timeline,
    Why,
)
from codecairn.errors import UsageError
from codecairn.mcp.answers import MAX_CHARACTERS, Answer, rows_answer
from codecairn.memory import export_formats
from codecairn.memory.anchor_marks import changed_lines, what_became
from codecairn.memory.detail import Preview
from codecairn.memory.memory import Memory
from codecairn.memory.recall import MIN_EVIDENCE
from codecairn.memory.repository_statements import of_parent
from codecairn.memory.search_result import MemorySearch
from codecairn.memory.timestamps import written
from codecairn.operations.json_output import answer_document, plain_document, record_document

if TYPE_CHECKING:
    from codecairn.memory.initialise.project_memory import InitReport

_SNIPPET = 600
"""Characters of one record in a list; `memory_get` shows all of it."""

_NOT_ANCHORED = AnchorStatus()


def recalled_answer(found: MemorySearch) -> Answer:
    """What is remembered about something, best first."""
    lines, rows = [], []
    for each in found.results:
        if isinstance(each, Preview):
            about = f"{each.type}, {written(each.ts_ms)}, about {each.tokens:,} tokens"
            lines.append(
                f"[{each.id}] {about}: {contained(f'{each.title} {each.excerpt}')}".rstrip()
            )
            rows.append(plain_document(each))
            continue
        record = each.fact if each.fact is not None else each.event
        if record is None:
            continue
        lines.append(_line(record, status=each.standing))
        row = {"score": round(each.score, 6), **record_document(record)}
        standing: dict[str, object] = {
            "state": each.standing.state,
            "branch": each.standing.branch,
        }
        if changes := changed_lines(each.standing.looked):
            standing["changes"] = changes
        rows.append(row | {"standing": standing} if each.fact is not None else row)
    shown = rows_answer(lines, rows, empty="")
    whole: dict[str, object] = {"is_answered": found.is_answered, "period": found.period}
    if found.notes:
        whole["notes"] = [*found.notes]
    text = "\n".join(part for part in (*found.notes, found.remark, shown.text) if part)
    return Answer(text=text, document=whole | shown.document)


def material_answer(material: asking.Answer) -> Answer:
    """Pieces of memory and code, each under its source, and what they leave open."""
    return Answer(text=material.text, document=answer_document(material))


def context_answer(context: Context) -> Answer:
    """What to put before an agent, as it is to be put there."""
    document = plain_document(context)
    return Answer(text=context.text or "nothing to put before the agent", document=document)


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
    rivals = ", ".join(added.may_contradict)
    doubt = f"; it may contradict {rivals}: give those that no longer hold in `supersedes`"
    return Answer(text=f"{added.id}{how}{doubt * bool(rivals)}", document=plain_document(added))


def recorded_answer(recorded: Recorded) -> Answer:
    """What became of an event."""
    text = f"E{recorded.seq}" if recorded.seq is not None else "nothing new was kept"
    text = "it waits until the database can be written" if recorded.is_waiting else text
    text = text if recorded.is_kept else "its privacy forbids keeping it"
    drawn = f"; drawn from it: {', '.join(recorded.facts)}" if recorded.facts else ""
    return Answer(text=f"{text}{drawn}", document=plain_document(recorded))


def events_answer(events: Sequence[Event]) -> Answer:
    """Events, the newest first."""
    rows = [record_document(event) for event in events]
    return rows_answer([_line(event) for event in events], rows, empty="nothing happened yet")


def why_answer(told: Why) -> Answer:
    """The author of a memory, its sources, its later versions, and how it passes the gate."""
    lines = [_line(fact, status=told.standing) for fact in told.versions[:1]]
    lines += [
        f"version {fact.version}: {contained(fact.reason or 'no reason given')}"
        for fact in told.versions
    ]
    lines += [f"rests on {_line(event)}" for event in told.sources]
    lines += [
        f"shown in {each.session}, {each.placement}, {written(each.ts_ms)}" for each in told.shown
    ]
    gate: dict[str, object] | None = None
    if told.found is not None:
        found = told.found
        gate = {
            "evidence": found.evidence,
            "recalled": MIN_EVIDENCE,
        }
        place = f"place {told.rank}" if told.rank else "kept back by the gate"
        parts = ", ".join(f"{name} {value:.3f}" for name, value in found.signals.items())
        lines.append(
            f"{place}: score {found.score:.3f} ({parts}); evidence {found.evidence:.2f}, of which recall needs "
            f"{MIN_EVIDENCE:.2f}"
        )
    document = plain_document(told) | {"gate": gate}
    return Answer(text="\n".join(lines), document=document)


def init_answer(report: "InitReport") -> Answer:
    """The result of `init`."""
    text = (
        f"read {', '.join(report.files) or 'no files'}: {report.facts:,} new facts, "
        f"{report.known:,} known already"
    )
    rest = filter(None, (report.obstacle, report.hint))
    text = report.hint if report.is_new_project else "\n".join([text, *rest])
    return Answer(text=text, document=plain_document(report))


def report_answer(report: object) -> Answer:
    """What was done, as its parts by name; what is empty is left out."""
    document = plain_document(report)
    lines = [f"{name}: {value}" for name, value in document.items() if value]
    return Answer(text="\n".join(lines) or "nothing was to be done", document=document)


def exported(
    memory: Memory,
    session: str | None,
    *,
    anonymise: bool,
    most_events: int = 1_000,
    most_facts: int = 500,
    with_private: bool = False,
) -> dict[str, Any]:
    """The memory, or one session of it, as it can be imported; of what is too much for an answer the newest.

    Raises:
        UsageError: If there is no such session.
    """
    document = json.loads(memory.export(with_private=with_private, anonymise=anonymise))
    if session is not None and not any(row["id"] == session for row in document["sessions"]):
        raise UsageError(f"there is no session `{session}`", hint="`memory_session` lists them")
    while True:
        made = export_formats.of_session(
            document, session, most_events=most_events, most_facts=most_facts
        )
        if len(as_text(made)) <= MAX_CHARACTERS or max(most_events, most_facts) == 1:
            return made
        most_events, most_facts = max(most_events // 2, 1), max(most_facts // 2, 1)


def as_text(document: dict[str, Any]) -> str:
    """A document as JSON."""
    return json.dumps(document, ensure_ascii=False)


def sessions_answer(sessions: Sequence[Session]) -> Answer:
    """Sessions, the newest first."""
    lines = [
        f"{session.id} {session.host} {written(session.started_ms)} {session.status}, "
        f"{session.events:,} events {contained(session.title)}".rstrip()
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
    text = f"{text} ({types})" if types else text
    embedding = status.embedding
    if embedding is not None:
        text += (
            f"\nembedded by {embedding.space}: {embedding.embedded:,} of {embedding.texts:,} texts"
        )
    if status.hint:
        text += f"\n{status.hint}"
    document = plain_document(status)
    return Answer(text=text, document=document)


def _line(
    record: Fact | Event, *, most: int | None = _SNIPPET, status: AnchorStatus = _NOT_ANCHORED
) -> str:
    if isinstance(record, Fact):
        marks = [record.type, written(record.valid_from_ms), f"from {record.origin}"]
        marks += [record.state] if record.state != "live" else []
        marks += [became] if (became := what_became(status)) else []
        text = record.text
    else:
        marks = [record.category, written(record.ts_ms), f"from {record.origin}"]
        text = "\n".join(part for part in (record.title, record.command, record.body) if part)
    if most is not None and len(text) > most:
        text = f"{text[:most]}… ({len(text) - most:,} more characters: `memory_get`)"
    marks += of_parent(record)
    text = "\n".join([text, *changed_lines(status.looked)])
    return f"[{record.id}] {contained(', '.join(marks))}: {contained_lines(text, indent='  ')}"
