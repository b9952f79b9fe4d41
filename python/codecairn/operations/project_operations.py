"""The operation on the projects of the memory; see `codecairn.operations.index_operations`."""

from typing import Annotated

from codecairn.core.requests import Doc
from codecairn.errors import UsageError
from codecairn.memory.projects import ProjectReport
from codecairn.operations.operation import OperationTable
from codecairn.workspace.workspace import Workspace

PROJECT_OPERATIONS = OperationTable()
"""This operation by name."""

ACTIONS = ("show", "list", "adopt", "part")
"""The actions on projects."""


@PROJECT_OPERATIONS.add
def project(
    workspace: Workspace,
    action: Annotated[
        str,
        Doc(
            text="The action: show which folders share this memory and why, list all projects, join another one with this folder's, or give this folder a memory of its own.",
            metavar="show|list|adopt|part",
            choices=ACTIONS,
            is_positional=True,
        ),
    ] = "show",
    which: Annotated[
        str | None,
        Doc(
            text="With `adopt`: the other project, by its number, its name or a folder of it.",
            metavar="PROJECT",
            is_positional=True,
        ),
    ] = None,
    *,
    yes: Annotated[
        bool, Doc(text="Do it; without this option `adopt` and `part` only describe the change.")
    ] = False,
) -> ProjectReport:
    """Show which folders share a memory; merge and part projects.

    A folder keeps its memory when it is moved or its remote changes. A clone has the memory of its remote. Where it might be a stranger's, a
    folder begins without, and `adopt` gives it the memory that it had.
    """
    if which is not None and action != "adopt":
        raise UsageError(f"`{action}` takes no project", hint="`adopt` does")
    if action == "adopt" and which is None:
        raise UsageError(
            "say which project to adopt",
            hint="its number or name; see `codecairn memory project list`",
        )
    projects = workspace.memory.projects
    changed = None
    if which is not None:
        changed = projects.adopt(which, is_confirmed=yes)
    elif action == "part":
        changed = projects.part(is_confirmed=yes)
    return projects.report(action, changed=changed)
