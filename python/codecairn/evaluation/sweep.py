"""Runs the same questions under every combination of given settings."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from codecairn.config.setting import SettingValue
from codecairn.config.validation import find_setting, parse
from codecairn.errors import UsageError
from codecairn.evaluation.questions import Question
from codecairn.evaluation.runner import Report, run
from codecairn.workspace.workspace import Workspace

MAX_COMBINATIONS = 64
"""The largest number of combinations; more take too long."""


def combinations(given: Sequence[str]) -> list[dict[str, SettingValue]]:
    """Every combination of `key=value,value`.

    Raises:
        UsageError: If a setting or a value is not one, or there are too many combinations.
    """
    axes: dict[str, list[SettingValue]] = {}
    for each in given:
        key, equals, values = each.partition("=")
        if not equals or not values:
            raise UsageError(f"`{each}` varies nothing", hint="such as `fusion=rrf,weighted`")
        setting = find_setting(key, source="arguments")
        if isinstance(setting.default, tuple):
            raise UsageError(f"`{key}` is a list, which can't be varied")
        axes[key] = [parse(setting, value, source="arguments") for value in values.split(",")]
    found = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    if len(found) > MAX_COMBINATIONS:
        raise UsageError(
            f"these are {len(found):,} combinations", hint=f"{MAX_COMBINATIONS} at most"
        )
    return found


def sweep(
    opened: Callable[[dict[str, SettingValue]], Workspace],
    questions: Sequence[Question],
    combined: Sequence[dict[str, SettingValue]],
) -> Iterator[Report]:
    """A report for each combination, in their order."""
    for settings in combined:
        with opened(settings) as workspace:
            yield run(workspace, questions, settings=settings)
