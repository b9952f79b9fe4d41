"""The commands `install` and `uninstall`, which add codecairn to the configuration of agents and remove it."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import TypeVar

import click

from codecairn.cli.command import OneOf, command, option
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.uninstall import uninstall_everywhere
from codecairn.config.layers import load
from codecairn.errors import UsageError
from codecairn.hosts.host_table import HOSTS, NAME, Place
from codecairn.hosts.installation import Change, Installer
from codecairn.hosts.installation_check import Check, checks
from codecairn.hosts.launchers import COMMAND_LAUNCHER, LAUNCHER
from codecairn.operations.json_output import plain_document
from codecairn.operations.network_use import outgoing
from codecairn.paths import root as root_paths
from codecairn.paths import user
from codecairn.trust.store_trust import workspace_root

_Function = TypeVar("_Function", bound=Callable[..., object])

_OPTIONS = (
    option("--project", "is_project", is_flag=True, help="In files of this project that are shared with others."),
    option("--path", metavar="PATH", help="A folder inside the project. [default: here]"),
    option("--dry-run", is_flag=True, help="Show the changes without making them."),
    option("--json", "form", flag_value=Form.JSON, type=click.UNPROCESSED, help="Print one JSON document."),
)  # fmt: skip


def _with_options(*, is_required: bool) -> Callable[[_Function], _Function]:
    def add(function: _Function) -> _Function:
        for each in reversed(_OPTIONS):
            function = each(function)
        metavar = "AGENT..." if is_required else "[AGENT]..."
        return click.argument(
            "agents", nargs=-1, required=is_required, type=OneOf([*HOSTS, "all"]), metavar=metavar
        )(function)

    return add


@command("install")
@_with_options(is_required=True)
@option("--check", is_flag=True, help="Report what is configured and what is not; change nothing.")
@click.pass_context
def install(
    ctx: click.Context,
    agents: tuple[str, ...],
    *,
    is_project: bool,
    path: str | None,
    dry_run: bool,
    form: Form | None,
    check: bool,
) -> None:
    """Configure an agent's host.

    The MCP server, a skill or rule that explains its use, and hooks. Files keep their comments and their order. Their previous contents are kept, and `uninstall` restores them. `all`
    means every host found on this machine.
    """
    installer = _installer(path, is_project=is_project)
    if check:
        found = {name: tuple(checks(installer, name)) for name in _chosen(agents)}
        for name, rows in found.items():
            _print_checks(name, rows, form)
        ctx.exit(any(row.hint for rows in found.values() for row in rows))
    sent = [each.line for each in outgoing(load(None).settings)]
    for name in _chosen(agents):
        changes = installer.planned(name) if dry_run else installer.install(name)
        _print(name, changes, form, dry_run=dry_run, then=HOSTS[name].then, sent=sent)


@command("uninstall")
@_with_options(is_required=False)
@option(
    "--all",
    "is_everywhere",
    is_flag=True,
    help="From every configured host and project.",
)
@option(
    "--data",
    "with_data",
    is_flag=True,
    help="With `--all`: also delete indexes, memory and settings.",
)
@option("-y", "--yes", is_flag=True, help="Do not ask before deleting data.")
def uninstall(
    agents: tuple[str, ...],
    *,
    is_project: bool,
    path: str | None,
    dry_run: bool,
    form: Form | None,
    is_everywhere: bool,
    with_data: bool,
    yes: bool,
) -> None:
    """Remove codecairn from an agent's host, and nothing else.

    `--all` removes it from every file that an installation changed, also in projects. `--all --data` also deletes
    everything that codecairn has written for you; files of a repository, such as a team's shared memory, stay.
    """
    if is_everywhere:
        if agents or is_project or path is not None:
            raise UsageError("`--all` stands for every host and project", hint="name none with it")
        uninstall_everywhere(with_data=with_data, dry_run=dry_run, is_confirmed=yes, form=form)
        return
    if with_data:
        raise UsageError("`--data` removes what all hosts share", hint="add `--all`")
    if not agents:
        raise UsageError("out of which host?", hint=f"name one, or `--all`: {', '.join(HOSTS)}")
    installer = _installer(path, is_project=is_project)
    for name in _chosen(agents):
        changes = installer.unplanned(name) if dry_run else installer.uninstall(name)
        _print(name, changes, form, dry_run=dry_run)


def _installer(path: str | None, *, is_project: bool) -> Installer:
    folder = root_paths.resolve_folder(path)
    data = user.data_folder()
    has_launchers = not is_project and os.name != "nt"
    named = NAME if is_project else program()
    place = Place(
        scope="project" if is_project else "user",
        home=user.home_folder(),
        root=workspace_root(folder) if is_project else folder,
        program=str(data / COMMAND_LAUNCHER) if has_launchers else named,
        hook=str(data / LAUNCHER) if has_launchers else named,
    )
    return Installer(place, folder=data, installed=named)


def program() -> str:
    """How others start this program: its own file, as desktop programs know no PATH of a shell.

    Raises:
        UsageError: If it was started as a module and the command is not installed.
    """
    started = Path(sys.argv[0])
    if started.stem == NAME and started.is_file():
        return str(started.absolute())
    beside = Path(sys.executable).parent / f"{NAME}{'.exe' if os.name == 'nt' else ''}"
    found = str(beside) if beside.is_file() else shutil.which(NAME)
    if found is None:
        raise UsageError("the command `codecairn` is not installed", hint="`pip install codecairn`")
    return found


def _chosen(agents: Sequence[str]) -> list[str]:
    if "all" not in agents:
        return list(dict.fromkeys(agents))
    place = Place(scope="user", home=user.home_folder(), root=Path.cwd(), program=NAME)
    found = [name for name, host in HOSTS.items() if host.found_at(place)]
    if not found:
        raise UsageError("no host was found on this machine", hint=f"name one: {', '.join(HOSTS)}")
    return found


def _print(
    name: str,
    changes: Sequence[Change],
    form: Form | None,
    *,
    dry_run: bool,
    then: str = "",
    sent: Sequence[str] = (),
) -> None:
    def document() -> dict[str, object]:
        rows = [
            {"path": str(each.path), "what": list(each.what), "change": each.kind}
            for each in changes
        ]
        return {"agent": name, "dry_run": dry_run, "changes": rows, "outgoing": [*sent]}

    def lines() -> Iterator[Line]:
        title = HOSTS[name].title
        is_changed = any(change.is_change for change in changes)
        if not is_changed:
            yield (f"{title}: nothing to change",)
        for change in changes if is_changed else ():
            would = "would be " if dry_run and change.is_change else ""
            yield (
                f"{title}: ",
                (str(change.path), "bold"),
                f" {would}{change.kind} ({', '.join(change.what)})",
            )
            if dry_run:
                yield from (((f"    {line}", "dim"),) for line in _difference(change))
        if is_changed and then and not dry_run:
            yield (f"{title}: {then}",)
        for each in sent:
            yield (f"{title}: ", ("your settings send ", "yellow"), each)

    print_result(form, document=document, documents=lambda: [document()], lines=lines)


def _print_checks(name: str, rows: Sequence[Check], form: Form | None) -> None:
    def document() -> dict[str, object]:
        return {"agent": name, "checks": [plain_document(row) for row in rows]}

    def lines() -> Iterator[Line]:
        for row in rows:
            style = "" if not row.hint else "yellow"
            yield (f"{HOSTS[name].title}: {row.what}: ", (row.state, style), f"  {row.path}")
            if row.hint:
                yield (f"    {row.hint}",)

    print_result(form, document=document, documents=lambda: [document()], lines=lines)


def _difference(change: Change) -> Iterator[str]:
    before, after = (
        (content or b"").decode("utf-8", "replace").splitlines()
        for content in (change.before, change.after)
    )
    yield from list(unified_diff(before, after, lineterm="", n=2))[2:]
