"""Running git.

Invariants: git is run without a shell; nothing of the repository's own configuration that starts programs is in force; no
index is refreshed and nobody is asked for a password. Who passes a value that a user gave must join it to its
option, or put it where git takes no options.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from codecairn.errors import HistoryUnavailable

TIMEOUT_S = 60

QUIET = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "core.quotePath=false",
)


def git(
    root: Path,
    *arguments: str,
    may_fail: bool = False,
    hint: str | None = None,
    timeout_s: float = TIMEOUT_S,
) -> bytes:
    """What a git command prints in a folder; nothing if it fails and may.

    Raises:
        HistoryUnavailable: If there is no git, or it fails; `hint` says what to do then.
    """
    command = ["git", "--no-pager", *QUIET, *arguments]
    return run(root, command, may_fail=may_fail, hint=hint, timeout_s=timeout_s)


def run(
    root: Path,
    command: Sequence[str],
    *,
    may_fail: bool = False,
    hint: str | None = None,
    timeout_s: float = TIMEOUT_S,
) -> bytes:
    """What a whole command line of git prints; as `git`."""
    import subprocess  # only where git is asked

    environment = os.environ | {
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",  # what a partial clone lacks is not asked of the network
    }
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except FileNotFoundError as err:
        raise HistoryUnavailable("the `git` command was not found", hint=hint) from err
    except (OSError, ValueError, subprocess.TimeoutExpired) as err:
        raise HistoryUnavailable(f"can't read the history of `{root}`: {err}", hint=hint) from err
    if done.returncode == 0:
        return done.stdout
    if may_fail:
        return b""
    complaint = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
    raise HistoryUnavailable(f"can't read the history of `{root}`: {complaint}", hint=hint)


def text(output: bytes) -> str:
    """What git printed, as text without its last line break."""
    return output.decode("utf-8", "replace").strip()
