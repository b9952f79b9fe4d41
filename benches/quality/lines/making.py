"""Make the questions and the trees of repositories.

DIR/mirrors.txt                          where the git directories are
DIR/OWNER+NAME/{descriptions,commits,messages}.jsonl
DIR/OWNER+NAME/{whole,blanked}           the trees that are searched, but for those before commits
"""

import shutil
from pathlib import Path

from benches.quality.lines.by_hand import HAND_SETS, hand_questions
from benches.quality.lines.checkouts import Checkout, texts
from benches.quality.lines.descriptions import ask_descriptions, blank_tree
from benches.quality.lines.history import ask_commits
from benches.quality.lines.listing import Repository
from benches.quality.lines.messages import ask_messages
from benches.quality.lines.questions import SETS, Question, Set, write
from benches.quality.model.corpus import git_folder

TREES: dict[Set, str] = {
    "descriptions": "blanked",
    "documented": "whole",
    "messages": "whole",
    "by_hand": "whole",
    "paraphrased": "whole",
}


def make(data: Path, mirrors: Path, repository: Repository) -> dict[Set, int]:
    """Make what is missing of a repository; returns how many questions of each set were made."""
    data.mkdir(parents=True, exist_ok=True)
    (data / "mirrors.txt").write_text(f"{mirrors.resolve()}\n", encoding="utf-8")
    git = git_folder(mirrors, repository.name)
    for which in HAND_SETS:
        write(file_of(data, repository, which), hand_questions(repository.folder, which))
    if is_made(data, repository):
        return {}
    whole, blanked = (
        tree_of(data, repository, "messages"),
        tree_of(data, repository, "descriptions"),
    )
    Checkout(git, whole).move(repository.revision)
    found = texts(whole)
    shutil.rmtree(blanked, ignore_errors=True)
    shutil.copytree(whole, blanked, symlinks=True)
    blank_tree(blanked, found)
    questions: dict[Set, list[Question]] = {
        "descriptions": ask_descriptions(repository.folder, found),
        "messages": ask_messages(repository.folder, found),
        "commits": ask_commits(repository.folder, git, repository.revision),
    }
    for name, each in questions.items():
        write(file_of(data, repository, name), each)
    return {name: len(each) for name, each in questions.items()}


def is_made(data: Path, repository: Repository) -> bool:
    """Whether a repository has all of its questions."""
    return all(file_of(data, repository, each).is_file() for each in SETS)


def file_of(data: Path, repository: Repository, which: Set) -> Path:
    """The questions of a set."""
    made = "descriptions" if which == "documented" else which
    return data / repository.folder / f"{made}.jsonl"


def tree_of(data: Path, repository: Repository, which: Set) -> Path:
    """The tree in which the questions of a set are searched, where all have the same."""
    return data / repository.folder / TREES[which]


def git_of(data: Path, repository: Repository) -> Path:
    """The git directory from which a repository's data was made."""
    mirrors = Path((data / "mirrors.txt").read_text(encoding="utf-8").strip())
    return git_folder(mirrors, repository.name)
