"""Records events by hand as hooks do: for programs without hooks, and for clients of other memories."""

import dataclasses

from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.types.memory import Recorded
from codecairn.memory.memory import Memory

MIN_BYTES = 256
"""An output is never made shorter than this."""

WHOLE_BYTES = 16 << 20
"""What is kept of an output that is not to be made short."""

SESSION_END = "session-end"
"""The hook that ends a session."""


def record_event(
    memory: Memory,
    session: str,
    body: str,
    *,
    max_bytes: int | None = None,
    **fields: object,
) -> Recorded:
    """Record what happened, as `Memory.record`; `max_bytes` are kept of a tool's output instead of what the settings say.

    Raises:
        UsageError: If a field is unknown or has a wrong value.
    """
    known = {name: value for name, value in fields.items() if value not in (None, "", ())}
    if max_bytes is None:
        return memory.record(session, body, **known)
    options = dataclasses.replace(memory.engine().options, compact_bytes=max(max_bytes, MIN_BYTES))
    engine = MemoryEngine(options)
    try:
        return engine.record({"session": session, "body": body, "is_here": True, **known})
    finally:
        engine.close()


def end_session(memory: Memory, session: str, *, origin: str = "user") -> Recorded:
    """Record that a session ended.

    Raises:
        UsageError: If there is no such session.
    """
    memory.session(session)
    return memory.record(
        session, hook=SESSION_END, role="system", origin=origin, title="session ended"
    )
