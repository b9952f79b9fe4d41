"""Questions written by people who have read the code and have not searched it.

Those of `by_hand.json` use the words that come to mind, those of `paraphrased.json` other words than the code wherever that is
natural.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from benches.quality.lines.questions import Question, Set, Target

HAND_SETS: tuple[Set, ...] = ("by_hand", "paraphrased")


def hand_questions(folder: str, which: Set) -> list[Question]:
    """The questions of a set about one repository, `OWNER+NAME`."""
    rows = _rows(which).get(folder, [])
    return [
        Question(
            id=f"{which}/{folder}/{number}",
            query=row["query"],
            form=row["language"],
            targets=tuple(
                Target(
                    path=target["path"],
                    ranges=tuple((first, last) for first, last in target["ranges"]),
                    at_least=target["at_least"],
                )
                for target in row["targets"]
            ),
        )
        for number, row in enumerate(rows)
    ]


@cache
def _rows(which: Set) -> dict[str, list[dict[str, Any]]]:
    file = Path(__file__).parent / f"{which}.json"
    found: dict[str, list[dict[str, Any]]] = json.loads(file.read_text(encoding="utf-8"))
    return found
