"""Reads `pairs.jsonl`: an older and a newer statement of a project, in twelve languages, and whether both can hold.

`relation` is "contradicts", or "holds" where both can: another subject, another scope, a more precise statement, the same one
in other words, another attribute, or two of many ("reads CSV files", "reads Excel files"). `shape` names which.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).with_name("pairs.jsonl")

SPLITS = ("fit", "judge")
"""The parts: rules and weights are chosen on `fit`; `judge` is only counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two statements, the older one first."""

    language: str
    relation: str
    shape: str
    older: str
    newer: str

    @property
    def split(self) -> str:
        """The part of a pair, by the hash of its texts."""
        texts = f"{self.older}\n{self.newer}".encode()
        return SPLITS[hashlib.sha256(texts).digest()[0] % 2]

    @property
    def is_contradiction(self) -> bool:
        """Whether the newer statement ends the older one."""
        return self.relation == "contradicts"


def load(split: str) -> list[Pair]:
    """The pairs of one part."""
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    pairs = [Pair(**json.loads(line)) for line in lines]
    return [pair for pair in pairs if pair.split == split]
