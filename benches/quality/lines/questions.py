"""A question with the lines that answer it, and its form on disk: JSON Lines, the same bytes each time."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

SEED = 20_261_123

Set = Literal["descriptions", "documented", "commits", "messages", "by_hand", "paraphrased"]
SETS: tuple[Set, ...] = (
    "descriptions",
    "documented",
    "commits",
    "messages",
    "by_hand",
    "paraphrased",
)
"""`documented` asks the questions of `descriptions` about the tree with its doc comments."""
USUAL_SETS: tuple[Set, ...] = ("descriptions", "commits", "messages")
"""What figures are about and weights are fitted on, unless sets are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Lines of which at least some must be shown. Ranges are 1-based and inclusive, and don't overlap."""

    path: str
    ranges: tuple[tuple[int, int], ...]
    at_least: int = 1

    def covers(self, line: int) -> bool:
        """Whether a line is one of them."""
        return any(first <= line <= last for first, last in self.ranges)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query and its targets: one of them suffices.

    Attributes:
        id: `SET/OWNER+NAME/NUMBER`.
        query: What is asked.
        targets: The needed lines.
        form: How the query was changed, such as "cut"; empty if it is as it was found.
        revision: The commit whose tree is searched; empty for the tree of its set.
    """

    id: str
    query: str
    targets: tuple[Target, ...]
    form: str = ""
    revision: str = ""


def write(path: Path, questions: Iterable[Question]) -> None:
    """Write one question per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = (json.dumps(asdict(each), ensure_ascii=False, sort_keys=True) for each in questions)
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def read(path: Path) -> list[Question]:
    """What `write` has written."""
    rows = path.read_text(encoding="utf-8").split("\n")
    return [_question(json.loads(row)) for row in rows if row]


def ranges_of(lines: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Lines as ranges: neighbours are joined."""
    found: list[tuple[int, int]] = []
    for line in sorted(set(lines)):
        if found and found[-1][1] == line - 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return tuple(found)


def _question(row: dict[str, object]) -> Question:
    targets = row.pop("targets")
    assert isinstance(targets, list)
    return Question(
        **row,  # type: ignore[arg-type]
        targets=tuple(
            Target(
                path=target["path"],
                ranges=tuple((first, last) for first, last in target["ranges"]),
                at_least=target["at_least"],
            )
            for target in targets
        ),
    )
