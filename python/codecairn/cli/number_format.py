"""Formats numbers for people: amounts, sizes, durations, prices."""

_UNITS = ("kB", "MB", "GB", "TB")
_NS = 1_000_000_000


def amount(count: int, noun: str, plural: str = "") -> str:
    """`1 file`, `2,000 files`; `plural` where it does not end in a plain `s`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {plural or noun + 's'}"


def dollars(usd: float) -> str:
    """`$0.0123`, `$12.50`, `under $0.0001`, `nothing`."""
    if usd <= 0:
        return "nothing"
    if usd < 0.0001:
        return "under $0.0001"
    return f"${usd:.4f}" if usd < 1 else f"${usd:,.2f}"


def size(size_bytes: int) -> str:
    """`512 bytes`, `1.5 kB`, `31.5 MB` (powers of 1,000)."""
    if size_bytes < 1000:
        return amount(size_bytes, "byte")
    scaled = float(size_bytes)
    for unit in _UNITS:
        scaled /= 1000
        if scaled < 999.95:
            return f"{scaled:.1f} {unit}"
    return f"{scaled:,.1f} {_UNITS[-1]}"


def ago(then_ns: int, *, now_ns: int) -> str:
    """`just now`, `5 minutes ago`, `3 days ago`."""
    seconds = max(0, now_ns - then_ns) // _NS
    for length, noun in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= length:
            return f"{amount(seconds // length, noun)} ago"
    return "just now"


def duration(seconds: float) -> str:
    """`under a second`, `12 seconds`, `3 minutes`, `2.5 hours`."""
    if seconds < 1:
        return "under a second"
    if seconds < 90:
        return amount(round(seconds), "second")
    if seconds < 5400:
        return amount(round(seconds / 60), "minute")
    return f"{seconds / 3600:,.1f} hours"
