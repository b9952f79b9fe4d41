"""Splits Markdown notes into statements: a file with front matter is one; otherwise each entry under a heading is one."""

import re
from collections.abc import Iterator, Mapping

from codecairn.core.light_dataclass import dataclass

_HEAD = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^\s*([\w-]+)\s*:\s*(.+?)\s*$", re.MULTILINE)
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_ENTRY = re.compile(r"^(?:[-*+]|\d+[.)])\s+(.*)$")
_LINK_ONLY = re.compile(r"^\[[^\]]*\]\([^)]*\.md\)(?:\s*[-–—:].*)?$")  # noqa: RUF001 - dashes of all lengths

_BY_HEADING = (
    ("preference", re.compile(r"prefer|habit|style|like to|workflow|偏好", re.IGNORECASE)),
    (
        "rule",
        re.compile(r"rule|convention|must|never|always|feedback|guideline|规则", re.IGNORECASE),
    ),
    ("decision", re.compile(r"decision|decided|chosen|决定", re.IGNORECASE)),
    ("architecture", re.compile(r"architect|design|structure|layout|架构", re.IGNORECASE)),
    (
        "project-config",
        re.compile(r"command|build|test|run|config|setup|environment|命令", re.IGNORECASE),
    ),
    ("tech-context", re.compile(r"tech|stack|dependenc|tool|技术", re.IGNORECASE)),
    (
        "error-solution",
        re.compile(r"bug|error|fix|pitfall|gotcha|issue|troubleshoot|失败", re.IGNORECASE),
    ),
    ("task", re.compile(r"todo|next step|open question|待办", re.IGNORECASE)),
    ("learned-pattern", re.compile(r"learn|lesson|insight|pattern|know", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One statement of a file: its text, its heading, and its first line."""

    text: str
    heading: str
    line: int

    @property
    def type(self) -> str:
        """What sort it is, by its heading."""
        return next((name for name, pattern in _BY_HEADING if pattern.search(self.heading)), "note")


def head_of(text: str) -> tuple[Mapping[str, str], str]:
    """The fields of a file's head, and what comes after it."""
    match = _HEAD.match(text)
    if match is None:
        return {}, text
    fields = {name.lower(): value.strip("\"'") for name, value in _FIELD.findall(match[1])}
    return fields, text[match.end() :]


def notes(text: str) -> Iterator[Note]:
    """Entries and paragraphs; what is indented under an entry belongs to it, links to other notes are left out."""
    heading, begun, lines = "", 0, list[str]()
    in_fence = False

    def note() -> Iterator[Note]:
        whole = "\n".join(lines).strip()
        if len(whole) > 8 and not _LINK_ONLY.match(whole):
            yield Note(text=whole, heading=heading, line=begun)

    for number, line in enumerate(text.splitlines(), 1):
        is_fence = line.lstrip().startswith("```")
        in_fence ^= is_fence
        found_heading = None if in_fence or is_fence else _HEADING.match(line)
        entry = None if in_fence or is_fence else _ENTRY.match(line)
        if found_heading or entry or (not line.strip() and not in_fence):
            yield from note()
            lines, begun = [], number
            heading = found_heading[2] if found_heading else heading
            if entry:
                lines = [entry[1]]
        else:
            begun = begun if lines else number
            lines.append(line.strip() if lines and not in_fence else line)
    yield from note()


def sections(text: str) -> Iterator[Note]:
    """Whole sections by heading, as one note each."""
    heading, begun, lines = "", 1, list[str]()

    def note() -> Iterator[Note]:
        whole = "\n".join(lines).strip()
        if len(whole) > 8:
            yield Note(text=whole, heading=heading, line=begun)

    for number, line in enumerate(text.splitlines(), 1):
        found = _HEADING.match(line)
        if found:
            yield from note()
            heading, begun, lines = found[2], number, []
        else:
            lines.append(line)
    yield from note()
