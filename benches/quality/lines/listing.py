"""The repositories of the benchmark, pinned, and the split that each is in."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

LIST = Path(__file__).with_name("repositories.json")

Split = Literal["fit", "choose", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A public repository at one revision; `split` is written down so that a reader sees it, and follows from the name."""

    name: str
    source: str
    revision: str
    languages: tuple[str, ...]
    split: Split

    @property
    def folder(self) -> str:
        """Its name as a folder's: `OWNER+NAME`."""
        return self.name.replace("/", "+")


def load(path: Path = LIST) -> list[Repository]:
    """The repositories, by name.

    Raises:
        ValueError: If a split is not the one that follows from the name.
    """
    found = [
        Repository(**{**row, "languages": tuple(row["languages"])})
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]
    for each in found:
        if each.split != split_of(each.name):
            raise ValueError(f"{each.name} belongs to {split_of(each.name)}")
    return sorted(found, key=lambda each: each.name)


def split_of(name: str) -> Split:
    """The split by a hash of the name: about 50 % to fit with, 20 % to choose with, 30 % to judge with."""
    at = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % 100
    if at < 50:
        return "fit"
    return "choose" if at < 70 else "judge"
