"""Finds the known name that a misspelled one most probably means."""

from collections.abc import Iterable

MIN_SIMILARITY = 0.65
"""The least ratio of Ratcliff and Obershelp at which a name is suggested: `lst` for `list`, and `rum` for `run`."""


def nearest(given: str, known: Iterable[str]) -> str:
    """The known name that is most like the given one, the first of equals; empty if none is like it.

    The cost is quadratic in the length of the names.
    """
    import difflib

    by_lower = {name.lower(): name for name in reversed([*known])}
    matches = difflib.get_close_matches(given[:100].lower(), by_lower, n=1, cutoff=MIN_SIMILARITY)
    return by_lower[matches[0]] if matches else ""


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A hint that names the nearest; empty if none is like it."""
    meant = nearest(given, known)
    return f"did you mean `{meant}`?" if meant else ""
