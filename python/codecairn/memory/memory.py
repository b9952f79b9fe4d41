"""`Workspace.memory`: what an agent and its users remember about a project."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.clock import Clock
from codecairn.config.settings import Settings
from codecairn.core.engine import git_head
from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.recall_options import QueryEmbedding, RecallOptions
from codecairn.core.requests import accepts
from codecairn.core.types.memory import (
    Added,
    AnchorStatus,
    Context,
    Event,
    Fact,
    Imported,
    MemoryEmbeddingStatus,
    MemoryStatus,
    Purged,
    Recalled,
    Recorded,
    Session,
    Timeline,
)
from codecairn.errors import CodecairnError, SymbolAmbiguous, UsageError
from codecairn.memory import anchor_status
from codecairn.memory.anchor_resolution import anchors_of, resolve_anchor
from codecairn.memory.embedder import EmbeddingCosts, embedding_status
from codecairn.memory.excerpts import one_line, shortened
from codecairn.memory.fork_safe import ForkSafeMemory
from codecairn.memory.purge_selection import selection
from codecairn.memory.query_embedding import QueryEmbedder
from codecairn.memory.question_analysis import Asked
from codecairn.memory.recall import (
    find,
    is_answered,
    limited,
    period_of,
    read,
    searched_text,
    wanted_kinds,
)
from codecairn.memory.requests import FactListRequest, RecallRequest
from codecairn.memory.search_result import MemorySearch
from codecairn.memory.timestamps import moment_ms
from codecairn.trust.registry import is_trusted

if TYPE_CHECKING:
    from codecairn.memory.backends.graph_recall import GraphRecall
    from codecairn.memory.maintenance import Maintenance
    from codecairn.memory.projects import Projects


_SIMILAR = 0.7
"""The cosine from which two statements may mean the same: nearly all repetitions in other words reach it."""

_MAX_COMPARED = 40


class Memory:
    """What was said, done and decided in a project, over all its sessions, worktrees and clones.

    The database belongs to the user and holds all projects; it is made by the first write. Everything that is kept has
    passed privacy: what stands in `<private>`, and secrets, never reach the disk.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        *,
        clock: Clock,
        notify: "Callable[[str], None] | None" = None,
        definitions: anchor_status.Definitions = anchor_status.NO_DEFINITIONS,
    ) -> None:
        self._root = root
        self._definitions = definitions
        self._settings = settings
        self._clock = clock
        self._notify = notify or (lambda _message: None)
        self._held = ForkSafeMemory(root, settings)
        costs = EmbeddingCosts(self._held.path, clock)
        self._embedder = QueryEmbedder(self._held.path, settings, costs, clock)
        self._told: set[str] = set()
        self._graph: GraphRecall | None = None

    @property
    def path(self) -> Path:
        """The database; it need not exist."""
        return self._held.path

    def engine(self) -> MemoryEngine:
        """The core's view of this memory."""
        return self._held.engine()

    def record(self, session: str, body: str = "", **fields: object) -> Recorded:
        """Record what happened in an agent's session; an event delivered twice (by `key`) is stored once.

        Args:
            session: The host's id of the session.
            body: The prompt, the answer, or a tool's output.
            fields: What else is known: `role`, `hook`, `tool`, `command`, `path`, `exit_code`, `title`, `category`,
                `origin`, `tags`, `privacy_tags`, `key`, `ts_ms`, `parent_session`, `host`, `model`, `meta`.

        Raises:
            UsageError: If a field is unknown or has a wrong value.
        """
        return self.engine().record({"session": session, "body": body, "is_here": True, **fields})

    def add(
        self,
        text: str,
        *,
        type: str = "note",  # noqa: A002 - the word users know
        scope: str | None = None,
        title: str = "",
        tags: Sequence[str] = (),
        subject: str = "",
        predicate: str = "",
        origin: str = "user",
        is_pinned: bool = False,
        privacy_tags: Sequence[str] = (),
        session: str | None = None,
        valid_from: str | None = None,
        expires: str | None = None,
        meta: Mapping[str, str] | None = None,
        anchors: Sequence[str] = (),
        symbols: Sequence[str] = (),
        supersedes: Sequence[str] = (),
    ) -> Added:
        """Keep a statement word for word, less what privacy takes out; the id that comes back is real.

        Args:
            text: The statement.
            type: What sort it is, one of `FACT_TYPES`.
            scope: Its scope, one of `SCOPES`; this project if not given.
            title: A few words; its beginning if not given.
            tags: Words to find it by.
            subject: What it is about, where one thing has one value at a time: with `predicate` ("api", "port"), a
                newer fact ends the older one.
            predicate: See `subject`.
            origin: Where it comes from, one of `ORIGINS`.
            is_pinned: Ended only by an explicit call.
            privacy_tags: "private" to show it only on request; "block" forbids keeping it.
            session: The session it belongs to.
            valid_from: Since when it holds, as `moment_ms` takes it.
            expires: When it stops being shown.
            meta: Anything else, by name.
            anchors: Code that it speaks of: "path/to/file.py::Class.method", "path/to/file.py:12", "path/to/file.py", or a
                name that the index knows; without any, what the text names between backticks is found.
            symbols: As `anchors`.
            supersedes: Facts that it ends, by id; said by a person, it ends what is pinned, too.

        Raises:
            SymbolAmbiguous: If an anchor names several symbols; nothing is kept then.
            UsageError: If nothing is left to remember, a value is not allowed, or there is no fact to supersede.
        """
        replaced = [self.history(each)[0].id for each in supersedes]
        branch, commit = git_head(self._root)
        return self.engine().add(
            {
                "text": text,
                "type": type,
                "scope": scope,
                "title": title,
                "subject": subject,
                "predicate": predicate,
                "tags": list(tags),
                "privacy_tags": list(privacy_tags),
                "origin": origin,
                "maker": "add",
                "confidence": 1.0,
                "is_pinned": is_pinned,
                "session": session,
                "branch": branch,
                "commit": commit,
                "valid_from_ms": self._moment(valid_from),
                "expires_ms": self._moment(expires),
                "meta": dict(meta or {}),
                "anchors": anchors_of(self.engine(), text, (*anchors, *symbols), self._definitions),
                "supersedes": replaced,
            }
        )

    def anchor_candidates(self, place: str) -> tuple[str, ...]:
        """The symbols that an anchor names, if it names several, each in a way that chooses it."""
        try:
            resolve_anchor(self.engine(), place, self._definitions)
        except SymbolAmbiguous as err:
            return err.candidates
        except UsageError:
            return ()
        return (place,)

    @accepts(RecallRequest)
    def recall(self, request: RecallRequest) -> tuple[Recalled, ...]:
        """What answers a question, best first: facts and events together.

        See `search`, which also reports whether any of it seems to answer.
        """
        asked, wanted = self._asked(request)
        self._ask_graph(request.query)
        wanted, note = self._embedded(request.query, asked, wanted)
        self._tell(note)
        return self._found(request.query, asked, wanted)

    @accepts(RecallRequest)
    def search(self, request: RecallRequest) -> MemorySearch:
        """What answers a question, best first, and whether any of it seems to.

        Times are read from the question ("since Monday", 上周), complete lists of facts ("list all decisions") come
        newest first and are not cut, overviews from many sessions. What is not likely enough to answer is left out.

        Raises:
            UsageError: If nothing is asked, or a value is not allowed.
        """
        asked, wanted = self._asked(request)
        self._ask_graph(request.query)
        wanted, note = self._embedded(request.query, asked, wanted)
        found = self._found(request.query, asked, wanted)
        return MemorySearch(
            results=found,
            is_answered=is_answered(self.engine(), asked, wanted, found),
            period=period_of(asked),
            notes=(note,) if note else (),
        )

    def _embedded(
        self, query: str, asked: Asked, wanted: RecallOptions
    ) -> tuple[RecallOptions, str]:
        """The options with the vector of the question, or a note on why it has none; lists need none."""
        if asked.is_list or asked.is_all:
            return wanted, ""
        embedding, note = self._embedder.embed(self.engine(), searched_text(query, asked))
        return replace(wanted, embedding=embedding), note

    def _ask_graph(self, query: str) -> None:
        """Bring facts of a graph up to date, if the settings name one; recall goes on where that fails."""
        settings = self._settings
        if not (settings.memory_graphiti_url and settings.memory_graphiti_recall):
            return
        try:
            if self._graph is None:
                self._graph = self.upkeep.backends.recall()
            self._graph.refresh(query)
        except CodecairnError as err:
            self._tell(f"facts of the graph are not recalled: {err.message}")

    def _tell(self, note: str) -> None:
        """Report something once."""
        if note and note not in self._told:
            self._told.add(note)
            self._notify(note)

    def _found(self, query: str, asked: Asked, wanted: RecallOptions) -> tuple[Recalled, ...]:
        found = find(self.engine(), query, asked, wanted)
        return anchor_status.labelled(self.engine(), self._root, found, self._definitions)

    def _asked(self, request: RecallRequest) -> tuple[Asked, RecallOptions]:
        is_narrowed = bool(request.types or request.scopes)
        facts, events = wanted_kinds(request.kinds, is_narrowed=is_narrowed)
        wanted = RecallOptions(
            limit=limited(request.limit),
            facts=facts,
            events=events,
            filter=self._filter(request),
            session=request.session,
            since_ms=self._moment(request.since),
            until_ms=self._moment(request.until),
            least_evidence=request.evidence,
        )
        return read(request.query, now_ms=self._now_ms()), wanted

    def context(
        self,
        session: str,
        prompt: str = "",
        *,
        part: str = "volatile",
        form: str = "markdown",
        refresh: bool = False,
        budget_tokens: int | None = None,
        host: str = "",
        is_preview: bool = False,
    ) -> Context:
        """What to put before an agent; what it was shown in this session is not shown again, unless it changed.

        Args:
            session: The host's id of the session.
            prompt: The user's prompt.
            part: "static" to open a session: the same bytes each time. "volatile" with a prompt: what answers it and
                what was learned since; often nothing. "compaction" where the agent loses its context.
            form: "markdown", "xml" or "json".
            refresh: Rebuild the static part.
            budget_tokens: How many tokens all parts may have; as the settings say if not given.
            host: The agent's host: what it loads of the repository by itself is left out.
            is_preview: Only show it to a person: nothing is noted as shown to the agent.

        Raises:
            UsageError: If a value is not allowed.
        """
        total = self._settings.memory_context_tokens if budget_tokens is None else budget_tokens
        checker = anchor_status.AnchorChecker(self.engine(), self._root, self._definitions)
        request = {
            "part": part,
            "session": session,
            "prompt": prompt,
            "form": form,
            "is_new": refresh,
            "total": total,
            "static_part": min(self._settings.memory_static_tokens, total),
            "trusts": is_trusted(self._root),
            "host": host,
            "is_noted": not is_preview,
        }
        return self.engine().context(
            request, elsewhere=checker.elsewhere, embed=self._embedded_prompt
        )

    def _embedded_prompt(self, prompt: str) -> QueryEmbedding | None:
        embedding, note = self._embedder.embed(self.engine(), prompt)
        self._tell(note)
        return embedding

    @accepts(FactListRequest)
    def list(self, request: FactListRequest) -> tuple[Fact, ...]:
        """Facts, the newest first."""
        return self.engine().list(self._filter(request), limit=limited(request.limit))

    def get(self, *ids: str) -> tuple[Fact | Event, ...]:
        """Facts (their current version) and events by id, in the order asked for; a fact's id may be shortened."""
        return tuple(self._one(id_) for id_ in ids)

    def history(self, id_: str) -> tuple[Fact, ...]:
        """All versions of a fact, the newest first."""
        versions = self.engine().fact(id_)
        if not versions:
            raise UsageError(f"there is no fact `{id_}`", hint="see `codecairn memory list`")
        return versions

    def timeline(
        self, id_: str, *, before: int = 5, after: int = 5, with_private: bool = False
    ) -> Timeline:
        """What happened around an event, or around the newest event that a fact rests on."""
        return self.engine().timeline(
            id_,
            before=limited(before, least=0),
            after=limited(after, least=0),
            with_private=with_private,
        )

    def events(
        self,
        *,
        session: str | None = None,
        before: int | None = None,
        limit: int = 50,
        with_private: bool = False,
    ) -> tuple[Event, ...]:
        """Events of the project or of one session, the newest first, those before the number `before` if given."""
        return self.engine().events(
            session=session, before=before, with_private=with_private, limit=limited(limit)
        )

    def update(
        self,
        id_: str,
        *,
        text: str | None = None,
        type: str | None = None,  # noqa: A002 - the word users know
        title: str | None = None,
        tags: Sequence[str] | None = None,
        is_pinned: bool | None = None,
        reason: str = "",
    ) -> Fact:
        """Make a new version of a fact; what is not given stays, and the older version stays in its history.

        Raises:
            UsageError: If there is no such fact.
        """
        self.history(id_)
        change = {
            "text": text,
            "type": type,
            "title": title,
            "tags": None if tags is None else list(tags),
            "is_pinned": is_pinned,
            "reason": reason,
        }
        return self.engine().update(id_, change)

    def forget(self, id_: str, *, reason: str = "") -> Fact:
        """Hide the statements of a fact, wherever they occur, from everything but the fact's history.

        The rest of an event or a summary that says it is still shown. It stays hidden when it comes again from an import, a
        team, a model or an agent, until a person says it again or restores the fact.

        Raises:
            UsageError: If there is no such fact.
        """
        self.history(id_)
        forgotten = self.engine().forget(id_, reason=reason)
        for other in self.similar(forgotten.text):
            said = other.fact.text if other.fact else other.event.body if other.event else ""
            act = "forget" if other.fact else "purge"
            self._notify(
                f"a similar statement still stands: {shortened(one_line(said), 30)}; `codecairn memory {act} {other.id}` removes it"
            )
        return forgotten

    def similar(self, text: str, *, limit: int = 5) -> tuple[Recalled, ...]:
        """Facts and events that say nearly the same as a text, in other words, the most alike first."""
        wanted = RecallOptions(
            limit=_MAX_COMPARED, filter={"with_private": True}, least_evidence=0.0
        )
        found = self.engine().recall(text, wanted) if text.strip() else ()
        alike = (each for each in found if each.cosine >= _SIMILAR)
        return tuple(sorted(alike, key=lambda each: -each.cosine))[:limit]

    def withdraw(self, id_: str, *, reason: str = "") -> Fact:
        """Hide a fact whose source has it no more; others may go on stating the same.

        Raises:
            UsageError: If there is no such fact.
        """
        self.history(id_)
        return self.engine().withdraw(id_, reason=reason)

    def restore(self, id_: str, *, reason: str = "") -> Fact:
        """Let a forgotten fact hold again, as its next version.

        Raises:
            UsageError: If there is no such fact, or it was not forgotten.
        """
        self.history(id_)
        return self.engine().restore(id_, reason=reason)

    def purge(
        self,
        *ids: str,
        containing: str | None = None,
        session: str | None = None,
        whole_project: bool = False,
    ) -> Purged:
        """Remove for good, from every file: items by id, what contains a text, a session, or all of the project.

        Raises:
            UsageError: If not exactly one of these is given, or there is no such item.
        """
        choice = selection(ids, containing=containing, session=session, whole_project=whole_project)
        settings = self._settings
        if settings.memory_graphiti_url or settings.memory_redis_url:
            # With settings that do not fit nothing was sent, and a purge waits for nothing.
            with suppress(CodecairnError):
                self.upkeep.backends.note_new()
        purged = self.engine().purge(choice)
        self._embedder.forget_queries()
        return purged

    def purge_records(self, *ids: str) -> Purged:
        """Remove facts and events for good, by id; their statements may occur elsewhere.

        Raises:
            UsageError: If there is no such item.
        """
        purged = self.engine().purge({"records": list(ids)})
        self._embedder.forget_queries()
        return purged

    def sessions(self, *, limit: int = 20) -> tuple[Session, ...]:
        """The project's sessions, the newest first."""
        return self.engine().sessions(limit=limited(limit))

    def session(self, id_: str) -> tuple[Session, ...]:
        """One session, and those it started."""
        found = self.engine().session(id_)
        if not found:
            raise UsageError(f"there is no session `{id_}`", hint="see `codecairn memory session`")
        return found

    def export(
        self,
        *,
        format: str = "json",  # noqa: A002 - the word users know
        with_private: bool = False,
        anonymise: bool = False,
    ) -> str:
        """The project's memory as "json" (which can be imported), "csv" or "markdown" (facts only)."""
        from codecairn.memory import export_formats

        document = self.engine().export_json(with_private=with_private)
        return export_formats.exported(document, format=format, anonymise=anonymise)

    def import_(self, document: str) -> Imported:
        """Take in what `export` wrote as JSON; importing twice is importing once."""
        return self.engine().import_json(document)

    @property
    def upkeep(self) -> "Maintenance":
        """What lets a memory grow and travel: models, a project's files, other tools' memories, the team's."""
        from codecairn.memory.maintenance import Maintenance

        return Maintenance(
            self,
            self._root,
            self._settings,
            clock=self._clock,
            notify=self._notify,
            definitions=self._definitions,
        )

    @property
    def projects(self) -> "Projects":
        """Which folders share this memory."""
        from codecairn.memory.projects import Projects

        return Projects(self._root, self.engine())

    def status(self) -> MemoryStatus:
        """How much is remembered, and where."""
        counted = self.engine().status()
        hint = "" if counted.events else self.projects.hint()
        return replace(counted, embedding=self.embedding(), hint=hint)

    def embedding(self) -> MemoryEmbeddingStatus | None:
        """The provider that embeds the memory, and how far it has come; `None` without one. Nothing is sent."""
        costs = EmbeddingCosts(self.path, self._clock)
        return embedding_status(self.engine(), self._settings, costs)

    def standings(self, *facts: Fact) -> tuple[AnchorStatus, ...]:
        """The state of facts with regard to the current code and branch."""
        return anchor_status.standings(self.engine(), self._root, facts, self._definitions)

    def tidy(self) -> bool:
        """Do what recording left undone; whether there was something."""
        return self.engine().tidy()

    def close(self) -> None:
        """Let go of the database; the next call opens it again."""
        if self._graph is not None:
            self._graph.finish()
        self._embedder.close()
        self._held.close()

    def _one(self, id_: str) -> Fact | Event:
        event = self.engine().event(id_)
        if event is not None:
            return event
        versions = self.engine().fact(id_)
        if versions:
            return versions[0]
        raise UsageError(f"there is no fact or event `{id_}`", hint="see `codecairn memory list`")

    def _filter(self, request: RecallRequest | FactListRequest) -> dict[str, object]:
        """The conditions on facts, as the core takes them."""
        return {
            "types": [*request.types],
            "scopes": [*request.scopes],
            "as_of_ms": self._moment(request.as_of),
            "with_private": request.with_private,
            "with_history": request.with_history,
            "is_forgotten": isinstance(request, FactListRequest) and request.forgotten,
            "all_projects": request.all_projects,
            "with_parents": True,
        }

    def _moment(self, text: str | None) -> int | None:
        return None if text is None else moment_ms(text, now_ms=self._now_ms())

    def _now_ms(self) -> int:
        return self._clock.now_ns() // 1_000_000
