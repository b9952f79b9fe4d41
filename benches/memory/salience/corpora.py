"""Sentences of talk with agents, and which of them are worth remembering.

| corpus | talk | what is worth remembering |
|---|---|---|
| `scripts` | our scripts of sessions, split "fit" | the sentence of an event that carries its label |
| `cases` | our cases in several languages | what the cases mark |
| `explicit` | our short statements, and what only looks like them (`explicit.json`) | what is marked as a kind |
| `histories` | sessions of public projects, exported by SpecStory | what was marked by reading them (`histories.json`) |
"""

import functools
import json
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.memory.sessions import scripts
from codecairn.core.memory_engine import MemoryEngine
from codecairn.workspace.workspace import Workspace

HERE = Path(__file__).parent
CASES = HERE.parent / "answers" / "cases"
KINDS = ("decision", "rule", "preference", "fact", "fix", "todo")
"""What statements are labelled as, in the order of the model's outputs."""

_ROLE = re.compile(r"^_\*\*(User|Assistant|Agent)[^*]*\*\*_\s*$", re.MULTILINE)
_CODE = re.compile(
    r"```.*?(?:```|\Z)|<(details|think|tool-use)\b.*?</\1>|^---\s*$", re.DOTALL | re.MULTILINE
)
_TURN_CHARS = 1500
_TURNS = 40
_UNCLEAR = 0.15
"""A sentence beside a label's own that has so much in common with its statement is neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of a turn.

    Attributes:
        corpus: Where it is from.
        group: The project in it: what is judged together was never fitted on in part.
        role: Who says it.
        text: The sentence.
        slots: Its hashed words, by slot.
        dense: Its form and its meaning.
        kind: One of `KINDS` if it is worth remembering; empty if not.
    """

    corpus: str
    group: str
    language: str
    role: str
    text: str
    slots: Sequence[tuple[int, float]]
    dense: Sequence[float]
    kind: str


def of_scripts(split: str = "fit") -> Iterator[Sentence]:
    """The talk of our scripts of one split."""
    for project in scripts.load():
        if project.split == split:
            yield from _of_project(project)


def _of_project(project: scripts.Project) -> Iterator[Sentence]:
    labels = defaultdict(list)
    for label in project.labels:
        labels[label.session, label.event].append(label)
    for session in project.sessions:
        before = ""
        for at, event in enumerate(session.events):
            if event.role == "tool":
                continue
            own = labels[session.number, at]

            def kinds(sentences: Sequence[str], own: list[scripts.Label] = own) -> dict[int, str]:
                found: dict[int, str] = {}
                for label in own:
                    best = _carrying(label, sentences)
                    shared = {
                        at: "?"
                        for at, each in enumerate(sentences)
                        if at not in found and overlap(label.statement, each) > _UNCLEAR
                    }
                    found |= shared | dict.fromkeys(best, label.kind)
                return found

            talk = (event.role, event.text, before)
            yield from _described("scripts", project.name, project.language, talk, kinds)
            before = event.text


def _carrying(label: scripts.Label, sentences: Sequence[str]) -> list[int]:
    """The sentence that carries a label; all that have a part of its words if none has them all."""
    lowered = [each.casefold() for each in sentences]
    partly: list[int] = []
    for parts in label.words:
        whole = [at for at, each in enumerate(lowered) if all(part in each for part in parts)]
        if whole:
            return [max(whole, key=lambda at: overlap(label.statement, sentences[at]))]
        some = [at for at, each in enumerate(lowered) if any(part in each for part in parts)]
        if some and (not partly or len(some) < len(partly)):
            partly = some
    return partly


def overlap(statement: str, text: str) -> float:
    """The share of a statement's runs of four letters that a text has, too."""
    runs = {statement[at : at + 4].casefold() for at in range(len(statement) - 3)}
    lowered = text.casefold()
    return sum(run in lowered for run in runs) / max(len(runs), 1)


def of_cases(folder: Path = CASES) -> Iterator[Sentence]:
    """Our cases that mark what is worth remembering."""
    for path in sorted(folder.glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        before = ""
        for note in case["notes"]:
            if note["role"] == "fact" or not any("keep" in each for each in case["notes"]):
                continue
            kept = note.get("keep", [])

            def kinds(
                sentences: Sequence[str], kept: list[dict[str, str]] = kept
            ) -> dict[int, str]:
                return {
                    at: each["type"]
                    for each in kept
                    for at, sentence in enumerate(sentences)
                    if sentence in each["text"] or each["text"] in sentence
                }

            talk = (note["role"], note["text"], before)
            yield from _described("cases", path.stem, case["language"], talk, kinds)
            before = note["text"]


def of_explicit(file: Path = HERE / "explicit.json") -> Iterator[Sentence]:
    """Plain statements that people make to have them kept, and their lookalikes; each is a group of its own."""
    for number, each in enumerate(json.loads(file.read_text(encoding="utf-8"))):

        def kinds(found: Sequence[str], kind: str = each["kind"]) -> dict[int, str]:
            return dict.fromkeys(range(len(found)), kind)

        talk = (each["role"], each["text"], each["before"])
        yield from _described("explicit", f"explicit-{number}", each["language"], talk, kinds)


def of_histories(mirrors: Path, file: Path = HERE / "histories.json") -> Iterator[Sentence]:
    """Sessions of public projects whose sentences were marked; `mirrors` has their git directories, OWNER+NAME/repo."""
    for marked in json.loads(file.read_text(encoding="utf-8")):
        repository = mirrors / marked["repository"].replace("/", "+") / "repo"
        text = _git(repository, "show", f"{marked['commit']}:{marked['path']}")
        before = ""
        for number, (role, said) in enumerate(turns_of(text)):
            kept = {
                int(at): kind
                for place, kind in marked["kept"].items()
                for turn, at in [place.split(".")]
                if int(turn) == number
            }

            def kinds(_: Sequence[str], kept: dict[int, str] = kept) -> dict[int, str]:
                return kept

            group = marked["repository"]
            yield from _described(
                "histories", group, marked["language"], (role, said, before), kinds
            )
            before = said


def turns_of(text: str) -> list[tuple[str, str]]:
    """The turns of a session that SpecStory exported, as (role, text): of an agent's texts in a row the last one."""
    parts = _ROLE.split(text)
    turns: list[tuple[str, str]] = []
    for name, raw in zip(parts[1::2], parts[2::2], strict=True):
        role = "user" if name == "User" else "assistant"
        body = _CODE.sub("", raw).strip()
        if not body:
            continue
        body = body[:_TURN_CHARS] if role == "user" else body[-_TURN_CHARS:]
        if turns and turns[-1][0] == role == "assistant":
            turns.pop()
        turns.append((role, body))
    return turns[:_TURNS]


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", "replace")


def _described(
    corpus: str,
    group: str,
    language: str,
    talk: tuple[str, str, str],
    kinds: Callable[[Sequence[str]], Mapping[int, str]],
) -> Iterator[Sentence]:
    role, text, before = talk
    found = _engine().describe(text, role=role, before=before)
    kind_of = kinds([each.text for each in found])
    for at, each in enumerate(found):
        if kind_of.get(at) != "?":
            yield Sentence(
                corpus=corpus,
                group=group,
                language=language,
                role=role,
                text=each.text,
                slots=each.slots,
                dense=each.dense,
                kind=kind_of.get(at, ""),
            )


@functools.cache
def _engine() -> MemoryEngine:
    """The engine of an empty memory."""
    return Workspace.open(tempfile.mkdtemp(prefix="codecairn-salience-")).memory.engine()
