"""Formats what people read: amounts, sizes, durations, prices, and characters that would steer or reorder a text."""

_UNITS = ("kB", "MB", "GB", "TB")
_NS = 1_000_000_000

_INVISIBLE = {
    **{code: f"\\x{code:02x}" for code in (*range(9), *range(10, 32), *range(127, 160))},
    **{code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))},
}

_INVISIBLE_IN_LINES = {code: shown for code, shown in _INVISIBLE.items() if code != 10}


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
    exponent = _exponent(size_bytes)
    return f"{size_bytes / 1000**exponent:,.1f} {_UNITS[exponent - 1]}"


def size_of(done_bytes: int, total_bytes: int) -> str:
    """`1.2 of 37.1 MB`: both in the unit of the whole, so that the first grows steadily."""
    if total_bytes < 1000:
        return f"{done_bytes:,} of {amount(total_bytes, 'byte')}"
    exponent = _exponent(total_bytes)
    return f"{done_bytes / 1000**exponent:,.1f} of {size(total_bytes)}"


def _exponent(size_bytes: int) -> int:
    """The power of 1,000 of the unit in which a size has at most three digits before the point, if there is one."""
    exponent = 1
    while exponent < len(_UNITS) and size_bytes / 1000**exponent >= 999.95:
        exponent += 1
    return exponent


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


def visible(text: str) -> str:
    """The text with control characters, and those that reorder text, written as escapes; tabs stay."""
    return text if text.isascii() and text.isprintable() else text.translate(_INVISIBLE)


def visible_lines(text: str) -> str:
    """As `visible`, but line feeds stay, too."""
    return text if text.isascii() and text.isprintable() else text.translate(_INVISIBLE_IN_LINES)
