"""Summarises a session in four sections without a model: examined, learned, done, next."""

import re
from collections.abc import Iterable, Mapping, Sequence

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import Event
from codecairn.memory.extract.event_window import is_own
from codecairn.memory.extract.salient_lines import gist, is_bare, lines_of

MAX_ENTRIES = 8
_HELD = 5
_MAX_CHARS = 200

_LEARNED = re.compile(
    r"\b(?:learn(?:ed|t)|root cause|turns out|insight|because of|the (?:problem|reason|issue) (?:was|is)|caused by)\b"
    r"|结论|发现|原因|原来",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|fixed|implemented|added|removed|renamed|refactored|completed|finished|works now|passes|released)\b"
    r"|完成|修复|实现|已添加|已删除",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(?:todo|next(?: step)?s?\b|follow[- ]up|remains? to|still (?:need|have) to|left to do|later we)\b"
    r"|下一步|待办|接下来|还需要",
    re.IGNORECASE,
)
_LOOKED = frozenset({"file-read", "file-search", "discovery", "integration-call"})
_CHANGED = frozenset({"file-write", "file-edit"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """A summary."""

    title: str
    investigated: tuple[str, ...]
    learned: tuple[str, ...]
    completed: tuple[str, ...]
    next_steps: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether it is empty."""
        return not (self.investigated or self.learned or self.completed or self.next_steps)

    def text(self) -> str:
        """The summary as it is kept."""
        parts = [self.title] if self.title else []
        named: Mapping[str, Sequence[str]] = {
            "Investigated": self.investigated,
            "Learned": self.learned,
            "Completed": self.completed,
            "Next steps": self.next_steps,
        }
        for name, entries in named.items():
            if entries:
                parts.append(f"{name}:\n" + "\n".join(f"- {entry}" for entry in entries))
        return "\n\n".join(parts)


def of_events(events: Sequence[Event]) -> Sections:
    """The summary of a session's events by rules; what a session ended with matters more than how it began."""
    spoken = [event for event in events if not is_own(event) and event.origin != "external"]
    prompts = [event for event in spoken if event.role == "user" and event.body.strip()]
    said = [event for event in spoken if event.role in {"user", "assistant"}]
    completed = _last(_completed(spoken, said))
    next_steps = _last(_lines(said, _NEXT))
    held = (line for line in _held(said) if line not in completed and line not in next_steps)
    return Sections(
        title=_short(prompts[0].title or prompts[0].body) if prompts else "",
        investigated=_last(_places(spoken, _LOOKED, "looked at")),
        learned=_last([*_lines(said, _LEARNED), *held]),
        completed=completed,
        next_steps=next_steps,
    )


def of_answer(rows: Iterable[Mapping[str, object]]) -> Sections | None:
    """The summary that a model gave: the first object with one of the sections in it; `None` if there is none."""
    for row in rows:
        sections = Sections(
            title=_short(str(row.get("title") or "")),
            investigated=_entries(row, "investigated", "investigation"),
            learned=_entries(row, "learned", "learnings"),
            completed=_entries(row, "completed", "completed_work", "done"),
            next_steps=_entries(row, "next_steps", "next", "todo"),
        )
        if not sections.is_empty:
            return sections
    return None


def _entries(row: Mapping[str, object], *names: str) -> tuple[str, ...]:
    given = next((row[name] for name in names if row.get(name)), ())
    lines = given.splitlines() if isinstance(given, str) else given
    if not isinstance(lines, list | tuple):
        return ()
    texts = (_short(re.sub(r"^[-*•\d.)\s]+", "", str(line))) for line in lines)
    return tuple(text for text in texts if text)[:MAX_ENTRIES]


def _completed(spoken: Sequence[Event], said: Sequence[Event]) -> list[str]:
    done = [event for event in spoken if event.category == "task-complete"]
    tasks = [_short(event.title or event.body) for event in done]
    changed = _places(spoken, _CHANGED, "changed")
    assistant = [event for event in said if event.role == "assistant"]
    found = [*changed, *tasks, *_lines(assistant, _DONE)]
    if not found and assistant:
        # The last answer of a session is better than nothing.
        found = [_short(line) for line in lines_of(assistant[-1].body)][:1]
    return found


def _held(said: Sequence[Event]) -> list[str]:
    """What the answers hold in names, commands and numbers: what a later session asks for."""
    answers = [event.body for event in said if event.role == "assistant"]
    return [_short(line) for line in gist(answers, most=_HELD)]


def _places(events: Sequence[Event], categories: frozenset[str], verb: str) -> list[str]:
    """Files, once each; one entry names up to five."""
    paths = list(dict.fromkeys(e.path for e in events if e.category in categories and e.path))
    return [f"{verb} {', '.join(paths[at : at + 5])}" for at in range(0, len(paths), 5)]


def _lines(events: Sequence[Event], pattern: re.Pattern[str]) -> list[str]:
    return [
        _short(line)
        for event in events
        for line in lines_of(event.body)
        if len(line) > 3 and not is_bare(line) and pattern.search(line)
    ]


def _last(entries: Iterable[str]) -> tuple[str, ...]:
    unique = list(dict.fromkeys(entry for entry in entries if entry))
    return tuple(unique[-MAX_ENTRIES:])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_CHARS else line[: _MAX_CHARS - 1].rstrip() + "…"
