"""The benchmark's data: repositories, queries, and where the answers are.

A data folder holds `repos.json` (a list of `{name, language, root, checkout, …}`, paths relative to the folder of
checkouts) and `annotations/NAME.json` (a list of `{query, category, relevant, secondary}`; an answer is a path
relative to the checkout, or `{path, start_line, end_line}`).
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SHORTEST_WORD = 3
_SHORTEST_PREFIX = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One right answer: a file, or lines of it."""

    path: str
    start_line: int | None = None
    end_line: int | None = None

    def covers(self, path: str, start_line: int, end_line: int) -> bool:
        """Whether a result lies at this answer. One path may be the end of the other, as roots differ."""
        if not (
            path == self.path or path.endswith(f"/{self.path}") or self.path.endswith(f"/{path}")
        ):
            return False
        if self.start_line is None or self.end_line is None:
            return True
        return end_line >= self.start_line and start_line <= self.end_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One query and its right answers."""

    query: str
    category: str
    targets: tuple[Target, ...]

    @property
    def leaks(self) -> bool:
        """Whether a word of the query is, begins, or is begun by a word of an answer's path."""
        query_words = _words(self.query)
        path_words = {
            word
            for target in self.targets
            for word in _words(target.path.rpartition(".")[0] or target.path)
        }
        return any(_same_beginning(first, second) for first in query_words for second in path_words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """One repository: what to index, and what to ask."""

    name: str
    language: str
    root: Path
    questions: tuple[Question, ...]


def load(
    data: Path,
    checkouts: Path,
    *,
    names: frozenset[str] = frozenset(),
    leak_free: bool = False,
    whole_checkout: bool = False,
) -> Iterator[Repository]:
    """The repositories that are checked out, by name.

    Args:
        data: The folder with `repos.json` and `annotations/`.
        checkouts: The folder with one checkout for each repository.
        names: Only these repositories; all if empty.
        leak_free: Only questions that share no word with their answers' paths.
        whole_checkout: Index the checkout's top, not the folder that the benchmark names.
    """
    specifications = json.loads((data / "repos.json").read_text(encoding="utf-8"))
    for each in sorted(specifications, key=lambda each: str(each["name"])):
        root = checkouts / each["checkout" if whole_checkout else "root"]
        if (names and each["name"] not in names) or not root.is_dir():
            continue
        items = json.loads(
            (data / "annotations" / f"{each['name']}.json").read_text(encoding="utf-8")
        )
        questions = tuple(map(_question, items))
        if leak_free:
            questions = tuple(question for question in questions if not question.leaks)
        if questions:
            yield Repository(
                name=each["name"], language=each["language"], root=root, questions=questions
            )


def _question(item: Mapping[str, object]) -> Question:
    answers = [*_list(item.get("relevant")), *_list(item.get("secondary"))]
    query = str(item["query"])
    return Question(
        query=query,
        category=str(item.get("category") or _category(query)),
        targets=tuple(map(_target, answers)),
    )


def _target(answer: object) -> Target:
    if isinstance(answer, Mapping):
        return Target(
            path=str(answer["path"]),
            start_line=answer.get("start_line"),
            end_line=answer.get("end_line"),
        )
    return Target(path=str(answer))


def _category(query: str) -> str:
    if " " not in query.strip():
        return "symbol"
    return "architecture" if query.lower().startswith("how ") else "semantic"


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text) if len(word) >= _SHORTEST_WORD}


def _same_beginning(first: str, second: str) -> bool:
    if first == second:
        return True
    is_long = min(len(first), len(second)) >= _SHORTEST_PREFIX
    return is_long and (first.startswith(second) or second.startswith(first))
