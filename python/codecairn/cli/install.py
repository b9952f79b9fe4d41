"""The commands `install` and `uninstall`, which add codecairn to the configuration of agents and remove it."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import TypeVar

import click

from codecairn.cli.command import OneOf, command, option
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.uninstall import uninstall_everywhere
from codecairn.config.layers import load
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import CodecairnError, UsageError
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


def _with_options(function: _Function) -> _Function:
    for each in reversed(_OPTIONS):
        function = each(function)
    return click.argument("agents", nargs=-1, type=OneOf([*HOSTS]), metavar="[AGENT]...")(function)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """What was done for one host; `problem` is why it was not."""

    host: str
    changes: tuple[Change, ...] = ()
    problem: CodecairnError | None = None

    @property
    def is_changed(self) -> bool:
        return any(change.is_change for change in self.changes)


@command("install")
@_with_options
@option(
    "--all", "is_everywhere", is_flag=True, help="For every host that is found on this machine."
)
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
    is_everywhere: bool,
    check: bool,
) -> None:
    """Configure an agent's host.

    Adds the MCP server, a skill or rule that explains its use, and hooks. Files keep their comments and their order.
    Their previous contents are kept, and `uninstall` restores them. With `--all` a host is found by its folder of
    settings or its program; others get nothing.
    """
    installer = installer_at(path, is_project=is_project)
    names = _chosen(agents, installer, is_everywhere=is_everywhere, command=ctx.command_path)
    if check:
        found = {name: tuple(checks(installer, name)) for name in names}
        print_checks(found, form)
        ctx.exit(any(row.hint for rows in found.values() for row in rows))
    work = installer.planned if dry_run else installer.install
    results = [_done(name, work, is_alone=len(names) == 1) for name in names]
    _print(
        results,
        form,
        dry_run=dry_run,
        not_found=[name for name in HOSTS if name not in names] if is_everywhere else [],
        sent=[each.line for each in outgoing(load(None).settings)],
        is_installation=True,
    )
    ctx.exit(any(result.problem for result in results))


@command("uninstall")
@_with_options
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
@click.pass_context
def uninstall(
    ctx: click.Context,
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
        if is_project or path is not None:
            raise UsageError("`--all` stands for every host and project", hint="name none with it")
        _require_no_names(agents)
        uninstall_everywhere(with_data=with_data, dry_run=dry_run, is_confirmed=yes, form=form)
        return
    if with_data:
        raise UsageError("`--data` removes what all hosts share", hint="add `--all`")
    installer = installer_at(path, is_project=is_project)
    names = _chosen(agents, installer, is_everywhere=False, command=ctx.command_path)

    def planned(name: str) -> list[Change]:
        return installer.unplanned(name, leaving=names[: names.index(name)])

    work = planned if dry_run else installer.uninstall
    results = [_done(name, work, is_alone=len(names) == 1) for name in names]
    _print(results, form, dry_run=dry_run)
    ctx.exit(any(result.problem for result in results))


def installer_at(path: str | None, *, is_project: bool) -> Installer:
    """What configures hosts for the user, or in the files of the project that a folder is in."""
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


def _chosen(
    agents: Sequence[str], installer: Installer, *, is_everywhere: bool, command: str
) -> list[str]:
    """The hosts that are meant, each once; `command` is what the user runs.

    Raises:
        UsageError: If none is named or found, or if some are named and all are meant.
    """
    if not is_everywhere:
        if not agents:
            raise UsageError(
                "`AGENT` is missing: which host?",
                hint=f"`{command} {next(iter(HOSTS))}`, or `--all`; hosts are {', '.join(HOSTS)}",
            )
        return list(dict.fromkeys(agents))
    _require_no_names(agents)
    found = installer.found()
    if not found:
        raise UsageError("no host was found on this machine", hint=f"name one: {', '.join(HOSTS)}")
    return found


def _require_no_names(agents: Sequence[str]) -> None:
    if agents:
        raise UsageError("`--all` stands for every host", hint="name none with it")


def _done(name: str, work: Callable[[str], list[Change]], *, is_alone: bool) -> _Result:
    """What was done for a host. A failure at one of several hosts is reported with it and does not end the command."""
    try:
        return _Result(host=name, changes=tuple(work(name)))
    except CodecairnError as err:
        if is_alone:
            raise
        return _Result(host=name, problem=err)


def _print(
    results: Sequence[_Result],
    form: Form | None,
    *,
    dry_run: bool,
    not_found: Sequence[str] = (),
    sent: Sequence[str] = (),
    is_installation: bool = False,
) -> None:
    def document() -> dict[str, object]:
        return {
            "dry_run": dry_run,
            "agents": [_row(result, is_installation=is_installation) for result in results],
            "not_found": [*not_found],
            "outgoing": [*sent],
        }

    def lines() -> Iterator[Line]:
        for result in results:
            yield from _lines(result, dry_run=dry_run, is_installation=is_installation)
        if not_found:
            yield (f"not found here: {', '.join(HOSTS[name].title for name in not_found)}",)
        for each in sent:
            yield (("your settings send ", "yellow"), each)

    print_result(form, document=document, documents=lambda: [document()], lines=lines)


def _row(result: _Result, *, is_installation: bool) -> dict[str, object]:
    host, problem = HOSTS[result.host], result.problem
    rows = [
        {"path": str(each.path), "what": list(each.what), "change": each.kind}
        for each in result.changes
    ]
    failed = {"message": problem.message, "hint": problem.hint} if problem else None
    return {
        "agent": host.name,
        "title": host.title,
        "changes": rows,
        "next": host.then if is_installation and result.is_changed else "",
        "problem": failed,
    }


def _lines(result: _Result, *, dry_run: bool, is_installation: bool) -> Iterator[Line]:
    title = HOSTS[result.host].title
    if result.problem is not None:
        hint = f"; {result.problem.hint}" if result.problem.hint else ""
        yield (f"{title}: ", ("failed: ", "red"), f"{result.problem.message}{hint}")
    elif not result.is_changed:
        yield (f"{title}: nothing to change",)
    for change in result.changes if result.is_changed else ():
        would = "would be " if dry_run and change.is_change else ""
        what = ", ".join(change.what)
        yield (f"{title}: ", (str(change.path), "bold"), f" {would}{change.kind} ({what})")
        if dry_run:
            yield from (((f"    {line}", "dim"),) for line in _difference(change))
    if is_installation and result.is_changed and not dry_run:
        yield (f"{title}: {HOSTS[result.host].then}",)


def print_checks(found: Mapping[str, Sequence[Check]], form: Form | None) -> None:
    """Print what was looked at for each host."""

    def document() -> dict[str, object]:
        return {"agents": check_rows(found)}

    def lines() -> Iterator[Line]:
        for name, rows in found.items():
            yield from check_lines(HOSTS[name].title, rows)

    print_result(form, document=document, documents=lambda: [document()], lines=lines)


def check_rows(found: Mapping[str, Sequence[Check]]) -> list[dict[str, object]]:
    """The checks of each host for a JSON document."""
    return [
        {"agent": name, "title": HOSTS[name].title, "checks": list(map(plain_document, rows))}
        for name, rows in found.items()
    ]


def check_lines(title: str, rows: Sequence[Check]) -> Iterator[Line]:
    """The checks of one host in words."""
    for row in rows:
        style = "yellow" if row.hint else ""
        detail = f" ({row.detail})" if row.detail else ""
        yield (f"{title}: {row.what}: ", (row.state, style), f"{detail}  {row.path}")
        if row.hint:
            yield (f"    {row.hint}",)


def _difference(change: Change) -> Iterator[str]:
    before, after = (
        (content or b"").decode("utf-8", "replace").splitlines()
        for content in (change.before, change.after)
    )
    yield from list(unified_diff(before, after, lineterm="", n=2))[2:]
