"""The type of an operation: a function on a workspace, and the documentation of its parameters."""

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cached_property
from types import UnionType
from typing import Annotated, Any, TypeVar

from codecairn.core.call_time import one_call
from codecairn.core.light_dataclass import dataclass
from codecairn.core.requests import Doc, nested_options, request_of

_Function = TypeVar("_Function", bound=Callable[..., object])
_NO_DEFAULT = inspect.Parameter.empty


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
    """One thing that a user can do with a workspace: a function that takes a workspace, and a request or parameters.

    Its name is the function's, in the form of the command line: `edit-context` for `edit_context`, `import` for `import_`.
    Its parameters are read from the request's fields, or the function's signature, when they are first needed.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function
        self.name = function.__name__.rstrip("_").replace("_", "-")

    def run(self, workspace: object, **values: object) -> Any:  # noqa: ANN401 - what the function returns
        """Call the function with values by parameter."""
        with one_call():
            if self._request is None:
                return self._function(workspace, **values)
            return self._function(workspace, request_of(self._request, values))

    @property
    def doc(self) -> str:
        """Its documentation; the first line is a summary."""
        return inspect.getdoc(self._function) or ""

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters, without the workspace. What it takes and returns is not loaded for them."""
        if self._request is not None:
            return tuple(_options(self._request))
        return tuple(
            _parameter(each.name, each.annotation, each.default)
            for each in inspect.signature(self._function).parameters.values()
            if each.name != "workspace"
        )

    @cached_property
    def _request(self) -> type | None:
        """The class of its request; `None` if it takes plain parameters."""
        return nested_options(self._function.__annotations__.get("request"))


class OperationTable(Mapping[str, Operation]):
    """Operations by name, in the order of their definition.

    OPERATIONS = OperationTable()

    @OPERATIONS.add
    def search(workspace: Workspace, request: SearchRequest) -> SearchResult: ...

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


def _options(request: type) -> Iterator[Parameter]:
    """The documented fields of a request, those given by their place first."""

    def is_keyword(field: "Field[Any]") -> bool:
        return field.kw_only is True

    for field in sorted(fields(request), key=is_keyword):
        nested = nested_options(field.type)
        if nested is not None:
            _, doc = typing.get_args(field.type)
            every = _options(nested)
            yield from (each for each in every if not doc.offers or each.field in doc.offers)
        elif typing.get_origin(field.type) is Annotated:
            is_required = field.default is MISSING
            yield _parameter(field.name, field.type, _NO_DEFAULT if is_required else field.default)


def _parameter(name: str, annotation: object, default: object) -> Parameter:
    declared, doc = typing.get_args(annotation)
    value_type, is_list = _value_type(declared)
    is_required = default is _NO_DEFAULT
    return Parameter(
        field=name,
        doc=doc,
        value_type=value_type,
        is_list=is_list,
        is_required=is_required,
        default=None if is_required else default,
    )


def _value_type(declared: Any) -> tuple[type, bool]:  # noqa: ANN401 - a type
    if typing.get_origin(declared) in (tuple, Sequence):
        return typing.get_args(declared)[0], True
    if isinstance(declared, UnionType):
        (declared,) = (part for part in typing.get_args(declared) if part is not type(None))
    return declared, False
