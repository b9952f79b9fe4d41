"""Makes an episode of an event: plain lines, as opencode-graphiti writes them, cut to a limit and never dropped."""

from codecairn.core.types.memory import Event
from codecairn.core.types.outbox import OutboxRow
from codecairn.memory.backends.graphiti_client import Episode

_SUMMARY_CHARS = 200


def episode_of(row: OutboxRow, event: Event, *, group: str, max_bytes: int) -> Episode:
    """The episode of an outbox row.

    Its name is the row's key, by which it is found again in the graph. A text beyond `max_bytes` is cut, with a note of how
    much there was; the event's id leads to the rest.
    """
    lines = [
        ("Category", event.category),
        ("Role", event.role),
        ("Summary", _summary(event)),
        ("Command", event.command),
        ("File", event.path),
        ("Branch", event.branch),
        ("Session", row.root_session),
        ("Keywords", ", ".join(event.tags)),
        ("Detail", event.body),
    ]
    body = "\n".join(f"{name}: {text}" for name, text in lines if text)
    return Episode(
        name=row.key,
        body=cut(
            body, max_bytes, note=f"\n[cut; all of it is in the memory of codecairn, {row.item}]"
        ),
        group=group,
        description=f"codecairn session event: {event.category}",
        ts_ms=event.ts_ms,
    )


def cut(text: str, max_bytes: int, *, note: str) -> str:
    """The text, cut at a character so that it has at most `max_bytes` bytes of UTF-8 with the note that says so."""
    data = text.encode("utf-8", "replace")
    if len(data) <= max_bytes:
        return data.decode("utf-8")
    room = max(0, max_bytes - len(note.encode()))
    return data[:room].decode("utf-8", "ignore") + note


def _summary(event: Event) -> str:
    first = next((line.strip() for line in event.body.splitlines() if line.strip()), "")
    return (event.title or first)[:_SUMMARY_CHARS]
