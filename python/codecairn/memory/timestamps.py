"""Parses and formats timestamps as people write them: a date, a time, or an age such as `2 weeks`."""

import re
from datetime import datetime, timezone

from codecairn.clock import SystemClock
from codecairn.errors import UsageError

_AGO = re.compile(
    r"(\d{1,5})\s*(m|min|h|hours?|d|days?|w|weeks?|months?|y|years?)(\s+ago)?", re.ASCII
)

_SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_536_000}
_MONTH_S = 2_592_000


def moment_ms(text: str, *, now_ms: int) -> int:
    """Milliseconds since 1970 for `2026-03-01`, `2026-03-01T12:00`, `3d`, `2 weeks ago`; local time without a zone.

    Raises:
        UsageError: If it is no such moment.
    """
    plain = text.strip()
    ago = _AGO.fullmatch(plain.lower())
    if ago is not None:
        unit = ago[2]
        seconds = _MONTH_S if unit.startswith("month") else _SECONDS[unit[0]]
        return max(0, now_ms - int(ago[1]) * seconds * 1000)
    try:
        moment = datetime.fromisoformat(plain.replace("Z", "+00:00"))
    except ValueError as err:
        hint = "write `2026-03-01`, `2026-03-01T12:00`, `3d` or `2 weeks ago`"
        raise UsageError(f"`{text}` is no moment in time", hint=hint) from err
    if moment.tzinfo is None:
        moment = moment.astimezone()
    return max(0, int(moment.timestamp() * 1000))


def written(ms: int) -> str:
    """A moment as it is shown: in the user's time zone, which is named, to the minute."""
    return _local(ms).strftime("%Y-%m-%d %H:%M %Z")


def day(ms: int) -> str:
    """The day of a moment in the user's time zone; `zone` names it, once for many days."""
    return _local(ms).strftime("%Y-%m-%d")


def zone(ms: int) -> str:
    """The name of the user's time zone at a moment."""
    return _local(ms).strftime("%Z")


def zone_now() -> str:
    """The name of the user's time zone."""
    return zone(SystemClock().now_ns() // 1_000_000)


def _local(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, tz=timezone.utc).astimezone()
