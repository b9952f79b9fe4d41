"""The operations on shared indexes; see `codecairn.operations.index_operations`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from codecairn.core.requests import Doc
from codecairn.operations.operation import OperationTable

if TYPE_CHECKING:
    from codecairn.objects.grant import Grant
    from codecairn.replication.types import Pull, RemoteStatus
    from codecairn.workspace.workspace import Workspace

REMOTE_OPERATIONS = OperationTable()
"""These operations by name."""

Remote = Annotated[
    str | None,
    Doc(
        text="The shared index: its address, name or id; default: the one of this workspace.",
        metavar="REMOTE",
    ),
]
Branch = Annotated[
    str | None,
    Doc(
        text="The branch of the shared index; default: the one that is checked out, else the grant's.",
        metavar="NAME",
    ),
]


@REMOTE_OPERATIONS.add
def pull(workspace: "Workspace", *, remote: Remote = None, branch: Branch = None) -> "Pull":
    """Take in a shared index, and index what is different here.

    What others have indexed and signed is fetched and checked, so that files need not be parsed here. A pull that was
    broken off goes on where it stopped.
    """
    return workspace.remote.pull(remote=remote, branch=branch)


@REMOTE_OPERATIONS.add
def init(
    workspace: "Workspace",
    url: Annotated[
        str,
        Doc(
            text="Where its objects lie: a folder, file:///folder or s3://bucket/prefix.",
            metavar="URL",
        ),
    ],
    *,
    name: Annotated[
        str | None, Doc(text="What to call it; default: the folder's name.", metavar="NAME")
    ] = None,
    branch: Annotated[
        str | None,
        Doc(
            text="The branch for readers whose own has no index; default: the one that is checked out.",
            metavar="NAME",
        ),
    ] = None,
) -> "Grant":
    """Begin a shared index of this repository.

    Fresh keys are made and kept in your data folder; `codecairn remote grant` hands them on.
    """
    return workspace.remote.init(url, name=name, branch=branch)


@REMOTE_OPERATIONS.add
def grant(
    workspace: "Workspace",
    file: Annotated[
        str, Doc(text="The file to write, which must not exist; `-` for stdout.", metavar="FILE")
    ],
    *,
    publisher: Annotated[
        str | None,
        Doc(text="Let it publish, too, under this new name; default: read.", metavar="NAME"),
    ] = None,
    remote: Remote = None,
) -> bytes | None:
    """Write a grant for another person or for continuous integration.

    It holds the key of the shared index: hand it over as you would a password.
    """
    if file == "-":
        return workspace.remote.hand_over(remote=remote, publisher=publisher)
    workspace.remote.hand_over_file(Path(file), remote=remote, publisher=publisher)
    return None


@REMOTE_OPERATIONS.add
def accept(
    workspace: "Workspace",
    file: Annotated[str, Doc(text="The grant; `-` for stdin.", metavar="FILE")],
    *,
    url: Annotated[
        str | None,
        Doc(text="Where the objects lie here, if elsewhere than in the grant.", metavar="URL"),
    ] = None,
    replace: Annotated[
        bool, Doc(text="Take it in place of a different grant for the same shared index.")
    ] = False,
) -> "Grant":
    """Accept a grant: use the shared index in this workspace.

    A grant that differs from one that you hold, in its address or publishers, say, is shown and refused without --replace.
    """
    return workspace.remote.accept_file(Path(file), url=url, is_replacing=replace)


@REMOTE_OPERATIONS.add
def status(
    workspace: "Workspace", *, remote: Remote = None, branch: Branch = None
) -> "RemoteStatus":
    """Show the shared index of this workspace.

    Its pointer and its manifest are fetched, and their signatures checked.
    """
    return workspace.remote.status(remote=remote, branch=branch)


@REMOTE_OPERATIONS.add
def remove(workspace: "Workspace", *, remote: Remote = None) -> "Grant":
    """Forget a grant and its keys.

    The shared index itself and the index here stay.
    """
    return workspace.remote.remove(remote)
