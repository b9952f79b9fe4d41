"""What a node answers: operations that only read the code, with their parameters, and the documents of their results."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from codecairn.core.git import start
from codecairn.core.types.hits import SearchResult
from codecairn.errors import UsageError
from codecairn.mcp.schema import argument_name, values_of
from codecairn.operations.change_operations import CHANGE_OPERATIONS
from codecairn.operations.graph_operations import GRAPH_OPERATIONS
from codecairn.operations.index_operations import OPERATIONS
from codecairn.operations.json_output import plain_document
from codecairn.operations.operation import Operation, Parameter
from codecairn.search.git_history import commit_id
from codecairn.workspace.workspace import Workspace

ANSWERED: Mapping[str, Operation] = MappingProxyType(
    {name: OPERATIONS[name] for name in ("search", "peek", "similar", "define")}
    | {name: GRAPH_OPERATIONS[name] for name in ("callers", "callees")}
    | {"uses": CHANGE_OPERATIONS["uses"]}
)
"""The operations by name. None writes, asks the memory, or opens a path that a request names."""

_LEFT_OUT = frozenset({"refresh", "scopes"})
"""Parameters of the machine that has the index: nothing changes in a commit, and a node has no knowledge bases."""

_MAXIMA: Mapping[str, int] = MappingProxyType(
    {"limit": 500, "context_lines": 200, "token_budget": 100_000, "depth": 10}
)
"""The greatest numbers that are answered."""


def parameters_of(operation: Operation) -> list[Parameter]:
    """The parameters of an operation that a request may give."""
    return [each for each in operation.parameters if each.field not in _LEFT_OUT]


def checked_values(name: str, arguments: Mapping[str, object]) -> dict[str, object]:
    """The values of an operation for the arguments of a request.

    Raises:
        UsageError: If one is not known, missing, or not allowed.
    """
    operation = ANSWERED[name]
    parameters = parameters_of(operation)
    values = values_of(parameters, arguments)
    for each in parameters:
        most, given = _MAXIMA.get(each.field), values.get(each.field)
        if most is not None and isinstance(given, int) and given > most:
            raise UsageError(
                f"`{argument_name(each)}` is {given:,}", hint=f"a node answers {most:,} at most"
            )
    if any(each.field == "scopes" for each in operation.parameters):
        values["scopes"] = ("workspace",)
    return values


def answer(
    workspace: Workspace, name: str, values: Mapping[str, object], *, has_outlines: bool
) -> dict[str, object]:
    """The result of an operation as a document, and for `has_outlines` the members of each class that was found.

    Raises:
        UsageError: If its filter `commit` names none of the history of the commit that is answered.
    """
    if isinstance(named := values.get("commit"), str):
        _require_in_history(workspace.root, named)
    result = ANSWERED[name].run(workspace, **values)
    document: dict[str, object] = {"result": plain_document(result)}
    if has_outlines and isinstance(result, SearchResult):
        document["outlines"] = [workspace.outline(hit) for hit in result.hits]
    return document


def _require_in_history(root: Path, name: str) -> None:
    """A commit's repository has the objects of all branches, also of those that were removed or moved by force."""
    found = commit_id(root, name)
    if not found:
        return  # as the operation reports it
    with start(root, "merge-base", "--is-ancestor", found, "HEAD") as running:
        if not running.succeeds():
            raise UsageError(
                f"there is no commit `{name:.100}` in the history of the commit that was asked about",
                hint="give the id of one that it contains",
            )
