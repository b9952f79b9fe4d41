"""The type of an operation: a function on a workspace, and the documentation of its parameters."""

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import Any, TypeVar

from codecairn.core.requests import Doc

_Function = TypeVar("_Function", bound=Callable[..., object])


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of an operation. `value_type` is `str`, `int`, `float` or `bool`; `is_list` allows several."""

    field: str
    doc: Doc
    value_type: type
    is_list: bool
    is_required: bool
    default: object

    @property
    def name(self) -> str:
        """What users call it."""
        return self.doc.name or self.field.replace("_", "-")


class Operation:
    """One thing that a user can do with a workspace: a function that takes a workspace and parameters.

    Its name is the function's, in the form of the command line: `edit-context` for `edit_context`, `import` for `import_`.
    Its parameters are read from the function's signature when they are first needed.
    """

    def __init__(self, run: Callable[..., object]) -> None:
        self.run = run
        self.name = run.__name__.rstrip("_").replace("_", "-")

    @property
    def doc(self) -> str:
        """Its documentation; the first line is a summary."""
        return inspect.getdoc(self.run) or ""

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters, without the workspace. What it takes and returns is not loaded for them."""
        return tuple(
            _parameter(parameter)
            for parameter in inspect.signature(self.run).parameters.values()
            if parameter.name != "workspace"
        )


class OperationTable(Mapping[str, Operation]):
    """Operations by name, in the order of their definition.

    OPERATIONS = OperationTable()

    @OPERATIONS.add
    def search(workspace: Workspace, query: Query, *, limit: Limit = None) -> SearchResult: ...

    The functions stay what they are; `OPERATIONS["search"].run` calls one.
    """

    def __init__(self) -> None:
        self._operations: dict[str, Operation] = {}

    def add(self, function: _Function) -> _Function:
        """Add the operation that a function defines; as a decorator, it leaves the function as it is."""
        operation = Operation(function)
        self._operations[operation.name] = operation
        return function

    def __getitem__(self, name: str) -> Operation:
        return self._operations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._operations)

    def __len__(self) -> int:
        return len(self._operations)


def _parameter(parameter: inspect.Parameter) -> Parameter:
    declared, doc = typing.get_args(parameter.annotation)
    value_type, is_list = _value_type(declared)
    is_required = parameter.default is inspect.Parameter.empty
    return Parameter(
        field=parameter.name,
        doc=doc,
        value_type=value_type,
        is_list=is_list,
        is_required=is_required,
        default=None if is_required else parameter.default,
    )


def _value_type(declared: Any) -> tuple[type, bool]:  # noqa: ANN401 - a type
    if typing.get_origin(declared) in (tuple, Sequence):
        return typing.get_args(declared)[0], True
    if isinstance(declared, UnionType):
        (declared,) = (part for part in typing.get_args(declared) if part is not type(None))
    return declared, False
