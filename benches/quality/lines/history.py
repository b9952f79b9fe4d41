"""Set B: what a commit was about asks for the lines that it changed, in the tree before it."""

import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benches.quality.lines.checkouts import git_output
from benches.quality.lines.questions import SEED, Question, Target, ranges_of
from benches.quality.lines.syntax import LANGUAGES, is_asked_about, language_of

COUNT = 60
NEWEST = 2_000
MARGIN = 3
MAX_FILES = 3
MAX_CHARACTERS = 500
MIN_WORDS = 5

_BOT = re.compile(
    r"\[bot\]|\bbot\b|dependabot|renovate|greenkeeper|github-actions|snyk|-bot", re.IGNORECASE
)
_RELEASE = re.compile(
    r"^(?:v?\d+\.\d|release|bump|prepare|version|merge|revert|changelog|\[maven|update (?:changelog|version|dep)|"
    r"(?:chore|build)\(?(?:deps|release))",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\(?(?:\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|see|refs?|issue|pr|gh)[ :-]*)?(?:[\w.-]+/[\w.-]+)?#\d+\)?|"
    r"[(\[]?\b(?:GH|[A-Z]{2,}[A-Z0-9]*)-\d+[)\]]?:?|https?://\S+",
    re.IGNORECASE,
)
_TRAILER = re.compile(r"^[A-Z][\w-]+-(?:by|on|to|id): ", re.IGNORECASE)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+")
_IMPORT = re.compile(
    r"(?:import|from|use|pub use|using|require|require_relative|require_once|package|namespace|include|#\s*include|"
    r"extern crate|mod|export \* from)\b|(?:const|let|var) .*= require\(|[\"'][\w./-]+[\"'],?$"
)
_HASH_MARKS = ("#", '"""', "'''")
_HASH_COMMENTS = frozenset({"python", "ruby", "php"})


@dataclass(slots=True, kw_only=True)
class Change:
    """What a commit changed in one file: the lines of its old side, near misses included, that count as needed."""

    path: str
    is_new: bool = False
    lines: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit as `git log` prints it."""

    revision: str
    parent: str
    author: str
    message: str


def ask_commits(folder: str, git: Path, revision: str, *, count: int = COUNT) -> list[Question]:
    """At most `count` questions from the newest commits, always the same ones, in the order of history, oldest first."""
    commits = list(enumerate(_commits(git, revision)))
    random.Random(f"{SEED}/commits/{folder}").shuffle(commits)
    found: list[tuple[int, str, Commit, tuple[Target, ...]]] = []
    for number, commit in commits:
        if len(found) == count:
            break
        query = query_of(commit)
        targets = targets_of(_diff(git, commit)) if query else ()
        if targets:
            found.append((number, query, commit, targets))
    oldest_first = sorted(found, key=lambda each: -each[0])
    return [
        Question(id=f"commits/{folder}/{at}", query=query, targets=targets, revision=commit.parent)
        for at, (_, query, commit, targets) in enumerate(oldest_first)
    ]


def query_of(commit: Commit) -> str:
    """Subject and first paragraph without issue numbers; empty for commits of bots, releases and too few words."""
    subject, _, body = commit.message.strip().partition("\n")
    if _BOT.search(commit.author) or _RELEASE.match(subject.strip()):
        return ""
    lines: list[str] = []
    for line in body.strip().split("\n"):
        if not line.strip() or _TRAILER.match(line):
            break
        lines.append(line)
    text = _NUMBER.sub(" ", " ".join([subject, *lines]))
    text = " ".join(text.split())[:MAX_CHARACTERS].strip(" .,:;()")
    return text if len(text.split()) >= MIN_WORDS else ""


def targets_of(diff: str) -> tuple[Target, ...]:
    """The needed lines of a diff without context; none if it changes no source file that was there, or too many."""
    changes = [each for each in changes_of(diff) if is_asked_about(each.path)]
    if not 1 <= len(changes) <= MAX_FILES:
        return ()
    return tuple(
        Target(path=each.path, ranges=ranges_of(each.lines))
        for each in changes
        if each.lines and not each.is_new
    )


def changes_of(diff: str) -> Iterator[Change]:
    """The changed files of a diff without context."""
    for part in re.split(r"(?m)^diff --git ", diff)[1:]:
        head, *hunks = re.split(r"(?m)^(?=@@ -)", part)
        old = re.search(r"(?m)^--- (?:a/(.*)|/dev/null)$", head)
        new = re.search(r"(?m)^\+\+\+ (?:b/(.*)|/dev/null)$", head)
        if old is None or new is None:
            continue
        change = Change(path=(old[1] or new[1]).rstrip("\t"), is_new=not old[1])
        for hunk in hunks:
            change.lines |= _needed(hunk, language_of(change.path) or "")
        yield change


def _needed(hunk: str, language: str) -> set[int]:
    """The old lines of a hunk with those near it; none if it changes imports and comments alone."""
    heading, _, rest = hunk.partition("\n")
    place = _HUNK.match(heading)
    changed = [line[1:] for line in rest.split("\n") if line[:1] in {"+", "-"}]
    if place is None or all(_is_trivial(line.strip(), language) for line in changed):
        return set()
    start, count = int(place[1]), int(place[2] or 1)
    # Without old lines, the hunk lies between this line and the next.
    first, last = (start, start + count - 1) if count else (start + 1, start)
    return set(range(max(1, first - MARGIN), last + MARGIN + 1))


def _is_trivial(line: str, language: str) -> bool:
    marks = [*(_HASH_MARKS if language in _HASH_COMMENTS else ())]
    marks += () if language in {"python", "ruby"} else ("//", "/*", "* ", "*/")
    return (
        not line or line == "*" or line.startswith(tuple(marks)) or _IMPORT.match(line) is not None
    )


def _commits(git: Path, revision: str) -> Iterator[Commit]:
    form = "--format=%x00%H%x01%P%x01%an <%ae>%x01%B"
    log = git_output(git, "log", revision, f"--max-count={NEWEST}", "--no-merges", form)
    for entry in log.split("\0")[1:]:
        fields = entry.split("\x01")
        if len(fields) == 4 and fields[1] and " " not in fields[1]:
            yield Commit(revision=fields[0], parent=fields[1], author=fields[2], message=fields[3])


def _diff(git: Path, commit: Commit) -> str:
    """What a commit changed in source files; empty where the mirror lacks one of them."""
    options = ("--no-renames", "--no-color", "--no-ext-diff", "-p", "-U0")
    suffixes = [f"*{suffix}" for suffix in LANGUAGES]
    try:
        return git_output(git, "diff", *options, commit.parent, commit.revision, "--", *suffixes)
    except subprocess.CalledProcessError:
        return ""
