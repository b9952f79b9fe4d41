"""Converts an operation's parameters to the JSON schema of a tool, and a call's arguments to the operation's values."""

import math
from collections.abc import Iterable, Mapping, Sequence

from codecairn.core.nearest import did_you_mean, nearest
from codecairn.errors import UsageError
from codecairn.operations.operation import Parameter

MAX_NAME_CHARS = 60
"""Of an argument's name in a message."""

MAX_TEXT_CHARS = 1_000_000
"""Of one text among the arguments."""

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}

OTHER_NAMES: Mapping[str, str] = {
    "blameAuthor": "author",
    "blameSha": "commit",
    "blameSince": "since",
    "blameUntil": "until",
    "branch": "ref",
    "checkConflicts": "conflicts",
    "chunkType": "kind",
    "code": "text",
    "contextLines": "context",
    "couplingLimit": "coupling_limit",
    "dirs": "dir",
    "directory": "dir",
    "estimateOnly": "estimate",
    "filePath": "file",
    "fileType": "lang",
    "format": "style",
    "fromFilePath": "from_file",
    "glob_pattern": "glob",
    "hubThreshold": "hub_threshold",
    "include_private": "private",
    "language": "lang",
    "maxDepth": "max_depth",
    "maxResults": "limit",
    "max_results": "limit",
    "minCoupling": "min_coupling",
    "minSize": "min_size",
    "pinned": "pin",
    "relationshipType": "kind",
    "session_id": "session",
    "symbol": "name",
    "toFilePath": "to_file",
    "tokenBudget": "token_budget",
}
"""Names that models give to parameters because other tools call them so."""


def argument_name(parameter: Parameter) -> str:
    """What a tool calls a parameter."""
    return parameter.name.replace("-", "_")


def input_schema(parameters: Iterable[Parameter]) -> dict[str, object]:
    """The JSON schema of a tool's arguments."""
    properties: dict[str, object] = {}
    required = []
    for parameter in parameters:
        value: dict[str, object] = {"type": _TYPES[parameter.value_type]}
        if parameter.doc.choices:
            value["enum"] = list(parameter.doc.choices)
        if parameter.doc.minimum is not None:
            value["minimum"] = parameter.doc.minimum
        if parameter.doc.maximum is not None:
            value["maximum"] = parameter.doc.maximum
        described = {"type": "array", "items": value} if parameter.is_list else value
        properties[argument_name(parameter)] = {**described, "description": parameter.doc.text}
        if parameter.is_required:
            required.append(argument_name(parameter))
    return _object_schema(properties, required)


def short_input_schema(texts: Sequence[tuple[Parameter, str]]) -> dict[str, object]:
    """The same in as few tokens as a model needs, for every session of an agent pays for it.

    Bounds are left out, and choices where a text names them; a value that is not taken is answered with what is.
    """
    properties: dict[str, object] = {}
    for parameter, text in texts:
        value: dict[str, object] = {"type": _TYPES[parameter.value_type]}
        if parameter.doc.choices and not text:
            value["enum"] = list(parameter.doc.choices)
        if parameter.is_list:
            value = {"type": "array", "items": value}
        properties[argument_name(parameter)] = {**value, **({"description": text} if text else {})}
    return _object_schema(
        properties, [argument_name(parameter) for parameter, _ in texts if parameter.is_required]
    )


def _object_schema(properties: dict[str, object], required: list[str]) -> dict[str, object]:
    schema: dict[str, object] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def values_of(
    parameters: Iterable[Parameter], arguments: Mapping[str, object]
) -> dict[str, object]:
    """The operation's values for a call's arguments.

    `null` counts as not given, one value stands for a list of one, and a number may come as text: models write all of
    these.

    Raises:
        UsageError: If an argument is not known, is missing, or has a value that it can't have.
    """
    by_name = {argument_name(parameter): parameter for parameter in parameters}
    by_field = {parameter.field: name for name, parameter in by_name.items()}
    values: dict[str, object] = {}
    for given, value in arguments.items():
        if value is None:
            continue
        other = OTHER_NAMES.get(given, given)
        name = given if given in by_name else by_field.get(other, other)
        if name not in by_name:
            raise UsageError(f"there is no argument {_quoted(given)}", hint=_hint(name, by_name))
        parameter = by_name[name]
        values[parameter.field] = _value(parameter, name, value)
    for name, parameter in by_name.items():
        if parameter.is_required and parameter.field not in values:
            raise UsageError(f"the argument `{name}` is missing", hint=parameter.doc.text)
    return values


def _quoted(name: str) -> str:
    """A name as it was given, cut if it is long."""
    return f"`{name}`" if len(name) <= MAX_NAME_CHARS else f"`{name[:MAX_NAME_CHARS]}…`"


def _hint(name: str, by_name: Mapping[str, Parameter]) -> str:
    return did_you_mean(name, by_name) or f"there are: {', '.join(by_name) or 'none'}"


def _value(parameter: Parameter, name: str, value: object) -> object:
    if parameter.is_list:
        items = value if isinstance(value, list | tuple) else [value]
        return tuple(_single(parameter, name, item) for item in items)
    return _single(parameter, name, value)


def _single(parameter: Parameter, name: str, value: object) -> object:
    found = _converted(parameter.value_type, value)
    if found is None:
        wanted = _TYPES[parameter.value_type]
        raise UsageError(
            f"`{name}` must be of type {wanted}, not {value!r:.80}", hint=parameter.doc.text
        )
    if isinstance(found, str):
        _require_plain(name, found)
    if parameter.doc.choices and found not in parameter.doc.choices:
        near = nearest(str(found), parameter.doc.choices)
        meant = f"did you mean `{near}`? " if near else ""
        raise UsageError(
            f"`{name}` can't be {value!r:.80}",
            hint=f"{meant}there are: {', '.join(parameter.doc.choices)}",
        )
    least, most = parameter.doc.minimum, parameter.doc.maximum
    if isinstance(found, int | float) and not isinstance(found, bool):
        if least is not None and found < least:
            raise UsageError(f"`{name}` is {found}", hint=f"give {least} or more")
        if most is not None and found > most:
            raise UsageError(f"`{name}` is {found}", hint=f"give {most} or less")
    return found


def _require_plain(name: str, text: str) -> None:
    """Refuse what no text of a project has: a NUL character, and a million characters."""
    if len(text) > MAX_TEXT_CHARS:
        raise UsageError(
            f"`{name}` has {len(text):,} characters", hint=f"give {MAX_TEXT_CHARS:,} at most"
        )
    if "\0" in text:
        raise UsageError(f"`{name}` has a NUL character", hint="leave it out")


def _number(value: object) -> float | None:
    try:
        found = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _whole(text: str) -> int | None:
    """The whole number that a text is; `None` if it is none, or has more digits than Python reads."""
    try:
        return int(text) if text.strip().removeprefix("-").isdecimal() else None
    except ValueError:
        return None


def _converted(wanted: type, value: object) -> object:
    """The value in the wanted type; `None` if it is none of it."""
    if wanted is bool:
        words = {"true": True, "false": False}
        return value if isinstance(value, bool) else words.get(str(value).lower())
    if isinstance(value, bool):
        return None
    if wanted is float:
        return _number(value)
    if wanted is int:
        if isinstance(value, str):
            return _whole(value)
        number = _number(value) if isinstance(value, float) else value
        is_whole = isinstance(number, int | float) and number == int(number)
        return int(number) if is_whole and isinstance(number, int | float) else None
    return value if isinstance(value, str) else None
