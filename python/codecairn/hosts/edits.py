"""What an installation changes: members of JSON files, tables of TOML files, blocks of texts, files of its own.

An edit is made on bytes and undone on bytes: nothing here touches the disk.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from codecairn.hosts.jsonc import NotJson, depth_of, read_member, remove_member, set_member

BEGIN, END = "<!-- codecairn: begin -->", "<!-- codecairn: end -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change of one file.

    Attributes:
        path: The file.
        what: What is entered, in a few words.
        portable: Whether the file is shared with others, so that nothing of this machine may stand in it.
    """

    path: Path
    what: str
    portable: bool = False

    def applied(self, text: str) -> str:
        """The file's text with the change; an empty text stands for no file."""
        raise NotImplementedError

    def undone(self, text: str, *, original: str) -> str:
        """The file's text without the change, whatever else was changed since; `original` is from before it."""
        raise NotImplementedError

    def is_in(self, text: str) -> bool:
        """Whether the change is there as it would be made now."""
        return bool(text) and self.applied(text) == text


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonMember(Edit):
    """A member of a JSON file."""

    member: tuple[str, ...]
    value: object

    def applied(self, text: str) -> str:
        """The text with the member set."""
        return set_member(text, self.member, self.value)

    def undone(self, text: str, *, original: str) -> str:
        """The text without it, and without objects that were made for it."""
        return remove_member(
            text, self.member, keep=depth_of(original, self.member) if original else 0
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonItems(Edit):
    """Items of lists in a JSON file, one for each event: hooks. Ours are known by the command that they run."""

    member: tuple[str, ...]
    items: Mapping[str, object]
    mark: str

    def applied(self, text: str) -> str:
        """The text with the items appended to their lists; older ones of ours are replaced in place."""
        for event, item in self.items.items():
            path = (*self.member, event)
            known = self._list(text, path)
            others = [each for each in known if not self._is_ours(each)]
            if len(others) == len(known):
                text = set_member(text, path, [*known, item])
            elif [each for each in known if self._is_ours(each)] != [item]:
                text = set_member(text, path, [*others, item])
        return text

    def undone(self, text: str, *, original: str) -> str:
        """The text without our items; a list that only held them goes."""
        keep = depth_of(original, (*self.member, "")) if original else 0
        for event in self.items:
            path = (*self.member, event)
            known = self._list(text, path)
            others = [each for each in known if not self._is_ours(each)]
            if known and not others:
                text = remove_member(text, path, keep=keep)
            elif len(others) < len(known):
                text = set_member(text, path, others)
        return text

    def _list(self, text: str, path: Sequence[str]) -> list[object]:
        found = read_member(text, path) if text.strip() else None
        if found is None:
            return []
        if not isinstance(found, list):
            raise NotJson(f"`{'.'.join(path)}` is no list")
        return found

    def _is_ours(self, item: object) -> bool:
        return self.mark in json.dumps(item)


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
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        after = f"{text}{gap}[{self.table}]\n{block}"
        _toml(after)
        return after

    def undone(self, text: str, *, original: str) -> str:  # noqa: ARG002 - a block tells all by itself
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
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        return text + gap + ours

    def undone(self, text: str, *, original: str) -> str:
        """The text without the block."""
        if BEGIN not in text:
            return text
        before, _, rest = text.partition(BEGIN)
        after = rest.partition(f"{END}\n")[2]
        if (
            not after
            and original
            and before.startswith(original)
            and not before[len(original) :].strip()
        ):
            return original
        return before.rstrip("\n") + ("\n" if before.strip() else "") + after


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile(Edit):
    """A file that is all ours."""

    content: str

    def applied(self, text: str) -> str:  # noqa: ARG002 - all of it is replaced
        """The file's content."""
        return self.content

    def undone(self, text: str, *, original: str) -> str:  # noqa: ARG002
        """What stood there before."""
        return original


def _toml(text: str) -> Mapping[str, object]:
    try:
        return tomlkit.parse(text).unwrap()
    except TOMLKitError as err:
        message = f"it is no TOML: {err}"
        raise ValueError(message) from err
