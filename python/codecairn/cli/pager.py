"""Shows a long answer in the user's pager.

Invariant: the pager is started from an absolute path that is not in the repository, and without a shell.
"""

import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

VARIABLES = ("CODECAIRN_PAGER", "PAGER")
"""Variables that name the pager; the first one that is set counts, and an empty one is for none."""

USUAL = "less"
_OPTIONS = {"LESS": "FRX", "LV": "-c"}
"""Options by which pagers pass colours on, and leave short texts on the screen; the user's own come first."""


def pager_arguments(environment: Mapping[str, str], *, folder: Path) -> list[str]:
    """How to start the pager that the environment names, with its absolute path first; nothing where there is none."""
    from codecairn.core.programs import find_program

    given = next((environment[name] for name in VARIABLES if name in environment), USUAL)
    try:
        words = shlex.split(given, posix=sys.platform != "win32")
    except ValueError:
        return []
    if not words or words == ["cat"]:
        return []
    is_plain = Path(words[0]).name == words[0]
    if not is_plain and not Path(words[0]).is_absolute():
        return []
    program = find_program(words[0], workspace=folder)
    return [] if program is None else [program, *words[1:]]


def page(text: bytes) -> bool:
    """Show a text in the pager until the user leaves it; returns whether there is a pager, and it worked."""
    arguments = pager_arguments(os.environ, folder=Path.cwd())
    if not arguments:
        return False
    import subprocess

    sys.stdout.flush()
    try:
        process = subprocess.Popen(arguments, stdin=subprocess.PIPE, env=_environment())
    except (OSError, ValueError):
        return False
    with _uninterrupted():
        process.communicate(text)
    # A pager that a signal ended was seen; one that fails has shown nothing.
    return process.returncode <= 0


def _environment() -> dict[str, str]:
    """The user's own, with the pager's options, and without folders of the repository among those of programs."""
    from codecairn.core.programs import environment

    given = environment(Path.cwd(), *(name.upper() for name in os.environ))
    own = {"LC_ALL": os.environ["LC_ALL"]} if "LC_ALL" in os.environ else {}
    del given["LC_ALL"]
    return {**_OPTIONS, **given, **own}


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C is for the pager, which may use it to end a search."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
