"""The watermark of a session: how far it has been read, stored in the log itself.

A model's response to a stretch of the log is recorded as an event, the *receipt*, before it is processed. The receipt's key is
derived from the start of the stretch, so of two processes that read the same stretch one wins, and both continue with its
response. The facts are written after that, and finally a mark that they are. A process that dies in between leaves a receipt that
the next one processes: nothing is paid for twice, extracted twice or lost.

The watermark is the last event of the newest receipt, identified by the event's key, which survives export and import, and not by
its number, which does not.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from codecairn.core.light_dataclass import dataclass
from codecairn.core.memory_engine import redacted
from codecairn.core.types.memory import Event
from codecairn.memory.extract.event_window import HOOKS, is_own
from codecairn.memory.extract.model_answer import Statement

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

READ = f"{HOOKS}read"
SUMMARISED = f"{HOOKS}summarised"
CARRIED_OUT = f"{HOOKS}carried-out"

_PAGE = 500
_START = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of a stretch of the log.

    Attributes:
        run: What this receipt is called.
        hook: `READ` or `SUMMARISED`.
        begins: The key of the last event before the stretch, or `_START`; empty in a receipt of an older version.
        upto: The key of the stretch's last event.
        upto_ms: When that was, for a log from which it was purged.
        model: Who read it; empty where rules did.
        statements: What is to be kept.
        note: Why there are none, if a model declined.
        removals: How often something had been removed before this was read.
    """

    run: str
    hook: str
    begins: str
    upto: str
    upto_ms: int
    model: str
    statements: tuple[Statement, ...]
    note: str = ""
    removals: int = 0


class Removed(Exception):
    """A record was forgotten or purged while a session was read: the result is not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What has not been read yet.

    Attributes:
        events: In order, our own records among them left out.
        begins: What the key of its receipt is made from: the key of the last event before it.
        unfinished: The receipt before it, if it has not been carried out.
        removals: How often something had been removed before it was read.
    """

    events: tuple[Event, ...]
    begins: str
    unfinished: Receipt | None
    removals: int


def unread(memory: "Memory", session: str, hook: str) -> Stretch:
    """What has happened in a session since it was last read, or summarised."""
    found: list[Event] = []
    done: set[str] = set()
    receipt: Receipt | None = None
    before: int | None = None
    removals = memory.engine().removals()
    while True:
        page = memory.events(session=session, before=before, limit=_PAGE)
        for event in page:
            if event.hook == CARRIED_OUT:
                done.add(event.meta.get("run", ""))
            elif event.hook == hook and receipt is None:
                receipt = _receipt(event, removals)
            elif receipt is not None and event.key == receipt.upto:
                return _stretch(found, receipt, done, removals)
            elif not is_own(event):
                found.append(event)
        if len(page) < _PAGE:
            if receipt is not None:
                # Its last event was purged: what is older has been read all the same.
                found = [event for event in found if event.ts_ms > receipt.upto_ms]
            return _stretch(found, receipt, done, removals)
        before = page[-1].seq


def events_of(memory: "Memory", receipt: Receipt, session: str) -> list[int]:
    """The numbers of the events that a receipt is about; none if the log no longer has its beginning or its end."""
    found: list[int] = []
    before: int | None = None
    is_inside = False
    while True:
        page = memory.events(session=session, before=before, limit=_PAGE)
        for event in page:
            if event.key == receipt.begins:
                return found
            is_inside = is_inside or event.key == receipt.upto
            if is_inside:
                found.append(event.seq)
        if len(page) < _PAGE:
            return found if receipt.begins == _START else []
        before = page[-1].seq


def _stretch(found: list[Event], receipt: Receipt | None, done: set[str], removals: int) -> Stretch:
    unfinished = receipt if receipt is not None and receipt.run not in done else None
    begins = _START if receipt is None else receipt.upto
    return Stretch(
        events=tuple(reversed(found)), begins=begins, unfinished=unfinished, removals=removals
    )


def write(
    memory: "Memory",
    session: str,
    *,
    hook: str,
    begins: str,
    last: Event,
    statements: Sequence[Statement],
    model: str,
    removals: int,
    note: str = "",
) -> Receipt | None:
    """Record what became of a stretch; returns what is in the log then, which another process may have written.

    `None` if the memory can't be written now: the receipt waits, and nothing may be done before it is in the log.

    Raises:
        Removed: If something was forgotten or purged since the stretch was read.
    """
    meta = {
        "run": secrets.token_hex(8),
        "begins": begins,
        "upto": last.key,
        "upto_ms": str(last.ts_ms),
        "model": model,
        "note": redacted(note)[0],
    }
    for at, statement in enumerate(statements):
        meta |= {f"{at:03}.{name}": value for name, value in _written(statement).items()}
    recorded = memory.record(
        session,
        hook=hook,
        role="system",
        category="session-meta",
        origin="agent" if model else "tool",
        key=f"{hook}/{session}/{begins}",
        meta=meta,
        removals=removals,
    )
    if not recorded.is_kept:
        raise Removed
    for event in memory.events(session=session, limit=_PAGE):
        if event.hook == hook:
            receipt = _receipt(event, removals)
            return receipt if event.key.endswith(f"/{begins}") else None
    return None


def carried_out(memory: "Memory", session: str, receipt: Receipt) -> None:
    """Record that a receipt's statements are kept."""
    memory.record(
        session,
        hook=CARRIED_OUT,
        role="system",
        category="session-meta",
        origin="tool",
        key=f"{CARRIED_OUT}/{receipt.run}",
        meta={"run": receipt.run},
    )


def _written(statement: Statement) -> Mapping[str, str]:
    """A statement as texts; each passes privacy alone, so that half a tag in one does not hide the next."""
    return {
        "text": redacted(statement.text)[0],
        "type": statement.type,
        "subject": redacted(statement.subject)[0],
        "predicate": redacted(statement.predicate)[0],
        "confidence": f"{statement.confidence:.3f}",
        "sources": " ".join(map(str, statement.sources)),
    }


def _receipt(event: Event, removals: int) -> Receipt:
    meta = event.meta
    numbers = sorted(name[:3] for name in meta if name.endswith(".text"))
    return Receipt(
        run=meta.get("run", ""),
        hook=event.hook,
        begins=meta.get("begins", ""),
        upto=meta.get("upto", ""),
        upto_ms=int(meta.get("upto_ms") or 0),
        model=meta.get("model", ""),
        # A statement that was forgotten since has no text any more.
        statements=tuple(_statement(meta, at) for at in numbers if meta[f"{at}.text"]),
        note=meta.get("note", ""),
        removals=removals,
    )


def _statement(meta: Mapping[str, str], at: str) -> Statement:
    def part(name: str) -> str:
        return meta.get(f"{at}.{name}", "")

    sources = (each for each in part("sources").split() if each.isdigit())
    return Statement(
        text=part("text"),
        type=part("type") or "note",
        subject=part("subject"),
        predicate=part("predicate"),
        confidence=float(part("confidence") or 0.7),
        sources=tuple(map(int, sources)),
    )
