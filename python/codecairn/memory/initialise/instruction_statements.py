"""Reads the statements of a file for agents: every list item, paragraph, table and code block, with its section's title.

A nested item follows its parent (`Tests: never mock: the clock`), and a list, table or code block the line that introduces it.
The title of the document itself is left out.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from codecairn.memory.extract.model_answer import Statement
from codecairn.memory.initialise.files import ProjectFile

MAX_STATEMENTS = 500
"""Statements of one file."""

_MAX_PARAGRAPH_CHARS = 400
_MAX_LEAD_CHARS = 160
_MAX_BLOCK_CHARS = 4_000

_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_RULER = re.compile(r"^\s*(?:[-*_]\s*){3,}$")
_TABLE_RULER = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$")
_OWN_BLOCK = re.compile(r"<!-- codecairn: begin -->.*?(?:<!-- codecairn: end -->|\Z)", re.DOTALL)
"""What the installation wrote: agents have it already."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)---[ \t]*(?:\n|\Z)", re.DOTALL)
_APPLIES_TO = re.compile(r"^(?:globs|applyTo|paths|fileMatchPattern):[ \t]*(\S.*)$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z])|(?<=[\u3002\uff01\uff1f])")
_INTRODUCTION_ENDS = (":", "\N{FULLWIDTH COLON}")
_REFERENCE = re.compile(r"@\S+|!?\[[^\]]*\]\([^)]*\)")
_COMMANDING = re.compile(
    r"\b(?:must(?: not)?|never|always|don't|do not|avoid|prefer|required?|only)\b", re.IGNORECASE
)


def instruction_statements(file: ProjectFile) -> list[Statement]:
    """All statements of a file, in its order; each once."""
    text = file.text
    label = file.name
    if front_matter := _FRONT_MATTER.match(text):
        text = text[front_matter.end() :]
        if applies_to := _APPLIES_TO.search(front_matter[1]):
            label = f"{file.name}, for {applies_to[1].strip()}"
    text = _COMMENT.sub("", _OWN_BLOCK.sub("", text))
    passages = _Reader().read(text.splitlines())
    unique = {passage.text: passage for passage in passages if _is_statement(passage.body)}
    return [_statement(file.name, label, each) for each in list(unique.values())[:MAX_STATEMENTS]]


def _statement(name: str, label: str, passage: "_Passage") -> Statement:
    text = f"{passage.text} ({label})"
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Statement(
        text=text,
        type="project-config" if passage.is_block else "rule",
        # A subject of its own: two rules that differ in a number are not versions of one.
        subject=f"file {name}",
        predicate=f"statement {digest}",
        confidence=0.8 if _COMMANDING.search(passage.text) else 0.7,
        file=name,
    )


def _is_statement(text: str) -> bool:
    """Whether a text says something: a reference alone, such as an entry of a table of contents, does not."""
    return sum(char.isalnum() for char in _REFERENCE.sub("", text)) >= 3


@dataclass(slots=True, kw_only=True)
class _Passage:
    """One statement: `lead` holds the lines that introduce it, and `block` its table or code."""

    section: str
    lead: tuple[str, ...] = ()
    body: str = ""
    block: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        parts = (self.section, *(_short(each) for each in self.lead), self.body)
        return "\n".join([_joined(part for part in parts if part), *self.block])

    @property
    def is_block(self) -> bool:
        return bool(self.block)


def _short(lead: str) -> str:
    if len(lead) <= _MAX_LEAD_CHARS:
        return lead
    return lead[:_MAX_LEAD_CHARS].rpartition(" ")[0] + "…"


def _joined(parts: Iterable[str]) -> str:
    """Parts in a row, with a colon after those that end without punctuation."""
    said = ""
    for part in parts:
        separator = " " if said.endswith((".", ":", "!", "?", ";", ",", "…")) else ": "
        said = f"{said}{separator}{part}" if said else part
    return said


class _Reader:
    """Reads Markdown line by line; a line that is no Markdown is a paragraph's."""

    def __init__(self) -> None:
        self._found: list[_Passage] = []
        self._titles: list[tuple[int, str]] = []
        self._items: list[tuple[int, _Passage]] = []
        self._open: _Passage | None = None
        """The paragraph or item that the next line goes on with."""
        self._last: _Passage | None = None
        """The passage that a code block belongs to."""
        self._intro = ""
        """The last paragraph, if it ends with a colon and nothing followed yet."""
        self._list_intro = ""

    def read(self, lines: list[str]) -> list[_Passage]:
        """All passages; those that only introduce others are part of these."""
        at = 0
        while at < len(lines):
            at = self._block(lines, at)
        self._end_paragraph()
        self._drop_intro()
        return [part for passage in self._found for part in _sentences(passage)]

    def _block(self, lines: list[str], at: int) -> int:
        """Read what begins at a line; return the line after it."""
        line = lines[at]
        if fence := _FENCE.match(line):
            end = _fence_end(lines, at, fence[2])
            self._code(lines[at:end], indent=len(fence[1]))
            return end
        if not line.strip():
            self._end_paragraph()
        elif heading := _HEADING.match(line):
            self._heading(len(heading[1]), heading[2])
        elif self._is_paragraph() and re.fullmatch(r" {0,3}(?:=+|-{2,})\s*", line):
            title, self._open = self._open, None
            if title is not None:
                self._found.remove(title)
                self._heading(1 if "=" in line else 2, title.body)
        elif at + 1 < len(lines) and "|" in line and _TABLE_RULER.match(lines[at + 1]):
            end = next((n for n in range(at, len(lines)) if "|" not in lines[n]), len(lines))
            self._end_paragraph()
            self._table(lines[at:end])
            return end
        elif _RULER.match(line):
            self._end_paragraph()
        elif item := _ITEM.match(line):
            self._item(len(item[1].expandtabs(4)), item[2])
        else:
            self._text(line)
        return at + 1

    def _section(self) -> str:
        return " > ".join(title for level, title in self._titles if level > 1)

    def _is_paragraph(self) -> bool:
        return self._open is not None and not self._items

    def _heading(self, level: int, title: str) -> None:
        self._end_paragraph()
        self._drop_intro()
        self._end_list()
        self._last = None
        self._titles = [each for each in self._titles if each[0] < level]
        self._titles.append((level, title))

    def _text(self, line: str) -> None:
        text = line.strip().lstrip(">").strip()
        indent = len(line) - len(line.lstrip())
        if self._open is None:
            self._items = [each for each in self._items if each[0] < indent]
            if self._items:  # A further paragraph of an item.
                self._open = self._items[-1][1]
            else:
                self._drop_intro()
                self._end_list()
                self._open = self._add(_Passage(section=self._section()))
        self._open.body = f"{self._open.body} {text}".strip()

    def _item(self, indent: int, text: str) -> None:
        self._end_paragraph()
        self._items = [each for each in self._items if each[0] < indent]
        parents = tuple(passage.body for _, passage in self._items)
        self._list_intro = self._take_intro() or self._list_intro
        lead = (self._list_intro, *parents) if self._list_intro else parents
        if self._items:
            _consume(self._found, self._items[-1][1])
        item = self._add(_Passage(section=self._section(), lead=lead, body=text.strip()))
        self._items.append((indent, item))
        self._open = item

    def _code(self, lines: list[str], *, indent: int) -> None:
        code = [line[indent:] if not line[:indent].strip() else line for line in lines]
        was_open = self._open
        self._end_paragraph()
        block = _cut(code)
        if intro := self._take_intro():
            self._end_list()
            self._add(_Passage(section=self._section(), body=intro, block=block))
        elif (owner := was_open or self._last) is not None:
            owner.block += block
        else:
            self._add(_Passage(section=self._section(), block=block, body="Code:"))

    def _table(self, lines: list[str]) -> None:
        intro = self._take_intro() or "Table:"
        self._end_list()
        for rows in _table_parts([line.strip() for line in lines]):
            self._add(_Passage(section=self._section(), body=intro, block=rows))

    def _end_paragraph(self) -> None:
        ended, self._open = self._open, None
        if ended is None or self._items:
            return
        if ended.body.endswith(_INTRODUCTION_ENDS):
            self._intro = ended.body
            self._found.remove(ended)
            self._last = None

    def _take_intro(self) -> str:
        intro, self._intro = self._intro, ""
        return intro

    def _drop_intro(self) -> None:
        """Make a statement of an introduction that nothing followed."""
        if intro := self._take_intro():
            self._found.append(_Passage(section=self._section(), body=intro))

    def _end_list(self) -> None:
        self._items, self._list_intro = [], ""

    def _add(self, passage: _Passage) -> _Passage:
        self._found.append(passage)
        self._last = passage
        return passage


def _consume(found: list[_Passage], parent: _Passage) -> None:
    """Drop a parent that only introduces its items."""
    if parent.body.endswith(_INTRODUCTION_ENDS) and not parent.block:
        found[:] = [each for each in found if each is not parent]


def _fence_end(lines: list[str], at: int, mark: str) -> int:
    """The line after a code block; it ends with a fence that is as long, or with the file."""
    closing = re.compile(rf"\s*{re.escape(mark[0])}{{{len(mark)},}}\s*")
    ends = (n + 1 for n in range(at + 1, len(lines)) if closing.fullmatch(lines[n]))
    return next(ends, len(lines))


def _cut(lines: list[str]) -> list[str]:
    """The first lines of a block, up to the maximum."""
    room = _MAX_BLOCK_CHARS
    for count, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return [*lines[:count], "…"]
    return lines


def _table_parts(rows: list[str]) -> Iterator[list[str]]:
    """A table, in several with the same head if it is long."""
    head, rest = rows[:2], rows[2:]
    part = list(head)
    for row in rest:
        if len(part) > len(head) and sum(map(len, part)) + len(row) > _MAX_BLOCK_CHARS:
            yield part
            part = list(head)
        part.append(row[:_MAX_BLOCK_CHARS])
    yield part


def _sentences(passage: _Passage) -> Iterator[_Passage]:
    """A passage, a long one in several of whole sentences; the last has the block."""
    parts = [""]
    for sentence in _SENTENCE_END.split(passage.body):
        if parts[-1] and len(parts[-1]) + len(sentence) >= _MAX_PARAGRAPH_CHARS:
            parts.append("")
        parts[-1] = f"{parts[-1]} {sentence}".strip()
    for at, part in enumerate(parts):
        block = passage.block if at == len(parts) - 1 else []
        yield _Passage(section=passage.section, lead=passage.lead, body=part, block=block)
