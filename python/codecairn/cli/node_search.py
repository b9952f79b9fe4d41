"""Answers of search nodes in the place of an index here, for `search`, `peek` and `define`. Nothing is indexed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from codecairn.cli.output import note
from codecairn.config.settings import Settings
from codecairn.core.engine import git_excludes, git_head
from codecairn.core.git import git
from codecairn.core.text_format import amount
from codecairn.core.types.hits import Hit, SearchResult
from codecairn.errors import HistoryUnavailable, UsageError
from codecairn.operations.operation import Operation
from codecairn.paths.relative import inner_name
from codecairn.team.membership import Membership, TeamRepository
from codecairn.team.node_client import NodeAnswer, NodeClient
from codecairn.team.node_result import Outline, outlines, search_result
from codecairn.team.project import team_repository
from codecairn.workspace.workspace import Workspace

OFF = "off"
"""As `--node`: the index here is searched, whatever the setting says."""

_DEFAULTS = {
    "limit": "search_limit",
    "context_lines": "search_context_lines",
    "blame": "search_blame",
}
"""The settings of this machine that decide what was not given, by parameter."""

_NEW_FILES_S = 5.0
"""How long git may look for new files: one pattern in a `.gitignore` can hold it up without an end."""

_OF_THIS_MACHINE = frozenset({"refresh", "scopes"})


class NodeWorkspace:
    """What a screen needs of the workspace of an answer.

    Attributes:
        root: The clone here.
        settings: Its settings.
        result: What was found.
    """

    def __init__(
        self, workspace: Workspace, result: SearchResult, members: Sequence[Outline]
    ) -> None:
        self.root: Path = workspace.root
        self.settings: Settings = workspace.settings
        self.result = result
        self._members = {id(hit): each for hit, each in zip(result.hits, members, strict=True)}

    def outline(self, hit: Hit) -> Outline:
        """The members of a class that was found; empty for anything else."""
        return self._members.get(id(hit), ())


def asked_nodes(
    workspace: Workspace,
    operation: Operation,
    values: Mapping[str, Any],
    *,
    named: str | None,
    branch: str | None,
    has_outlines: bool,
    quiet: bool,
) -> NodeWorkspace | None:
    """What the nodes answer that are named, or that the settings name; `None` if this workspace has none.

    Args:
        workspace: The clone; nothing of it is opened but its settings and git.
        operation: The operation.
        values: Its values.
        named: Addresses between commas, or `off`; `None` for what the settings say.
        branch: The branch whose newest commit is asked about; `None` for the commit that is checked out.
        has_outlines: Whether people see the answer, who get classes as the signatures of their members.
        quiet: Whether notes are left out.

    Raises:
        UsageError: If this is no clone of a team's repository, or the question is wrong.
        RemoteError: If no node answers.
        HistoryUnavailable: If no node has the commit.
    """
    urls = _urls(workspace.settings, named)
    found = _repository(workspace.root, is_named=named is not None) if urls else None
    if found is None:
        if branch is not None:
            raise UsageError("`--branch` is for nodes", hint="give `--node URL`")
        return None
    member, repository = found
    here, commit = git_head(workspace.root)
    if not commit and branch is None:
        raise UsageError(
            "nothing is committed here", hint="name a branch to ask about by `--branch`"
        )
    client = NodeClient(
        urls,
        member,
        ca_file=workspace.settings.node_ca_file,
        notify=lambda message: note(message, quiet=quiet),
    )
    about = {"branch": branch} if branch is not None else {"commit": commit}
    arguments = _arguments(operation, values, workspace)
    question = {
        "repository": repository.id,
        "arguments": arguments,
        "outlines": has_outlines,
        **about,
    }
    answer = client.ask(operation.name, question)
    result = replace(search_result(answer.document), branch=here if branch is None else branch)
    for message in [*answer.notes, *_differences(workspace.root, answer, commit, branch)]:
        note(message, quiet=quiet)
    return NodeWorkspace(workspace, result, outlines(answer.document, len(result.hits)))


def _urls(settings: Settings, named: str | None) -> Sequence[str]:
    if named == OFF:
        return ()
    if named is None:
        return settings.node_urls
    return [each.strip() for each in named.split(",") if each.strip()] or [named]


def _repository(root: Path, *, is_named: bool) -> tuple[Membership, TeamRepository] | None:
    """The team's repository that the workspace is a clone of; where only the settings name nodes there may be none."""
    try:
        return team_repository(root, team=None, repository=None)
    except UsageError:
        if is_named:
            raise
        return None


def _arguments(
    operation: Operation, values: Mapping[str, Any], workspace: Workspace
) -> dict[str, object]:
    """The arguments of a request: what was given, and what the settings here say of the rest."""
    if values.get("scopes"):
        raise UsageError(
            "a node has no knowledge bases", hint="leave out `--in`, or give `--node off`"
        )
    arguments: dict[str, object] = {}
    for each in operation.parameters:
        value = values.get(each.field)
        if value is None and each.field in _DEFAULTS:
            value = getattr(workspace.settings, _DEFAULTS[each.field])
        if each.doc.place == "folder":  # absolute by now; the root itself narrows nothing
            value = tuple(
                filter(None, (inner_name(one, root=workspace.root) for one in value or ()))
            )
        if each.field not in _OF_THIS_MACHINE and value is not None and value != ():
            arguments[each.name.replace("-", "_")] = value
    return arguments


def _differences(root: Path, answer: NodeAnswer, commit: str, branch: str | None) -> list[str]:
    """How the files here differ from those that were searched, in words."""
    if branch is not None and answer.commit != commit:
        here = f", and not for {commit[:12]}, which is checked out here" if commit else ""
        return [f"answered for `{branch}` at {answer.commit[:12]}{here}"]
    try:
        changed = git(root, "diff", "--name-only", "-z", "--no-renames", "HEAD", "--")
        excludes = git_excludes()
        is_there = excludes is not None and excludes.is_file()
        users = (f"--exclude-from={excludes}",) if is_there else ()
        listed = ("ls-files", "-z", "--others", "--exclude-standard", *users)
        added = git(root, *listed, timeout_s=_NEW_FILES_S)
    except HistoryUnavailable:
        return ["the files here were not compared with those that were searched"]
    count = len({name for name in (changed + added).split(b"\0") if name})
    verb = "is" if count == 1 else "are"
    return [f"{amount(count, 'changed file')} {verb} not in this answer"] if count else []
