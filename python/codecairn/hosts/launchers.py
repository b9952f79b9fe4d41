"""Launchers: small shell scripts in the user's data folder by which hosts start codecairn.

Their paths never change. Hosts work in any folder and any environment, so a launcher looks nothing up in `PATH`, and Python
imports nothing from paths in the environment.
"""

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import codecairn

LAUNCHER = "codecairn-hook"
"""Starts what hears a host's events. Whatever is wrong, it never fails an agent."""

COMMAND_LAUNCHER = "codecairn-command"
"""Starts the command itself, for servers and tools."""

_PACKAGE = Path(codecairn.__file__).parent


def launchers(folder: Path, program: str) -> Mapping[Path, str]:
    """The launchers of a data folder with their texts; `program` is the installed command, which replaces a lost interpreter."""
    if os.name == "nt":
        return {}
    hook = _text(_PACKAGE / "hooks" / "run.py", [program, "hook"], "echo '{}'")
    lost = "echo 'codecairn was moved or removed; run `codecairn install` again' >&2\nexit 127"
    command = _text(_PACKAGE / "launch.py", [program], lost)
    return {folder / LAUNCHER: hook, folder / COMMAND_LAUNCHER: command}


def _text(script: Path, program: list[str], otherwise: str) -> str:
    python, run, installed = (
        shlex.quote(each) for each in (sys.executable, str(script), program[0])
    )
    return f"""\
#!/bin/sh
# What agents' hosts start: `codecairn install` wrote it and rewrites it.
if [ -x {python} ] && [ -f {run} ]; then
    exec {python} -I -S {run} "$@"
fi
if [ -x {installed} ]; then
    unset PYTHONPATH PYTHONHOME PYTHONSTARTUP
    case $PYTHONUSERBASE in /*) ;; *) unset PYTHONUSERBASE ;; esac
    exec {shlex.join(program)} "$@"
fi
{otherwise}
"""
