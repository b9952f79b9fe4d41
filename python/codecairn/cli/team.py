"""The commands `team …` for what a team shares through its database: an index, and a memory."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import click

from codecairn.cli.command import Group, OneOf, WholeNumber, group, option
from codecairn.cli.command_workspace import opened
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.parameters import on_workspace
from codecairn.core.text_format import amount
from codecairn.errors import UsageError
from codecairn.operations.json_output import plain_document
from codecairn.paths.root import resolve_folder
from codecairn.replication.team_index import attach_index
from codecairn.team import administration
from codecairn.team.administration import TeamEntry, TeamStatus
from codecairn.team.catalog import ROLES
from codecairn.team.garbage_collection import DEFAULT_GRACE_S, CollectedGarbage
from codecairn.team.key_handout import KeyHandout
from codecairn.team.membership import membership, memberships
from codecairn.team.team_memory import TeamMemoryReport, opened_team_memory
from codecairn.trust.store_trust import workspace_root

_Function = TypeVar("_Function", bound=Callable[..., object])

_DAY_S = 86_400
_MAX_PROBLEMS = 20


class TeamGroup(Group):
    """The commands of a team."""

    sections = MappingProxyType(
        {
            "Belong": ("join", "status"),
            "Memory": ("sync", "promote", "demote"),
            "Administer": (
                "init",
                "add",
                "invite",
                "grant",
                "revoke",
                "rotate-key",
                "delete-branch",
                "gc",
            ),
        }
    )


@group("team", cls=TeamGroup)
def team() -> None:
    """Share an index and a memory with a team.

    A PostgreSQL database says who may do what; objects lie, sealed, in an object store. Nothing is sent before you make or
    join a team.
    """


def _of_team(function: _Function) -> _Function:
    """Give a command `--team` and the options of every command."""
    named = option("--team", "named", metavar="NAME", help="The team, if you belong to several.")
    return named(on_workspace(function))


def _of_repository(function: _Function) -> _Function:
    """The same, and `--repository`."""
    named = option(
        "--repository",
        metavar="NAME",
        help="The repository. [default: the one that the workspace was cloned from]",
    )
    return named(_of_team(function))


@team.command("init")
@click.argument("name")
@option("--member", default="owner", metavar="NAME", help="Your name in the team.")
@on_workspace
def init(
    path: str | None,
    form: Form | None,
    name: str,
    *,
    quiet: bool,  # noqa: ARG001
    member: str,
) -> None:
    """Make a team in the database that `CODECAIRN_TEAM_URL` names.

    The role that it names becomes the team's owner; it may create roles and owns the database. Done again, it applies the
    migrations of a newer version.
    """
    entry = _attached(administration.init(name, member), path)
    _print_entry(entry, form, f"made, or brought up to date, at {entry.place}")


@team.command("add")
@click.argument("name")
@option(
    "--store",
    required=True,
    metavar="URL",
    help="Where objects lie: a folder or `s3://bucket/prefix`.",
)
@option("--project", metavar="TEXT", help="What clones of it have as the address of `origin`, as `host/owner/name`. [default: the workspace's]")  # fmt: skip
@_of_team
def add(
    path: str | None,
    form: Form | None,
    name: str,
    *,
    quiet: bool,
    named: str | None,
    store: str,
    project: str | None,
) -> None:
    """Add a repository to the team."""
    if project is None:
        from codecairn.team.project import project_of

        with opened(path, command="team add", quiet=quiet) as workspace:
            project = project_of(workspace.root)
    if not project:
        raise UsageError(
            "the workspace has no remote `origin` to recognise clones by",
            hint="say what they have there with `--project host/owner/name`",
        )
    entry = administration.add_repository(membership(named), name, project=project, store_url=store)
    _print_entry(_attached(entry, path), form, f"`{name}` is {project}")


@team.command("invite")
@click.argument("member")
@option("--grant", "grants", multiple=True, required=True, metavar="REPOSITORY=ROLE", help=f"A role for a repository: {', '.join(ROLES)}.")  # fmt: skip
@option("--output", required=True, metavar="FILE", help="The new file for the invitation.")
@option("--days", type=WholeNumber(1, 90), default=7, metavar="N", help="Days until it expires.")
@_of_team
def invite(
    path: str | None,  # noqa: ARG001
    form: Form | None,
    member: str,
    *,
    quiet: bool,  # noqa: ARG001
    named: str | None,
    grants: tuple[str, ...],
    output: str,
    days: int,
) -> None:
    """Invite a new member.

    The invitation is a file with credentials and keys: hand it over as you would a password. It can be accepted once.
    """
    pairs = [_pair(each) for each in grants]
    invitation = administration.invite(
        membership(named), member, grants=pairs, days=days, output=Path(output).absolute()
    )
    document = {
        "team": invitation.team,
        "member": member,
        "file": output,
        "days": days,
        "grants": [{"repository": name, "role": role} for name, role in pairs],
    }
    lines: list[Line] = [
        ((output, "bold"), f" lets `{member}` join `{invitation.team}` within {amount(days, 'day')}"),
        (("hand it over as you would a password: `codecairn team join FILE` accepts it, once", "dim"),),
    ]  # fmt: skip
    _print(form, document, lines)


@team.command("join")
@click.argument("file", metavar="FILE")
@on_workspace
def join(
    path: str | None,
    form: Form | None,
    file: str,
    *,
    quiet: bool,  # noqa: ARG001
) -> None:
    """Accept an invitation.

    Its password is replaced and your keys are made, so that it logs in no more. It still holds keys of repositories: remove it.
    """
    entry = _attached(administration.join(Path(file).absolute()), path)
    _print_entry(entry, form, f"joined as `{entry.member}`; remove `{file}`")


@team.command("grant")
@click.argument("member")
@click.argument("repository")
@click.argument("role", type=OneOf(ROLES))
@_of_team
def grant(
    path: str | None,  # noqa: ARG001
    form: Form | None,
    member: str,
    repository: str,
    role: str,
    *,
    quiet: bool,  # noqa: ARG001
    named: str | None,
) -> None:
    """Give a member a role for a repository.

    A `reader` pulls and reads, a `publisher` also publishes and promotes, an `admin` also grants and collects garbage.
    """
    done = administration.grant(membership(named), member, repository, role)
    _print(form, {"member": member, "role": role, **plain_document(done)}, [
        (f"`{member}` is {role} of `{done.repository}`",),
        *_without_key(done),
    ])  # fmt: skip


@team.command("revoke")
@click.argument("member")
@click.argument("repository", required=False)
@option("--rotate-key", is_flag=True, help="Change the key, too: what is published from now on does not open with the old one.")  # fmt: skip
@_of_team
def revoke(
    path: str | None,  # noqa: ARG001
    form: Form | None,
    member: str,
    repository: str | None,
    *,
    quiet: bool,  # noqa: ARG001
    named: str | None,
    rotate_key: bool,
) -> None:
    """End a member's grant, or without REPOSITORY the membership.

    At their next pull they get nothing. What was pulled before stays readable, and so do its objects until the key is changed.
    """
    done = administration.revoke(membership(named), member, repository, rotate_key=rotate_key)
    document = {
        "member": member,
        "repository": repository,
        "rotated": [plain_document(each) for each in done],
    }
    what = f"grant for `{repository}`" if repository else "membership"
    lines: list[Line] = [(f"the {what} of `{member}` has ended",)]
    for each in done:
        lines += _new_key_lines(each)
    _print(form, document, lines)


@team.command("rotate-key")
@click.argument("repository")
@_of_team
def rotate_key(
    path: str | None,  # noqa: ARG001
    form: Form | None,
    repository: str,
    *,
    quiet: bool,  # noqa: ARG001
    named: str | None,
) -> None:
    """Change a repository's key.

    What is published from now on does not open with the old one, as after an invitation may have been read by another.
    """
    done = administration.rotate_key(membership(named), repository)
    _print(form, plain_document(done), _new_key_lines(done))


@team.command("status")
@_of_team
def status(
    path: str | None,  # noqa: ARG001
    form: Form | None,
    *,
    quiet: bool,  # noqa: ARG001
    named: str | None,
) -> None:
    """Show your teams, your grants and how they are used."""
    chosen = memberships() if named is None else (membership(named),)
    found = [administration.status(each) for each in chosen]
    rows = [plain_document(each) for each in found]
    print_result(
        form,
        document=lambda: {"teams": rows},
        documents=lambda: rows,
        lines=lambda: (
            [line for each in found for line in _status_lines(each)]
            or [
                (
                    (
                        "you belong to no team; `codecairn team join FILE` accepts an invitation",
                        "dim",
                    ),
                )
            ]
        ),
    )


@team.command("gc")
@click.argument("repositories", nargs=-1, metavar="[REPOSITORY]...")
@option("--grace-days", type=WholeNumber(0, 3650), default=DEFAULT_GRACE_S // _DAY_S, metavar="N", help="Days that objects stay after nothing names them.")  # fmt: skip
@option("--dry-run", is_flag=True, help="Only report what would be deleted.")
@_of_team
def gc(
    path: str | None,  # noqa: ARG001
    form: Form | None,
    repositories: tuple[str, ...],
    *,
    quiet: bool,  # noqa: ARG001
    named: str | None,
    grace_days: int,
    dry_run: bool,
) -> None:
    """Delete objects that no published index needs.

    Of the named repositories, or of all that you administer. Publishing goes on meanwhile.
    """
    found = administration.collect_garbage(
        membership(named), repositories, grace_s=grace_days * _DAY_S, dry_run=dry_run
    )
    rows = [plain_document(each) for each in found]
    print_result(
        form,
        document=lambda: {"repositories": rows},
        documents=lambda: rows,
        lines=lambda: map(_garbage_line, found),
    )


@team.command("delete-branch")
@click.argument("branch")
@option("--repository", required=True, metavar="NAME", help="The repository.")
@_of_team
def delete_branch(
    path: str | None,  # noqa: ARG001
    form: Form | None,
    branch: str,
    *,
    quiet: bool,  # noqa: ARG001
    named: str | None,
    repository: str,
) -> None:
    """Delete what is published of a branch.

    For one that is merged, or whose published state is of no use. Garbage collection frees what it alone needed.
    """
    is_deleted = administration.delete_branch(membership(named), repository, branch)
    document = {"repository": repository, "branch": branch, "is_deleted": is_deleted}
    what = "is deleted" if is_deleted else "was not published"
    _print(form, document, [(f"`{branch}` of `{repository}` {what}",)])


@team.command("sync")
@option("--dry-run", is_flag=True, help="Only report what would be done.")
@_of_repository
def sync(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    named: str | None,
    repository: str | None,
    dry_run: bool,
) -> None:
    """Bring the copy of the team's memory up to date.

    The copy lies in your own memory, is found with it, and works without the database.
    """
    with (
        opened(path, command="team sync", quiet=quiet) as workspace,
        opened_team_memory(workspace.memory, workspace.root, named, repository) as memory,
    ):
        report = memory.sync(dry_run=dry_run)
        if not dry_run:
            attach_index(workspace.root, membership(report.team_id))
        _print_memory(report, form)


@team.command("promote")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@_of_repository
def promote(
    path: str | None,
    form: Form | None,
    ids: tuple[str, ...],
    *,
    quiet: bool,
    named: str | None,
    repository: str | None,
) -> None:
    """Promote facts of your memory into the team's.

    They are redacted once more, and signed by you.
    """
    with (
        opened(path, command="team promote", quiet=quiet) as workspace,
        opened_team_memory(
            workspace.memory, workspace.root, named, repository, use="promote"
        ) as memory,
    ):
        _print_memory(memory.promote(ids), form)


@team.command("demote")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@option("--erase", is_flag=True, help="Remove them from the database and from every member's copy, at its next sync.")  # fmt: skip
@_of_repository
def demote(
    path: str | None,
    form: Form | None,
    ids: tuple[str, ...],
    *,
    quiet: bool,
    named: str | None,
    repository: str | None,
    erase: bool,
) -> None:
    """End facts in the team's memory; yours remain valid here.

    Other members' copies follow at their next sync.
    """
    with (
        opened(path, command="team demote", quiet=quiet) as workspace,
        opened_team_memory(workspace.memory, workspace.root, named, repository) as memory,
    ):
        _print_memory(memory.withdraw(ids, erase=erase), form)


def _attached(entry: TeamEntry, path: str | None) -> TeamEntry:
    """The entry, after the workspace at `path` was given the shared index of its repository, if the team has it."""
    root = workspace_root(resolve_folder(path))
    grant_ = attach_index(root, membership(entry.id))
    return entry if grant_ is None else replace(entry, index=grant_.name)


def _pair(text: str) -> tuple[str, str]:
    """A repository and a role."""
    name, separator, role = text.rpartition("=")
    if not separator or not name:
        raise UsageError(f"`{text}` is no grant", hint="give `--grant REPOSITORY=ROLE`")
    return name, role


def _print(form: Form | None, document: Mapping[str, object], lines: list[Line]) -> None:
    print_result(form, document=lambda: document, documents=lambda: [document], lines=lambda: lines)


def _print_entry(entry: TeamEntry, form: Form | None, what: str) -> None:
    names = ", ".join(entry.repositories) or "no repositories yet"
    lines: list[Line] = [((entry.team, "bold"), f": {what}"), ((f"  {names}", "dim"),)]
    if entry.index:
        lines.append((f"  this workspace uses the index of `{entry.index}`: `codecairn pull`",))
    _print(form, plain_document(entry), lines)


def _new_key_lines(done: KeyHandout) -> list[Line]:
    text = f"`{done.repository}` has its key number {done.generation}; publish again to use it"
    return [(text,), *_without_key(done)]


def _without_key(done: KeyHandout) -> Iterator[Line]:
    """Who did not get the key, and why."""
    for name in done.without:
        text = f"  `{name}` has not joined yet and has no key of `{done.repository}`: invite them again"
        yield ((text, "yellow"),)
    for name in done.refused:
        text = (
            f"  `{name}` has a grant and got no key of `{done.repository}`: you revoked it before, or no trusted member "
            "introduced them"
        )
        yield ((text, "yellow"),)


def _status_lines(found: TeamStatus) -> Iterator[Line]:
    yield ((found.team, "bold"), f"  you are `{found.member}`", (f"  {found.place}", "dim"))
    for each in found.repositories:
        role = each.role or "owner of the team"
        yield (
            "  ",
            (each.name, "cyan"),
            f"  {role}  {each.project}",
            (f"  {each.store_url}", "dim"),
        )
        uses = "".join(
            f", {amount(count, kind, _PLURALS[kind])}" for kind, count in each.uses.items()
        )
        branches = amount(each.branches, "branch", "branches")
        yield ((f"    {branches}, {amount(each.facts, 'fact record')}{uses}", "dim"),)
        if each.role and not each.has_key:
            yield (
                ("    you do not hold its key: ask an administrator to grant it again", "yellow"),
            )
    for grant_ in found.grants:
        note = "" if grant_.has_joined else "  (has not joined yet)"
        yield (f"  {grant_.repository}: {grant_.member} is {grant_.role}{note}",)


_PLURALS: Mapping[str, str] = MappingProxyType(
    {"pull": "pulls", "publish": "publications", "sync": "syncs", "promote": "promotions"}
)


def _garbage_line(found: CollectedGarbage) -> Line:
    verb = "would delete" if found.is_dry_run else "deleted"
    return (
        (found.repository, "bold"),
        f": {verb} {found.deleted:,} of {amount(found.stored, 'object')}; {found.live:,} in use, "
        f"{found.waiting:,} in their grace period",
    )


def _print_memory(report: TeamMemoryReport, form: Form | None) -> None:
    _print(form, plain_document(report), [*_memory_lines(report)])


def _memory_lines(report: TeamMemoryReport) -> Iterator[Line]:
    for id_ in report.promoted:
        yield (f"{id_} is in the memory of `{report.team}`",)
    for id_ in report.withdrawn:
        yield (f"{id_} is no longer in the memory of `{report.team}`",)
    if not report.promoted and not report.withdrawn:
        verb = "would be " if report.is_dry_run else ""
        yield (
            f"{amount(report.shared, 'statement')} of `{report.repository}` in the memory of `{report.team}`: "
            f"{report.added:,} {verb}taken in, {report.ended:,} {verb}hidden, {report.erased:,} {verb}erased",
        )
    for conflict in report.conflicts:
        own = ", ".join(conflict.own)
        yield (
            (f"  {conflict.id} of `{conflict.author}` may contradict your {own}: ", "yellow"),
            conflict.text,
        )
    for problem in report.problems[:_MAX_PROBLEMS]:
        yield ((f"  refused: {problem.where}: {problem.what}", "yellow"),)
    if len(report.problems) > _MAX_PROBLEMS:
        rest = len(report.problems) - _MAX_PROBLEMS
        yield ((f"  … and {rest:,} more (`--json` lists all)", "dim"),)
