"""Facts, events and hits for tests that need no memory and no index."""

from dataclasses import replace

from codecairn.core.types.hits import Hit
from codecairn.core.types.memory import Event, Fact, Recalled


def made_fact(number: int, text: str, type_: str = "decision", **fields: object) -> Fact:
    """A live fact of a person, with other `fields`."""
    fact = Fact(
        id=f"f{number:010}",
        version=1,
        project="shop",
        scope="project",
        type=type_,
        title="",
        text=text,
        tags=(),
        subject="",
        predicate="",
        origin="user",
        maker="rule",
        confidence=0.9,
        is_pinned=False,
        is_private=False,
        state="live",
        branch="",
        commit="",
        valid_from_ms=number,
        invalid_at_ms=None,
        superseded_by=None,
        recorded_ms=number,
        retracted_ms=None,
        expires_ms=None,
        reason="",
        sources=(),
        meta={},
    )
    return replace(fact, **fields)  # type: ignore[arg-type]


def made_event(
    seq: int, body: str, *, role: str = "user", category: str = "prompt", **fields: object
) -> Event:
    """An event of the log, with other `fields`."""
    event = Event(
        seq=seq,
        key=f"k{seq}",
        project="shop",
        session="s",
        ts_ms=seq,
        hook="",
        category=category,
        priority=1,
        role=role,
        title="",
        body=body,
        tool="",
        command="",
        path="",
        exit_code=None,
        tags=(),
        branch="",
        commit="",
        is_private=False,
        origin=role if role == "user" else "tool",
        raw_bytes=0,
        redactions=0,
        meta={},
    )
    return replace(event, **fields)  # type: ignore[arg-type]


def made_hit(text: str, **fields: object) -> Hit:
    """A function in `a.py` from line 10."""
    hit = Hit(
        path="a.py",
        start_line=10,
        end_line=10 + text.count("\n"),
        kind="function",
        name="f",
        language="python",
        score=1.0,
        text=text,
        context_start_line=10,
    )
    return replace(hit, **fields)  # type: ignore[arg-type]


def recalled(found: Fact | Event, **fields: object) -> Recalled:
    """A fact or an event as recall returns it."""
    fact, event = (found, None) if isinstance(found, Fact) else (None, found)
    result = Recalled(
        id=found.id,
        score=1.0,
        lexical=1.0,
        cosine=0.0,
        evidence=1.0,
        known=1.0,
        named=1.0,
        covered=1.0,
        signals={},
        fact=fact,
        event=event,
    )
    return replace(result, **fields)  # type: ignore[arg-type]
