"""What is to be delivered to another system, and how that fares."""

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """An event that a sink is to hold, or to hold no more.

    Attributes:
        number: Its number, in the order of the log.
        item: The event's id, `E12`.
        key: The name by which the sink is asked for it, `category:id`.
        place: Where in the sink it belongs.
        remote: The sink's own id; empty until it was seen there.
        state: waiting, sent, stored, settling, removing, dead or dropped.
        sends: How often it was sent.
        sent_ms: The last time, in milliseconds since the epoch.
        failures: How often it failed where others did not.
        due_ms: Not before this moment.
        error: Why it failed last.
        event: The event; `None` once it is purged.
        root_session: The first of the line of sessions that started the event's.
    """

    number: int
    item: str
    key: str
    place: str
    remote: str
    state: str
    sends: int
    sent_ms: int
    failures: int
    due_ms: int
    error: str
    event: Event | None
    root_session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxStatus:
    """How a sink fares.

    Attributes:
        unread: Events of the log that were not looked at yet.
        waiting: Rows to be sent.
        sent: Rows that were sent and not seen there yet.
        stored: Rows that were seen there.
        removing: Purged rows that are to be removed there.
        dead: Rows that were given up until a person decides.
        failures: Runs in a row that got nothing stored.
        due_ms: When to try again, in milliseconds since the epoch.
        stored_ms: When something was last seen to be stored; 0 for never.
        error: Why nothing was.
        processed_ms: The last moment of sending of what was sent once and stored, by place.
        identity: The project's identity; empty if it is not known.
        project: The project's name.
    """

    unread: int
    waiting: int
    sent: int
    stored: int
    removing: int
    dead: int
    failures: int
    due_ms: int
    stored_ms: int
    error: str
    processed_ms: tuple[tuple[str, int], ...]
    identity: str
    project: str
