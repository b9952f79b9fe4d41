"""Questions written by people who have read the code and have not searched it (`by_hand.json`)."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from benches.quality.lines.questions import Question, Target

_FILE = Path(__file__).parent / "by_hand.json"


def hand_questions(folder: str) -> list[Question]:
    """The questions about one repository, `OWNER+NAME`."""
    rows = _rows().get(folder, [])
    return [
        Question(
            id=f"by_hand/{folder}/{number}",
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
def _rows() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found
