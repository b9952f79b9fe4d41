"""Builds what is injected into an agent's context: the static part of a session, and the volatile part of a prompt.

The static part opens a session and stays the same, byte for byte, until a session starts, its context is compacted, or a caller
asks for a new one. The volatile part accompanies a prompt: the answer to it and what was learned since, each item once a session
unless it changed; below the threshold nothing is injected. A memory whose code has changed is marked, with the first changed
lines if the workspace is trusted; if it was injected before the change, a notice announces it once. After a compaction the agent
gets a new static part with the state of its session, and every item may be injected again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codecairn.config.settings import Settings
from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.recall_options import QueryEmbedding, RecallOptions
from codecairn.core.types.memory import Answer, Event, Fact, ShownItem
from codecairn.errors import UsageError
from codecairn.memory.anchor_notices import code_changes, notices
from codecairn.memory.anchor_status import AnchorChecker, Definitions
from codecairn.memory.excerpts import excerpt
from codecairn.memory.injection_format import (
    CHANGED_TITLE,
    MAX_ANSWERS,
    MIN_LIKELIHOOD,
    NOTICE,
    SAME_MATTER_LIKELIHOOD,
    STATIC_TYPES,
    day,
    tokens,
)
from codecairn.memory.render import FORMS, render
from codecairn.memory.repository_statements import withheld
from codecairn.memory.session_state import is_acknowledgement, working_sections
from codecairn.memory.snapshot import (
    CodeChange,
    Item,
    Section,
    distinct,
    fact_item,
    static_sections,
    tokens_of,
    within,
)
from codecairn.memory.topic_drift import has_drifted
from codecairn.trust.registry import is_trusted

PARTS = ("static", "volatile", "compaction")
"""What a context can be asked for."""

_FACTS_OF_A_TYPE = 40
_EVENTS = 400
_RECENT_EVENTS = 30
_LOOKED_AT = 16
_ITEM_TOKENS = 220
_UPDATES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What to put before an agent.

    Attributes:
        placement: Which part it is.
        text: The text; empty if there is nothing to say.
        tokens: About how many tokens it has.
        items: What it shows.
        is_repeated: The same bytes as before.
    """

    placement: str
    text: str
    tokens: int
    items: tuple[ShownItem, ...]
    is_repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How many tokens a context may have: together, and the static part of them."""

    total: int
    static: int

    @classmethod
    def of(cls, settings: Settings, *, total: int | None = None) -> "Budget":
        """As the settings say, but for the total if it is given."""
        total = settings.memory_context_tokens if total is None else total
        return cls(total=total, static=min(settings.memory_static_tokens, total))


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """The agents that a context is for.

    Attributes:
        trusts: Whether their user trusts the workspace: if not, what the repository says of itself is left out.
        host: Their host: what it reads of the repository by itself is left out; empty if it is not known.
    """

    trusts: bool
    host: str = ""

    @classmethod
    def of(cls, root: Path, host: str) -> "Audience":
        """Of the workspace at `root`."""
        return cls(trusts=is_trusted(root), host=host)


class ContextBuilder:
    """Puts the memory before the agents of one project."""

    def __init__(
        self,
        engine: MemoryEngine,
        root: Path,
        audience: Audience,
        budget: Budget,
        *,
        form: str,
        now_ms: int,
        definitions: Definitions,
        embed: Callable[[str], QueryEmbedding | None] = lambda _prompt: None,
    ) -> None:
        if form not in FORMS:
            raise UsageError(f"unknown form `{form}`", hint=f"one of {', '.join(FORMS)}")
        self._engine = engine
        self._budget = budget
        self._form = form
        self._now_ms = now_ms
        self._embed = embed
        self._checker = AnchorChecker(engine, root, definitions)
        self._trusts = audience.trusts
        self._filter = withheld(trusts=audience.trusts, host=audience.host)

    def part(self, name: str, session: str, prompt: str, *, is_new: bool) -> Context:
        """The part of this name, one of `PARTS`; `is_new` rebuilds the static one."""
        if name not in PARTS:
            raise UsageError(f"unknown part `{name}`", hint=f"one of {', '.join(PARTS)}")
        if name == "static":
            return self.static(session, is_new=is_new)
        return self.compaction(session) if name == "compaction" else self.volatile(session, prompt)

    def static(self, session: str, *, is_new: bool = False) -> Context:
        """The part that opens a session: the bytes that it was given, unless a new one is asked for."""
        kept = None if is_new else self._engine.kept_text(session, "static", self._form)
        if kept is not None:
            return Context(
                placement="static",
                text=kept.body,
                tokens=tokens(kept.body),
                items=kept.items,
                is_repeated=True,
            )
        sections = self._durable(budget=self._budget.static)
        return self._given(session, "static", sections, is_kept=True)

    def compaction(self, session: str) -> Context:
        """What an agent must know that has lost its context; a new static part is kept for it."""
        events = self._engine.line_events(session, limit=_EVENTS)
        working = working_sections(
            _with_own_prompts(events, session),
            self._listed("task"),
            budget=self._budget.total - self._budget.static,
        )
        durable = self._durable(budget=self._budget.total - tokens_of(working))
        given = self._given(session, "compaction", (*working, *durable), is_kept=False)
        self.static(session, is_new=True)
        return given

    def volatile(self, session: str, prompt: str) -> Context:
        """What answers a prompt, and what was learned since the session began: what it has not seen."""
        held = self._engine.held_by(session)
        static = self._engine.kept_text(session, "static", self._form)
        seen = set(held.items)
        room = self._budget.total - (tokens(static.body) if static is not None else 0)
        sections = []
        changes: dict[str, CodeChange] = {}
        likely: dict[str, int] = {}
        if any(letter.isalnum() for letter in prompt) and not is_acknowledgement(prompt):
            events = self._engine.line_events(session, limit=_RECENT_EVENTS)
            is_new = has_drifted(prompt, events, self._engine.likeness)
            least = MIN_LIKELIHOOD if is_new else SAME_MATTER_LIKELIHOOD
            found = self._answering(prompt, least=least)
            likely = {each.hit.id: _percent(each) for each in found if each.hit.fact is not None}
            changes = self._changes(likely)
            unknown = self._unknown(found, session, seen, changes, lost_seq=held.lost_seq)
            answers = within(unknown[:MAX_ANSWERS], room)
            sections.append(
                Section(name="relevant", title="Relevant to Current Task", items=answers)
            )
            room -= tokens_of(sections)
            seen |= set(_versions(answers))
        # What answers is announced with its answer, unless that was shown before the change.
        known = {id_ for id_, _ in seen}
        changes = {id_: change for id_, change in changes.items() if id_ in known}
        shown = [item.id for item in static.items] if static is not None else []
        changes |= self._changes(shown)
        told = notices(self._engine, changes, likely, seen)
        changed = Section(name="changed", title=CHANGED_TITLE, items=within(told, room))
        sections.append(changed)
        room -= tokens_of([changed]) if changed.items else 0
        if static is not None:
            news = within(self._news(static.ts_ms, seen), room)
            sections.append(Section(name="updates", title="Updates Since Start", items=news))
        return self._given(
            session, "volatile", [each for each in sections if each.items], is_kept=False
        )

    def _given(
        self, session: str, placement: str, sections: Sequence[Section], *, is_kept: bool
    ) -> Context:
        text = render(sections, form=self._form, placement=placement)
        items = tuple(
            ShownItem(id=id_, version=version)
            for section in sections
            for id_, version in _versions(section.items)
        )
        if text or is_kept or placement == "compaction":
            newest = self._engine.events(session=None, before=None, with_private=True, limit=1)
            self._engine.note_injection(
                {
                    "session": session,
                    "placement": placement,
                    "form": self._form,
                    "body": text,
                    "items": [{"id": item.id, "version": item.version} for item in items],
                    "tokens": tokens(text) if text else 0,
                    "seq": newest[0].seq if newest else 0,
                    "is_kept": is_kept,
                }
            )
        count = tokens(text) if text else 0
        return Context(placement=placement, text=text, tokens=count, items=items)

    def _facts(self) -> list[Fact]:
        return [fact for name in STATIC_TYPES for fact in self._listed(name)]

    def _durable(self, *, budget: int) -> tuple[Section, ...]:
        facts = self._facts()
        changes = self._changes([fact.id for fact in facts])
        return static_sections(facts, budget=budget, changes=changes)

    def _changes(self, ids: Iterable[str]) -> dict[str, CodeChange]:
        return code_changes(self._engine, self._checker, ids, shows_code=self._trusts)

    def _listed(self, *types: str) -> tuple[Fact, ...]:
        wanted = self._filter | {"types": types}
        found = self._engine.list(wanted | {"without_repository": True}, limit=_FACTS_OF_A_TYPE)
        if not self._filter["without_repository"]:
            # A file for agents has hundreds of rules, which leave no room for others.
            newest = self._engine.list(wanted, limit=_FACTS_OF_A_TYPE)
            known = {fact.id for fact in found}
            found += tuple(fact for fact in newest if fact.id not in known)
        return found

    def _answering(self, prompt: str, *, least: float) -> Sequence[Answer]:
        """What answers the prompt, the likeliest first."""
        wanted = RecallOptions(
            limit=_LOOKED_AT,
            filter=self._filter,
            least_evidence=least,
            embedding=self._embed(prompt),
        )
        return self._engine.answers(prompt, wanted)

    def _unknown(
        self,
        answers: Iterable[Answer],
        session: str,
        seen: set[tuple[str, int]],
        changes: Mapping[str, CodeChange],
        *,
        lost_seq: int,
    ) -> list[Item]:
        """The items that the agent can't know: neither injected before nor part of its own context."""
        items = []
        for answer in answers:
            hit = answer.hit
            is_known = (
                hit.event is not None and hit.event.session == session and hit.event.seq > lost_seq
            )
            if not is_known and (hit.id, hit.version) not in seen:
                items.append(_item(answer, changes.get(hit.id)))
        return distinct(items)

    def _news(self, since_ms: int, seen: set[tuple[str, int]]) -> list[Item]:
        later = self._filter | {"types": STATIC_TYPES, "recorded_after_ms": since_ms}
        newest = self._engine.list(later, limit=_FACTS_OF_A_TYPE)
        new = [fact for fact in newest if (fact.id, fact.version) not in seen]
        new = new[:_UPDATES]
        changes = self._changes([fact.id for fact in new])
        return [fact_item(fact, max_tokens=90, change=changes.get(fact.id)) for fact in new]


def _with_own_prompts(events: Sequence[Event], session: str) -> Sequence[Event]:
    """The events of a session's line without the prompts of its subagents; one without prompts continues another session."""
    own = [event for event in events if event.role != "user" or event.session == session]
    return own if any(event.role == "user" for event in own) else events


def _percent(answer: Answer) -> int:
    return round(answer.likelihood * 100)


def _versions(items: Iterable[Item]) -> Iterator[tuple[str, int]]:
    """What items show: the version of each, and the notice that its mark replaces."""
    for item in items:
        yield item.id, item.version
        if item.is_announced:
            yield item.id, NOTICE


def _item(answer: Answer, change: CodeChange | None) -> Item:
    hit, likelihood = answer.hit, _percent(answer)
    if hit.fact is not None:
        item = fact_item(hit.fact, max_tokens=_ITEM_TOKENS, change=change)
        return replace(item, likelihood=likelihood)
    event = hit.event
    is_external = event is not None and event.origin == "external"
    said = {"user": "user: ", "assistant": "agent: "}.get(event.role if event else "", "")
    return Item(
        id=hit.id,
        version=1,
        text=said + excerpt(hit.text, answer.sentence, _ITEM_TOKENS),
        date=day(event.ts_ms if event else 0),
        mark="quoted from outside" if is_external else "",
        likelihood=likelihood,
    )
