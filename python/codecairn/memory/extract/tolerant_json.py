"""Parses JSON as language models write it: in fences, within prose, with trailing commas and comments, or truncated.

Parsing never fails. Complete values are kept and truncated ones dropped, as half a statement may mean the opposite. Text length,
depth and the number of start positions are bounded.
"""

import re
from typing import Any

from codecairn.core.light_dataclass import dataclass

MAX_CHARS = 400_000
"""The text after so many characters is ignored."""

_MAX_DEPTH = 60
_MAX_STARTS = 400
_MAX_STEPS = 4_000_000

_LITERALS = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
    "undefined": None,
    "NaN": None,
}
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[A-Za-z_$][\w$-]*")
_SPACE = re.compile(r"(?:[\s\ufeff\u200b]+|//[^\n]*|/\*.*?\*/|#[^\n]*)+", re.DOTALL)
_ESCAPES = {
    '"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "\n": "",
}  # fmt: skip
_CLOSERS = {"\u201c": "\u201d", "\u2018": "\u2019"}
_QUOTES = "\"'`\u201c\u2018"


@dataclass(frozen=True, slots=True)
class Cut:
    """A container that was cut off, with the parts of it that are complete."""

    parts: "list[object] | dict[str, object]"


class _NoValue(Exception):
    """Here is nothing that could be a value."""


class _TooMuch(Exception):
    """The text takes too many steps."""


def values_in(text: str) -> list[object]:
    """The arrays and objects of a text, in order, what is around them left out; a `Cut` for one that was cut off."""
    reader = _Reader(text[:MAX_CHARS])
    found: list[object] = []
    at = starts = 0
    while starts < _MAX_STARTS:
        places = [place for place in (reader.text.find(sign, at) for sign in "[{") if place >= 0]
        if not places:
            break
        at = min(places)
        starts += 1
        try:
            value, at = reader.value(at, 0)
        except _NoValue:
            at += 1
            continue
        except _TooMuch:
            break
        found.append(value)
    return found


class _Reader:
    """A reader of one text. Positions go in and come out; nothing else is remembered but the number of steps."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._steps = 0

    def value(self, at: int, depth: int) -> tuple[object, int]:
        """The value that begins here, and where it ends."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise _TooMuch
        sign = self.text[at : at + 1]
        if depth > _MAX_DEPTH or not sign:
            raise _NoValue
        if sign == "[":
            return self._array(at + 1, depth)
        if sign == "{":
            return self._object(at + 1, depth)
        if sign in _QUOTES:
            return self._string(at)
        return self._scalar(at)

    def _array(self, at: int, depth: int) -> tuple[object, int]:
        parts: list[object] = []
        while True:
            at = self._after_space(at, ",")
            if at >= len(self.text):
                return Cut(parts), at
            if self.text[at] == "]":
                return parts, at + 1
            try:
                value, at = self.value(at, depth + 1)
            except _NoValue:
                if self._is_at_end(at):
                    return Cut(parts), len(self.text)
                if not parts:
                    raise
                return Cut(parts), at
            if isinstance(value, Cut):
                return Cut([*parts, value]), at
            parts.append(value)

    def _object(self, at: int, depth: int) -> tuple[object, int]:
        parts: dict[str, object] = {}
        while True:
            at = self._after_space(at, ",;")
            if at >= len(self.text):
                return Cut(parts), at
            if self.text[at] == "}":
                return parts, at + 1
            try:
                name, at = self._name(at)
                value, at = self.value(self._past_colon(at), depth + 1)
            except _NoValue:
                if self._is_at_end(at):
                    return Cut(parts), len(self.text)
                if not parts:
                    raise
                return Cut(parts), at
            parts[name] = value
            if isinstance(value, Cut):
                return Cut(parts), at

    def _name(self, at: int) -> tuple[str, int]:
        if self.text[at] in _QUOTES:
            return self._string(at)
        match = _WORD.match(self.text, at)
        if match is None:
            raise _NoValue
        return match[0], match.end()

    def _past_colon(self, at: int) -> int:
        at = self._after_space(at, "")
        if self.text[at : at + 1] not in {":", "="}:
            raise _NoValue
        return self._after_space(at + 1, "")

    def _scalar(self, at: int) -> tuple[object, int]:
        match = _NUMBER.match(self.text, at)
        if match is not None:
            if self._is_at_end(match.end()):
                raise _NoValue  # more digits may have been to come
            number = float(match[0])
            is_whole = re.fullmatch(r"[-+]?\d{1,18}", match[0]) is not None
            return (int(match[0]) if is_whole else number), match.end()
        word = _WORD.match(self.text, at)
        if word is None or word[0] not in _LITERALS:
            raise _NoValue
        return _LITERALS[word[0]], word.end()

    def _string(self, at: int) -> tuple[str, int]:
        """A string, with real line ends in it if need be, and with unescaped quotes in it."""
        closer = _CLOSERS.get(self.text[at], self.text[at])
        parts: list[str] = []
        at += 1
        while at < len(self.text):
            self._steps += 1
            if self._steps > _MAX_STEPS:
                raise _TooMuch
            stop = self._next_of(at, closer)
            parts.append(self.text[at:stop])
            if stop >= len(self.text):
                break
            if self.text[stop] == "\\":
                part, at = self._escape(stop + 1)
                parts.append(part)
            elif self._closes(stop + 1):
                return _sound("".join(parts)), stop + 1
            else:
                parts.append(self.text[stop])
                at = stop + 1
        raise _NoValue

    def _next_of(self, at: int, closer: str) -> int:
        places = [
            place for place in (self.text.find(sign, at) for sign in (closer, "\\")) if place >= 0
        ]
        return min(places, default=len(self.text))

    def _closes(self, at: int) -> bool:
        """Whether a quote before this place ends its string: what follows must be able to follow a string."""
        at = self._after_space(at, "")
        return at >= len(self.text) or self.text[at] in ",:]}=;" or self.text.startswith("```", at)

    def _escape(self, at: int) -> tuple[str, int]:
        sign = self.text[at : at + 1]
        if sign == "u":
            digits = self.text[at + 1 : at + 5]
            if re.fullmatch(r"[0-9a-fA-F]{4}", digits):
                return chr(int(digits, 16)), at + 5
        return _ESCAPES.get(sign, "\\" + sign), at + 1

    def _after_space(self, at: int, also: str) -> int:
        while True:
            match = _SPACE.match(self.text, at)
            at = match.end() if match else at
            if also and self.text[at : at + 1] and self.text[at] in also:
                at += 1
            else:
                return at

    def _is_at_end(self, at: int) -> bool:
        """Whether nothing but a scalar, a name or a string that was cut off follows."""
        rest = self.text[at:]
        if not rest.strip():
            return True
        if rest[0] in _QUOTES:
            return True  # a string whose end was not found
        return (
            re.fullmatch(r"[\w$.+-]*\s*[:=]?\s*[\w$.+-]*\s*(?:[\"'].*)?", rest, re.DOTALL)
            is not None
        )


def _sound(text: str) -> str:
    """Halves of surrogate pairs joined, and lone ones replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def complete_parts(text: str) -> dict[str, Any]:
    """The first object of a text, with what is complete of parts that were cut off; empty if there is none."""
    for value in values_in(text):
        whole = _whole(value)
        if isinstance(whole, dict):
            return whole
    return {}


def _whole(value: object) -> Any:  # noqa: ANN401 - any JSON
    parts = value.parts if isinstance(value, Cut) else value
    if isinstance(parts, dict):
        return {name: _whole(part) for name, part in parts.items()}
    return [_whole(part) for part in parts] if isinstance(parts, list) else parts
