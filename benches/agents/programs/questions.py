"""Questions about a repository, each with the places that an answer needs: a list in a JSON file.

    [{"id": "tokens", "question": "Who checks the signature of a token?",
      "needed": [{"path": "shop/tokens.py", "lines": [4, 10], "at_least": 1}],
      "answer_key": ["verify_token", "compares .* with sign"]}]

`lines` are the first and the last line, counted from 1. `at_least` is how many of them an agent must have seen; 1 if it is left
out. `answer_key` are words or patterns of a right answer, for the grader; it may be left out.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from codecairn.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """Lines that an answer rests on, 1-based and inclusive."""

    path: str
    first: int
    last: int
    at_least: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question, with everything that it needs."""

    id: str
    text: str
    needed: tuple[Needed, ...]
    answer_key: tuple[str, ...] = ()


def load(file: Path) -> list[Question]:
    """The questions of a file.

    Raises:
        UsageError: If it is missing or is no such list; the message names the entry.
    """
    hint = "its format is described at the top of `benches/agents/programs/questions.py`"
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"`{file}` cannot be read: {error.strerror}", hint=hint) from error
    except ValueError as error:
        raise UsageError(f"`{file}` is no JSON: {error}", hint=hint) from error
    if not isinstance(rows, list) or not rows:
        raise UsageError(f"`{file}` is no list of questions", hint=hint)
    questions = []
    for number, row in enumerate(rows, start=1):
        try:
            questions.append(_question(row))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            wrong = f"`{file}`: question {number} is not as it should be: {error!r}"
            raise UsageError(wrong, hint=hint) from error
    if len({question.id for question in questions}) < len(questions):
        raise UsageError(f"`{file}`: two questions have the same `id`", hint=hint)
    return questions


def _question(row: Mapping[str, object]) -> Question:
    needed, key = row["needed"], row.get("answer_key", [])
    name, text = row["id"], row["question"]
    if not isinstance(needed, list) or not needed or not isinstance(key, list):
        raise ValueError("`needed` and `answer_key` are lists, and `needed` has an entry")
    if not isinstance(name, str) or not isinstance(text, str) or not text.strip():
        raise ValueError("`id` and `question` are texts")
    if not name or set(name) - _NAME:
        raise ValueError("`id` has letters, digits, `-` and `_` alone: files are named by it")
    return Question(
        id=name,
        text=text,
        needed=tuple(map(_needed, needed)),
        answer_key=tuple(map(str, key)),
    )


_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def _needed(row: Mapping[str, object]) -> Needed:
    lines, at_least = row["lines"], row.get("at_least", 1)
    if not isinstance(lines, list) or [type(line) for line in lines] != [int, int]:
        raise ValueError("`lines` are two numbers")
    if not isinstance(at_least, int):
        raise TypeError("`at_least` is a number")
    first, last = lines
    if not 1 <= first <= last or not 1 <= at_least <= last - first + 1:
        raise ValueError("`lines` or `at_least` is out of range")
    return Needed(path=str(row["path"]), first=first, last=last, at_least=at_least)


def needed_texts(questions: list[Question], tree: Path) -> dict[Needed, list[str]]:
    """The needed lines as they are in the repository.

    Raises:
        UsageError: If a file is missing or ends before.
    """
    found = {}
    for question in questions:
        for needed in question.needed:
            file = tree / needed.path
            text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
            lines = text.splitlines()[needed.first - 1 : needed.last]
            if len(lines) <= needed.last - needed.first:
                raise UsageError(
                    f"`{question.id}` needs {needed.path}:{needed.first}-{needed.last}, which is not in `{tree}`",
                    hint="ask about the commit that the questions were written for",
                )
            found[needed] = lines
    return found
