"""Renders a session's events for a model: all of them, in order, numbered, in windows of bounded length."""

from collections.abc import Iterator, Sequence

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import Event
from codecairn.memory.timestamps import day

HOOKS = "codecairn."
"""How the hooks of our own records begin; a model never reads them."""

_TOOL_CHARS = 400
_SIGNALS = ("error", "fail", "exception", "panic", "traceback", "warning")
_SILENT_CATEGORIES = frozenset({"session-meta", "compaction", "permission", "file-search"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Events that one request carries.

    Attributes:
        events: All of them, also those that say nothing.
        text: What the model is shown.
        shown: Numbers of the events in it.
    """

    events: tuple[Event, ...]
    text: str
    shown: tuple[int, ...]

    @property
    def last(self) -> Event:
        """Up to where the log is read when this is done."""
        return self.events[-1]


def is_own(event: Event) -> bool:
    """Whether we recorded it ourselves."""
    return event.hook.startswith(HOOKS)


def windows(events: Sequence[Event], *, max_chars: int) -> Iterator[Window]:
    """The events in windows. An event that is too long alone is shortened in its middle; none is left out."""
    batch: list[Event] = []
    texts: dict[int, str] = {}
    size = 0
    for event in events:
        text = "" if is_own(event) else said(event, max_chars=max_chars - 200)
        if texts and size + len(text) > max_chars:
            yield _window(batch, texts)
            batch, texts, size = [], {}, 0
        batch.append(event)
        if text:
            texts[event.seq] = text
            size += len(text) + 1
    if batch:
        yield _window(batch, texts)


def halves(window: Window, *, max_chars: int) -> list[Window]:
    """The window in two, by what it shows; itself alone if it shows one event or none."""
    if len(window.shown) < 2:
        return [window]
    middle = window.shown[len(window.shown) // 2]
    first = [event for event in window.events if event.seq < middle]
    second = [event for event in window.events if event.seq >= middle]
    return [each for part in (first, second) for each in windows(part, max_chars=max_chars)]


def said(event: Event, *, max_chars: int) -> str:
    """The text of an event with its number and role; empty if it has none."""
    if event.category in _SILENT_CATEGORIES:
        return ""
    text = (
        _of_tool(event)
        if event.role == "tool"
        else "\n".join(filter(None, (event.title, event.body)))
    )
    if not text.strip():
        return ""
    who = "from outside, quoted" if event.origin == "external" else event.role
    return f"[E{event.seq} {day(event.ts_ms)} {who}]\n{shortened(text.strip(), max_chars)}"


def shortened(text: str, max_chars: int) -> str:
    """The text, without its middle if it is too long: how it begins, and more of how it ends."""
    if len(text) <= max_chars:
        return text
    mark = "\n[…]\n"
    room = max(0, max_chars - len(mark))
    return text[: room // 3] + mark + text[len(text) - (room - room // 3) :]


def _of_tool(event: Event) -> str:
    """A tool in a few lines: what it was asked, how it ended, what went wrong."""
    asked = " ".join(filter(None, (event.tool, event.command or event.path)))
    ended = "" if event.exit_code is None else f" → exit {event.exit_code}"
    lines = [f"{asked[:_TOOL_CHARS]}{ended}"]
    if event.exit_code or event.category == "error":
        signals = [line for line in event.body.splitlines() if _is_signal(line)]
        lines += signals[:3] or event.body.splitlines()[-2:]
    return shortened("\n".join(lines), _TOOL_CHARS) if asked or event.body else ""


def _is_signal(line: str) -> bool:
    lower = line.lower()
    return any(word in lower for word in _SIGNALS)


def _window(events: list[Event], texts: dict[int, str]) -> Window:
    return Window(events=tuple(events), text="\n".join(texts.values()), shown=tuple(texts))
