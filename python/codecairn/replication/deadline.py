"""The time that fetching a shared index may take: no request to its store or its database is waited for longer."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import TypeVar

from codecairn.clock import Clock
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteUnavailable

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """When the requests to a shared index have to end.

    Attributes:
        remote: The name of the shared index, for messages.
        clock: The clock of `ends_s`.
        ends_s: A moment of its monotonic time.
    """

    remote: str
    clock: Clock
    ends_s: float

    def run(self, request: Callable[[], _Result]) -> _Result:
        """What a request returns, or its error, if it ends in time.

        It runs in a thread of its own, which is left alone at the deadline: neither a read of a network drive nor a request to
        a bucket can be broken off from outside.

        Raises:
            RemoteUnavailable: If there is no time left, or the request takes longer.
        """
        left_s = self.ends_s - self.clock.monotonic_s()
        if left_s <= 0:
            raise self._over()
        future: Future[_Result] = Future()

        def act() -> None:
            try:
                future.set_result(request())
            except BaseException as err:  # noqa: BLE001 - it is raised where the result is asked for
                future.set_exception(err)

        Thread(target=act, name="codecairn-request", daemon=True).start()
        if not wait([future], timeout=left_s).done:
            raise self._over()
        return future.result()

    def _over(self) -> RemoteUnavailable:
        return RemoteUnavailable(
            f"fetching the shared index `{self.remote}` takes longer than a search may wait",
            hint="what was fetched is kept: `codecairn pull` goes on from there",
        )


def run_without_limit(request: Callable[[], _Result]) -> _Result:
    """What a request returns, however long it takes: where there is no deadline."""
    return request()
