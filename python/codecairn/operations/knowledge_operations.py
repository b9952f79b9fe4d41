"""The operations on knowledge bases; see `codecairn.operations.index_operations`."""

from typing import Annotated

from codecairn.core.requests import Doc
from codecairn.core.types.indexing import IndexReport
from codecairn.core.types.provenance import BaseState, KnowledgeBase
from codecairn.operations.operation import OperationTable
from codecairn.workspace.workspace import Workspace

KNOWLEDGE_OPERATIONS = OperationTable()
"""These operations by name."""


@KNOWLEDGE_OPERATIONS.add
def add(
    workspace: Workspace,
    folder: Annotated[str, Doc(text="The folder to search, too.", metavar="FOLDER")],
    *,
    name: Annotated[
        str | None, Doc(text="Its name; default: the folder's name.", metavar="NAME")
    ] = None,
) -> tuple[KnowledgeBase, IndexReport]:
    """Search a further folder, too, and index it now.

    Documents, a library's source, another repository. Nothing is written into it: its index lies in your data folder,
    unless the folder is a workspace of its own.
    """
    base = workspace.knowledge.add(folder, name=name)
    return base, workspace.knowledge.workspace_of(base.name).index()


@KNOWLEDGE_OPERATIONS.add
def list_(workspace: Workspace) -> tuple[BaseState, ...]:
    """Show the further folders that are searched with the workspace."""
    return workspace.knowledge.states()


@KNOWLEDGE_OPERATIONS.add
def remove(
    workspace: Workspace,
    name: Annotated[str, Doc(text="The base's name or folder.", metavar="NAME")],
    *,
    purge: Annotated[bool, Doc(text="Also delete its index in your data folder.")] = False,
) -> KnowledgeBase:
    """Stop searching a folder; its contents are not changed."""
    return workspace.knowledge.remove(name, purge=purge)
