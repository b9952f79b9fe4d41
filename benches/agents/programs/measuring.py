"""The runs of a measurement: planned, made and kept."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from benches.agents.programs.kept_runs import Run, fingerprint, keep, read
from benches.agents.programs.played import player, playing
from benches.agents.programs.program import Program
from benches.agents.programs.questions import Question
from benches.agents.programs.redaction import clean, clean_lines
from benches.agents.programs.running import Ended, run
from benches.agents.programs.sides import WITH, Sides
from codecairn.errors import UsageError
from codecairn.version import VERSION

ENDING = (
    "Name each place that the answer rests on as path:line or path:first-last, with the path from "
    "the root of this repository. Change nothing."
)
"""The end of every prompt, on both sides."""

MAX_FAILED = 3
"""So many failures in a row are a missing key or a wrong setting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """Everything that stays the same over the runs.

    Attributes:
        program: The agent's program.
        executable: Its absolute path.
        model: The model to use; empty for the default of the program.
        sides: Where the sides are made.
        repository: The repository that they are made from.
        timeout_s: How long a run may take.
        transcripts: Where runs are kept.
        again: Whether kept runs that did not end well are made again.
        played: The program whose model a script plays; empty for a real model.
    """

    program: Program
    executable: str
    model: str
    sides: Sides
    repository: Path
    timeout_s: float
    transcripts: Path
    again: bool = False
    played: str = ""
    _made: set[str] = field(default_factory=set)

    def all(self, planned: Sequence[Run]) -> Iterator[tuple[Run, Ended]]:
        """Each run, kept or made now.

        Raises:
            UsageError: If several that were made now failed one after the other.
        """
        failed = 0
        revision = revision_of(self.repository)
        for each in planned:
            words = self.program.arguments(prompt(each.question), self.model)
            ours = VERSION if each.side == WITH else ""
            asked = fingerprint(self.program.command, *words, revision, self.played, ours)
            ended = read(self.transcripts, each, asked, again=self.again)
            if ended is None:
                ended = self._ask(each)
                keep(self.transcripts, each, asked, ended)
                failed = failed + 1 if ended.exit_code else 0
            print(f"{each.name}: {_describe(ended)}", file=sys.stderr, flush=True)
            if failed == MAX_FAILED:
                raise UsageError(
                    f"{MAX_FAILED} runs in a row failed",
                    hint=f"see `{self.transcripts / each.name}.jsonl`; `--again` repeats them",
                )
            yield each, ended

    def _ask(self, each: Run) -> Ended:
        if each.side not in self._made:
            self.sides.make(each.side, self.repository)
            self._made.add(each.side)
        keys: Mapping[str, str] = self.sides.keys()
        model = self.model
        with self.sides.fresh(each.side) as place, ExitStack() as stack:
            how = player(self.played) if self.played else None
            url = ""
            if how is not None:
                url = stack.enter_context(playing(how, each.question, each.side)).url
                keys, model = how.environment(url), how.model
            self.program.prepare(place.home, keys)
            if how is not None:
                how.connect(place.home, url)
            words = self.program.arguments(prompt(each.question), model)
            environment = self.sides.environment(place) | {**self.program.environment, **keys}
            ended = run(
                [self.executable, *words],
                place.repository,
                environment,
                timeout_s=self.timeout_s,
            )
            output = "\n".join([ended.output, *_records(self.program, place.home)])
        secrets = keys.values()
        return replace(
            ended, output=clean_lines(output, secrets), errors=clean(ended.errors, secrets)
        )


def _describe(ended: Ended) -> str:
    """How a run ended, with its last words if that was not well."""
    if ended.exit_code is None:
        return f"its time was over after {ended.seconds:.0f} s"
    said = ended.errors.strip().splitlines()[-1:] if ended.exit_code else []
    return ": ".join([f"exit {ended.exit_code} after {ended.seconds:.1f} s", *said])[:300]


def prompt(question: Question) -> str:
    """The prompt of a question."""
    return f"{question.text}\n\n{ENDING}"


def plan(questions: Sequence[Question], sides: Sequence[str], repeat: int) -> list[Run]:
    """All runs: the sides of a question one after the other, and each as often first as the other."""
    return [
        Run(question=question, side=side, number=number)
        for number in range(1, repeat + 1)
        for place, question in enumerate(questions)
        for side in (sides if (place + number) % 2 else sides[::-1])
    ]


def _records(program: Program, home: Path) -> Iterator[str]:
    for file in sorted(home.glob(program.records)) if program.records else ():
        text = file.read_text(encoding="utf-8", errors="replace")
        yield from filter(program.takes, text.splitlines())


def revision_of(repository: Path) -> str:
    """The commit that is checked out; empty where git doesn't know the folder."""
    return _printed(["git", "rev-parse", "HEAD"], repository) if _is_git(repository) else ""


def files_of(repository: Path) -> frozenset[str]:
    """The paths of a repository's files."""
    if _is_git(repository):
        return frozenset(_printed(["git", "ls-files", "-z"], repository).split("\0")) - {""}
    files = (file for file in repository.rglob("*") if file.is_file())
    return frozenset(file.relative_to(repository).as_posix() for file in files)


def _is_git(repository: Path) -> bool:
    return (repository / ".git").exists()


def _printed(words: Sequence[str], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.strip()
