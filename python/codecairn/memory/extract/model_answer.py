"""Parses a model's response to statements that are complete, of a known type, and based on events that the model was shown."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import FACT_TYPES
from codecairn.llm.chain import Unreadable
from codecairn.memory.extract.tolerant_json import Cut, values_in

MAX_TEXT_CHARS = 2000
MIN_TEXT_CHARS = 12

MIN_CONFIDENCE = 0.6
"""What a model itself holds less likely to matter is not kept: of 79 such statements of the projects in
`benches/memory/sessions` to fit with, one was worth it."""

DEFAULT_TYPE = "learned-pattern"
"""What a statement without a type, or of an unknown one, is taken for."""

_NOT_FROM_MODELS = frozenset({"conversation", "file-activity", "session-summary"})
_ALIASES = {
    "bug": "error-solution",
    "bugfix": "error-solution",
    "bug-fix": "error-solution",
    "error": "error-solution",
    "fix": "error-solution",
    "config": "project-config",
    "configuration": "project-config",
    "constraint": "rule",
    "convention": "rule",
    "context": "active-context",
    "fact": "note",
    "learning": "learned-pattern",
    "pattern": "architecture-pattern",
    "todo": "task",
    "next-step": "task",
    "tech-stack": "tech-context",
    "technology": "tech-context",
    "brief": "project-brief",
    "product": "product-context",
    "user-preference": "preference",
}
_TEXT_NAMES = ("text", "memory", "fact", "content", "statement", "value")
_NOTHING = re.compile(
    r"\W*(?:no(?:thing| new| relevant| significant| durable)?\b.{0,60}(?:facts?|memor\w+|to (?:remember|extract)|found|information)"
    r"|none|n/?a|null|\[?redacted\]?)\W*",
    re.IGNORECASE,
)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_EVENT = re.compile(r"E?(\d{1,15})", re.IGNORECASE)
_CODE = re.compile(
    r"`([^`\n]{2,80})`|((?:[A-Za-z0-9_.-]+/)+[A-Za-z0-9_.-]*[A-Za-z0-9_-])"
    r"|(?<![A-Za-z0-9_])([A-Za-z0-9]+_[A-Za-z0-9_]+|[a-z]+[A-Z][A-Za-z0-9]*|\d[\d.:]*\d)(?![A-Za-z0-9_])"
)
"""Code, paths, identifiers and numbers, also between letters of a script without spaces."""
_WORD = re.compile(r"[^\W\d_][\w'-]+")
_SENTENCE_ENDS = ".!?:…;"
_MIN_SHARED_LETTERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement that a model drew from events.

    Attributes:
        text: The statement.
        type: One of `FACT_TYPES`.
        subject: What it is about; with `predicate`, where one thing has one value at a time.
        predicate: See `subject`.
        confidence: How sure the model is, from 0 to 1.
        sources: Numbers of the events it rests on.
        file: The repository's file that it was read from, by name; empty for any other source.
    """

    text: str
    type: str
    subject: str = ""
    predicate: str = ""
    confidence: float = 0.7
    sources: tuple[int, ...] = ()
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an answer holds: statements, and how many more were dropped as no statements, or as made up."""

    statements: tuple[Statement, ...]
    dropped: int


def statements_in(reply: str, *, shown: str, events: Sequence[int]) -> Answer:
    """The statements of a model's reply. `shown` is what the model saw, `events` the events in it.

    Raises:
        Unreadable: If there is neither a statement nor an empty list.
    """
    values = _values(reply)
    found = list(_items(values))
    is_empty_list = any(_is_empty(value) for value in values)
    if not found and not is_empty_list:
        raise Unreadable("no statements and no empty list in " + repr(reply[:80]))
    known = frozenset(events)
    kept: dict[tuple[str, str], Statement] = {}
    for item in found:
        statement = _statement(item, known)
        if (
            statement is not None
            and statement.confidence >= MIN_CONFIDENCE
            and is_grounded(statement.text, shown)
        ):
            kept.setdefault((statement.type, statement.text.casefold()), statement)
    return Answer(statements=tuple(kept.values()), dropped=len(found) - len(kept))


def is_grounded(text: str, shown: str) -> bool:
    """Whether at least half of a statement's code, numbers, paths and names occur in what the model was shown.

    A name is a word with a capital letter inside of a sentence; two thirds of its letters have to occur, so that it may be
    inflected.
    """
    lower = shown.casefold()
    code = {next(filter(None, groups)) for groups in _CODE.findall(text)}
    names = set(_names(text)) - code
    missing = sum(each.casefold() not in lower for each in code)
    missing += sum(_stem(each) not in lower for each in names)
    return missing * 2 <= len(code) + len(names)


def _names(text: str) -> Iterator[str]:
    for word in _WORD.finditer(text):
        before = text[: word.start()].rstrip(" \"'«„“(")
        if word[0][0].isupper() and before and before[-1] not in _SENTENCE_ENDS:
            yield word[0]


def _stem(name: str) -> str:
    return name.casefold()[: max(_MIN_SHARED_LETTERS, len(name) * 2 // 3)]


def objects_in(reply: str, *, with_cut: bool = False) -> list[Mapping[str, object]]:
    """All objects of a reply, the outer before the inner; those that were cut off only `with_cut`."""
    return list(_objects(_values(reply), with_cut=with_cut))


def says_nothing(reply: str) -> bool:
    """Whether a reply is an empty list, or an object with one."""
    return any(_is_empty(value) for value in _values(reply))


def _values(reply: str) -> list[object]:
    """What a reply holds, apart from what the model only thought."""
    return values_in(_THOUGHTS.sub("", reply))


def _objects(values: Iterable[object], *, with_cut: bool) -> Iterator[Mapping[str, object]]:
    for value in values:
        is_cut = isinstance(value, Cut)
        parts = value.parts if isinstance(value, Cut) else value
        if isinstance(parts, dict):
            if with_cut or not is_cut:
                yield parts
            yield from _objects(parts.values(), with_cut=with_cut)
        elif isinstance(parts, list):
            yield from _objects(parts, with_cut=with_cut)


def _items(values: Iterable[object]) -> Iterator[Mapping[str, object] | str]:
    for value in values:
        is_cut = isinstance(value, Cut)
        parts = value.parts if isinstance(value, Cut) else value
        if isinstance(parts, dict) and not is_cut and _text_of(parts) is not None:
            yield parts
        elif isinstance(parts, dict):
            yield from _items(
                part for part in parts.values() if isinstance(part, list | dict | Cut)
            )
        elif isinstance(parts, list):
            if parts and all(isinstance(part, str) for part in parts):
                yield from (part for part in parts if isinstance(part, str))
            else:
                yield from _items(parts)


def _is_empty(value: object) -> bool:
    if isinstance(value, dict):
        return any(_is_empty(part) for part in value.values())
    return value == []


def _text_of(item: Mapping[str, object]) -> str | None:
    for name in _TEXT_NAMES:
        value = item.get(name)
        if isinstance(value, str):
            return value
    return None


def _statement(item: Mapping[str, object] | str, known: frozenset[int]) -> Statement | None:
    row: Mapping[str, object] = {"text": item} if isinstance(item, str) else item
    text = " ".join((_text_of(row) or "").split())
    if len(text) < _least(text) or _NOTHING.fullmatch(text):
        return None
    sources = [number for number in _events(row) if number in known]
    return Statement(
        text=text[:MAX_TEXT_CHARS],
        type=_type(row.get("type") or row.get("category") or row.get("kind")),
        subject=_words(row.get("subject")),
        predicate=_words(row.get("predicate")),
        confidence=_confidence(row.get("confidence")),
        sources=tuple(sorted(set(sources))),
    )


def _least(text: str) -> int:
    """Scripts without spaces say as much in a third of the characters."""
    return MIN_TEXT_CHARS if text.isascii() else MIN_TEXT_CHARS // 3


def _type(value: object) -> str:
    name = "-".join(str(value or "").lower().replace("_", " ").split())
    name = _ALIASES.get(name, name)
    return name if name in FACT_TYPES and name not in _NOT_FROM_MODELS else DEFAULT_TYPE


def _words(value: object) -> str:
    return " ".join(value.split())[:120] if isinstance(value, str) else ""


def _confidence(value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return min(0.95, max(0.1, float(value))) if is_number else 0.7  # type: ignore[arg-type]


def _events(row: Mapping[str, object]) -> Iterator[int]:
    given = row.get("events") or row.get("sources") or row.get("source") or []
    for each in given if isinstance(given, list) else [given]:
        match = _EVENT.fullmatch(str(each).strip())
        if match:
            yield int(match[1])
