"""A real agent answers questions about a repository, with codecairn's tools and without them.

    python -m benches.agents.programs QUESTIONS.json WORKTREE --program claude|codex|opencode|gemini [--model NAME]
    python -m benches.agents.programs QUESTIONS.json WORKTREE [--host NAME] [--form NAME] -- COMMAND…

QUESTIONS is described in `questions.py`; WORKTREE is a checkout of the commit that they are about. Each run has a fresh home and a
fresh copy of the repository; on the side with codecairn, `codecairn install` and `codecairn index` ran there before. The program
may run commands in its copy, and reads what your account can read.

Scores are in `scoring.py`; the 95 % interval over questions is in brackets. Transcripts, without secrets, are kept
in a folder of mode 700, with `runs.json`, the answers and tool calls, and a sheet for blind grading
(`python -m benches.agents.programs.grading`). Runs that are there are not run again.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from benches.agents.programs.any_command import PROGRAMS, command_as_program
from benches.agents.programs.figures import all_figures
from benches.agents.programs.grading import write_sheet
from benches.agents.programs.kept_runs import private_folder, write
from benches.agents.programs.measuring import Measurement, files_of, plan
from benches.agents.programs.played import player
from benches.agents.programs.questions import load, needed_texts
from benches.agents.programs.running import find
from benches.agents.programs.scoring import scores
from benches.agents.programs.sides import WITH, WITHOUT, Sides, copy
from benches.results import Results
from codecairn.errors import UsageError

RUNS = "runs.json"
"""The answers and looks of all runs, beside their transcripts."""
_SEPARATOR = "--"


def main() -> None:
    """Ask, and write the figures."""
    parser = _parser()
    words = sys.argv[1:]
    at = words.index(_SEPARATOR) if _SEPARATOR in words else len(words)
    options = parser.parse_args(words[:at])
    command = words[at + 1 :]
    if bool(command) == bool(options.program):
        parser.error("name either `--program`, or a command after `--`")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _measure(options, command)
    except UsageError as error:
        parser.error(f"{error} ({error.hint})" if error.hint else str(error))
    except KeyboardInterrupt:
        parser.exit(130, "\ninterrupted; what has ended is kept, and the same command goes on\n")


def _measure(options: argparse.Namespace, command: list[str]) -> None:
    program = (
        PROGRAMS[options.program]
        if options.program
        else command_as_program(command, host=options.host, form=options.form)
    )
    label = options.program or Path(program.command).name
    if options.scripted:
        player(options.program)
    executable = find(program.command)
    questions = load(options.questions)[: options.first]
    name = f"{label}-scripted" if options.scripted else label
    transcripts = options.transcripts or Path("target", "agent-transcripts", name)
    with tempfile.TemporaryDirectory(prefix="codecairn-agent-") as made:
        folder = Path(made).resolve()
        repository = folder / "base"
        copy(options.worktree, repository)
        texts, files = needed_texts(questions, repository), files_of(repository)
        measurement = Measurement(
            program=program,
            executable=executable,
            model=options.model,
            sides=Sides(
                folder=folder,
                program=program,
                passed=tuple(options.variable),
                settings=options.settings,
            ),
            repository=repository,
            timeout_s=options.timeout,
            transcripts=transcripts,
            again=options.again,
            played=options.program if options.scripted else "",
        )
        values: dict[str, dict[str, list[dict[str, float]]]] = {
            side: defaultdict(list) for side in (WITH, WITHOUT)
        }
        scored, rows, answers = [], [], []
        private_folder(transcripts)
        for run, ended in measurement.all(plan(questions, _sides(options), options.repeat)):
            transcript = program.parse(ended.output)
            found = scores(run.question, ended, transcript, files, texts)
            values[run.side][run.question.id].append(found)
            answers.append((run, transcript.answer))
            which = {"question": run.question.id, "side": run.side, "number": run.number}
            scored.append(which | {"scores": found})
            rows.append(which | transcript.row())
    write(transcripts / RUNS, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    sheet = write_sheet(transcripts, answers)
    title = "Agents' programs" + (", with a model played by a script" if options.scripted else "")
    results = Results(f"{title}: {label}")
    results.add([*all_figures(values)])
    results.write(
        options.out or transcripts / "results.json",
        program=label,
        version=_version(executable),
        model=options.model or "the program's own choice",
        runs=scored,
    )
    print(f"for a grader: {sheet}")


def _sides(options: argparse.Namespace) -> list[str]:
    """The sides that are named; both if none is."""
    with_, without = bool(options.with_), options.without
    return [
        side
        for side, is_named in ((WITH, with_), (WITHOUT, without))
        if is_named or not (with_ or without)
    ]


def _version(executable: str) -> str:
    try:
        done = subprocess.run(
            [executable, "--version"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout.strip().splitlines() or [""])[0]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benches.agents.programs")
    add = parser.add_argument
    add("questions", type=Path)
    add("worktree", type=Path)
    add("--program", choices=PROGRAMS, help="an agent; its key is taken from the environment")
    add("--model", default="", help="default: the one that the program chooses")
    add("--with", dest="with_", choices=["codecairn"], help="only the side with it")
    add("--without", action="store_true", help="only the side without it; both are the default")
    add("--repeat", type=int, default=1, help="how often each question is asked")
    add("--first", type=int, help="only so many questions")
    add("--timeout", type=float, default=900.0, help="seconds of a run")
    add("--settings", type=Path, help="a folder that every fresh home begins with")
    add("--variable", action="append", default=[], help="a further variable for the program")
    add("--host", default="", help="`codecairn install` of a command")
    add("--form", choices=PROGRAMS, default="", help="whose transcript a command prints")
    add("--again", action="store_true", help="make kept runs again that did not end well")
    add("--scripted", action="store_true", help="a script plays the model, without a key")
    add("--out", type=Path, help="default: results.json beside the transcripts")
    add("--transcripts", type=Path, help="default: target/agent-transcripts/…")
    return parser


if __name__ == "__main__":
    main()
