"""From which likeness on two statements are the same, or speak of the same thing, for the built-in model.

python -m benches.memory.thresholds [OUT.json]

`thresholds.json` holds pairs of statements by what they are to each other. The core asks for more than likeness
(numbers, negations, words that one side alone has), so a level need not part "same" from "value": both speak of one
thing. It must part them from "other".
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from benches.results import Figure, Results, default_folder
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
    """Measure the spread of each sort, and print what each level lets pass."""
    found = cosines()
    results = Results("Likeness of statements")
    for sort, values in found.items():
        spread = {
            "least": values[0],
            "tenth": values[len(values) // 10],
            "middle": values[len(values) // 2],
            "most": values[-1],
        }
        note = f"{len(values)} pairs"
        results.add(
            Figure(measure=f"memory: likeness, {sort}, {name}", value=value, note=note)
            for name, value in spread.items()
        )
    print("level  " + "  ".join(f"{sort:>8}" for sort in found))
    for step in range(30, 100, 5):
        level = step / 100
        shares = "  ".join(f"{passing(values, level):>8.2f}" for values in found.values())
        print(f"{level:.2f}   {shares}")
    results.write(Path(sys.argv[1]) if sys.argv[1:] else default_folder() / "thresholds.json")


if __name__ == "__main__":
    main()
