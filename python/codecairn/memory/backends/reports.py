"""Reports of backends: what a run did, and how each fares."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """An event that was given up until a person decides.

    Attributes:
        number: What `retry` and `drop` take.
        item: The event's id.
        reason: Why it failed last.
        failures: How often.
    """

    number: int
    item: str
    reason: str
    failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendStatus:
    """How a backend fares, for one project.

    Attributes:
        name: `graphiti` or `redis`.
        address: Its address; empty if the settings name none, and nothing is sent.
        group: Where in it the project's events are.
        state: `off`, `idle` (nothing waits), `behind` (something waits), or `failing`.
        unread: Events that were not looked at yet.
        waiting: Events to be sent.
        sent: Events that were sent and not read back yet.
        stored: Events that were read back.
        removing: Purged events that are to be removed there.
        dead: Events that were given up.
        stored_ms: When something was last read back, in milliseconds since the epoch; 0 for never.
        due_ms: When it is tried again; 0 for at once.
        error: Why it fails.
        dead_letters: The first of those that were given up.
    """

    name: str
    address: str = ""
    group: str = ""
    state: str = "off"
    unread: int = 0
    waiting: int = 0
    sent: int = 0
    stored: int = 0
    removing: int = 0
    dead: int = 0
    stored_ms: int = 0
    due_ms: int = 0
    error: str = ""
    dead_letters: tuple[DeadLetter, ...] = ()


@dataclass(slots=True, kw_only=True)
class DrainReport:
    """What a run sent to a backend, and what became of it.

    Attributes:
        name: The backend.
        taken: Events that were taken from the log.
        sent: How often one was sent.
        stored: Events that were read back.
        removed: Purged events that are gone there.
        copies: Copies that were removed, of events that had been sent more than once.
        missing: Stored events that were no longer there, and are sent again.
        dead: Events that were given up.
        pulled: Events of the person's other machines that were taken over.
        left: Events that still wait.
        is_busy: Whether another process does the same, so that nothing was done.
        obstacle: Why something is left; empty if nothing is.
    """

    name: str
    taken: int = 0
    sent: int = 0
    stored: int = 0
    removed: int = 0
    copies: int = 0
    missing: int = 0
    dead: int = 0
    pulled: int = 0
    left: int = 0
    is_busy: bool = False
    obstacle: str = ""
