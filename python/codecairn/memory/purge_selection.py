"""Converts the selection of a purge to the form of the core."""

from collections.abc import Mapping, Sequence

from codecairn.errors import UsageError


def selection(
    ids: Sequence[str], *, containing: str | None, session: str | None, whole_project: bool
) -> Mapping[str, object] | str:
    """The one choice that was made.

    Raises:
        UsageError: If none was, or several.
    """
    choices: list[Mapping[str, object] | str] = []
    if ids:
        choices.append({"items": list(ids)})
    if containing is not None:
        choices.append({"containing": containing})
    if session is not None:
        choices.append({"session": session})
    if whole_project:
        choices.append("project")
    if len(choices) != 1:
        raise UsageError(
            "say what to purge", hint="ids, or a text, or a session, or the whole project"
        )
    return choices[0]
