"""The type of a tool: made from an operation, with its description and its sets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from codecairn.core.engine import ProgressCallback
from codecairn.core.light_dataclass import dataclass
from codecairn.core.requests import Doc
from codecairn.errors import CodecairnError
from codecairn.mcp.answers import Answer
from codecairn.mcp.schema import input_schema, values_of
from codecairn.operations.operation import Operation, Parameter
from codecairn.workspace.workspace import Workspace
from codecairn.workspace.workspaces import Workspaces

Values: TypeAlias = Mapping[str, object]
Asked: TypeAlias = Workspace | Workspaces
Run: TypeAlias = Callable[[Any, Values, ProgressCallback], Answer]
"""Takes a workspace; several, as `Asked`, where a tool searches all of them."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool.

    Attributes:
        name: What clients call it.
        group: "code" or "memory"; "both" for what belongs to either, "other" for the tools of other memories.
        text: What a model reads to choose it.
        operations: Whose parameters it takes.
        run: What it does with a workspace and the operation's values, and whom it tells progress.
        without: Parameters that agents are not given.
        optional: Parameters that need not be given here although the operation needs them.
        extra: Parameters of its own.
        is_compact: Whether it is in the compact set.
        unsaid: Parameters that it takes but does not list in the compact set: few calls need them.
        is_short: Whether it leaves these out.
        is_read_only: Whether it changes nothing but the index.
        needs_index: Whether it waits for the first index.
        searches_all: Whether it searches all workspaces where a call names none.
        changes_bases: Whether it changes which folders are searched: it is offered only where that is allowed.
        failed: What it says when something is wrong, where its clients know other words than ours.
    """

    name: str
    group: Literal["code", "memory", "both", "other"]
    text: str
    run: Run
    operations: Sequence[Operation] = ()
    without: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    extra: tuple[Parameter, ...] = ()
    is_compact: bool = False
    unsaid: frozenset[str] = frozenset()
    is_short: bool = False
    is_read_only: bool = True
    needs_index: bool = False
    searches_all: bool = False
    changes_bases: bool = False
    failed: Callable[[CodecairnError], Answer] | None = None

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
        """The JSON schema of its arguments, as it is listed."""
        unsaid = self.unsaid if self.is_short else ()
        return input_schema(each for each in self.parameters if each.field not in unsaid)

    def short(self) -> "Tool":
        """As the compact set lists it; it takes what it does not list."""
        return replace(self, is_short=True) if self.unsaid else self

    def values(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """The operation's values for a call's arguments.

        Raises:
            UsageError: If an argument is not known, is missing, or has a value that it can't have.
        """
        return values_of(self.parameters, arguments)


def answered(operation: Operation, answer: Callable[[Any], Answer], **fixed: object) -> Run:
    """Runs an operation with the tool's values, and formats its result."""

    def run(workspace: Asked, values: Values, _progress: ProgressCallback) -> Answer:
        return answer(operation.run(workspace, **{**values, **fixed}))

    return run


def parameter(
    name: str,
    text: str,
    *,
    value_type: type = str,
    choices: tuple[str, ...] = (),
    minimum: int | None = None,
    maximum: int | None = None,
    default: object = None,
    is_list: bool = False,
    is_required: bool = False,
) -> Parameter:
    """A parameter of a tool that no operation has."""
    doc = Doc(text=text, name=name, choices=choices, minimum=minimum, maximum=maximum)
    return Parameter(
        field=name,
        doc=doc,
        value_type=value_type,
        is_list=is_list,
        is_required=is_required,
        default=default,
    )
