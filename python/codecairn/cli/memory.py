"""`memory add | search | context | timeline | get | list | update | forget | purge | session | export | import | status`."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from codecairn.cli.documents import plain_document
from codecairn.cli.opening import opened
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.cli.words import amount, size
from codecairn.errors import FileAccessError
from codecairn.memory.injecting import Context
from codecairn.memory.levels import Glimpse
from codecairn.memory.moments import written
from codecairn.memory.texts import tokens
from codecairn.memory_operations import MEMORY_OPERATIONS
from codecairn.records import Event, Fact, Imported, MemoryStatus, Purged, Recalled, Session


@click.group("memory")
def memory() -> None:
    """Remember what was said, done and decided, over sessions and projects."""


def _command(name: str, show: Callable[[Any, Form | None], None]) -> None:
    """Make a command of an operation: open the workspace, run it, show its result."""
    operation = MEMORY_OPERATIONS[name]

    def run(path: str | None, form: Form | None, *, quiet: bool, **parameters: Any) -> None:  # noqa: ANN401
        if name == "import":
            parameters["document"] = _read(parameters["document"])
        with opened(path, command=f"memory {name}", quiet=quiet) as workspace:
            result = operation.run(workspace, **parameters)
        show(result, form)

    memory.command(name)(takes(operation)(on_workspace(run)))


def _read(place: str) -> str:
    try:
        return sys.stdin.read() if place == "-" else Path(place).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as err:
        raise FileAccessError(f"`{place}` is not UTF-8") from err
    except OSError as err:
        raise FileAccessError(f"can't read `{place}`: {err.strerror or err}") from err


# Documents


def _recalled_document(found: Recalled | Glimpse) -> dict[str, object]:
    if isinstance(found, Glimpse):
        return plain_document(found)
    inner = found.fact if found.fact is not None else found.event
    document = _record_document(inner) if inner is not None else {}
    scores = {
        name: round(getattr(found, name), 6) for name in ("score", "lexical", "cosine", "evidence")
    }
    kind = "fact" if found.fact is not None else "event"
    return {"id": found.id, "kind": kind} | scores | {"tokens": tokens(found.text)} | document


def _record_document(record: Fact | Event) -> dict[str, object]:
    return {"id": record.id} | plain_document(record)


# Lines


def _fact_lines(fact: Fact, *, score: float | None = None) -> Iterator[Line]:
    shown = "" if score is None else f"  {score:.3f}"
    notes = [fact.scope, written(fact.valid_from_ms), fact.origin]
    notes += [fact.state] if fact.state != "live" else []
    notes += [fact.branch] if fact.scope == "branch" else []
    yield ((fact.id, "bold"), "  ", (fact.type, "cyan"), (f"  {', '.join(notes)}{shown}", "dim"))
    for line in fact.text.splitlines():
        yield (f"    {line}",)


def _event_lines(
    event: Event, *, score: float | None = None, lines_shown: int | None = 6
) -> Iterator[Line]:
    shown = "" if score is None else f"  {score:.3f}"
    about = f"{event.category}  {event.tool} {event.path}".rstrip()
    yield (
        (event.id, "bold"),
        "  ",
        (about, "cyan"),
        (f"  {event.role}, {written(event.ts_ms)}, {event.session}{shown}", "dim"),
    )
    parts = [part for part in (event.title, event.command, event.body) if part]
    lines = "\n".join(parts).splitlines()
    for line in lines[:lines_shown]:
        yield (f"    {line}",)
    if lines_shown is not None and len(lines) > lines_shown:
        yield ((f"    … {amount(len(lines) - lines_shown, 'line')} more", "dim"),)


def _show(
    form: Form | None,
    documents: Iterable[Mapping[str, object]],
    lines: Iterable[Line],
    *,
    whole: Mapping[str, object] | None = None,
    empty: str = "",
) -> None:
    rows = list(documents)
    print_result(
        form,
        document=lambda: whole if whole is not None else {"results": rows},
        documents=lambda: rows,
        lines=lambda: lines if rows or not empty else [((empty, "dim"),)],
    )


# What each command shows


def _show_added(added: Any, form: Form | None) -> None:  # noqa: ANN401
    document = plain_document(added)
    note = "" if added.is_new else "  (was known already)"
    note = "  (waits until the database can be written)" if added.is_waiting else note
    _show(form, [document], [((added.id, "bold"), note)], whole=document)


def _show_recalled(found: tuple[Recalled | Glimpse, ...], form: Form | None) -> None:
    def lines() -> Iterator[Line]:
        for each in found:
            if isinstance(each, Glimpse):
                about = f"  {written(each.ts_ms)}, about {amount(each.tokens, 'token')}"
                yield (
                    (each.id, "bold"),
                    "  ",
                    (each.type, "cyan"),
                    f"  {each.title}",
                    (about, "dim"),
                )
                if each.excerpt:
                    yield (f"    {each.excerpt}",)
            elif each.fact is not None:
                yield from _fact_lines(each.fact, score=each.score)
            elif each.event is not None:
                yield from _event_lines(each.event, score=each.score)

    _show(form, map(_recalled_document, found), lines(), empty="nothing is remembered about this")


def _show_context(found: Context, form: Form | None) -> None:
    document = plain_document(found)
    lines = ((line,) for line in found.text.splitlines())
    _show(form, [document] if found.text else [], lines, whole=document, empty="nothing to say")


def _show_timeline(found: Any, form: Form | None) -> None:  # noqa: ANN401
    events = (*found.before, found.anchor, *found.after)
    document = {
        "before": [_record_document(event) for event in found.before],
        "anchor": _record_document(found.anchor),
        "after": [_record_document(event) for event in found.after],
    }
    lines = (line for event in events for line in _event_lines(event))
    _show(form, map(_record_document, events), lines, whole=document)


def _show_records(records: tuple[Fact | Event, ...], form: Form | None) -> None:
    def lines() -> Iterator[Line]:
        for record in records:
            if isinstance(record, Fact):
                yield from _fact_lines(record)
            else:
                yield from _event_lines(record, lines_shown=None)

    _show(form, map(_record_document, records), lines(), empty="nothing is remembered yet")


def _show_fact(fact: Fact, form: Form | None) -> None:
    _show(form, [_record_document(fact)], _fact_lines(fact), whole=_record_document(fact))


def _show_counts(counts: Purged | Imported, form: Form | None) -> None:
    document = plain_document(counts)
    verb = "removed" if isinstance(counts, Purged) else "took in"
    text = f"{verb} {amount(counts.events, 'event')} and {amount(counts.facts, 'fact')}"
    if isinstance(counts, Imported) and counts.skipped:
        text += f"; {counts.skipped} were known already, or may not be kept"
    _show(form, [document], [(text,)], whole=document)


def _show_sessions(sessions: tuple[Session, ...], form: Form | None) -> None:
    lines = (
        (
            (session.id, "bold"),
            f"  {session.title or '(no title)'}",
            (
                f"  {session.status}, {written(session.started_ms)}, {amount(session.turns, 'turn')}, "
                f"{amount(session.events, 'event')}",
                "dim",
            ),
        )
        for session in sessions
    )
    _show(form, map(plain_document, sessions), lines, empty="no sessions yet")


def _show_export(text: str, _form: Form | None) -> None:
    sys.stdout.write(text)


def _show_status(status: MemoryStatus, form: Form | None) -> None:
    document = plain_document(status) | {"types": dict(status.types)}

    def lines() -> Iterator[Line]:
        yield (
            (status.path, "bold"),
            f"  {size(status.bytes)}, {amount(status.projects, 'project')}",
        )
        yield (
            f"  {status.project or 'this project is not known yet'}: "
            f"{amount(status.sessions, 'session')}, {amount(status.events, 'event')}, "
            f"{amount(status.facts, 'fact')} ({status.past_facts:,} past)",
        )
        for name, count in status.types:
            yield (f"    {name:<22}{count:>6,}",)
        if status.jobs or status.dead_jobs:
            yield (f"  {amount(status.jobs, 'job')} to do, {status.dead_jobs:,} failed",)
        if status.waiting:
            yield (f"  {amount(status.waiting, 'record')} waiting to be taken in",)

    _show(form, [document], lines(), whole=document)


_SHOWN: Mapping[str, Callable[[Any, Form | None], None]] = {
    "add": _show_added,
    "search": _show_recalled,
    "context": _show_context,
    "timeline": _show_timeline,
    "get": _show_records,
    "list": _show_records,
    "update": _show_fact,
    "forget": _show_fact,
    "purge": _show_counts,
    "session": _show_sessions,
    "export": _show_export,
    "import": _show_counts,
    "status": _show_status,
}

for _name, _show_result in _SHOWN.items():
    _command(_name, _show_result)
