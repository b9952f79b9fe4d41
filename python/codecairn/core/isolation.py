"""Starts Python and finds programs independently of the working directory, which may be anyone's folder.

`python -m` puts the working directory first on `sys.path`, a relative entry of `PYTHONPATH` or `PATH` names a folder in it,
and Python 3.10 has no `-P`. So codecairn starts itself by the script `launch` with `-I -S`, which leave the standard library
alone on `sys.path`, and adds the interpreter's own site-packages.
"""

import os
import sys

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""The package's folder, which is a neutral working directory."""

BACKGROUND = "--background"
"""The first argument of a process that does `hooks.background` instead of a command."""


def command_line(*arguments: str) -> list[str]:
    """The command line that starts codecairn, whatever the working directory and the environment are."""
    return [sys.executable, "-I", "-S", os.path.join(FOLDER, "launch.py"), *arguments]


def child_environment() -> dict[str, str]:
    """The environment without what has Python, or a lookup in `PATH`, take files of the working directory.

    Of Python's own variables those stay that say where `pip install --user` installs, if anywhere.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    for name in ("PYTHONUSERBASE", "PYTHONNOUSERSITE"):
        value = os.environ.get(name, "")
        if name == "PYTHONNOUSERSITE" or os.path.isabs(value):
            kept[name] = value
    home = os.environ.get("CODECAIRN_HOME", "")
    if home and not home.startswith("~"):
        kept["CODECAIRN_HOME"] = os.path.abspath(home)  # the child works in another folder
    kept["PATH"] = os.pathsep.join(program_folders())
    return kept


def program_folders() -> list[str]:
    """The folders of `PATH`, without those that are relative to the working directory."""
    given = os.environ.get("PATH", os.defpath)
    return [each for each in given.split(os.pathsep) if os.path.isabs(each)]


def add_site_packages() -> None:
    """Add the interpreter's site-packages to `sys.path`, after `-S`, and the user's, which `-I` leaves out.

    A virtual environment without the system's packages has no user's, as ever, and a user's folder that is relative to the
    working directory is passed over.
    """
    import site

    if not os.path.isabs(os.environ.get("PYTHONUSERBASE", os.sep)):
        del os.environ["PYTHONUSERBASE"]
    is_wanted = not os.environ.get("PYTHONNOUSERSITE") and os.path.isabs(site.getuserbase())
    is_same_user = not hasattr(os, "geteuid") or os.geteuid() == os.getuid()
    site.ENABLE_USER_SITE = is_wanted and is_same_user
    site.main()


def drop_working_directory() -> None:
    """Remove the working directory and what is relative to it from `sys.path` and from `PATH`.

    `python -m codecairn` put it there, or a relative entry of `PYTHONPATH` did. The folder that the package lies in stays.
    """
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:
        here = ""  # it was deleted: nothing can be imported from it
    variable = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    dropped = {os.path.realpath(each) for each in variable if here and not os.path.isabs(each)}
    dropped.add(here)
    kept = (os.path.dirname(FOLDER), os.path.dirname(os.__file__))
    sys.path[:] = [
        each
        for each in sys.path
        if each in kept or (os.path.isabs(each) and os.path.realpath(each) not in dropped)
    ]
    os.environ["PATH"] = os.pathsep.join(program_folders())
    if sys.platform == "win32":  # else a bare name is looked up in the working directory first
        os.environ["NODEFAULTCURRENTDIRECTORYINEXEPATH"] = "1"
