"""Runs that are kept in a folder: a transcript and a record for each, which only their owner can read.

A run that is there is read instead of run again, so a measurement that was interrupted goes on, and one that was paid for can be
scored again.
"""

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from benches.agents.programs.questions import Question
from benches.agents.programs.running import Ended
from codecairn.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: a question on a side, for the first or another time."""

    question: Question
    side: str
    number: int

    @property
    def name(self) -> str:
        """The name of its files, without their endings."""
        return f"{self.question.id}.{self.side.split()[0]}.{self.number}"


def fingerprint(*parts: str) -> str:
    """A short hash of a run's command, revision and versions, so that no run of another measurement is reused."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def read(folder: Path, run: Run, asked: str, *, again: bool = False) -> Ended | None:
    """A kept run, if it is there; with `again` only one that ended well.

    Raises:
        UsageError: If it was asked with something else.
    """
    file = folder / f"{run.name}.json"
    if not file.exists():
        return None
    record = json.loads(file.read_text(encoding="utf-8"))
    if record["asked"] != asked:
        raise UsageError(
            f"`{file}` was asked with another question, command or model",
            hint="name another folder with `--transcripts`",
        )
    if again and record["exit_code"] != 0:
        return None
    text = (folder / f"{run.name}.jsonl").read_text(encoding="utf-8")
    return Ended(
        exit_code=record["exit_code"],
        seconds=record["seconds"],
        output=text,
        errors=record["errors"],
    )


def keep(folder: Path, run: Run, asked: str, ended: Ended) -> None:
    """Keep a run. The record is written last: without it the run counts as not there."""
    private_folder(folder)
    write(folder / f"{run.name}.jsonl", ended.output)
    record = {key: value for key, value in asdict(ended).items() if key != "output"}
    document = {"question": run.question.id, "side": run.side, "number": run.number}
    document |= {"asked": asked, **record}
    write(folder / f"{run.name}.json", json.dumps(document, ensure_ascii=False, indent=1))


def private_folder(folder: Path) -> None:
    """Make a folder that only its owner can read, unless it is there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def write(file: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    file.unlink(missing_ok=True)
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "w", encoding="utf-8") as writing:
        writing.write(text)
