"""Reads the scripts of sessions: `projects/*.txt`, in the format that `README.md` tells."""

import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "projects"
ASK_KINDS = ("plain", "changed", "long", "near", "none", "cross", "time")

_UNIT = re.compile(r"(?<=\d) (?=[^\W\d])")
_SESSION = re.compile(r"session (\d+) day (\d+) host (\w+)")
_TOOL = re.compile(r"T(!?) (\w+): (.*?) =>(?: (.*))?$")
_LABEL = re.compile(r"K (\S+) (\w+) (.+?)(?: supersedes (\S+))?: (.+)$")
_ASK = re.compile(r"(plain|changed|long|near|none) (\S+): (.+)$")
_CROSS = re.compile(r"cross (\S+) (\w\w): (.+)$")
_TIME = re.compile(r"time (\S+): (.+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of a session.

    Attributes:
        role: "user", "assistant" or "tool".
        text: What was said, or the tool's output.
        tool: The tool's name.
        given: The tool's input.
        has_failed: Whether the tool failed.
    """

    role: str
    text: str
    tool: str = ""
    given: str = ""
    has_failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """Something worth remembering.

    Attributes:
        id: What asks call it.
        kind: "decision", "rule", "preference", "fact", "fix" or "todo".
        words: Alternatives; each has parts that a line must all contain, in lower case, to carry it.
        statement: It in one sentence.
        supersedes: The id of what it ends; empty for none.
        session: The number of the session that says it,
        event: and of the event in it, from 0.
    """

    id: str
    kind: str
    words: tuple[tuple[str, ...], ...]
    statement: str
    supersedes: str
    session: int
    event: int

    def is_in(self, text: str) -> bool:
        """Whether a text carries it, with or without a blank between a number and its unit."""
        lowered = text.casefold()
        lowered += "\n" + _UNIT.sub("", lowered)
        return any(all(part in lowered for part in parts) for parts in self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A later prompt.

    Attributes:
        kind: One of `ASK_KINDS`.
        prompt: The prompt.
        ids: Labels, each of which answers.
        language: Of the prompt, where it is not the project's.
        sessions: The sessions that a prompt about time means.
    """

    kind: str
    prompt: str
    ids: tuple[str, ...] = ()
    language: str = ""
    sessions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session; `day` is counted from the project's first, a Monday."""

    number: int
    day: int
    host: str
    events: list[Event] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project with its sessions, labels and asks; `split` is "fit" or "judge", by who wrote it."""

    name: str
    split: str
    language: str
    sessions: tuple[Session, ...]
    labels: tuple[Label, ...]
    asks_day: int
    asks: tuple[Ask, ...]


class ScriptError(ValueError):
    """A line that is not in the format."""


def load(folder: Path = FOLDER) -> list[Project]:
    """All projects by name."""
    return [read(path) for path in sorted(folder.glob("*.txt"))]


def read(path: Path) -> Project:
    """One script.

    Raises:
        ScriptError: With the number of the line that can't be read.
    """
    head: dict[str, str] = {}
    sessions: list[Session] = []
    labels: list[Label] = []
    asks: list[Ask] = []
    asks_day = 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        if found := _SESSION.fullmatch(line):
            sessions.append(Session(number=int(found[1]), day=int(found[2]), host=found[3]))
        elif line.startswith("asks day "):
            asks_day = int(line.split()[-1])
        elif asks_day:
            asks.append(_ask(line, path, number))
        elif not sessions:
            name, _, value = line.partition(": ")
            head[name] = value
        elif line.startswith("K "):
            labels.append(_label(line, sessions[-1], path, number))
        else:
            sessions[-1].events.append(_event(line, path, number))
    return Project(
        name=head["project"],
        split=head.get("split", "fit"),
        language=head["language"].split()[0],
        sessions=tuple(sessions),
        labels=tuple(labels),
        asks_day=asks_day,
        asks=tuple(asks),
    )


def _event(line: str, path: Path, number: int) -> Event:
    text = line.replace("\\n", "\n")
    for mark, role in (("U: ", "user"), ("A: ", "assistant")):
        if text.startswith(mark):
            return Event(role=role, text=text.removeprefix(mark))
    found = _TOOL.match(line)
    if not found:
        raise ScriptError(f"{path.name}:{number}: neither talk nor tool: {line[:60]}")
    given, output = (part.replace("\\n", "\n") for part in (found[3], found[4] or ""))
    return Event(role="tool", text=output, tool=found[2], given=given, has_failed=bool(found[1]))


def _label(line: str, session: Session, path: Path, number: int) -> Label:
    found = _LABEL.match(line)
    if not found or not session.events:
        raise ScriptError(f"{path.name}:{number}: not a label: {line[:60]}")
    words = tuple(
        tuple(part.strip() for part in each.split("&")) for each in found[3].casefold().split("|")
    )
    return Label(
        id=found[1],
        kind=found[2],
        words=words,
        statement=found[5],
        supersedes=found[4] or "",
        session=session.number,
        event=len(session.events) - 1,
    )


def _ask(line: str, path: Path, number: int) -> Ask:
    def prompt(text: str) -> str:
        return text.replace("\\n", "\n")

    def ids(text: str) -> tuple[str, ...]:
        return () if text == "-" else tuple(text.split(","))

    if found := _ASK.match(line):
        return Ask(kind=found[1], ids=ids(found[2]), prompt=prompt(found[3]))
    if found := _CROSS.match(line):
        return Ask(kind="cross", ids=ids(found[1]), language=found[2], prompt=prompt(found[3]))
    if found := _TIME.match(line):
        meant = tuple(int(each) for each in ids(found[1]))
        return Ask(kind="time", sessions=meant, prompt=prompt(found[2]))
    raise ScriptError(f"{path.name}:{number}: not a prompt: {line[:60]}")
