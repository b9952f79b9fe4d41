"""Asking git which files were changed by whom and since when.

Invariants: git is run without a shell, with every value joined to its option, so that no value can become an option
or a command; nothing of the repository's own configuration that starts programs is in force.
"""

from pathlib import Path

from codecairn.clock import Clock, SystemClock
from codecairn.errors import HistoryUnavailable, UsageError
from codecairn.git import run as _git


def changed_paths(
    root: Path, *, author: str | None, since: str | None, clock: Clock | None = None
) -> tuple[str, ...]:
    """Files below `root` that commits of this author, or since this date, touched; sorted, relative to `root`.

    `author` is matched as plain text in name and address, without regard to case.

    Raises:
        UsageError: If `since` names no moment before now, which is what git makes of words it doesn't know.
        HistoryUnavailable: If there is no git, no repository, or git fails.
    """
    if since is not None:
        _require_past(root, since, clock=clock or SystemClock())
    head = _git(root, ["git", "rev-parse", "--verify", "--quiet", "HEAD"], may_fail=True)
    if not head and _git(root, ["git", "rev-parse", "--git-dir"]):
        raise HistoryUnavailable(
            f"the history of `{root}` is empty: nothing was committed yet",
            hint="search without `--author` and `--since`",
        )
    return parse_names(_git(root, history_command(author=author, since=since)))


def _require_past(root: Path, since: str, *, clock: Clock) -> None:
    now_s = clock.now_ns() // 1_000_000_000
    answer = _git(root, ["git", "rev-parse", f"--since={since}"]).decode("ascii", "replace")
    moment = answer.strip().removeprefix("--max-age=")
    if moment.isdecimal() and int(moment) >= now_s:
        raise UsageError(
            f"`{since}` names no moment before now", hint='for example "2 weeks ago" or 2026-01-31'
        )


def history_command(*, author: str | None, since: str | None) -> list[str]:
    """The command that prints the names, each ended by a NUL byte."""
    command = ["git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"]
    command += ["log", "--no-show-signature", "--format=", "--name-only", "-z", "--relative"]
    command += ["--no-renames", "--no-ext-diff", "--no-textconv"]
    if author is not None:
        command += [f"--author={author}", "--fixed-strings", "--regexp-ignore-case"]
    if since is not None:
        command.append(f"--since={since}")
    return [*command, "HEAD", "--", "."]


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
