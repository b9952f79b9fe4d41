"""The typed face of the memory in the Rust core.

Records cross as JSON, in the form in which they are stored and exported, and become `codecairn.core.types.memory` here.
Every failure is raised as one of `codecairn.errors`. This module makes no decisions.
"""

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from codecairn import _native
from codecairn.core.engine import translated as core_translated
from codecairn.core.light_dataclass import dataclass
from codecairn.core.memory_rows import (
    outbox_rows_of,
    project_of,
    recalled_of,
    record_of,
    records_of,
)
from codecairn.core.recall_options import QueryEmbedding, RecallOptions
from codecairn.core.types.memory import (
    Added,
    Anchor,
    AnchoredDefinition,
    Answer,
    Context,
    DescribedSentence,
    Event,
    Exposure,
    Fact,
    FactConflicts,
    Imported,
    Injection,
    Looked,
    MemoryStatus,
    Purged,
    Recalled,
    Recorded,
    RemoteVectorCounts,
    Session,
    ShownItem,
    Timeline,
)
from codecairn.core.types.outbox import OutboxRow, OutboxStatus
from codecairn.core.types.projects import FolderProject, Project, ProjectChange
from codecairn.errors import StoreDamaged

REPAIR_HINT = "run `codecairn memory doctor --repair`"
"""What to do about a damaged database."""


class _Translated:
    """As for the index, but that a damaged memory has a repair of its own."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, err: BaseException | None, trace: object) -> None:
        try:
            core_translated().__exit__(kind, err, trace)
        except StoreDamaged as damaged:
            raise StoreDamaged(damaged.message, hint=REPAIR_HINT) from err


_TRANSLATED = _Translated()


def translated() -> _Translated:
    """Around every call of the core's memory."""
    return _TRANSLATED


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRescue:
    """What became of a damaged database.

    Attributes:
        aside: The folder in which the damaged files lie now.
        events: Events in the new database.
        facts: Versions of facts in the new database.
    """

    aside: Path
    events: int
    facts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEngineOptions:
    """How a memory is opened.

    `spool` is where records wait if the database at `path` can't be written, signed by the key in the file `key`.
    """

    path: Path
    root: Path
    spool: Path | None
    key: Path
    identity: str
    project: str | None
    unclosed: str
    compact_bytes: int

    def document(self) -> str:
        """All but the places, as the core takes it."""
        return _json(
            {
                "spool": None if self.spool is None else str(self.spool),
                "key": str(self.key),
                "identity": self.identity,
                "project": self.project,
                "unclosed": self.unclosed,
                "compact_bytes": self.compact_bytes,
            }
        )


class MemoryEngine:
    """One project's view of the memory that all projects share."""

    def __init__(self, options: MemoryEngineOptions) -> None:
        self.options = options
        with translated():
            self._native = _native.Memory(options.path, options.root, options.document())

    def record(self, event: Mapping[str, object]) -> Recorded:
        """Record what happened; on return it survives a loss of power."""
        with translated():
            seq, is_kept, is_waiting, facts = self._native.record(_json(event))
        return Recorded(seq=seq, is_kept=is_kept, is_waiting=is_waiting, facts=tuple(facts))

    def add(self, fact: Mapping[str, object]) -> Added:
        """Keep a statement word for word."""
        own = {"session": _stood_in(fact["session"])} if fact.get("session") else {}
        with translated():
            return record_of(Added, json.loads(self._native.add(_json({**fact, **own}))))

    def update(self, id_: str, change: Mapping[str, object]) -> Fact:
        """Make a new version of a fact."""
        with translated():
            return record_of(Fact, json.loads(self._native.update(id_, _json(change))))

    def removals(self) -> int:
        """How often something was forgotten, replaced or purged.

        What is made of other records names the number that was read before them (`removals`): the core does not store it if
        the number has changed.
        """
        with translated():
            return self._native.removals()

    def withdraw(self, id_: str, *, reason: str) -> Fact:
        """Hide a fact whose source has it no more; others may state the same."""
        with translated():
            return record_of(Fact, json.loads(self._native.withdraw(id_, reason)))

    def forget(self, id_: str, *, reason: str) -> Fact:
        """Hide a fact, and its statements wherever they occur."""
        with translated():
            return record_of(Fact, json.loads(self._native.forget(id_, reason)))

    def restore(self, id_: str, *, reason: str) -> Fact:
        """Let a forgotten fact hold again."""
        with translated():
            return record_of(Fact, json.loads(self._native.restore(id_, reason)))

    def purge(self, selection: Mapping[str, object] | str) -> Purged:
        """Remove for good."""
        if not isinstance(selection, str) and "session" in selection:
            selection = {"session": _stood_in(selection["session"])}
        with translated():
            return record_of(Purged, json.loads(self._native.purge(_json(selection))))

    def verify(self) -> tuple[str, ...]:
        """What is wrong with the database, each in a line; reads all of it."""
        with translated():
            return tuple(self._native.verify())

    def rescue(self) -> MemoryRescue:
        """Set a damaged database aside; the new one has every row that could be read."""
        with translated():
            row = json.loads(self._native.rescue())
        return MemoryRescue(aside=Path(row["aside"]), events=row["events"], facts=row["facts"])

    def supersede(self, by: str, ids: Sequence[str], *, reason: str) -> tuple[str, ...]:
        """End facts that another one contradicts, but for what is pinned or a person's; the ids of those ended."""
        with translated():
            return tuple(json.loads(self._native.supersede(by, _json(list(ids)), reason)))

    def replace_provisional(self, events: Sequence[int], *, by: Sequence[str]) -> tuple[str, ...]:
        """End what rules drew from events that a model has read since, which made the facts `by`; the ids of those ended."""
        with translated():
            return tuple(json.loads(self._native.replace_provisional(list(events), list(by))))

    def anchors(self, ids: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """The anchors of each of these facts and events."""
        with translated():
            rows = json.loads(self._native.anchors(_json(list(ids))))
        return [records_of(Anchor, row) for row in rows]

    def anchor(self, id_: str, anchors: Sequence[Anchor], *, place: int | None = None) -> None:
        """Add anchors to a fact or an event, or put the first in the place of one of its own."""
        with translated():
            self._native.anchor(
                id_, _json([dataclasses.asdict(each) for each in anchors]), place=place
            )

    def definitions_in(self, path: str) -> tuple[AnchoredDefinition, ...]:
        """The symbols that a file of the workspace defines now."""
        with translated():
            rows = json.loads(self._native.definitions_in(path))
        return tuple(
            AnchoredDefinition(
                anchor=record_of(Anchor, row["anchor"]),
                first_line=row["first_line"],
                last_line=row["last_line"],
            )
            for row in rows
        )

    def file_anchor(self, path: str) -> Anchor | None:
        """A whole file of the workspace as it is now; none if there is no such file, or it is no text."""
        with translated():
            row = json.loads(self._native.file_anchor(path))
        return record_of(Anchor, row) if row else None

    def line_anchor(self, path: str, line: int) -> Anchor | None:
        """A line of a file as it is now, counted from 1; none if there is no such line, or it is blank."""
        with translated():
            row = json.loads(self._native.line_anchor(path, line))
        return record_of(Anchor, row) if row else None

    def look(self, anchor: Anchor, elsewhere: Sequence[str]) -> Looked:
        """What became of an anchor's symbol, which may be found `elsewhere`."""
        with translated():
            row = json.loads(self._native.look(_json(dataclasses.asdict(anchor)), list(elsewhere)))
        now = record_of(Anchor, row["now"]) if row["now"] else None
        return Looked(
            state=row["state"],
            was=anchor,
            now=now,
            place=row["place"],
            is_signature_changed=row["is_signature_changed"],
            diff=tuple(row["diff"]),
        )

    def shown(self, id_: str, *, limit: int) -> tuple[Exposure, ...]:
        """When a fact or an event was shown to agents, the newest first."""
        with translated():
            return records_of(Exposure, json.loads(self._native.shown(id_, limit)))

    def recall(self, query: str, options: RecallOptions) -> tuple[Recalled, ...]:
        """What answers a question, best first."""
        with translated():
            rows = json.loads(self._native.recall(query, _wanted(options)))
        return tuple(map(recalled_of, rows))

    def answers(self, prompt: str, options: RecallOptions) -> tuple[Answer, ...]:
        """What may answer a prompt, the likeliest first; `least_evidence` is the least likelihood."""
        with translated():
            rows = json.loads(self._native.answers(prompt, _wanted(options)))
        return tuple(Answer(**row | {"hit": recalled_of(row["hit"])}) for row in rows)

    def describe(self, text: str, *, role: str, before: str) -> tuple[DescribedSentence, ...]:
        """The features of each sentence of a turn, by which it is judged whether it is worth remembering."""
        with translated():
            rows = json.loads(self._native.describe(text, role, before))
        return records_of(DescribedSentence, rows)

    def list(self, options: Mapping[str, object], *, limit: int) -> tuple[Fact, ...]:
        """Facts that pass a filter, the newest first."""
        with translated():
            return records_of(Fact, json.loads(self._native.list(_json(options), limit)))

    def fact(self, id_: str) -> tuple[Fact, ...]:
        """All versions of a fact, the newest first; none if there is no such fact."""
        with translated():
            return records_of(Fact, json.loads(self._native.fact(id_)))

    def event(self, id_: str) -> Event | None:
        """The event of this id."""
        with translated():
            row = json.loads(self._native.event(id_))
        return record_of(Event, row) if row else None

    def events(
        self, *, session: str | None, before: int | None, with_private: bool, limit: int
    ) -> tuple[Event, ...]:
        """Events of the project or of one session, the newest first."""
        with translated():
            text = self._native.events(
                session=session and _native.pseudonym(session),
                before=before,
                with_private=with_private,
                limit=limit,
            )
        return records_of(Event, json.loads(text))

    def talk(
        self,
        *,
        since_ms: int,
        until_ms: int,
        session: str | None,
        with_private: bool,
        limit: int,
    ) -> tuple[Event, ...]:
        """What users and agents said in a period, in one session if it is given, both ends included, the newest first."""
        with translated():
            key = session and _native.pseudonym(session)
            text = self._native.talk(since_ms, until_ms, key, with_private, limit)
        return records_of(Event, json.loads(text))

    def timeline(self, id_: str, *, before: int, after: int, with_private: bool) -> Timeline:
        """What happened around an event."""
        with translated():
            text = self._native.timeline(id_, before=before, after=after, with_private=with_private)
        row = json.loads(text)
        return Timeline(
            before=records_of(Event, row["before"]),
            anchor=record_of(Event, row["anchor"]),
            after=records_of(Event, row["after"]),
        )

    def sessions(self, *, limit: int) -> tuple[Session, ...]:
        """The project's sessions, the newest first."""
        with translated():
            return records_of(Session, json.loads(self._native.sessions(limit=limit)))

    def session(self, id_: str) -> tuple[Session, ...]:
        """One session, and those it started."""
        with translated():
            return records_of(Session, json.loads(self._native.session(_native.pseudonym(id_))))

    def note_injection(self, injection: Mapping[str, object]) -> bool:
        """Record an injection; `False` if another process was writing."""
        own = {"session": _stood_in(injection["session"])}
        with translated():
            return self._native.note_injection(_json({**injection, **own}))

    def injections(self, session: str) -> tuple[Injection, ...]:
        """What was shown in a session, the oldest first."""
        with translated():
            rows = json.loads(self._native.injections(_native.pseudonym(session)))
        return tuple(
            record_of(Injection, row | {"items": records_of(ShownItem, row["items"])})
            for row in rows
        )

    def context(
        self,
        request: Mapping[str, object],
        *,
        elsewhere: Callable[[str, str, str], tuple[Sequence[str], bool]],
        embed: Callable[[str], QueryEmbedding | None],
    ) -> Context:
        """What to put before an agent.

        Args:
            request: `part`, `session`, `prompt`, `form`, `is_new`, `total` and `static_part` (tokens), `trusts`, `host`,
                and `is_noted`, which remembers what was shown.
            elsewhere: Gives the files in which code may be that is not where it was (kind, path, name), and whether
                these are all.
            embed: Gives the vector of a prompt, if there is one.
        """

        def embedded(prompt: str) -> str | None:
            found = embed(prompt)
            return None if found is None else _json(dataclasses.asdict(found))

        own = {"session": _stood_in(request["session"])}
        with translated():
            text = self._native.context(
                _json({**request, **own}), elsewhere=elsewhere, embed=embedded
            )
        row = json.loads(text)
        return record_of(Context, row | {"items": records_of(ShownItem, row["items"])})

    def has_drifted(self, session: str, prompt: str, *, before: int | None = None) -> bool:
        """Whether a prompt has another topic than its session, or than that was before an event."""
        with translated():
            return self._native.has_drifted(_native.pseudonym(session), prompt, before=before)

    def project(self) -> FolderProject:
        """The project of the folder, and why it is that one."""
        with translated():
            row = json.loads(self._native.project())
        return record_of(
            FolderProject,
            row
            | {
                "project": project_of(row["project"]) if row["project"] else None,
                "former": project_of(row["former"]) if row["former"] else None,
                "parents": [project_of(each) for each in row["parents"]],
            },
        )

    def projects(self) -> tuple[Project, ...]:
        """All projects that something is known of, by number."""
        with translated():
            return tuple(map(project_of, json.loads(self._native.projects())))

    def adopt_project(self, number: int) -> ProjectChange:
        """Join another project with that of the folder."""
        with translated():
            return record_of(ProjectChange, json.loads(self._native.adopt_project(number)))

    def part_project(self) -> ProjectChange:
        """Give the folder a project of its own, without any memory."""
        with translated():
            return record_of(ProjectChange, json.loads(self._native.part_project()))

    def status(self) -> MemoryStatus:
        """How much is remembered."""
        with translated():
            row = json.loads(self._native.status())
        row["types"] = [(name, count) for name, count in row["types"]]
        return record_of(MemoryStatus, row)

    def texts_without_vector(self, space: str) -> Sequence[bytes]:
        """The hashes of the project's texts that wait for a vector in a provider's space and may be sent."""
        with translated():
            return self._native.texts_without_vector(space)

    def texts_to_embed(self, hashes: Sequence[bytes]) -> Sequence[tuple[bytes, str]]:
        """What these texts say; those that may no longer be sent are left out."""
        with translated():
            return self._native.texts_to_embed(hashes)

    def put_remote_vectors(
        self, space: str, dimensions: int, vectors: Sequence[tuple[bytes, bytes | None]]
    ) -> int:
        """Store vectors (float32, little-endian) by hash, `None` for a refused text; returns how many were stored.

        Raises:
            UsageError: If a vector has other dimensions.
        """
        with translated():
            return self._native.put_remote_vectors(space, dimensions, vectors)

    def has_remote_vectors(self, space: str) -> bool:
        """Whether any text has a vector in a provider's space."""
        with translated():
            return self._native.has_remote_vectors(space)

    def remote_vector_counts(self, space: str) -> RemoteVectorCounts:
        """How many of the project's texts have a vector in a provider's space."""
        with translated():
            row = json.loads(self._native.remote_vector_counts(space))
        return record_of(RemoteVectorCounts, row)

    def outbox_rows(
        self,
        sink: str,
        states: Sequence[str],
        *,
        due_ms: int | None = None,
        after: int | None = None,
        limit: int,
    ) -> tuple[OutboxRow, ...]:
        """Rows of a sink in some states that are due, those that failed least first, in the order of the log.

        With `after`, those of higher numbers, by number alone.
        """
        command = {"rows": {"states": [*states], "due_ms": due_ms, "after": after, "limit": limit}}
        return outbox_rows_of(self._outbox(sink, command))

    def outbox_claim(
        self,
        sink: str,
        numbers: Sequence[int],
        *,
        states: Sequence[str],
        place: str | None = None,
        sent_ms: int,
    ) -> tuple[OutboxRow, ...]:
        """Note rows as sent that are still in one of the states; those rows, with their events as they are now.

        An event that was purged, or a row that was dropped, since it was read is not among them.
        """
        claim = {"numbers": [*numbers], "states": [*states], "place": place, "sent_ms": sent_ms}
        return outbox_rows_of(self._outbox(sink, {"claim": claim}))

    def outbox_status(self, sink: str) -> OutboxStatus:
        """How a sink fares."""
        row = self._outbox(sink, "status")
        row["processed_ms"] = [tuple(each) for each in row["processed_ms"]]
        return record_of(OutboxStatus, row)

    def outbox(self, sink: str, command: Mapping[str, object]) -> int:
        """Change the outbox of a sink by `take`, `mark`, `removed`, `note`, `retry` or `drop`; returns how many rows changed.

        Which fields each has: `OutboxCommand` in the core's memory.
        """
        return int(self._outbox(sink, command))

    def _outbox(self, sink: str, command: Mapping[str, object] | str) -> Any:  # noqa: ANN401 - JSON
        with translated():
            return json.loads(self._native.outbox(sink, _json(command)))

    def tidy(self) -> bool:
        """Do what recording left undone; whether there was something."""
        with translated():
            return self._native.tidy()

    def export_json(self, *, with_private: bool) -> str:
        """The project's memory as one JSON document."""
        with translated():
            return self._native.export_json(with_private=with_private)

    def import_json(self, document: str) -> Imported:
        """Take such a document in."""
        with translated():
            return record_of(Imported, json.loads(self._native.import_json(document)))

    def close(self) -> None:
        """Let go of the database."""
        with translated():
            self._native.close()


def memory_words() -> dict[str, list[str]]:
    """The words that the core knows, by what they describe."""
    names = ("roles", "origins", "categories", "types", "scopes")
    return dict(zip(names, _native.memory_words(), strict=True))


def hosts_loading(file: str) -> frozenset[str]:
    """The hosts that read a file of the repository by themselves."""
    return frozenset(_native.hosts_loading(file))


def redacted(text: str) -> tuple[str, int, int]:
    """The text without what is private or secret, and how many stretches of each went."""
    return _native.redacted(text)


def conflicts(facts: Iterable[Fact]) -> FactConflicts:
    """How facts get along that would be shown together."""
    claims = [
        {
            "id": fact.id,
            "type": fact.type,
            "scope": fact.scope,
            "origin": fact.origin,
            "is_pinned": fact.is_pinned,
            "may_contradict": fact.meta.get("may_contradict", ""),
        }
        for fact in facts
    ]
    return FactConflicts(**json.loads(_native.conflicts(json.dumps(claims))))


def contradiction_features(newer: str, older: str) -> dict[str, float]:
    """What a statement has in the place of words of an older one, by feature; empty if one only says more."""
    return _native.contradiction_features(newer, older)


def _wanted(options: RecallOptions) -> str:
    given = dataclasses.asdict(options)
    if options.session:
        given["session"] = _stood_in(options.session)
    return _json(given)


def _stood_in(name: object) -> object:
    return _native.pseudonym(name) if isinstance(name, str) else name


_json = json.JSONEncoder(ensure_ascii=False).encode
