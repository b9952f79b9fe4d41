"""`Workspace.memory`: what an agent and its people remember about a project."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from codecairn.clock import Clock
from codecairn.config.settings import Settings
from codecairn.engine import git_head
from codecairn.errors import UsageError
from codecairn.memory import formats
from codecairn.memory.held import HeldMemory
from codecairn.memory.injecting import Budget, Context, Injector
from codecairn.memory.moments import moment_ms
from codecairn.memory.recalling import LEAST_EVIDENCE, Wanted, find
from codecairn.memory.selection import purge_selection
from codecairn.memory_engine import MemoryEngine, MemoryEngineOptions
from codecairn.paths import user
from codecairn.records import (
    Added,
    Event,
    Fact,
    Imported,
    MemoryStatus,
    Purged,
    Recalled,
    Recorded,
    Session,
    Timeline,
)

_MAX_LIMIT = 10_000


class Memory:
    """What was said, done and decided in a project, over all its sessions, worktrees and clones.

    The database belongs to the user and holds all projects; it is made by the first write. Everything that is kept has
    passed privacy: what stands in `<private>`, and secrets, never reach the disk.
    """

    def __init__(self, root: Path, settings: Settings, *, spool: Path | None, clock: Clock) -> None:
        self._root = root
        self._settings = settings
        self._clock = clock
        options = MemoryEngineOptions(
            path=self.path,
            root=root,
            spool=spool,
            identity=settings.memory_identity,
            project=settings.memory_project or None,
            unclosed=settings.memory_private_unclosed,
            compact_bytes=settings.memory_compact_bytes,
        )
        self._held = HeldMemory(options)

    @property
    def path(self) -> Path:
        """The database; it need not exist."""
        named = self._settings.memory_path
        return user.expanded(Path(named)) if named else user.data_folder() / "memory.db"

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
        branch, commit = git_head(self._root)
        event = {"session": session, "body": body, "branch": branch, "commit": commit} | fields
        return self._opened().record(event)

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
    ) -> Added:
        """Keep a statement word for word, less what privacy takes out; the id that comes back is real.

        Args:
            text: The statement.
            type: What sort it is, one of `FACT_TYPES`.
            scope: For whom it holds, one of `SCOPES`; by its type if not given.
            title: A few words; its beginning if not given.
            tags: Words to find it by.
            subject: What it is about, where one thing has one value at a time: with `predicate` ("api", "port"), a
                newer fact ends the older one.
            predicate: See `subject`.
            origin: Where it comes from, one of `ORIGINS`.
            is_pinned: Never ended without being told to.
            privacy_tags: "private" to show it only on request; "block" forbids keeping it.
            session: The session it belongs to.
            valid_from: Since when it holds, as `moment_ms` takes it.
            expires: When it stops being shown.
            meta: Anything else, by name.

        Raises:
            UsageError: If nothing is left to remember, or a value is not allowed.
        """
        branch, commit = git_head(self._root)
        return self._opened().add(
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
            }
        )

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        types: Sequence[str] = (),
        scopes: Sequence[str] = (),
        kinds: Sequence[str] = (),
        session: str | None = None,
        since: str | None = None,
        until: str | None = None,
        as_of: str | None = None,
        with_private: bool = False,
        with_history: bool = False,
        all_projects: bool = False,
        evidence: float = LEAST_EVIDENCE,
    ) -> tuple[Recalled, ...]:
        """What answers a question, best first: facts and events together.

        Times are read from the question ("since Monday", 上周), complete lists of facts ("list all decisions") come
        newest first, overviews from many sessions. What is not likely enough to answer is left out.

        Args:
            query: Words in any script.
            limit: How many at most; a complete list is not cut.
            types: Only facts of these types, and no events; `scopes` likewise.
            scopes: See `types`.
            kinds: "fact" or "event" for one of them only.
            session: Only events of this session.
            since: Only what is not older.
            until: Only what is older.
            as_of: Facts as they were believed then.
            with_private: Also what is private.
            with_history: Also facts that no longer hold.
            all_projects: In every project.
            evidence: How likely the least likely may be to answer, from 0 to 1; 0 for all that was found.

        Raises:
            UsageError: If nothing is asked, or a value is not allowed.
        """
        unknown = set(kinds) - {"fact", "event"}
        if unknown:
            raise UsageError(f"unknown kind `{sorted(unknown)[0]}`: `fact` or `event`")
        flags = {"with_private": with_private, "with_history": with_history}
        chosen = self._filter(types, scopes, as_of, all_projects=all_projects, **flags)
        wanted = Wanted(
            limit=_limit(limit),
            facts=not kinds or "fact" in kinds,
            events=not (types or scopes) if not kinds else "event" in kinds,
            filter=chosen,
            session=session,
            since_ms=self._moment(since),
            until_ms=self._moment(until),
            evidence=evidence,
        )
        return find(self._opened(), query, wanted, now_ms=self._now_ms())

    def context(
        self,
        session: str,
        prompt: str = "",
        *,
        part: str = "volatile",
        form: str = "markdown",
        refresh: bool = False,
    ) -> Context:
        """What to put before an agent; what it was shown in this session is not shown again, unless it changed.

        Args:
            session: The host's id of the session.
            prompt: What the user has just asked.
            part: "static" to open a session: the same bytes each time. "volatile" beside a prompt: what answers it and
                what was learned since; often nothing. "compaction" where the agent loses its context.
            form: "markdown", "xml" or "json".
            refresh: Make the static part anew.

        Raises:
            UsageError: If a value is not allowed.
        """
        total, static = self._settings.memory_context_tokens, self._settings.memory_static_tokens
        budget = Budget(total=total, static=min(static, total))
        injector = Injector(self._opened(), budget=budget, form=form, now_ms=self._now_ms())
        return injector.part(part, session, prompt, is_new=refresh)

    def list(
        self,
        *,
        types: Sequence[str] = (),
        scopes: Sequence[str] = (),
        limit: int = 50,
        as_of: str | None = None,
        with_private: bool = False,
        with_history: bool = False,
        all_projects: bool = False,
    ) -> tuple[Fact, ...]:
        """Facts, the newest first; parameters as in `recall`."""
        flags = {"with_private": with_private, "with_history": with_history}
        options = self._filter(types, scopes, as_of, all_projects=all_projects, **flags)
        return self._opened().list(options, limit=_limit(limit))

    def get(self, *ids: str) -> tuple[Fact | Event, ...]:
        """Facts (their current version) and events by id, in the order asked for; a fact's id may be shortened."""
        return tuple(self._one(id_) for id_ in ids)

    def history(self, id_: str) -> tuple[Fact, ...]:
        """All versions of a fact, the newest first."""
        versions = self._opened().fact(id_)
        if not versions:
            raise UsageError(f"there is no fact `{id_}`", hint="see `codecairn memory list`")
        return versions

    def timeline(
        self, id_: str, *, before: int = 5, after: int = 5, with_private: bool = False
    ) -> Timeline:
        """What happened around an event, or around the newest event that a fact rests on."""
        return self._opened().timeline(
            id_,
            before=_limit(before, least=0),
            after=_limit(after, least=0),
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
        return self._opened().events(
            session=session, before=before, with_private=with_private, limit=_limit(limit)
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
        """Make a new version of a fact; what is not given stays, and the older version stays in its history."""
        change = {
            "text": text,
            "type": type,
            "title": title,
            "tags": None if tags is None else list(tags),
            "is_pinned": is_pinned,
            "reason": reason,
        }
        return self._opened().update(id_, change)

    def forget(self, id_: str, *, reason: str = "") -> Fact:
        """Hide a fact from everything but its history."""
        return self._opened().forget(id_, reason=reason)

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
        selection = purge_selection(
            ids, containing=containing, session=session, whole_project=whole_project
        )
        return self._opened().purge(selection)

    def sessions(self, *, limit: int = 20) -> tuple[Session, ...]:
        """The project's sessions, the newest first."""
        return self._opened().sessions(limit=_limit(limit))

    def session(self, id_: str) -> tuple[Session, ...]:
        """One session, and those it started."""
        found = self._opened().session(id_)
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
        if format not in formats.FORMATS:
            known = ", ".join(formats.FORMATS)
            raise UsageError(f"unknown format `{format}`", hint=f"one of {known}")
        document = json.loads(self._opened().export_json(with_private=with_private))
        if anonymise:
            document = formats.anonymised(document)
        writers = {"json": formats.as_json, "csv": formats.as_csv, "markdown": formats.as_markdown}
        return writers[format](document)

    def import_(self, document: str) -> Imported:
        """Take in what `export` wrote as JSON; importing twice is importing once."""
        return self._opened().import_json(document)

    def status(self) -> MemoryStatus:
        """How much is remembered, and where."""
        return self._opened().status()

    def likeness(self, left: str, right: str) -> float:
        """How alike the meanings of two texts are, from -1 to 1."""
        return self._opened().likeness(left, right)

    def tidy(self) -> bool:
        """Do what recording left undone; whether there was something."""
        return self._opened().tidy()

    def close(self) -> None:
        """Let go of the database; the next call opens it again."""
        self._held.close()

    def _one(self, id_: str) -> Fact | Event:
        event = self._opened().event(id_)
        if event is not None:
            return event
        versions = self._opened().fact(id_)
        if not versions:
            raise UsageError(
                f"there is no fact or event `{id_}`", hint="see `codecairn memory list`"
            )
        return versions[0]

    def _filter(
        self, types: Sequence[str], scopes: Sequence[str], as_of: str | None, **flags: bool
    ) -> dict[str, object]:
        as_of_ms = self._moment(as_of)
        return {"types": [*types], "scopes": [*scopes], "as_of_ms": as_of_ms, **flags}

    def _moment(self, text: str | None) -> int | None:
        return None if text is None else moment_ms(text, now_ms=self._now_ms())

    def _now_ms(self) -> int:
        return self._clock.now_ns() // 1_000_000

    def _opened(self) -> MemoryEngine:
        return self._held.opened()


def _limit(limit: int, *, least: int = 1) -> int:
    if limit < least:
        raise UsageError(f"the limit is {limit}", hint=f"give {least} or more")
    return min(limit, _MAX_LIMIT)
