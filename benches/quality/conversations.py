"""Turn-level recall on LoCoMo: whether the analyzer and the built-in model are as good on prose as on code.

    python -m benches.quality.conversations LOCOMO10.json

Every turn of a conversation is a document ("speaker: text"), every question of the categories 1 to 4 with evidence is asked
as it is. Recall@10 is the share of a question's evidence among its first ten turns, averaged over questions. The data is
CC BY-NC 4.0 and not part of this project. The code's ranking weights know nothing of memory; they are shown next to plain
orders of the same evidence.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benches.quality.asking import Candidate, indexed, pool

TOP = 10
CATEGORIES = (1, 2, 3, 4)
_TURN = re.compile(r"D(\d+):(\d+)")

Values = Mapping[str, float]
ORDERS: dict[str, Callable[[Values], float]] = {
    "BM25": lambda of: of["body"],
    "vectors": lambda of: of["vector"],
    ".7 BM25 + .3 vectors": lambda of: 0.7 * of["body"] + 0.3 * of["vector"],
    ".5 BM25 + .5 vectors": lambda of: 0.5 * of["body"] + 0.5 * of["vector"],
}


def main() -> None:
    """Ask every conversation, and print recall by order."""
    parser = argparse.ArgumentParser(prog="python -m benches.quality.conversations")
    parser.add_argument("data", type=Path)
    parser.add_argument("--embedder", default="static")
    options = parser.parse_args()
    recalls: dict[str, list[float]] = {}
    for conversation in json.loads(options.data.read_text(encoding="utf-8")):
        with tempfile.TemporaryDirectory(prefix="codecairn-turns-") as folder:
            for order, values in ask(conversation, Path(folder), options.embedder).items():
                recalls.setdefault(order, []).extend(values)
    for order, values in recalls.items():
        print(f"{order:<24} {100 * sum(values) / len(values):.1f}  ({len(values)} questions)")


def ask(conversation: dict[str, Any], folder: Path, embedder: str) -> dict[str, list[float]]:
    """The recall of each question, by order."""
    turns = folder / "turns"
    turns.mkdir()
    for key, session in conversation["conversation"].items():
        if re.fullmatch(r"session_\d+", key):
            for turn in session:
                (turns / _file(turn["dia_id"])).write_text(_text(turn), encoding="utf-8")
    recalls: dict[str, list[float]] = {order: [] for order in ("as code is ranked", *ORDERS)}
    with indexed(turns, folder / "store", embedder) as engine:
        for question in conversation["qa"]:
            evidence = (_TURN.finditer(each) for each in question["evidence"])
            wanted = {_file(found[0]) for each in evidence for found in each}
            if question["category"] not in CATEGORIES or not wanted:
                continue
            candidates = pool(engine, question["question"], ranking="model")
            recalls["as code is ranked"].append(_recall(candidates, wanted))
            for order, score in ORDERS.items():
                ordered = sorted(candidates, key=lambda each: -score(each.features))
                recalls[order].append(_recall(ordered, wanted))
    return recalls


def _recall(ordered: Sequence[Candidate], wanted: set[str]) -> float:
    return len(wanted.intersection(each.path for each in ordered[:TOP])) / len(wanted)


def _file(turn: str) -> str:
    found = _TURN.fullmatch(turn)
    assert found, turn
    return f"{int(found[1]):03}-{int(found[2]):03}.txt"


def _text(turn: dict[str, Any]) -> str:
    picture = f" [image: {turn['blip_caption']}]" if "blip_caption" in turn else ""
    return f"{turn['speaker']}: {turn['text']}{picture}\n"


if __name__ == "__main__":
    main()
