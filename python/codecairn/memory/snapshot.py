"""A snapshot of the memory as sections of items: a pure function of facts, or of a session's events, and a budget.

Durable sections draw on facts of all times, not on the last events. What describes the project has a share of the budget for each
section, and the last session a line; statements share the rest by their importance, whatever their type. What they leave is
given back to the descriptions; an item that does not fit is shortened.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from codecairn.core.types.memory import Fact
from codecairn.memory.conflicts import shown_together
from codecairn.memory.excerpts import alike_key
from codecairn.memory.injection_format import day, one_line, shortened, tokens
from codecairn.memory.repository_statements import mark_of

_LINE_TOKENS = 8
"""The tokens of an item in addition to its text: its date and id."""

_SECTION_TOKENS = 6

_FRAME_TOKENS = 24
"""The tokens around all sections."""

_CONDENSED = 4
"""A fact in which others were condensed may be so many times as long as one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeChange:
    """What became of the code of a fact since it was recorded.

    Attributes:
        mark: In words: "net.py::retry changed since noted".
        lines: The first changed lines, marked `-` and `+`; none of code that is gone or not checked.
        is_certain: Whether the code is known to have changed, or to be gone.
    """

    mark: str
    lines: tuple[str, ...] = ()
    is_certain: bool = True


NO_CHANGES: Mapping[str, CodeChange] = MappingProxyType({})
"""The changes of facts whose code is as it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something shown: a version of a fact, or an event.

    Attributes:
        id: What it is called.
        version: Which version of it; an event has one.
        text: What is shown of it, in one line.
        date: The day it is of.
        mark: Its mark: "quoted from outside", a branch; often empty.
        likelihood: How likely it answers, in percent; 0 where nothing was asked.
        changes: The first changed lines of its code, marked `-` and `+`.
        is_announced: Whether its mark announces that its code changed, so that no notice has to.
    """

    id: str
    version: int
    text: str
    date: str
    mark: str = ""
    likelihood: int = 0
    changes: tuple[str, ...] = ()
    is_announced: bool = False

    @property
    def tokens(self) -> int:
        """About how many tokens it costs."""
        of_changes = tokens("\n".join(self.changes)) if self.changes else 0
        return tokens(self.text) + of_changes + tokens(self.mark) + _LINE_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Items of one sort, in the order in which they are shown."""

    name: str
    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """How a section is filled: `share` of the budget is its own; without one it shares what is left by importance."""

    name: str
    title: str
    types: tuple[str, ...]
    most: int
    share: float = 0.0
    item_tokens: int = 90


_PLANS = (
    _Plan(
        name="brief",
        title="Project Brief",
        types=("project-brief", "project-config"),
        most=8,
        share=0.06,
    ),
    _Plan(
        name="architecture",
        title="Architecture",
        types=("architecture", "architecture-pattern"),
        most=24,
    ),
    _Plan(name="tech", title="Tech Context", types=("tech-context",), most=24),
    _Plan(name="product", title="Product Context", types=("product-context",), most=24),
    _Plan(name="rules", title="Rules", types=("rule",), most=24),
    _Plan(name="preferences", title="User Preferences", types=("preference",), most=24),
    _Plan(name="decisions", title="Decisions", types=("decision",), most=24),
    _Plan(
        name="sessions",
        title="Last Session",
        types=("session-summary",),
        most=1,
        share=0.1,
        item_tokens=30,
    ),
    _Plan(
        name="lessons",
        title="Lessons",
        types=("error-solution", "learned-pattern", "discovery"),
        most=24,
    ),
    _Plan(name="notes", title="Notes", types=("note",), most=24),
)


def static_sections(
    facts: Iterable[Fact], *, budget: int, changes: Mapping[str, CodeChange] = NO_CHANGES
) -> tuple[Section, ...]:
    """What a session begins with, in at most about `budget` tokens; `changes` are those of the facts' code, by id.

    Pinned facts come first, then those that a person told, then the surest and newest; equal facts give equal sections.
    Of two that may contradict each other the newer one is shown, marked.
    """
    shown, marks = shown_together(facts)
    ordered = sorted(shown, key=_importance)
    met: set[str] = set()
    waiting: dict[str, list[Item]] = {}
    for plan in sorted(_PLANS, key=lambda plan: plan.share):
        chosen = (fact for fact in ordered if fact.type in plan.types)
        items = [
            _item(fact, plan.item_tokens, marks.get(fact.id, ""), changes.get(fact.id))
            for fact in chosen
        ]
        waiting[plan.name] = _new(items, met)[: plan.most]
    places = {fact.id: place for place, fact in enumerate(ordered)}
    taken = _filled(waiting, places, budget - _FRAME_TOKENS)
    return tuple(
        Section(name=plan.name, title=plan.title, items=taken[plan.name])
        for plan in _PLANS
        if taken[plan.name]
    )


def _filled(
    waiting: dict[str, list[Item]], places: dict[str, int], budget: int
) -> dict[str, tuple[Item, ...]]:
    """Give descriptions their shares, statements what is left in the order of their places, and descriptions the rest."""
    own = [plan for plan in _PLANS if plan.share]
    rooms = {plan.name: min(_cost(waiting[plan.name]), int(budget * plan.share)) for plan in own}
    left = budget - sum(rooms.values())
    names = [plan.name for plan in _PLANS if not plan.share]
    taken: dict[str, tuple[Item, ...]] = dict.fromkeys(names, ())
    by_place = sorted((places[item.id], name, item) for name in names for item in waiting[name])
    for _, name, item in by_place:
        cost = item.tokens + (0 if taken[name] else _SECTION_TOKENS)
        if cost <= left:
            taken[name] = (*taken[name], item)
            left -= cost
    for plan in own:
        taken[plan.name] = within(waiting[plan.name], rooms[plan.name] + left)
        left += rooms[plan.name] - _cost(taken[plan.name])
    return taken


def _cost(items: Sequence[Item]) -> int:
    return sum(item.tokens for item in items) + _SECTION_TOKENS if items else 0


def _importance(fact: Fact) -> tuple[bool, bool, float, int, str]:
    is_told = fact.origin == "user" and fact.maker == "add"
    return (
        not fact.is_pinned,
        not is_told,
        -round(fact.confidence, 1),
        -fact.valid_from_ms,
        fact.id,
    )


def fact_item(fact: Fact, *, max_tokens: int, change: CodeChange | None = None) -> Item:
    """A fact as it is shown, with what became of its code."""
    return _item(fact, max_tokens, change=change)


def _item(fact: Fact, max_tokens: int, differs: str = "", change: CodeChange | None = None) -> Item:
    return Item(
        id=fact.id,
        version=fact.version,
        text=shortened(
            one_line(fact.text), max_tokens * (_CONDENSED if "condensed" in fact.tags else 1)
        ),
        date=day(fact.valid_from_ms),
        mark=_mark(fact, differs, change),
        changes=change.lines if change is not None else (),
        is_announced=change is not None and change.is_certain,
    )


def _mark(fact: Fact, differs: str, change: CodeChange | None) -> str:
    origin = mark_of(fact.origin, fact.maker, fact.meta)
    marks = [origin] if origin else []
    marks += [differs] if differs else []
    marks += [change.mark] if change is not None else []
    marks += [f"branch {fact.branch}"] if fact.scope == "branch" and fact.branch else []
    return ", ".join(marks)


def _cut(item: Item, max_tokens: int) -> Item:
    return replace(item, text=shortened(item.text, max_tokens), changes=())


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
        if item.tokens > left:
            rest = left - _LINE_TOKENS
            if rest >= _SECTION_TOKENS * (4 if taken else 2):
                taken.append(_cut(item, rest))
                break
            continue
        taken.append(item)
        left -= item.tokens
    return tuple(taken)


def tokens_of(sections: Iterable[Section]) -> int:
    """About how many tokens sections cost."""
    return sum(_SECTION_TOKENS + sum(item.tokens for item in each.items) for each in sections)
