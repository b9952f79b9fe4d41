"""The rights of a workspace's file over each setting.

The file comes with the repository, whose author may be a stranger. It adapts codecairn to the project, and never widens what
is read, shown, remembered or sent: where its value would, the user's value or the default is used.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codecairn.core.light_dataclass import dataclass

if TYPE_CHECKING:
    from codecairn.config.setting import SettingValue

Widens = Callable[[Any, Any], bool]
"""Whether a workspace's value is wider than the one that holds without it."""


def _never(_value: "SettingValue", _held: "SettingValue") -> bool:
    return False


def _workspace_value(value: "SettingValue", _held: "SettingValue") -> "SettingValue":
    return value


def _nothing_wrong(_value: "SettingValue") -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceRight:
    """What a workspace's file may do with a setting.

    Attributes:
        doc: In words, as the page of settings shows it.
        is_own: Whether the file may not name the setting at all: that is an error.
        widens: Whether a value is wider than the one that holds without it, and is ignored therefore.
        combined: The value that holds, of one that does not widen and the one that holds without it.
        refusal: Why the file may not hold a value whatever the user's is, which is an error; empty if it may.
    """

    doc: str
    is_own: bool = False
    widens: Widens = _never
    combined: "Callable[[Any, Any], SettingValue]" = _workspace_value
    refusal: Callable[[Any], str] = _nothing_wrong


def _negated(patterns: tuple[str, ...]) -> str:
    wrong = next((each for each in patterns if each.startswith("!")), None)
    return "" if wrong is None else f"`{wrong}` takes in what is left out"


def within(least: int, most: int) -> WorkspaceRight:
    """A number of this range may be set; beyond it, only one nearer to the range than the user's."""

    def widens(value: int, held: int) -> bool:
        return not min(least, held) <= value <= max(most, held)

    return WorkspaceRight(doc=f"set, {least:,} to {most:,}", widens=widens)


def stricter(*order: str) -> WorkspaceRight:
    """A choice may be set to an equal or stricter one in this order, from the widest to the strictest."""

    def widens(value: str, held: str) -> bool:
        return order.index(value) < order.index(held)

    return WorkspaceRight(doc=f"narrow, towards `{order[-1]}`", widens=widens)


OWN = WorkspaceRight(doc="nothing: *own*", is_own=True)
MAY_SET = WorkspaceRight(doc="set")
LOWER = WorkspaceRight(doc="lower", widens=lambda value, held: value > held)
HIGHER = WorkspaceRight(doc="raise", widens=lambda value, held: value < held)
OFF = WorkspaceRight(doc="turn off", widens=lambda value, held: value and not held)
ON = WorkspaceRight(doc="turn on", widens=lambda value, held: held and not value)
MORE_EXCLUDED = WorkspaceRight(
    doc="add patterns without `!`", combined=lambda value, held: held + value, refusal=_negated
)
ONLY_INCLUDED = WorkspaceRight(
    doc="set if you set none", widens=lambda value, held: bool(held) and value != held
)
