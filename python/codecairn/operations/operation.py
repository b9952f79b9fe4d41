"""What an operation is: a function that takes a workspace, and what is said about its parameters."""

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Doc:
    """What is said about a parameter, besides its type and default.

    Attributes:
        text: What it means.
        name: What users call it, where that differs from the parameter: `kind` for `kinds`.
        letter: Its one-letter form.
        metavar: The word that stands for its value.
        choices: The only values allowed; empty for any.
        minimum: The least number allowed.
        maximum: The greatest number allowed.
        is_positional: Whether it is given by its place even where it has a default; what has none always is.
    """

    text: str
    name: str = ""
    letter: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    is_positional: bool = False


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

    Its parameters are read from the function's signature when somebody first asks for them.
    """

    def __init__(self, run: Callable[..., object]) -> None:
        self.run = run
        self.name = run.__name__

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
    if typing.get_origin(declared) is tuple:
        return typing.get_args(declared)[0], True
    if isinstance(declared, UnionType):
        (declared,) = (part for part in typing.get_args(declared) if part is not type(None))
    return declared, False
