"""Whether the machine runs on its battery, as the system tells; where it does not, it is taken not to."""

import sys
from pathlib import Path

_SUPPLIES = Path("/sys/class/power_supply")
_PATIENCE_S = 5


def is_on_battery() -> bool:
    """Whether nothing but a battery feeds this machine; `False` where that is not known."""
    if sys.platform.startswith("linux"):
        return supplies_say_battery(_SUPPLIES)
    if sys.platform == "darwin":
        return _pmset_says_battery()
    if sys.platform == "win32":
        return _windows_says_battery()
    return False


def supplies_say_battery(folder: Path) -> bool:
    """What Linux tells in `/sys/class/power_supply`: no mains is online, and a battery is being emptied.

    Batteries of mice and the like, whose scope is `Device`, say nothing about the machine.
    """
    try:
        supplies = sorted(folder.iterdir())
    except OSError:
        return False
    is_emptied = False
    for supply in supplies:
        if _read(supply / "scope") == "Device":
            continue
        if _read(supply / "online") not in {"", "0"}:
            return False
        if _read(supply / "type") == "Battery" and _read(supply / "status") == "Discharging":
            is_emptied = True
    return is_emptied


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _pmset_says_battery() -> bool:
    import subprocess

    try:
        told = subprocess.run(
            ["/usr/bin/pmset", "-g", "batt"],
            capture_output=True, text=True, timeout=_PATIENCE_S, check=False,
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return False
    return "'Battery Power'" in told


def _windows_says_battery() -> bool:
    """`SYSTEM_POWER_STATUS` begins with the state of the mains: 0 offline, 1 online, 255 unknown."""
    import ctypes

    windll = getattr(ctypes, "windll", None)
    status = (ctypes.c_ubyte * 12)()
    if windll is None or not windll.kernel32.GetSystemPowerStatus(ctypes.byref(status)):
        return False
    return status[0] == 0
