"""Diagnoses the configured hosts: their entries, approvals and switches, and whether what they start works.

A project's entries are compared and never started: they name a program that is looked up in `PATH`.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import FileAccessError
from codecairn.hosts.host_table import HOSTS, NAME
from codecairn.hosts.installation import Installer
from codecairn.hosts.installation_check import Check, checks
from codecairn.hosts.start_check import Start, server_command, start_hook, start_server

_UNFIT = frozenset({"missing", "another version", "not executable", "not readable"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What was found of all hosts.

    Attributes:
        hosts: The checks of each host that is configured for the user.
        project_hosts: The same of those that are configured in the project's files.
        not_configured: The hosts that are on this machine and do not start codecairn.
    """

    hosts: Mapping[str, tuple[Check, ...]]
    project_hosts: Mapping[str, tuple[Check, ...]]
    not_configured: tuple[str, ...]

    @property
    def is_healthy(self) -> bool:
        """Whether nothing has to be done."""
        rows = (*self.hosts.values(), *self.project_hosts.values())
        return not any(check.hint for checked in rows for check in checked)


def diagnose(user: Installer, project: Installer) -> Diagnosis:
    """Check every configured host. Equal programs are started once, which takes most of the time."""
    server = cache(start_server)
    hook = cache(start_hook)
    hosts = {
        name: tuple(_user_checks(user, name, server, hook))
        for name in HOSTS
        if user.is_configured(name)
    }
    return Diagnosis(
        hosts=hosts,
        project_hosts={
            name: tuple(_project_checks(project, name))
            for name in HOSTS
            if project.is_configured(name) and not _is_same_file(user, project, name)
        },
        not_configured=tuple(name for name in user.found() if name not in hosts),
    )


def _is_same_file(user: Installer, project: Installer, name: str) -> bool:
    """Whether the project's file is the user's own, as in the home folder."""
    paths = {edit.path for edit in user.edits(name)}
    return project.edits(name)[0].path in paths


def _user_checks(
    user: Installer,
    name: str,
    server: Callable[[tuple[str, ...]], Start],
    hook: Callable[[str], Start],
) -> Iterator[Check]:
    found = _static_checks(user, name)
    yield from found
    if any(check.state in _UNFIT for check in found):
        return  # only what an installation would write is started
    again = f"`{user.command(name)}`; if that changes nothing, reinstall codecairn"
    edits = user.edits(name)
    command = tuple(server_command(edits))
    if command:
        yield _started("the server's start", server(command), command[0], again)
    if any("hooks" in edit.what for edit in edits):
        yield _started("the hooks' start", hook(user.hook), user.hook, again)


def _started(what: str, start: Start, program: str, again: str) -> Check:
    state = "in order" if start.is_working else "not working"
    hint = "" if start.is_working else again
    return Check(what=what, state=state, path=program, hint=hint, detail=start.detail)


def _project_checks(project: Installer, name: str) -> Iterator[Check]:
    yield from _static_checks(project, name)
    program = shutil.which(NAME)
    yield Check(
        what="the command",
        state="in order" if program else "missing",
        path=program or NAME,
        hint=""
        if program
        else "put `codecairn` in a folder of `PATH`: these files start it by name",
    )


def _static_checks(installer: Installer, name: str) -> tuple[Check, ...]:
    try:
        return tuple(checks(installer, name))
    except FileAccessError as err:
        check = Check(
            what="its settings",
            state="not readable",
            path=str(installer.edits(name)[0].path),
            hint=err.hint or f"`{installer.command(name)}`",
            detail=err.message,
        )
        return (check,)
