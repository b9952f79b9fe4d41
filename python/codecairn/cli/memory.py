"""`memory add | search | context | timeline | get | why | list | update | forget | purge | session | export | status`; more in `memory_maintenance`."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import click

from codecairn.cli.command import Group, group
from codecairn.cli.command_workspace import opened
from codecairn.cli.embedding import memory_embedding_words
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.cli.terminal import add_display_options
from codecairn.core.text_format import amount, size, visible
from codecairn.core.types.memory import (
    Added,
    AnchorStatus,
    Context,
    Event,
    Fact,
    MemoryStatus,
    Purged,
    Recalled,
    Session,
    Why,
)
from codecairn.memory.anchor_status import difference
from codecairn.memory.detail import Preview
from codecairn.memory.excerpts import tokens
from codecairn.memory.recall import MIN_EVIDENCE
from codecairn.memory.repository_statements import NOT_OURS, TEAM_AUTHOR, of_parent
from codecairn.memory.search_result import MemorySearch
from codecairn.memory.timestamps import written
from codecairn.operations.json_output import plain_document, record_document
from codecairn.operations.memory_operations import MEMORY_OPERATIONS
from codecairn.workspace.workspace import Workspace

_UPKEEP = ("work", "summarise", "init", "costs", "import", "promote", "demote", "team",
           "record", "end", "events", "notes", "activity", "review", "doctor", "backend", "project")  # fmt: skip
"""Commands that are loaded when they are used: they bring much with them."""


class MemoryGroup(Group):
    """The memory's commands."""

    sections = MappingProxyType(
        {
            "Facts": (
                "add", "search", "list", "get", "why", "update", "forget", "restore", "purge", "review",
                "context", "notes",
            ),
            "Sessions": ("session", "events", "timeline", "activity", "record", "end", "summarise"),
            "Team and other tools": ("promote", "demote", "team", "import", "export"),
            "Upkeep": ("init", "work", "costs", "status", "project", "doctor", "backend"),
        }
    )  # fmt: skip

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(dict.fromkeys((*super().list_commands(ctx), *_UPKEEP)))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name in _UPKEEP and cmd_name not in self.commands:
            from codecairn.cli.memory_maintenance import UPKEEP_COMMANDS

            self.commands.update(UPKEEP_COMMANDS)
            add_display_options(self)
        return super().get_command(ctx, cmd_name)


@group("memory", cls=MemoryGroup)
def memory() -> None:
    """Remember what was done and decided, across sessions."""


def _command(name: str, show: Callable[[Any, Form | None], None]) -> None:
    """Make a command of an operation: open the workspace, run it, show its result."""
    operation = MEMORY_OPERATIONS[name]

    def run(path: str | None, form: Form | None, *, quiet: bool, **parameters: Any) -> None:  # noqa: ANN401
        with opened(path, command=f"memory {name}", quiet=quiet) as workspace:
            is_asking = form is None and not quiet and _is_terminal()
            if is_asking and parameters.get("anchors"):
                parameters["anchors"] = _asked_for_anchors(workspace, parameters["anchors"])
            result = operation.run(workspace, **parameters)
            if isinstance(result, Added) and form is None and not quiet:
                result = _asked_to_replace(workspace, result, parameters)
            conditions = _conditions(parameters)
            is_nothing = result == () and bool(conditions)
            types = workspace.memory.status().types if is_nothing else ()
        if is_nothing:
            there_are = f"; there are facts of: {', '.join(name for name, _ in types)}"
            empty = f"nothing {conditions} is remembered{there_are * bool(types)}"
            _show(form, [], [], empty=empty)
        else:
            show(result, form)

    memory.command(name)(takes(operation)(on_workspace(run)))


def _conditions(parameters: Mapping[str, Any]) -> str:
    """The types and scopes that facts were asked for; empty if all were."""
    asked = (("type", parameters.get("types")), ("scope", parameters.get("scopes")))
    return " and ".join(
        f"of the {name} {' or '.join(f'`{each}`' for each in values)}"
        for name, values in asked
        if values
    )


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _asked_for_anchors(workspace: Workspace, places: Iterable[str]) -> tuple[str, ...]:
    """Ask on a terminal which symbol is meant by each place that names several."""
    chosen = []
    for place in places:
        candidates = workspace.memory.anchor_candidates(place)
        if len(candidates) < 2:
            chosen.append(place)
            continue
        for number, candidate in enumerate(candidates, 1):
            click.echo(f"  {number}  {visible(candidate)}", err=True)
        question = f"Which one is `{visible(place)}`?"
        number = click.prompt(question, type=click.IntRange(1, len(candidates)), err=True)
        chosen.append(candidates[number - 1])
    return tuple(chosen)


def _asked_to_replace(workspace: Workspace, added: Added, parameters: Mapping[str, Any]) -> Added:
    """Ask on a terminal whether a fact ends those that it may contradict."""
    if not added.may_contradict or not _is_terminal():
        return added
    for older in workspace.memory.get(*added.may_contradict):
        text = older.text if isinstance(older, Fact) else ""
        click.echo(f"  {older.id}: {visible(text)}", err=True)
    if not click.confirm("Does the new one replace what it may contradict?", err=True):
        return added
    again = MEMORY_OPERATIONS["add"].run(
        workspace, **{**parameters, "supersedes": added.may_contradict}
    )
    return replace(added, ended=(*added.ended, *again.ended), may_contradict=())


# Documents


def _recalled_document(found: Recalled | Preview) -> dict[str, object]:
    if isinstance(found, Preview):
        return plain_document(found)
    inner = found.fact if found.fact is not None else found.event
    document = record_document(inner) if inner is not None else {}
    scores = {
        name: round(getattr(found, name), 6) for name in ("score", "lexical", "cosine", "evidence")
    }
    kind = "fact" if found.fact is not None else "event"
    about = {"tokens": tokens(found.text), "is_quoted": found.is_quoted}
    standing = {"standing": _standing_document(found.standing)} if found.fact is not None else {}
    return {"id": found.id, "kind": kind} | scores | about | standing | document


# Lines


def _fact_lines(fact: Fact, *, score: float | None = None) -> Iterator[Line]:
    shown = "" if score is None else f"  {score:.3f}"
    notes = [fact.scope, written(fact.valid_from_ms), fact.origin]
    notes += [fact.state] if fact.state != "live" else []
    notes += [fact.branch] if fact.scope == "branch" else []
    author = fact.meta.get(TEAM_AUTHOR)
    notes += [f"shared by {author}"] if author else []
    notes += of_parent(fact)
    yield ((fact.id, "bold"), "  ", (fact.type, "cyan"), (f"  {', '.join(notes)}{shown}", "dim"))
    yield from _quoted(fact.text.splitlines(), fact.origin)


def fact_lines(fact: Fact, standing: AnchorStatus | None = None) -> Iterator[Line]:
    """A fact as it is listed, with what became of its code."""
    yield from _fact_lines(fact)
    if standing is not None:
        yield from _standing_lines(standing)


def _quoted(lines: Iterable[str], origin: str) -> Iterator[Line]:
    """Lines of a text; external text is marked as a quotation."""
    lead = "    > " if origin in NOT_OURS else "    "
    for line in lines:
        yield (f"{lead}{line}",)


def _standing_lines(standing: AnchorStatus) -> Iterator[Line]:
    for looked in standing.looked:
        now = looked.now
        words = {
            "changed": "changed since noted",
            "moved": f"moved to {now.path}::{now.name}" if now is not None else "moved",
            "orphan": "gone",
            "unchecked": "not checked, as the index is older than the files",
        }
        colour = "yellow" if looked.state in words else "dim"
        yield ((f"    {looked.place}: {words.get(looked.state, looked.state)}", colour),)
    if standing.branch in {"unmerged", "gone"}:
        words_of_branch = {"unmerged": "not merged yet", "gone": "its branch is gone"}
        yield ((f"    {words_of_branch[standing.branch]}", "yellow"),)


def _event_lines(
    event: Event, *, score: float | None = None, lines_shown: int | None = 6
) -> Iterator[Line]:
    shown = "" if score is None else f"  {score:.3f}"
    about = f"{event.category}  {event.tool} {event.path}".rstrip()
    notes = [event.role, written(event.ts_ms), event.session, *of_parent(event)]
    yield (
        (event.id, "bold"),
        "  ",
        (about, "cyan"),
        (f"  {', '.join(notes)}{shown}", "dim"),
    )
    parts = [part for part in (event.title, event.command, event.body) if part]
    lines = "\n".join(parts).splitlines()
    yield from _quoted(lines[:lines_shown], event.origin)
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
    note = "  (a new version of it)" if added.is_version else note
    lines: list[Line] = [
        ((added.id, "bold"), note),
        *((f"  ended {each}",) for each in added.ended),
    ]
    for each in added.may_contradict:
        hint = f"`codecairn memory add … --supersedes {each}` ends it"
        lines.append(((f"  may contradict {each}", "yellow"), (f"; {hint}", "dim")))
    _show(form, [document], lines, whole=document)


def _show_recalled(found: MemorySearch, form: Form | None) -> None:
    def lines() -> Iterator[Line]:
        for note in found.notes:
            yield ((note, "yellow"),)
        if found.remark:
            yield ((found.remark, "dim"),)
        for each in found.results:
            if isinstance(each, Preview):
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
                yield from _standing_lines(each.standing)
            elif each.event is not None:
                yield from _event_lines(each.event, score=each.score)

    rows = [_recalled_document(each) for each in found.results]
    whole = {
        "is_answered": found.is_answered,
        "period": found.period,
        "notes": [*found.notes],
        "results": rows,
    }
    _show(form, rows, lines(), whole=whole)


def _show_context(found: Context, form: Form | None) -> None:
    document = plain_document(found)
    lines = ((line,) for line in found.text.splitlines())
    _show(form, [document] if found.text else [], lines, whole=document, empty="nothing to say")


def _show_timeline(found: Any, form: Form | None) -> None:  # noqa: ANN401
    events = (*found.before, found.anchor, *found.after)
    document = {
        "before": [record_document(event) for event in found.before],
        "anchor": record_document(found.anchor),
        "after": [record_document(event) for event in found.after],
    }
    lines = (line for event in events for line in _event_lines(event))
    _show(form, map(record_document, events), lines, whole=document)


def show_records(records: tuple[Fact | Event, ...], form: Form | None) -> None:
    def lines() -> Iterator[Line]:
        for record in records:
            if isinstance(record, Fact):
                yield from _fact_lines(record)
            else:
                yield from _event_lines(record, lines_shown=None)

    _show(form, map(record_document, records), lines(), empty="nothing is remembered yet")


def _show_fact(fact: Fact, form: Form | None) -> None:
    _show(form, [record_document(fact)], _fact_lines(fact), whole=record_document(fact))


def _show_why(told: Why, form: Form | None) -> None:
    document = plain_document(told) | {
        "versions": [record_document(fact) for fact in told.versions],
        "sources": [record_document(event) for event in told.sources],
        "standing": _standing_document(told.standing),
        "found": None if told.found is None else _recalled_document(told.found),
    }

    def lines() -> Iterator[Line]:
        for fact in told.versions:
            yield from _fact_lines(fact)
            sure = f"made by `{fact.maker}`, confidence {fact.confidence:.2f}"
            yield (
                (
                    f"    version {fact.version}, {sure}"
                    + (f"; {fact.reason}" * bool(fact.reason)),
                    "dim",
                ),
            )
            if fact.superseded_by is not None:
                yield ((f"    ended by {fact.superseded_by}", "yellow"),)
        yield from _standing_lines(told.standing)
        for looked in told.standing.looked:
            for line in difference(looked).splitlines():
                yield ((f"      {line}", "dim"),)
        if told.sources:
            yield (("rests on" if told.versions else "is", "bold"),)
        for event in told.sources:
            yield from _event_lines(event)
        for shown in told.shown:
            where = f"session {shown.session}, after E{shown.seq}, {shown.placement}"
            yield ((f"shown {written(shown.ts_ms)}: {where}", "dim"),)
        if told.found is not None:
            found = told.found
            parts = (
                f"score {found.score:.3f} (words {found.lexical:.3f}, meaning {found.cosine:.3f})"
            )
            kept = f"kept back, evidence {found.evidence:.2f} of {MIN_EVIDENCE}"
            yield (f"{f'place {told.rank}' if told.rank else kept}: {parts}",)

    _show(form, [document], lines(), whole=document)


def _standing_document(standing: AnchorStatus) -> dict[str, object]:
    return {
        "state": standing.state,
        "branch": standing.branch,
        "anchors": [plain_document(each) | {"diff": difference(each)} for each in standing.looked],
    }


def _show_counts(counts: Purged, form: Form | None) -> None:
    document = plain_document(counts)
    text = f"removed {amount(counts.events, 'event')} and {amount(counts.facts, 'fact')}"
    if counts.scanned_bytes:
        found = (
            f"still in {', '.join(counts.left_in)}" if counts.left_in else "it is in none of them"
        )
        text += f"; read all files again ({size(counts.scanned_bytes)}): {found}"
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
    document = plain_document(status)

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
        if status.embedding is not None:
            yield (f"  {memory_embedding_words(status.embedding)}",)
        if status.hint:
            yield ((f"  {status.hint}", "yellow"),)

    _show(form, [document], lines(), whole=document)


_SHOWN: Mapping[str, Callable[[Any, Form | None], None]] = {
    "add": _show_added,
    "search": _show_recalled,
    "context": _show_context,
    "timeline": _show_timeline,
    "get": show_records,
    "why": _show_why,
    "list": show_records,
    "update": _show_fact,
    "forget": _show_fact,
    "restore": _show_fact,
    "purge": _show_counts,
    "session": _show_sessions,
    "export": _show_export,
    "status": _show_status,
}

for _name, _show_result in _SHOWN.items():
    _command(_name, _show_result)
