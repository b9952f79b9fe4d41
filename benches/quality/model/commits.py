"""Pairs from history: a commit's subject and the code that it added most of."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benches.quality.model import wording
from benches.quality.model.corpus import is_own
from benches.quality.model.pairs import MAX_DOCUMENT_CHARS, Pair

# History is read backwards from the newest commit.
MAX_COMMITS = 2_500
LIMIT = 1_500
# A commit that touches more is about no single place.
MAX_HUNKS = 12
MAX_DIFF_CHARS = 60_000
MIN_ADDED_LINES = 3

_CODE = re.compile(
    r"\.(?:py|m?[jt]sx?|go|java|php|rb|rs|c|h|cc|cpp|cxx|hpp|hh|cs|kts?|scala|swift|exs?|hs|lua|zig|sh|bash|zsh|vue|svelte)$"
)
_FILE = re.compile(r"\n\+\+\+ b/(\S+)")
_HUNK = re.compile(r"\n@@ [^@\n]*@@[^\n]*")


def read(git: Path, revision: str, seed: int) -> list[Pair]:
    """The pairs of one history, of its newest commits; a random part of them where there are many."""
    pairs = {
        pair.query.lower(): pair for commit in _commits(git, revision) for pair in _pairs(commit)
    }
    kept = sorted(pairs.values(), key=lambda pair: (pair.query, pair.path))
    random.Random(seed).shuffle(kept)
    return kept[:LIMIT]


def _commits(git: Path, revision: str) -> Iterator[str]:
    command = [
        "git",
        "--git-dir",
        str(git),
        "log",
        f"-n{MAX_COMMITS}",
        "--no-merges",
        "-p",
        "-U8",
        "--no-color",
    ]
    command += ["--no-ext-diff", "--no-renames", "--format=%x00%s%x02", revision]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    rest = b""
    while block := (process.stdout.read(1 << 22) if process.stdout else b""):
        *whole, rest = (rest + block).split(b"\0")
        for commit in whole:
            if len(commit) < MAX_DIFF_CHARS:
                yield commit.decode("utf-8", "replace")
        if len(rest) > 4 * MAX_DIFF_CHARS:
            # Keep the head so that the commit is seen as too large, not the rest as another.
            rest = rest[: 2 * MAX_DIFF_CHARS]
    process.wait()


def _pairs(commit: str) -> Iterator[Pair]:
    subject, _, diff = commit.partition("\x02")
    query = wording.of_subject(subject)
    if len(query.split()) < 3:
        return
    hunks: list[tuple[int, str, str]] = []
    for file in diff.split("\ndiff --git ")[: MAX_HUNKS + 1]:
        name = _FILE.search(file)
        if (
            not name
            or not _CODE.search(name[1])
            or re.search(r"tests?/|specs?/|[_.]test|[_.]spec|/test_", name[1])
        ):
            continue
        if not is_own(name[1]):
            continue
        for hunk in _HUNK.split(file)[1:]:
            lines = hunk.split("\n")
            added = sum(line[:1] == "+" for line in lines)
            if added >= MIN_ADDED_LINES:
                text = "\n".join(line[1:] for line in lines if line[:1] in ("+", " "))
                hunks.append((added, name[1], text.strip()[:MAX_DOCUMENT_CHARS]))
    if hunks and len(hunks) <= MAX_HUNKS:
        _, path, text = max(hunks)
        yield Pair(kind="commit", path=path, query=query, document=text)
