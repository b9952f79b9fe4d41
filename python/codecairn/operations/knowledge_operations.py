"""What a user can do with knowledge bases, each operation once; as in `codecairn.operations.index_operations`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, TypeVar

from codecairn.core.types.indexing import IndexReport
from codecairn.core.types.provenance import BaseState, KnowledgeBase
from codecairn.operations.operation import Doc, Operation
from codecairn.workspace.workspace import Workspace

_Function = TypeVar("_Function", bound=Callable[..., object])
_REGISTRY: dict[str, Operation] = {}

KNOWLEDGE_OPERATIONS: Mapping[str, Operation] = MappingProxyType(_REGISTRY)
"""Every operation by name."""


def _operation(function: _Function) -> _Function:
    operation = Operation(function)
    operation.name = operation.name.rstrip("_")
    _REGISTRY[operation.name] = operation
    return function


@_operation
def add(
    workspace: Workspace,
    folder: Annotated[str, Doc(text="The folder to search, too.", metavar="FOLDER")],
    *,
    name: Annotated[
        str | None, Doc(text="What to call it; the folder's name if not given.", metavar="NAME")
    ] = None,
) -> tuple[KnowledgeBase, IndexReport]:
    """Search a further folder with the workspace, and index it now.

    Documents, a library's source, another repository. Nothing is written into it: its index lies in your data folder,
    unless the folder is a workspace of its own.
    """
    base = workspace.knowledge.add(folder, name=name)
    return base, workspace.knowledge.workspace_of(base.name).index()


@_operation
def list_(workspace: Workspace) -> tuple[BaseState, ...]:
    """Show the further folders that are searched with the workspace."""
    return workspace.knowledge.states()


@_operation
def remove(
    workspace: Workspace,
    name: Annotated[str, Doc(text="The base's name or folder.", metavar="NAME")],
    *,
    purge: Annotated[bool, Doc(text="Delete its index in your data folder, too.")] = False,
) -> KnowledgeBase:
    """Search a folder no more; what is in it is never touched."""
    return workspace.knowledge.remove(name, purge=purge)
