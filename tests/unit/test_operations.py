"""The command line says what the operations say."""

import click
import pytest

from codecairn.cli.app import COMMANDS, app
from codecairn.operations.change_operations import CHANGE_OPERATIONS
from codecairn.operations.graph_operations import GRAPH_OPERATIONS
from codecairn.operations.index_operations import OPERATIONS
from codecairn.operations.knowledge_operations import KNOWLEDGE_OPERATIONS
from codecairn.operations.maintenance_operations import MAINTENANCE_OPERATIONS
from codecairn.operations.memory_operations import MEMORY_OPERATIONS
from codecairn.operations.operation import Operation, Parameter
from codecairn.operations.record_operations import RECORD_OPERATIONS
from codecairn.operations.remote_operations import REMOTE_OPERATIONS

SURFACE_OPTIONS = {"path", "form", "quiet", "help", "color", "no_pager"}
MADE_OF_SEVERAL = {
    "index": {"folder", "estimate", "dry_run", "verbose", "publish", "branch"},
    "status": {"verbose"},
    "doctor": {"of_hosts"},
}
MADE_OF_SEVERAL |= {
    name: {"several", "is_org", "node", "branch"} for name in ("search", "peek", "define")
}
NOT_ON_THE_COMMAND_LINE = {("similar", "text"), ("memory import", "text")}
INSIDE_ANOTHER_COMMAND = {"preview", "skips"}

ALL: dict[str, Operation] = {
    **OPERATIONS,
    **CHANGE_OPERATIONS,
    **{f"graph {name}": operation for name, operation in GRAPH_OPERATIONS.items()},
    **{f"knowledge {name}": operation for name, operation in KNOWLEDGE_OPERATIONS.items()},
    **{
        name if name == "pull" else f"remote {name}": operation
        for name, operation in REMOTE_OPERATIONS.items()
    },
    **{
        f"memory {name}": operation
        for name, operation in {
            **MEMORY_OPERATIONS,
            **MAINTENANCE_OPERATIONS,
            **RECORD_OPERATIONS,
        }.items()
    },
}


def _command(name: str) -> click.Command:
    group, _, inner = name.partition(" ")
    command = app.get_command(click.Context(app), group)
    if inner:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), inner)
    assert command is not None
    return command


def _pairs() -> list[tuple[str, Parameter]]:
    return [
        (name, parameter)
        for name, operation in ALL.items()
        if name not in INSIDE_ANOTHER_COMMAND
        for parameter in operation.parameters
        if (name, parameter.field) not in NOT_ON_THE_COMMAND_LINE
    ]


@pytest.mark.parametrize(("name", "parameter"), _pairs())
def test_every_parameter_is_an_option_with_its_doc_and_default(
    name: str, parameter: Parameter
) -> None:
    (found,) = (each for each in _command(name).params if each.name == parameter.field)
    assert found.required == parameter.is_required
    if isinstance(found, click.Option):
        assert f"--{parameter.name}" in found.opts
        assert found.help == parameter.doc.text
        assert found.multiple == parameter.is_list


@pytest.mark.parametrize("name", sorted(set(ALL) - INSIDE_ANOTHER_COMMAND))
def test_commands_take_nothing_that_no_operation_knows(name: str) -> None:
    known = {parameter.field for parameter in ALL[name].parameters}
    taken = {param.name for param in _command(name).params}
    assert taken - known <= SURFACE_OPTIONS | MADE_OF_SEVERAL.get(name, set())


@pytest.mark.parametrize("operation", ALL.values(), ids=[*ALL])
def test_every_operation_and_parameter_is_documented(operation: object) -> None:
    assert operation.doc.partition("\n")[0].endswith(".")  # type: ignore[attr-defined]
    for parameter in operation.parameters:  # type: ignore[attr-defined]
        assert parameter.doc.text.endswith(".")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    from codecairn.cli.main import main

    assert main([name, "--help"]) == 0
    assert f"Usage: codecairn {name}" in capsys.readouterr().out
