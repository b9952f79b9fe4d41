"""Questions that a repository's own history asks: what a commit was about, and the files that it changed.

They are noisier than the benchmark's queries and there are as many as one likes, from repositories that neither the
benchmark nor the training of the built-in model knows. The fit sees them with a small weight.

    python -m benches.quality.commits --mirrors DIR --into DIR

checks out every repository of `commit_repositories.json` at its revision and writes its questions next to it.
"""

import argparse
import json
import random
import re
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from benches.quality.model import wording
from benches.quality.model.corpus import git_folder, write_out

LIST = Path(__file__).with_name("commit_repositories.json")
QUESTIONS = 40
_COMMITS = 3_000
_MAX_FILES = 3
_SMALLEST_SHARE = 0.34
_SHORTEST, _LONGEST, _FEWEST_WORDS = 20, 90, 4
_CODE = frozenset(
    [
        ".py",
        ".js",
        ".mjs",
        ".ts",
        ".tsx",
        ".go",
        ".java",
        ".php",
        ".rb",
        ".rs",
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".hpp",
        ".cs",
        ".kt",
        ".scala",
        ".swift",
        ".ex",
        ".exs",
        ".hs",
        ".lua",
        ".zig",
        ".sh",
        ".bash",
    ]
)
_NOT_ANSWERS = re.compile(r"test|spec|example|bench|fixture|vendor", re.IGNORECASE)
_LEADING_VERB = re.compile(
    r"^\s*(?:fix|add|remove|implement|support|allow|make|use|improve|ensure|avoid|prevent|handle)(?:e?s|e?d|ing)?\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitQuestion:
    """What is asked, and the files that the commit changed most."""

    query: str
    paths: tuple[str, ...]


def ask_commits(
    mirror: Path, revision: str, checkout: Path, *, count: int = QUESTIONS
) -> list[CommitQuestion]:
    """At most `count` questions from the commits up to `revision`, always the same ones.

    Args:
        mirror: The git directory.
        revision: Where its history ends.
        checkout: The files of that revision; an answer is one that is still there.
        count: How many questions to ask.
    """
    log = _git(
        mirror,
        "log",
        revision,
        f"--max-count={_COMMITS}",
        "--no-merges",
        "--numstat",
        "--format=%x00%s%x01",
    ).decode("utf-8", errors="ignore")
    questions = []
    for entry in log.split("\0")[1:]:
        subject, _, changes = entry.partition("\x01")
        query = _wording(subject)
        paths = _answers(changes, checkout)
        if query and paths:
            questions.append(CommitQuestion(query=query, paths=paths))
    random.Random(1).shuffle(questions)
    return questions[:count]


def _wording(subject: str) -> str | None:
    """A subject as a question would put it, if it says enough."""
    text = wording.of_subject(subject).strip(" .")
    fits = _SHORTEST <= len(text) <= _LONGEST and len(text.split()) >= _FEWEST_WORDS
    return _LEADING_VERB.sub("", text) if fits else None


def _answers(changes: str, checkout: Path) -> tuple[str, ...]:
    """The files of source code that took a good share of the change."""
    lines = (line.split("\t") for line in changes.strip().splitlines() if line.count("\t") == 2)
    sizes = {
        path: int(added) + int(removed)
        for added, removed, path in lines
        if added != "-" and Path(path).suffix in _CODE and not _NOT_ANSWERS.search(path)
    }
    if not 1 <= len(sizes) <= _MAX_FILES:
        return ()
    total = sum(sizes.values())
    return tuple(
        path
        for path, size in sizes.items()
        if size >= _SMALLEST_SHARE * total and (checkout / path).is_file()
    )


def load(folder: Path) -> list[tuple[str, Path, list[CommitQuestion]]]:
    """What `main` has written: name, checkout and questions of each repository."""
    loaded = []
    for file in sorted(folder.glob("*.json")):
        items = json.loads(file.read_text(encoding="utf-8"))
        questions = [
            CommitQuestion(query=item["query"], paths=tuple(item["paths"])) for item in items
        ]
        loaded.append((file.stem, folder / "checkouts" / file.stem, questions))
    return loaded


def main() -> None:
    """Check out and ask."""
    parser = argparse.ArgumentParser(prog="python -m benches.quality.commits")
    parser.add_argument(
        "--mirrors", type=Path, required=True, help="git directories, each OWNER+NAME/repo"
    )
    parser.add_argument("--into", type=Path, required=True, help="where checkouts and questions go")
    options = parser.parse_args()
    for each in json.loads(LIST.read_text(encoding="utf-8")):
        name = each["repository"].replace("/", "+")
        mirror = git_folder(options.mirrors, each["repository"])
        checkout = options.into / "checkouts" / name
        if not checkout.is_dir():
            checkout.mkdir(parents=True)
            write_out(mirror, each["revision"], checkout)
        questions = ask_commits(mirror, each["revision"], checkout)
        text = json.dumps([asdict(question) for question in questions], indent=1)
        (options.into / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{name}: {len(questions)} questions", flush=True)


def _git(mirror: Path, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", f"--git-dir={mirror}", *arguments], check=True, stdout=subprocess.PIPE
    ).stdout


if __name__ == "__main__":
    main()
