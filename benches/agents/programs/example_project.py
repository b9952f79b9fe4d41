"""Writes the made-up project that `example.json` asks about, as a git repository.

python -m benches.agents.programs.example_project FOLDER
"""

import argparse
from pathlib import Path

from tests.support.repository import SMALL_PROJECT, Repository

QUESTIONS = Path(__file__).with_name("example.json")


def make(folder: Path) -> None:
    """Write the project, and commit it."""
    repository = Repository.make(folder)
    repository.write_all(SMALL_PROJECT)
    for name, value in (("user.name", "Ann Author"), ("user.email", "ann@example.com")):
        repository.git("config", name, value)
    repository.commit("first")


def main() -> None:
    """Write it where nothing is yet."""
    parser = argparse.ArgumentParser(prog="python -m benches.agents.programs.example_project")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    if folder.exists():
        parser.error(f"`{folder}` exists")
    make(folder)
    print(f"written: {folder}; its questions are {QUESTIONS.name} beside this program")


if __name__ == "__main__":
    main()
