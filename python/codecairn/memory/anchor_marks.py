"""What became of the code of memories, as results of a search show it."""

from collections.abc import Iterable

from codecairn.core.types.memory import AnchorStatus, Looked

_BECAME = {"changed": "changed since noted", "orphan": "is gone", "unchecked": "not checked"}
_MAX_SYMBOLS = 2
_MAX_LINES = 8


def what_became(status: AnchorStatus) -> str:
    """What became of the code that a statement speaks of, in words; empty if it is as it was."""
    marks = [
        f"{each.place} {_BECAME[each.state]}" for each in status.looked if each.state in _BECAME
    ]
    return ", ".join(marks[:_MAX_SYMBOLS])


def changed_lines(looked: Iterable[Looked]) -> list[str]:
    """The first changed lines of code, marked `-` and `+`; without a diff, which part of the code changed."""
    lines: list[str] = []
    for each in looked:
        if each.state == "changed":
            part = "signature" if each.is_signature_changed else "body"
            lines += each.diff or [f"{each.place}: its {part} changed"]
    return lines[:_MAX_LINES]
