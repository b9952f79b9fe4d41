"""The page about ranking names every feature of the models, and no other."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / "native" / "crates" / "search" / "weights"
PAGE = (ROOT / "docs" / "explanation" / "ranking.md").read_text(encoding="utf-8")


def _features(file: str) -> set[str]:
    names = json.loads((WEIGHTS / file).read_text(encoding="utf-8"))["features"]
    return {name for name in names if not name.startswith("file.")}


def _described(section: str) -> set[str]:
    rows = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return {name for row in re.findall(r"^\| `.*", rows, re.MULTILINE) for name in _names(row)}


def _names(row: str) -> list[str]:
    """What a row is about: its first cell, and what is named after `also`."""
    _, first, rest, _ = row.split("|")
    return re.findall(r"`(\w+)`", first + rest.partition("also ")[2])


def test_features_of_files_are_described() -> None:
    assert _described("Features of a file") == _features("ranker.json")


def test_features_of_chunks_are_described() -> None:
    assert _described("Features of a chunk") == _features("spans.json")
