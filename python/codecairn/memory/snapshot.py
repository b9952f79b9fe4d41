"""What an agent should know, as sections of items: a pure function of facts, or of a session's events, and a budget.

Durable sections come from facts of all times, not from the last events. Sections are filled in the order of their tiers:
first each gets its floor, then what is left flows down; what does not fit is shortened, and ends nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from codecairn.memory.lines import day, one_line, shortened, tokens
from codecairn.memory.texts import alike_key
from codecairn.records import Fact

_LINE_TOKENS = 14
"""What an item costs beside its text: its mark, date and id."""

_SECTION_TOKENS = 8

_WORTH_BEGINNING = 8
"""Beside others, an item that must be shortened is shown from so many times a heading's tokens on."""

_CONDENSED = 4
"""A fact in which others were condensed may be so many times as long as one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something shown: a version of a fact, or an event.

    Attributes:
        id: What it is called.
        version: Which version of it; an event has one.
        text: What is shown of it, in one line.
        date: The day it is of.
        mark: What must be known beside it: "quoted from outside", a branch; often empty.
        likelihood: How likely it answers, in percent; 0 where nothing was asked.
    """

    id: str
    version: int
    text: str
    date: str
    mark: str = ""
    likelihood: int = 0

    @property
    def tokens(self) -> int:
        """About how many tokens it costs."""
        return tokens(self.text) + _LINE_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Items of one sort, in the order in which they are shown."""

    name: str
    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """How a section is filled: `floor` is its share of the budget, `item_tokens` the most of one item."""

    name: str
    title: str
    types: tuple[str, ...]
    tier: int
    floor: float
    most: int
    item_tokens: int = 90


_PLANS = (
    _Plan(
        name="brief",
        title="Project Brief",
        types=("project-brief", "project-config"),
        tier=1,
        floor=0.14,
        most=8,
    ),
    _Plan(
        name="architecture",
        title="Architecture",
        types=("architecture", "architecture-pattern"),
        tier=1,
        floor=0.14,
        most=12,
    ),
    _Plan(name="tech", title="Tech Context", types=("tech-context",), tier=1, floor=0.08, most=8),
    _Plan(
        name="product",
        title="Product Context",
        types=("product-context",),
        tier=1,
        floor=0.05,
        most=8,
    ),
    _Plan(name="rules", title="Rules", types=("rule",), tier=0, floor=0.12, most=12),
    _Plan(
        name="preferences",
        title="User Preferences",
        types=("preference",),
        tier=0,
        floor=0.1,
        most=12,
    ),
    _Plan(name="decisions", title="Decisions", types=("decision",), tier=0, floor=0.2, most=24),
    _Plan(
        name="sessions",
        title="Recent Sessions",
        types=("session-summary",),
        tier=2,
        floor=0.1,
        most=7,
        item_tokens=150,
    ),
    _Plan(
        name="lessons",
        title="Lessons",
        types=("error-solution", "learned-pattern", "discovery"),
        tier=2,
        floor=0.05,
        most=8,
    ),
    _Plan(name="notes", title="Notes", types=("note",), tier=2, floor=0.02, most=8),
)


def static_sections(facts: Iterable[Fact], *, budget: int) -> tuple[Section, ...]:
    """What a session begins with, in at most about `budget` tokens.

    Pinned facts come first, then those that a person told, then the surest and newest; equal facts give equal sections.
    """
    ordered = sorted(facts, key=_importance)
    met: set[str] = set()
    waiting: dict[str, list[Item]] = {}
    for plan in sorted(_PLANS, key=lambda plan: plan.tier):
        chosen = (fact for fact in ordered if fact.type in plan.types)
        items = [_item(fact, plan.item_tokens) for fact in chosen]
        waiting[plan.name] = _new(items, met)[: plan.most]
    taken = _filled(waiting, budget)
    return tuple(
        Section(name=plan.name, title=plan.title, items=tuple(taken[plan.name]))
        for plan in _PLANS
        if taken[plan.name]
    )


def _filled(waiting: dict[str, list[Item]], budget: int) -> dict[str, list[Item]]:
    """Give each section its floor, then what is left, tier by tier; an item that does not fit is shortened."""
    left = budget
    taken: dict[str, list[Item]] = {plan.name: [] for plan in _PLANS}
    by_tier = sorted(_PLANS, key=lambda plan: plan.tier)
    for plan in by_tier:
        left -= _take(taken[plan.name], waiting[plan.name], min(int(budget * plan.floor), left))
    for plan in by_tier:
        left -= _take(taken[plan.name], waiting[plan.name], left, is_last=True)
    return taken


def _take(taken: list[Item], waiting: list[Item], room: int, *, is_last: bool = False) -> int:
    """Move items while there is room; how much they cost. Only the last time an item beside others is shortened."""
    spent = 0
    while waiting:
        heading = 0 if taken else _SECTION_TOKENS
        item = waiting[0]
        fits = room - spent - heading
        if item.tokens > fits:
            rest = fits - _LINE_TOKENS
            least = _SECTION_TOKENS * (_WORTH_BEGINNING if taken else 2)
            if rest < least or (taken and not is_last):
                break
            item = _cut(item, rest)
        taken.append(item)
        waiting.pop(0)
        spent += item.tokens + heading
    return spent


def _importance(fact: Fact) -> tuple[bool, bool, float, int, str]:
    is_told = fact.origin == "user" and fact.maker == "add"
    return (
        not fact.is_pinned,
        not is_told,
        -round(fact.confidence, 1),
        -fact.valid_from_ms,
        fact.id,
    )


def fact_item(fact: Fact, *, most_tokens: int) -> Item:
    """A fact as it is shown."""
    return _item(fact, most_tokens)


def _item(fact: Fact, most_tokens: int) -> Item:
    return Item(
        id=fact.id,
        version=fact.version,
        text=shortened(
            one_line(fact.text), most_tokens * (_CONDENSED if "condensed" in fact.tags else 1)
        ),
        date=day(fact.valid_from_ms),
        mark=_mark(fact),
    )


def _mark(fact: Fact) -> str:
    marks = ["quoted from outside"] if fact.origin == "external" else []
    marks += [f"branch {fact.branch}"] if fact.scope == "branch" and fact.branch else []
    return ", ".join(marks)


def _cut(item: Item, most_tokens: int) -> Item:
    return Item(
        id=item.id,
        version=item.version,
        text=shortened(item.text, most_tokens),
        date=item.date,
        mark=item.mark,
        likelihood=item.likelihood,
    )


def _new(items: Sequence[Item], met: set[str]) -> list[Item]:
    """The items whose text was not met before, in any section."""
    fresh = []
    for item in items:
        key = alike_key(item.text)
        if key and key not in met:
            met.add(key)
            fresh.append(item)
    return fresh


def distinct(items: Sequence[Item]) -> list[Item]:
    """The items without those that say the same again, in any script."""
    return _new(items, set())


def within(items: Iterable[Item], budget: int) -> tuple[Item, ...]:
    """The first items that fit, the last of them shortened if that leaves enough of it."""
    taken: list[Item] = []
    left = budget - _SECTION_TOKENS
    for item in items:
        if item.tokens <= left:
            taken.append(item)
            left -= item.tokens
        elif left - _LINE_TOKENS >= _SECTION_TOKENS * 4:
            taken.append(_cut(item, left - _LINE_TOKENS))
            break
    return tuple(taken)


def tokens_of(sections: Iterable[Section]) -> int:
    """About how many tokens sections cost."""
    return sum(_SECTION_TOKENS + sum(item.tokens for item in each.items) for each in sections)
