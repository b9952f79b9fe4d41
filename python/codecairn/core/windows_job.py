"""A job of Windows: processes, with all that they start, that the system ends when the last handle of the job is closed.

The handle is this process's alone, and the system closes it when this process ends.
"""

import ctypes
import sys

_EXTENDED_LIMITS = 9
_KILL_ON_CLOSE = 0x2000
_MAY_JOIN = 0x0101
"""The rights that joining a job takes: to set quotas of a process, and to end it."""


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


if sys.platform == "win32":

    class Job:
        """A job with one process, by its number, and the processes that it starts from now on."""

        def __init__(self, process_id: int) -> None:
            self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            for function in ("CreateJobObjectW", "OpenProcess"):
                getattr(self._kernel, function).restype = ctypes.c_void_p
            self._handle = ctypes.c_void_p(self._kernel.CreateJobObjectW(None, None))
            limits = _ExtendedLimits()
            limits.BasicLimitInformation.LimitFlags = _KILL_ON_CLOSE
            size = ctypes.sizeof(limits)
            self._kernel.SetInformationJobObject(
                self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), size
            )
            process = ctypes.c_void_p(self._kernel.OpenProcess(_MAY_JOIN, 0, process_id))
            self._kernel.AssignProcessToJobObject(self._handle, process)
            self._kernel.CloseHandle(process)

        def close(self) -> None:
            """End the processes of the job that still run."""
            handle, self._handle = self._handle, ctypes.c_void_p(None)
            if handle:
                self._kernel.CloseHandle(handle)
