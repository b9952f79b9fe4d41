"""What a tool is: made from an operation, with what it says and in which sets it is offered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from codecairn.engine import ProgressCallback
from codecairn.mcp.answers import Answer
from codecairn.mcp.schema import input_schema, values_of
from codecairn.operations import Operation, Parameter
from codecairn.workspace import Workspace
from codecairn.workspaces import Workspaces

ToolSet: TypeAlias = Literal["compact", "code", "memory", "all"]
SETS: tuple[ToolSet, ...] = ("compact", "code", "memory", "all")
"""Which tools a server offers. `compact` is what an agent needs in every session, for few tokens."""

Values: TypeAlias = Mapping[str, object]
Asked: TypeAlias = Workspace | Workspaces
Run: TypeAlias = Callable[[Any, Values, ProgressCallback], Answer]
"""Takes a workspace; several, as `Asked`, where a tool searches all of them."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool.

    Attributes:
        name: What clients call it.
        group: "code" or "memory"; "both" for what belongs to either.
        text: What a model reads to choose it.
        operations: Whose parameters it takes.
        run: What it does with a workspace and the operation's values, and whom it tells progress.
        without: Parameters that agents are not given.
        optional: Parameters that need not be given here although the operation needs them.
        extra: Parameters of its own.
        is_compact: Whether it is in the compact set.
        is_read_only: Whether it changes nothing but the index.
        needs_index: Whether it waits for the first index.
        searches_all: Whether it searches all workspaces where a call names none.
        changes_bases: Whether it changes which folders are searched: it is offered only where that is allowed.
    """

    name: str
    group: Literal["code", "memory", "both"]
    text: str
    run: Run
    operations: Sequence[Operation] = ()
    without: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    extra: tuple[Parameter, ...] = ()
    is_compact: bool = False
    is_read_only: bool = True
    needs_index: bool = False
    searches_all: bool = False
    changes_bases: bool = False

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What it takes."""
        found = {
            parameter.field: replace(
                parameter,
                is_required=parameter.is_required and parameter.field not in self.optional,
            )
            for operation in self.operations
            for parameter in operation.parameters
            if parameter.field not in self.without
        }
        return (*found.values(), *self.extra)

    @cached_property
    def schema(self) -> dict[str, object]:
        """The JSON schema of its arguments."""
        return input_schema(self.parameters)

    def values(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """The operation's values for a call's arguments.

        Raises:
            UsageError: If an argument is not known, is missing, or has a value that it can't have.
        """
        return values_of(self.parameters, arguments)


def answered(operation: Operation, answer: Callable[[Any], Answer], **fixed: object) -> Run:
    """Runs an operation with values that the tool decides, and tells its result."""

    def run(workspace: Asked, values: Values, _progress: ProgressCallback) -> Answer:
        return answer(operation.run(workspace, **{**values, **fixed}))

    return run
