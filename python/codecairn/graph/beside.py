"""Work that goes on beside other work."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_Result = TypeVar("_Result")


@contextmanager
def beside(work: Callable[[], _Result]) -> Iterator[Callable[[], _Result]]:
    """Start work in a thread of its own; what is yielded waits for its result, or raises what it failed with."""
    results: list[_Result] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as err:  # noqa: BLE001 - handed to the one who waits
            failures.append(err)

    thread = threading.Thread(target=run, name="codecairn-beside")
    thread.start()

    def result() -> _Result:
        thread.join()
        if failures:
            raise failures[0]
        return results[0]

    try:
        yield result
    finally:
        thread.join()
