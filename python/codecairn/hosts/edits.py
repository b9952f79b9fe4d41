"""The edits of an installation: members of JSON files, tables of TOML files, blocks of text files, files of its own.

An edit is applied to bytes and undone on bytes: this module never touches the disk.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from codecairn.core.light_dataclass import dataclass
from codecairn.hosts.jsonc import (
    add_element,
    depth_of,
    read_member,
    remove_elements,
    remove_member,
    set_member,
)

BEGIN, END = "<!-- codecairn: begin -->", "<!-- codecairn: end -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit(ABC):
    """One change of one file.

    Attributes:
        path: The file.
        what: What is entered, in a few words.
    """

    path: Path
    what: str

    @abstractmethod
    def applied(self, text: str) -> str:
        """The file's text with the change; an empty text means no file."""

    @abstractmethod
    def undone(self, text: str, *, original: str) -> str:
        """The file's text without the change, whatever else was changed since; `original` is from before it."""

    def is_in(self, text: str) -> bool:
        """Whether a text has the entry, in this or an older form."""
        return bool(text.strip()) and self.undone(text, original="") != text


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonMember(Edit):
    """A member of a JSON file."""

    member: tuple[str, ...]
    value: object

    def applied(self, text: str) -> str:
        """The text with the member set."""
        return set_member(text, self.member, self.value)

    def undone(self, text: str, *, original: str) -> str:
        """The text without it, and without objects that were created for it; the previous value is restored."""
        before = read_member(original, self.member) if original.strip() else None
        if before is not None:
            is_there = read_member(text, self.member) is not None
            return set_member(text, self.member, before) if is_there else text
        return remove_member(
            text, self.member, keep=depth_of(original, self.member) if original else 0
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonElement(Edit):
    """An element of an array in a JSON file; `is_ours` knows it again, in older forms too."""

    member: tuple[str, ...]
    value: object
    is_ours: Callable[[object], bool]

    def applied(self, text: str) -> str:
        """The text with the element at the end, in place of an older one of ours."""
        found = read_member(text, self.member) if text.strip() else None
        if isinstance(found, list):
            ours = [each for each in found if self.is_ours(each)]
            if ours == [self.value]:
                return text
            text = remove_elements(text, self.member, self.is_ours)
        return add_element(text, self.member, self.value)

    def undone(self, text: str, *, original: str) -> str:
        """The text without it, and without an array and objects that were made for it."""
        text = remove_elements(text, self.member, self.is_ours)
        was_there = bool(original.strip()) and read_member(original, self.member) is not None
        if was_there or read_member(text, self.member) != []:
            return text
        return remove_member(
            text, self.member, keep=depth_of(original, self.member) if original else 0
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlTable(Edit):
    """A table of a TOML file, appended to its end."""

    table: str
    values: Mapping[str, object]

    def applied(self, text: str) -> str:
        """The text with the table, in place of an older one of ours."""
        document = _toml(text)
        found: object = document
        for name in self.table.split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
        if found is not None and dict(found) == dict(self.values):  # type: ignore[call-overload]
            return text
        if found is not None:
            text = self.undone(text, original="")
        block = tomlkit.dumps(dict(self.values))
        after = f"{text}{_gap(text)}[{self.table}]\n{block}"
        _toml(after)
        return after

    def undone(self, text: str, *, original: str) -> str:  # noqa: ARG002 - a block is self-contained
        """The text without the table, its sub-tables, and the empty line before it."""
        header = re.escape(self.table)
        pattern = rf"(?m)(?:^\n)?^\[{header}(?:\.[^\]\n]*)?\][^\n]*\n(?:(?!\[)[^\n]*(?:\n|\Z))*"
        return re.sub(pattern, "", text)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock(Edit):
    """A block between marks in a text that people write, appended to its end."""

    block: str

    def applied(self, text: str) -> str:
        """The text with the block, in place of an older one."""
        ours = f"{BEGIN}\n{self.block.rstrip()}\n{END}\n"
        if BEGIN in text:
            before, _, rest = text.partition(BEGIN)
            return before + ours + rest.partition(f"{END}\n")[2]
        return text + _gap(text) + ours

    def undone(self, text: str, *, original: str) -> str:
        """The text without the block."""
        if BEGIN not in text:
            return text
        before, _, rest = text.partition(BEGIN)
        after = rest.partition(f"{END}\n")[2]
        if original.strip():
            return before.removesuffix(_gap(original)) + after
        return before.rstrip("\n") + ("\n" if before.strip() else "") + after


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile(Edit):
    """A file that is all ours."""

    content: str

    def applied(self, text: str) -> str:  # noqa: ARG002 - all of it is replaced
        """The file's content."""
        return self.content

    def undone(self, text: str, *, original: str) -> str:  # noqa: ARG002
        """The previous value."""
        return original


def _gap(text: str) -> str:
    """The separator between a text and an appended block, so that there is an empty line."""
    return "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"


def _toml(text: str) -> Mapping[str, object]:
    try:
        return tomlkit.parse(text).unwrap()
    except TOMLKitError as err:
        message = f"it is no TOML: {err}"
        raise ValueError(message) from err
