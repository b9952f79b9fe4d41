"""Sets and removes members of a JSON file and elements of its arrays as text, so comments, order and layout of the rest are kept.

Comments and trailing commas are accepted, as many hosts allow both. Removing what was set restores the original text.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

_SPACE = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}/]+")
_MAX_DEPTH = 100

_TRAILING = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=\r?\n))")


@dataclass
class _Value:
    """A value's place; `members` of an object by name, those of an array by number, in order."""

    start: int
    end: int = 0
    is_object: bool = False
    members: "dict[str, _Member]" = field(default_factory=dict)
    comma: int = -1
    """Where the comma behind the last member ends; -1 without one."""


@dataclass
class _Member:
    start: int
    value: _Value


class NotJson(ValueError):
    """A file that is no JSON, or whose members are of another kind than expected."""


def read_member(text: str, path: Sequence[str]) -> object:
    """The value of a member; `None` if there is none."""
    value = _parsed(text)
    for name in path:
        member = value.members.get(name) if value is not None else None
        if member is None:
            return None
        value = member.value
    return _loaded(text[value.start : value.end]) if value is not None else None


def set_member(text: str, path: Sequence[str], new: object) -> str:
    """The text with a member set; objects on the way to it are made where they are missing.

    Raises:
        NotJson: If the text is no JSON object, or something on the way is no object.
    """
    root = _parsed(text)
    if root is None:
        return json.dumps(_nested(path, new), indent=2, ensure_ascii=False) + "\n"
    value, depth = root, 0
    while depth < len(path) - 1 and path[depth] in value.members:
        value = value.members[path[depth]].value
        depth += 1
        if not value.is_object:
            raise NotJson(f"`{'.'.join(path[:depth])}` is no object")
    name, inner = path[depth], _nested(path[depth + 1 :], new)
    known = value.members.get(name)
    if known is not None:
        if _loaded(text[known.value.start : known.value.end]) == inner:
            return text
        indent = _indent_at(text, known.start)
        written = _written(inner, indent, _unit(text))
        return text[: known.value.start] + written + text[known.value.end :]
    return _inserted(text, value, name, inner)


def remove_member(text: str, path: Sequence[str], *, keep: int = 0) -> str:
    """The text without a member, and without the objects around it that are empty then.

    Args:
        text: The file's text.
        path: The member.
        keep: How many of the objects on the way stay even if they are empty.
    """
    for depth in range(len(path), 0, -1):
        parent = _at(text, path[: depth - 1])
        if parent is None or path[depth - 1] not in parent.members:
            return text
        if depth < len(path) and (depth <= keep or parent.members[path[depth - 1]].value.members):
            return text
        text = _removed(text, parent, path[depth - 1])
    return text


def add_element(text: str, path: Sequence[str], new: object) -> str:
    """The text with an element at the end of an array, which is made where it is missing.

    Raises:
        NotJson: If the text is no JSON object, or what is there is no array.
    """
    array = _at(text, path)
    if array is None:
        return set_member(text, path, [new])
    if not text.startswith("[", array.start):
        raise NotJson(f"`{'.'.join(path)}` is no array")
    return _inserted(text, array, "", new)


def remove_elements(text: str, path: Sequence[str], is_ours: Callable[[object], bool]) -> str:
    """The text without some elements of an array."""
    for name in reversed(_at_or_nothing(text, path)):
        array = _at(text, path)
        if array is None:
            return text
        value = array.members[name].value
        if is_ours(_loaded(text[value.start : value.end])):
            text = _removed(text, array, name)
    return text


def _at_or_nothing(text: str, path: Sequence[str]) -> list[str]:
    array = _at(text, path)
    return list(array.members) if array is not None and not array.is_object else []


def depth_of(text: str, path: Sequence[str]) -> int:
    """How many of the objects on the way to a member are there."""
    for depth in range(len(path) - 1, 0, -1):
        value = _at(text, path[:depth])
        if value is not None and value.is_object:
            return depth
    return 0


def _at(text: str, path: Sequence[str]) -> _Value | None:
    value = _parsed(text)
    for name in path:
        member = value.members.get(name) if value is not None else None
        if member is None:
            return None
        value = member.value
    return value


def _inserted(text: str, parent: _Value, name: str, new: object) -> str:
    unit = _unit(text)
    outer = _indent_at(text, parent.start)
    members = list(parent.members.values())
    is_inline = bool(members) and "\n" not in text[parent.start : parent.end]
    indent = _indent_at(text, members[-1].start) if members else outer + unit
    value = json.dumps(new, ensure_ascii=False) if is_inline else _written(new, indent, unit)
    key = f"{json.dumps(name, ensure_ascii=False)}: " if parent.is_object else ""
    written = key + value
    before = " " if is_inline else f"\n{indent}"
    if not members:
        # What an empty object holds, such as a comment, stays where it is.
        inside = text[parent.start + 1 : parent.end - 1]
        end = "" if inside.endswith(("\n", f"\n{outer}")) else f"\n{outer}"
        at = parent.start + 1
        return text[:at] + before + written + end + text[at:]
    if parent.comma >= 0:
        at = parent.comma if is_inline else _behind(text, parent.comma)
        return text[:at] + before + written + "," + text[at:]
    last = members[-1].value.end
    at = last if is_inline else _behind(text, last)
    return text[:last] + "," + text[last:at] + before + written + text[at:]


def _removed(text: str, parent: _Value, name: str) -> str:
    names = list(parent.members)
    at = names.index(name)
    member = parent.members[name]
    end = member.value.end
    has_next = at + 1 < len(names)
    if at == 0 and not has_next:
        return _emptied(text, parent, member)
    if at > 0:
        before = parent.members[names[at - 1]].value.end
        start = _past(text, before, ",")
        behind = _behind(text, start)
        if not has_next and parent.comma < 0:
            return text[:before] + text[start:behind] + text[end:]
        # The preceding comma belongs to the preceding member, as does a comment on its line; the following one is removed with ours.
        return text[:behind] + text[_past(text, end, ",") :]
    return text[: member.start] + text[parent.members[names[1]].start :]


def _emptied(text: str, parent: _Value, member: _Member) -> str:
    end = parent.comma if parent.comma >= 0 else member.value.end
    start = parent.start + 1
    if text[start : member.start].strip():
        start = member.start  # a comment precedes it
    rest = text[end : parent.end - 1]
    outer = _indent_at(text, parent.start)
    if not rest.strip():
        end = parent.end - 1
    elif not rest.endswith(("\n", f"\n{outer}")) and rest.startswith(f"\n{outer}"):
        end += len(outer) + 1  # the line that came with it
    return text[:start] + text[end:]


def _past(text: str, start: int, mark: str) -> int:
    at = _skip(text, start)
    return at + 1 if text.startswith(mark, at) else start


def _behind(text: str, at: int) -> int:
    """The end of a comment after a value on the same line; without one, the end of the value."""
    found = _TRAILING.match(text, at)
    return found.end() if found else at


def _nested(path: Sequence[str], new: object) -> object:
    for name in reversed(path):
        new = {name: new}
    return new


def _written(new: object, indent: str, unit: str) -> str:
    return json.dumps(new, indent=unit, ensure_ascii=False).replace("\n", f"\n{indent}")


def _unit(text: str) -> str:
    """How deep the file indents: by what its first indented line has."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _loaded(text: str) -> object:
    """The value of JSON with comments and trailing commas."""
    plain = re.sub(
        r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/',
        lambda found: found[1] or " ",
        text,
        flags=re.DOTALL,
    )
    plain = re.sub(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', lambda found: found[1] or "", plain)
    try:
        loaded: object = json.loads(plain)
    except ValueError as err:
        raise NotJson(f"it is no JSON: {err}") from err
    return loaded


def _parsed(text: str) -> _Value | None:
    """The object that a file holds; `None` if it holds nothing."""
    start = _skip(text, 0)
    if start == len(text):
        return None
    value = _value(text, start, 0)
    if not value.is_object or _skip(text, value.end) != len(text):
        raise NotJson("it is not one JSON object")
    return value


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> _Value:
    if depth > _MAX_DEPTH:
        raise NotJson("it is nested too deeply")
    if text.startswith(("{", "["), at):
        return _container(text, at, depth)
    found = (_STRING if text.startswith('"', at) else _SCALAR).match(text, at)
    if found is None:
        raise NotJson(f"it is no JSON at character {at}")
    return _Value(at, found.end())


def _container(text: str, at: int, depth: int) -> _Value:
    value = _Value(at, is_object=text[at] == "{")
    closing = "}" if value.is_object else "]"
    at = _skip(text, at + 1)
    while not text.startswith(closing, at):
        start, name = at, str(len(value.members))
        if value.is_object:
            key = _STRING.match(text, at)
            if key is None:
                raise NotJson(f"it is no JSON at character {at}")
            name = json.loads(key[0])
            at = _skip(text, key.end())
            if not text.startswith(":", at):
                raise NotJson(f"it is no JSON at character {at}")
            at = _skip(text, at + 1)
        inner = _value(text, at, depth + 1)
        value.members[name] = _Member(start, inner)
        value.comma = -1
        at = _skip(text, inner.end)
        if text.startswith(",", at):
            value.comma = at + 1
            at = _skip(text, at + 1)
        elif not text.startswith(closing, at):
            raise NotJson(f"it is no JSON at character {at}")
    value.end = at + 1
    return value
