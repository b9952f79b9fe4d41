"""The state of a session for the time after a compaction: a pure function of its events and tasks."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from codecairn.core.types.memory import Event, Fact
from codecairn.memory.injection_format import day, one_line, shortened
from codecairn.memory.snapshot import Item, Section, distinct, fact_item, within

_CHANGES = ("file-edit", "file-write")
_ITEM_TOKENS = 70
_REQUEST_TOKENS = 160
_ACKNOWLEDGEMENT = re.compile(
    r"(?:(?:yes|yep|yeah|no|ok|okay|sure|go on|go ahead|continue|proceed|do it|please do|thanks?|thank you|great|good|"
    r"fine|perfect|looks good|lgtm|approved?|next|done|stop|wait|好的?|可以|继续|是的?|对|行|没问题|谢谢|不用了?|嗯|同意|"
    r"开始吧?|下一步)[\s,.!\uff0c。\uff01]*)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    name: str
    title: str
    share: float
    find: Callable[[Sequence[Event]], Iterable[Item]]


def is_acknowledgement(text: str) -> bool:
    """Whether a prompt only approves or continues, so that the previous request is still current."""
    return _ACKNOWLEDGEMENT.fullmatch(text.strip()) is not None


def working_sections(
    events: Sequence[Event], tasks: Iterable[Fact], *, budget: int
) -> tuple[Section, ...]:
    """What a session is at, in at most about `budget` tokens; `events` come newest first."""
    open_tasks = [fact for fact in tasks if not fact.text.startswith("[done]")]
    items = {plan.name: distinct(list(plan.find(events))) for plan in _PLANS}
    items["tasks"] = [fact_item(fact, max_tokens=_ITEM_TOKENS) for fact in open_tasks]
    sections: list[Section] = []
    left = budget
    for plan in _PLANS:
        taken = within(items[plan.name], min(left, max(int(budget * plan.share), 40)))
        if taken:
            section = Section(name=plan.name, title=plan.title, items=taken)
            sections.append(section)
            left -= sum(item.tokens for item in taken)
    return tuple(sections)


def _item(event: Event, text: str, *, max_tokens: int = _ITEM_TOKENS) -> Item:
    mark = "quoted from outside" if event.origin == "external" else ""
    return Item(
        id=event.id,
        version=1,
        text=shortened(one_line(text), max_tokens),
        date=day(event.ts_ms),
        mark=mark,
    )


def _last_request(events: Sequence[Event]) -> Iterable[Item]:
    """The last request with content, and the first one, which states the goal."""
    prompts = [
        event
        for event in events
        if event.role == "user" and event.body.strip() and not is_acknowledgement(event.body)
    ]
    return [_item(event, event.body, max_tokens=_REQUEST_TOKENS) for event in prompts[:1]]


def _goal(events: Sequence[Event]) -> Iterable[Item]:
    intents = [event for event in events if event.category == "intent" and event.body.strip()]
    return [_item(event, event.body, max_tokens=_REQUEST_TOKENS) for event in intents[-1:]]


def _changes(events: Sequence[Event]) -> Iterable[Item]:
    return [
        _item(event, event.path) for event in events if event.category in _CHANGES and event.path
    ][:24]


def _files(events: Sequence[Event]) -> Iterable[Item]:
    return [
        _item(event, event.path) for event in events if event.category == "file-read" and event.path
    ][:12]


def _errors(events: Sequence[Event]) -> Iterable[Item]:
    """What failed and has not passed since: by command, or by tool and file."""
    settled: set[tuple[str, str, str]] = set()
    open_errors = []
    for event in events:
        key = (event.tool, event.command, event.path)
        if event.role != "tool" or key in settled:
            continue
        settled.add(key)
        if event.category == "error" or event.exit_code not in (None, 0):
            first = next((line for line in event.body.splitlines() if line.strip()), "")
            where = event.command or event.path or event.tool
            open_errors.append(_item(event, f"{where}: {_signal(event.body) or first}"))
    return open_errors[:6]


def _signal(text: str) -> str:
    """The last line that names an error."""
    lines = [
        line for line in text.splitlines() if re.search(r"error|fail|exception|panic", line, re.I)
    ]
    return lines[-1] if lines else ""


def _git(events: Sequence[Event]) -> Iterable[Item]:
    found = [event for event in events if event.category == "git-activity"]
    return [_item(event, event.command or event.title or event.body) for event in found[:4]]


def _subagents(events: Sequence[Event]) -> Iterable[Item]:
    kinds = ("subagent-start", "subagent-finish")
    found = [event for event in events if event.category in kinds]
    return [_item(event, event.title or event.body or event.command) for event in found[:4]]


_PLANS = (
    _Plan(name="request", title="Last Request", share=0.25, find=_last_request),
    _Plan(name="goal", title="Goal", share=0.2, find=_goal),
    _Plan(name="tasks", title="Open Tasks", share=0.25, find=lambda _: ()),
    _Plan(name="errors", title="Unresolved Errors", share=0.2, find=_errors),
    _Plan(name="changes", title="Files Changed", share=0.25, find=_changes),
    _Plan(name="files", title="Files Read", share=0.12, find=_files),
    _Plan(name="git", title="Git", share=0.1, find=_git),
    _Plan(name="subagents", title="Subagents", share=0.1, find=_subagents),
)
