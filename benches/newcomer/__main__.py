"""The first hour of a newcomer, in a home folder with nothing in it: seconds, lines and mistakes of each step.

    python -m benches.newcomer wheel WHEEL --project DIR --ask "…" --out FILE
    python -m benches.newcomer source REPOSITORY [--commit COMMIT] --out FILE [--path FOLDER]

`wheel` installs a built wheel into an empty environment and walks through everything that the pages name for a newcomer, in
a copy of DIR. `source` follows README: clone, install, ask. Every command has a terminal, an empty environment but `PATH`,
`HOME` and `LANG`, and no input. `--path` adds a folder to `PATH`, such as that of Rust's programs.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

from benches.newcomer.first_hour import Hour, from_source, from_wheel
from benches.newcomer.terminal import Shell
from benches.results import Figure, head, save


def main() -> None:
    """Walk the way that is named, and write its document."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="newcomer-") as folder:
        home = Path(folder).resolve() / "home"
        home.mkdir()
        shell = Shell.make(home, options.path)
        if options.way == "wheel":
            project = Path(folder).resolve() / "project"
            shutil.copytree(options.project, project, symlinks=True)
            hour = from_wheel(shell, options.python, options.wheel.resolve(), project, options.ask)
            subject = f"{_files(project):,} files"
        else:
            hour = from_source(shell, options.python, options.repository, options.commit)
            subject = "this repository"
    title = (
        f"The first hour of a newcomer, {'a wheel' if options.way == 'wheel' else 'from source'}"
    )
    document = head(title) | {
        "commit": options.commit,
        "subject": subject,
        "load": round(os.getloadavg()[2], 1),
        "figures": [figure.rounded().row() for figure in figures(hour, options.way)],
        "left": hour.left,
        "steps": [asdict(step) for step in hour.steps],
    }
    save(options.out, document)
    for step in hour.steps:
        print(f"{step.seconds:8.2f} s  {step.lines:4} lines  exit {step.exit_code}  {step.name}")
    print(f"\nwritten: {options.out}")


def figures(hour: Hour, way: str) -> list[Figure]:
    """What is compared between runs."""
    steps = hour.steps
    answered = hour.seconds_until("first answer")
    failed = [s for s in steps if s.exit_code and (s.phase == "mistakes" or not s.is_expected)]
    found = [
        Figure(measure="install to first answer", value=answered, unit="s"),
        Figure(
            measure="install to first answer, processor time",
            value=hour.seconds_until("first answer", processor=True),
            unit="s",
        ),
        Figure(
            measure="longest silence until the first answer",
            value=max(step.silence for step in hour.until("first answer")),
            unit="s",
        ),
        Figure(measure="all steps", value=sum(step.seconds for step in steps), unit="s"),
        Figure(measure="lines printed", value=sum(step.lines for step in steps)),
        Figure(measure="unexpected exit codes", value=sum(not step.is_expected for step in steps)),
    ]
    if way == "wheel":
        note = f"of {len(failed)} failures, most of them deliberate mistakes"
        without = sum(not step.has_remedy for step in failed)
        found += [
            Figure(measure="failures without a remedy", value=without, note=note),
            Figure(measure="files left behind", value=len(hour.left)),
        ]
    return [replace(figure, measure=f"newcomer, {way}: {figure.measure}") for figure in found]


def _files(project: Path) -> int:
    done = subprocess.run(
        ["git", "ls-files"], cwd=project, capture_output=True, text=True, check=True
    )
    return len(done.stdout.splitlines())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.newcomer", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    ways = parser.add_subparsers(dest="way", required=True)
    wheel = ways.add_parser("wheel", help="install a wheel and walk through the first hour")
    wheel.add_argument("wheel", type=Path)
    wheel.add_argument("--project", type=Path, required=True, help="a git checkout; it is copied")
    wheel.add_argument("--ask", required=True, help="the first question to the project")
    source = ways.add_parser("source", help="follow README: clone, install, ask")
    source.add_argument("repository", help="what `git clone` gets")
    for way in (wheel, source):
        way.add_argument("--commit", default="HEAD", help="the commit that is measured")
        way.add_argument("--python", default=os.path.realpath(sys.executable))
        way.add_argument("--path", nargs="*", default=[], metavar="FOLDER", help="more of `PATH`")
        way.add_argument("--out", type=Path, required=True, help="the document")
    return parser.parse_args()


if __name__ == "__main__":
    main()
