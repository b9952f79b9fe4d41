"""Set A: the first sentence of a doc comment asks for the function that it documents."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.quality.lines.doc_comments import (
    blanked,
    description,
    doc_spans,
    docstring_text,
    first_sentence,
)
from benches.quality.lines.questions import SEED, Question, Target, ranges_of
from benches.quality.lines.syntax import Definition, Source, is_asked_about, language_of

COUNT = 40
PER_FILE = 4
_BODY_LINES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A function, its description, and the lines that show it."""

    query: str
    targets: tuple[Target, ...]


def ask_descriptions(
    folder: str, texts: Mapping[str, str], *, count: int = COUNT
) -> list[Question]:
    """At most `count` questions on the files of a repository, always the same ones."""
    candidates = [
        each
        for path, text in texts.items()
        if is_asked_about(path)
        for each in described(path, text)
    ]
    random.Random(f"{SEED}/descriptions/{folder}").shuffle(candidates)
    whole = "\n".join(f" {words_of(text)} " for text in texts.values())
    asked: Counter[str] = Counter()
    chosen: list[Question] = []
    for each in candidates:
        path = each.targets[0].path
        if len(chosen) == count:
            break
        if asked[path] < PER_FILE and whole.count(f" {words_of(each.query)} ") <= 1:
            asked[path] += 1
            number = f"descriptions/{folder}/{len(chosen)}"
            chosen.append(Question(id=number, query=each.query, targets=each.targets))
    return chosen


def described(path: str, text: str) -> Iterator[Described]:
    """The functions of a file whose doc comments describe them."""
    source = Source(text.encode(), language_of(path) or "")
    is_python = source.language == "python"
    spans = frozenset(doc_spans(source))
    rest = blanked(source.content, spans, is_python=is_python).decode("utf-8", "replace")
    for definition in source.definitions():
        comments = [source.text(span) for span in definition.docs if span in spans]
        if is_python:
            comments = [docstring_text(each) for each in comments]
        query = description(first_sentence(comments), definition.name)
        if query:
            yield Described(
                query=query, targets=_targets(path, source, definition, rest.split("\n"))
            )


def blank_tree(folder: Path, texts: Mapping[str, str]) -> None:
    """Blank the doc comments of all source files below a folder."""
    for path, text in texts.items():
        language = language_of(path)
        if language:
            source = Source(text.encode(), language)
            content = blanked(source.content, doc_spans(source), is_python=language == "python")
            (folder / path).write_bytes(content)


def words_of(text: str) -> str:
    """The words of a text in lower case, one blank between two: comment marks and line breaks don't matter."""
    return " ".join(re.findall(r"\w+", text.lower()))


def body_lines(lines: Sequence[str], first: int, last: int) -> list[int]:
    """The first five lines between two, these included, that have letters or digits and are no blanked docstring."""
    numbers = (at for at in range(first, last + 1) if re.search(r"\w", lines[at - 1]))
    return list(numbers)[:_BODY_LINES]


def _targets(
    path: str, source: Source, definition: Definition, lines: Sequence[str]
) -> tuple[Target, ...]:
    name = Target(path=path, ranges=((definition.line, definition.line),))
    start, end = definition.body
    first = source.line(start) + (source.content[start : start + 1] == b"{")
    body = body_lines(lines, first, source.line(end))
    if not body:
        return (name,)
    return (name, Target(path=path, ranges=ranges_of(body), at_least=(len(body) + 1) // 2))
