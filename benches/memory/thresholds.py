"""From which likeness on two statements are the same, or speak of the same thing, for the built-in model.

python -m benches.memory.thresholds

`thresholds.json` holds pairs of statements by what they are to each other. The core asks for more than likeness
(numbers, negations, words that one side alone has), so a level need not part "same" from "value": both speak of one
thing. It must part them from "other".
"""

import json
import os
import tempfile
from pathlib import Path

from codecairn import Workspace

_PAIRS = Path(__file__).with_name("thresholds.json")


def cosines() -> dict[str, list[float]]:
    """How alike the statements of each pair are, by their sort, ascending."""
    pairs = json.loads(_PAIRS.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CODECAIRN_HOME"] = str(Path(folder) / "home")
        found: dict[str, list[float]] = {}
        number = 0
        for sort, of_sort in pairs.items():
            for left, right in of_sort:
                number += 1
                root = Path(folder) / f"w{number}"
                root.mkdir()
                settings = {"memory.path": str(root / "memory.db")}
                with Workspace.open(root, settings=settings) as workspace:
                    workspace.memory.add(left)
                    answers = workspace.memory.recall(right, kinds=["fact"])
                    found.setdefault(sort, []).append(answers[0].cosine if answers else 0.0)
    return {sort: sorted(values) for sort, values in found.items()}


def passing(values: list[float], level: float) -> float:
    """The share of the values that reach a level."""
    return sum(value >= level for value in values) / len(values)


def main() -> None:
    """Print the spread of each sort, and what each level lets pass."""
    found = cosines()
    for sort, values in found.items():
        middle = values[len(values) // 2]
        print(
            f"{sort:<9} {len(values):>3} pairs: least {values[0]:.2f}, "
            f"tenth {values[len(values) // 10]:.2f}, middle {middle:.2f}, most {values[-1]:.2f}"
        )
    print("level  " + "  ".join(f"{sort:>8}" for sort in found))
    for step in range(30, 100, 5):
        level = step / 100
        shares = "  ".join(f"{passing(values, level):>8.2f}" for values in found.values())
        print(f"{level:.2f}   {shares}")


if __name__ == "__main__":
    main()
