"""Giving memory back to the system after much of it was used once."""

import sys


def trim_heap() -> None:
    """Return what the C library keeps for reuse.

    The GNU C library keeps freed memory in one arena a thread, for as long as the process lives; after a full index that
    is several times what a process that then waits for changes needs. Elsewhere this does nothing.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return
