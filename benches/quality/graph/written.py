"""Answers that were written down beforehand: by a compiler, by a run that was watched, or by a reader."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benches.quality.graph.places import Place

ANSWERS = "answers.jsonl"


class WrittenAnswers:
    """Answers of `answers.jsonl`.

    Each line is `{"path", "line", "column", "targets": [[path, line, column], ...]}`; without targets, what is called there lies
    outside the project.
    """

    def __init__(self, file: Path, *, version: str) -> None:
        self.version = version
        records = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        self._targets = dict(map(_read, records))

    def definitions(self, place: Place) -> list[Place] | None:
        """Where the name there is defined: empty if outside the project, None if nothing is known."""
        return self._targets.get(place)

    def types(self, place: Place) -> list[Place]:  # noqa: ARG002
        """Nothing: whoever writes answers writes constructors and types."""
        return []

    def is_declaration(self, place: Place) -> bool:  # noqa: ARG002
        """Never: what was written down are calls."""
        return False


def _read(record: Mapping[str, Any]) -> tuple[Place, list[Place]]:
    place = Place(path=record["path"], line=record["line"], column=record["column"])
    targets = {Place(path=each[0], line=each[1], column=each[2]) for each in record["targets"]}
    return place, sorted(targets)
