"""Asks git which files were changed by which author and when.

Invariants: git is run without a shell, with every value joined to its option or after the end of options, so no value can become an
option or a command; no setting of the repository that starts a program is in effect.
"""

import re
from dataclasses import replace
from pathlib import Path

from codecairn.clock import Clock, SystemClock
from codecairn.core.git import git
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import HistoryUnavailable, UsageError
from codecairn.search.commit_filter import Wanted

RENAMES_TIMEOUT_S = 20
"""How long git may look for renames; where that is not enough, they are not followed."""

_DAY = re.compile(r"\s*\d{4}-\d{2}-\d{2}\s*")
_SUBMODULE = "160000"


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What is asked of git's history, for one root: commits, and the files below it that they touched."""

    wanted: Wanted
    paths: tuple[str, ...]
    notes: tuple[str, ...] = ()


def look_up(
    root: Path,
    *,
    author: str | None = None,
    commit: str | None = None,
    since: str | None = None,
    until: str | None = None,
    clock: Clock | None = None,
) -> History:
    """Which files commits touched for which all that is given holds, under the names that they have now.

    `author` is matched as plain text in name and address, without regard to case. `commit` is an id, its beginning, or
    another name of a commit.

    Raises:
        UsageError: If there is no such commit, or a date names no moment before now, which is what git makes of words
            it doesn't know.
        HistoryUnavailable: If there is no git, no repository, or git fails.
    """
    now_s = (clock or SystemClock()).now_ns() // 1_000_000_000
    wanted = Wanted(
        author=author or "",
        since_s=None if since is None else _moment(root, since, now_s=now_s, is_end=False),
        until_s=None if until is None else _moment(root, until, now_s=now_s, is_end=True),
    )
    return _look_up(root, wanted, commit)


def _look_up(root: Path, wanted: Wanted, commit: str | None) -> History:
    inner = [
        (folder, _inner(root / folder, wanted, commit))
        for folder in submodules(root)
        if (root / folder / ".git").exists()
    ]
    if commit is not None:
        found = commit_id(root, commit)
        if not found:
            return _of_submodule(root, commit, inner)
        wanted = replace(wanted, commit=found)
    _require_commits(root)
    paths, notes = _current_names(root, _touched(root, wanted))
    named = [f"{folder}/{path}" for folder, history in inner if history for path in history.paths]
    return History(wanted=wanted, paths=tuple(sorted({*paths, *named})), notes=notes)


def _inner(root: Path, wanted: Wanted, commit: str | None) -> History | None:
    try:
        return _look_up(root, wanted, commit)
    except (HistoryUnavailable, UsageError):
        return None


def _of_submodule(root: Path, commit: str, inner: list[tuple[str, History | None]]) -> History:
    """The answer of the submodule that has the commit."""
    for folder, history in inner:
        if history is not None and history.wanted.commit:
            return replace(history, paths=tuple(f"{folder}/{path}" for path in history.paths))
    raise UsageError(
        f"there is no commit `{commit:.100}` in `{root}`",
        hint="give a commit's id, or its beginning if no other id begins so",
    )


def commit_id(root: Path, name: str) -> str:
    """The commit's id in full; empty if there is none of this name."""
    arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return git(root, *arguments, may_fail=True).decode("ascii", "replace").strip()


def _require_commits(root: Path) -> None:
    if not git(root, "rev-parse", "--verify", "--quiet", "HEAD", may_fail=True) and git(
        root, "rev-parse", "--git-dir"
    ):
        raise HistoryUnavailable(
            f"the history of `{root}` is empty: nothing was committed yet",
            hint="search without `--author`, `--commit`, `--since` and `--until`",
        )


def _moment(root: Path, text: str, *, now_s: int, is_end: bool) -> int:
    """Seconds since 1970. A day alone begins at its first second and ends at its last; git would take the hour of now."""
    is_day = _DAY.fullmatch(text) is not None
    exact = f"{text.strip()} {'23:59:59' if is_end else '00:00:00'}" if is_day else text
    answer = git(root, "rev-parse", f"--since={exact}").decode("ascii", "replace")
    moment = answer.strip().removeprefix("--max-age=")
    if not moment.isdecimal() or (int(moment) >= now_s and not (is_end and is_day)):
        raise UsageError(
            f"`{text}` names no moment before now", hint='for example "2 weeks ago" or 2026-01-31'
        )
    return int(moment)


def _touched(root: Path, wanted: Wanted) -> tuple[str, ...]:
    return parse_names(git(root, *history_command(wanted)))


def history_command(wanted: Wanted) -> list[str]:
    """What git is asked for the names, each ended by a NUL byte."""
    command = ["log", "--format=", "--name-only", "-z", "--relative", "--no-renames"]
    if wanted.author:
        command += [f"--author={wanted.author}", "--fixed-strings", "--regexp-ignore-case"]
    if wanted.since_s is not None:
        command.append(f"--max-age={wanted.since_s}")
    if wanted.until_s is not None:
        command.append(f"--min-age={wanted.until_s}")
    command += ["--max-count=1", "-m", "--no-walk"] if wanted.commit else []
    return [*command, wanted.commit or "HEAD", "--", "."]


def parse_names(output: bytes) -> tuple[str, ...]:
    """The distinct names in the output, sorted; names that are not UTF-8 are never indexed and left out."""
    names = set()
    for raw in output.split(b"\0"):
        try:
            name = raw.decode("utf-8").lstrip("\n")
        except UnicodeDecodeError:
            continue
        if name:
            names.add(name)
    return tuple(sorted(names))


def _current_names(root: Path, touched: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The current names of these files, and notes; renames are searched for only where names are gone."""
    there = set(parse_names(git(root, "ls-tree", "-r", "--name-only", "-z", "HEAD")))
    gone = [name for name in touched if name not in there]
    if not gone:
        return touched, ()
    try:
        renamed = renames(root)
    except HistoryUnavailable as err:
        return touched, (f"renames were not followed: {err.message}",)
    return tuple(sorted({*touched, *(renamed[name] for name in gone if name in renamed)})), ()


def renames(root: Path) -> dict[str, str]:
    """The last name of each file that was renamed, by its earlier names."""
    command = ("log", "--format=", "--name-status", "-z", "--relative", "--diff-filter=R")
    output = git(root, *command, "-M", "HEAD", "--", ".", timeout_s=RENAMES_TIMEOUT_S)
    last: dict[str, str] = {}
    parts = [part.lstrip(b"\n") for part in output.split(b"\0")]
    at = 0
    while at + 2 < len(parts):  # the newest first
        if not parts[at].startswith(b"R"):
            at += 1
            continue
        old, new = (part.decode("utf-8", "replace") for part in parts[at + 1 : at + 3])
        last.setdefault(old, last.get(new, new))
        at += 3
    return last


def submodules(root: Path) -> tuple[str, ...]:
    """The folders below the root that are submodules."""
    if not (root / ".gitmodules").is_file():
        return ()
    output = git(root, "ls-files", "--stage", "-z", "--", ".", may_fail=True)
    rows = (row.partition(b"\t") for row in output.split(b"\0"))
    return tuple(
        path.decode("utf-8", "replace")
        for state, _, path in rows
        if state.startswith(_SUBMODULE.encode())
    )
