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
from codecairn.mcp.output_schema import output_schema
from codecairn.mcp.schema import argument_name, input_schema, short_input_schema, values_of
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
        title: What people read in a host's list; made of the name if empty.
        compact: The parameters that the compact set lists, with their texts; it is not in that set if `None`. The
            others are taken all the same: few calls need them.
        is_short: Whether it is listed in that way.
        is_read_only: Whether it changes nothing but the index.
        is_destructive: Whether it may remove or overwrite something, if it is not read-only.
        is_idempotent: Whether a second call with the same arguments changes nothing more, if it is not read-only.
        is_open_world: Whether it may reach another machine.
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
    title: str = ""
    compact: Mapping[str, str] | None = None
    is_short: bool = False
    is_read_only: bool = True
    is_destructive: bool = False
    is_idempotent: bool = False
    is_open_world: bool = False
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
        if not self.is_short:
            return input_schema(self.parameters)
        by_name = {argument_name(each): each for each in self.parameters}
        return short_input_schema(
            [(by_name[name], text) for name, text in (self.compact or {}).items()]
        )

    @property
    def annotations(self) -> dict[str, bool]:
        """The protocol's hints: whether hosts should ask before it runs, and may run it again."""
        hints = {"readOnlyHint": self.is_read_only, "openWorldHint": self.is_open_world}
        if not self.is_read_only:
            hints["destructiveHint"] = self.is_destructive
            hints["idempotentHint"] = self.is_idempotent
        return hints

    def listed(self, schema: Mapping[str, object], *, has_output: bool) -> dict[str, object]:
        """As the protocol lists it, with the schema of its arguments, and with that of its result if `has_output`."""
        output: dict[str, object] = {"outputSchema": output_schema(self.name)} if has_output else {}
        return {
            "name": self.name,
            "title": self.title or self.name.replace("_", " ").capitalize(),
            "description": self.text,
            "inputSchema": schema,
            **output,
            "annotations": self.annotations,
        }

    @property
    def usage(self) -> str:
        """What a call needs, in a line."""
        needed = [each for each in self.parameters if each.is_required]
        if not needed:
            return (
                f"`{self.name}` takes {', '.join(argument_name(each) for each in self.parameters)}"
            )
        return "; ".join(f"give `{argument_name(each)}`: {each.doc.text}" for each in needed)

    @property
    def is_compact(self) -> bool:
        """Whether it is in the compact set."""
        return self.compact is not None

    def short(self) -> "Tool":
        """As the compact set lists it."""
        return replace(self, is_short=True)

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
