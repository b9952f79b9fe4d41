"""The operation on backends of the memory; see `codecairn.operations.index_operations`."""

from typing import Annotated

from codecairn.core.light_dataclass import dataclass
from codecairn.core.requests import Doc
from codecairn.errors import UsageError
from codecairn.memory.backends.reports import BackendStatus, DrainReport
from codecairn.operations.operation import OperationTable
from codecairn.workspace.workspace import Workspace

BACKEND_OPERATIONS = OperationTable()
"""This operation by name."""

ACTIONS = ("status", "drain", "retry", "drop")
"""What can be done with backends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendReport:
    """How the backends fare, after what was done.

    Attributes:
        action: One of `ACTIONS`.
        changed: Events that were let wait again, or given up.
        runs: What was sent, by backend.
        backends: How each fares.
    """

    action: str
    changed: int
    runs: tuple[DrainReport, ...]
    backends: tuple[BackendStatus, ...]


@BACKEND_OPERATIONS.add
def backend(
    workspace: Workspace,
    action: Annotated[
        str,
        Doc(
            text="What to do: show how they fare, send what waits and read it back, let dead letters wait again, or give up what waits or is dead.",
            metavar="status|drain|retry|drop",
            choices=ACTIONS,
            is_positional=True,
        ),
    ] = "status",
    numbers: Annotated[
        tuple[int, ...],
        Doc(
            text="With `retry` and `drop`: only these, by the numbers that `status` shows.",
            metavar="NUMBER...",
            is_positional=True,
        ),
    ] = (),
    *,
    wait: Annotated[
        int,
        Doc(
            text="With `drain`: seconds to wait until everything is read back.",
            metavar="SECONDS",
            minimum=0,
            maximum=86_400,
        ),
    ] = 30,
    from_start: Annotated[
        bool,
        Doc(
            text="With `drain`: send the whole log, not only the last day and what came after it.",
            name="all",
        ),
    ] = False,
    verify: Annotated[
        bool,
        Doc(
            text="With `drain`: read back what was stored earlier, too, and send again what is gone."
        ),
    ] = False,
) -> BackendReport:
    """Show or drain the memory's backends: Graphiti, Redis.

    Each event is sent until it was read back from the graph; what failed for good is a dead letter, with the reason. The settings
    `memory.graphiti_url` and `memory.redis_url` name the backends.
    """
    if numbers and action not in {"retry", "drop"}:
        raise UsageError(f"`{action}` takes no numbers", hint="`retry` and `drop` do")
    backends = workspace.memory.upkeep.backends
    changed, runs = 0, tuple[DrainReport, ...]()
    if action == "drain":
        runs = backends.drain(
            wait_s=wait, is_from_start=from_start, is_forced=True, is_verifying=verify
        )
    elif action == "retry":
        changed = backends.retry(numbers)
    elif action == "drop":
        changed = backends.drop(numbers)
    return BackendReport(action=action, changed=changed, runs=runs, backends=backends.status())
