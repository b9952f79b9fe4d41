"""Makes options and arguments of commands from the parameters of operations."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import click

from codecairn.cli.command import OneOf, WholeNumber, option
from codecairn.cli.output import Form
from codecairn.operations.operation import Operation, Parameter

_Function = TypeVar("_Function", bound=Callable[..., object])


def takes(
    operation: Operation,
    *,
    without: tuple[str, ...] = (),
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Callable[[_Function], _Function]:
    """Give a command the operation's documentation and parameters, except those in `without`.

    `settings` names, by parameter, another setting than the operation's that decides where people get the answer.
    """

    def decorate(function: _Function) -> _Function:
        function.__doc__ = operation.doc
        for parameter in reversed(operation.parameters):
            if parameter.field not in without:
                function = _declare(parameter, settings.get(parameter.field))(function)
        return function

    return decorate


def on_workspace(function: _Function) -> _Function:
    """Give a command `--path`, `--json`, `--jsonl` and `--quiet`."""
    options = (
        option(
            "--path",
            "path",
            metavar="PATH",
            is_eager=True,  # other options are seen from there
            help="A folder inside the workspace. [default: here]",
        ),
        option(
            "--json",
            "form",
            flag_value=Form.JSON,
            type=click.UNPROCESSED,
            help="Print one JSON document.",
        ),
        option(
            "--jsonl",
            "form",
            flag_value=Form.JSON_LINES,
            type=click.UNPROCESSED,
            help="Print one JSON document a line.",
        ),
        option("-q", "--quiet", is_flag=True, help="No progress and no notes."),
    )
    for each in reversed(options):
        function = each(function)
    return function


def on_workspaces(function: _Function) -> _Function:
    """As `on_workspace`, and `--workspace`, which may be given several times, and `--org`."""
    everything = option(
        "--org",
        "is_org",
        is_flag=True,
        is_eager=True,
        help="Search all repositories that are indexed on this machine.",
    )
    several = option(
        "--workspace",
        "several",
        metavar="PATH",
        is_eager=True,
        multiple=True,
        help="Search this workspace; repeat it to search several.",
    )
    return several(everything(on_workspace(function)))


def _declare(parameter: Parameter, setting: str | None) -> Callable[[_Function], _Function]:
    if parameter.is_required or parameter.doc.is_positional:
        return _argument(parameter)
    return _option(parameter, setting)


def _argument(parameter: Parameter) -> Callable[[_Function], _Function]:
    metavar = parameter.doc.metavar or parameter.name.upper()
    usual: dict[str, Any] = (
        {} if parameter.is_required or parameter.is_list else {"default": parameter.default}
    )
    return click.argument(
        parameter.field,
        metavar=metavar,
        type=_type(parameter),
        required=parameter.is_required,
        nargs=-1 if parameter.is_list else 1,
        **usual,
    )


def _option(parameter: Parameter, setting: str | None) -> Callable[[_Function], _Function]:
    names = [parameter.field, f"--{parameter.name}"]
    if parameter.doc.alias:
        names.append(f"--{parameter.doc.alias}")
    if parameter.doc.letter:
        names.append(f"-{parameter.doc.letter}")
    extra: dict[str, Any] = {
        "help": parameter.doc.text,
        "default": parameter.default,
        "setting": setting or parameter.doc.setting,
        "place": parameter.doc.place,
    }
    if parameter.field == "scopes":
        extra["is_eager"] = True  # places are seen from the bases that it names
    if parameter.doc.place:
        extra["callback"] = _from_here
    if parameter.value_type is bool:
        if parameter.default is None:
            names[1] = f"--{parameter.name}/--no-{parameter.name}"
        extra["is_flag"] = True
    else:
        extra["type"] = _type(parameter)
        extra["metavar"] = parameter.doc.metavar or None
        extra["multiple"] = parameter.is_list
    return option(*names, **extra)


def _from_here(ctx: click.Context, param: click.Parameter, value: Any) -> Any:  # noqa: ANN401 - click's signature
    if not value or not isinstance(value, str | tuple):  # not given
        return value
    from codecairn.cli.path_options import from_here

    return from_here(ctx, param, value)


def _type(parameter: Parameter) -> "click.ParamType[Any]":
    if parameter.doc.choices:
        return OneOf(parameter.doc.choices)
    if parameter.value_type is int:
        return WholeNumber(parameter.doc.minimum, parameter.doc.maximum)
    return click.STRING
