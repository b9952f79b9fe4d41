"""Prompts of several origins with what a memory finds for each, and which of it answers.

| corpus | prompts | what answers | what does not |
|---|---|---|---|
| `locomo` | questions about talks of friends (LoCoMo) | turns of evidence | questions about other friends |
| `devmembench` | questions about development (DevMemBench) | texts of the sessions with words of the answer | its questions without answers |
| `written` | our questions about the same sessions | texts with the words that answer | near misses, and what was never said |
| `sessions` | prompts of our scripts of sessions | events and facts that carry their labels | near misses, and ordinary prompts |
| `cases` | prompts of our cases in several languages | the memory that each names | near misses, and ordinary prompts |
| `commits` | subjects of commits | the body of the same commit: half are facts | subjects of commits whose body is not there |

Only halves to fit with are read: of LoCoMo and DevMemBench those that settings are chosen on, of ours the split "fit".
"""

import json
import random
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benches.memory.conversations import Conversation, Turn, devmembench, is_tuned_on, locomo
from benches.memory.fit import _foreign
from benches.memory.locomo import COUNTED, TUNED
from benches.memory.replay import Replayed, replayed
from benches.memory.sessions import replaying, scripts
from benches.memory.sessions.scoring import carries
from codecairn.core.recall_options import RecallOptions
from codecairn.core.types.memory import Answer, Recalled
from codecairn.workspace.workspace import Workspace

Matrix = NDArray[np.float32]

_HERE = Path(__file__).parent
CASES = _HERE / "cases"
_WRITTEN = _HERE.parent
_QUESTIONS = 60
_COMMITS = 160
_ASKED_COMMITS = 40
_MIN_BODY = 60
_SEED = 20_261_124
_WORD = re.compile(r"\w[\w.+-]*\w|\w")
_MIN_WORDS = 0.3

EVERYTHING = RecallOptions(limit=64, filter={}, least_evidence=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A prompt with what may answer it.

    Attributes:
        names: Of the features; empty where nothing was found.
        corpus: Where it is from.
        kind: What sort of prompt it is there.
        rows: The features of each memory found, in the order of the core's names.
        is_answer: Whether each answers.
    """

    names: tuple[str, ...] = ()
    corpus: str
    kind: str
    rows: Matrix
    is_answer: NDArray[np.bool_]


def ask(
    replay: Replayed, corpus: str, kind: str, prompt: str, is_answer: Callable[[Recalled], bool]
) -> Asked:
    """Ask a memory that recorded a conversation."""
    return _asked(corpus, kind, replay.memory.engine().answers(prompt, EVERYTHING), is_answer)


def _asked(
    corpus: str, kind: str, found: Sequence[Answer], is_answer: Callable[[Recalled], bool]
) -> Asked:
    return Asked(
        names=tuple(found[0].features) if found else (),
        corpus=corpus,
        kind=kind,
        rows=np.array([list(each.features.values()) for each in found], np.float32),
        is_answer=np.array([is_answer(each.hit) for each in found], bool),
    )


def of_locomo(path: Path) -> Iterator[Asked]:
    """LoCoMo's conversations that settings are chosen on."""
    conversations = locomo(path)
    for at in TUNED:
        own = [each for each in conversations[at].questions if each.category in COUNTED]
        chosen = random.Random(_SEED + at).sample(own, _QUESTIONS)
        with replayed(conversations[at]) as replay:
            for question in chosen:

                def is_gold(
                    hit: Recalled, gold: frozenset[str] = question.gold, replay: Replayed = replay
                ) -> bool:
                    return not replay.turns_of(hit).isdisjoint(gold)

                yield ask(replay, "locomo", "answered", question.text, is_gold)
            for question in _foreign(conversations, at):
                yield ask(replay, "locomo", "nothing", question.text, lambda _: False)


def of_devmembench(folder: Path) -> Iterator[Asked]:
    """DevMemBench's half that settings are chosen on, and our questions about its sessions of odd numbers."""
    conversation = devmembench(folder)
    with replayed(conversation, with_summaries=True) as replay:
        for at, question in enumerate(conversation.questions):
            if not is_tuned_on(question, at):
                continue
            wanted = words(question.answer) - words(question.text)

            def has_answer(
                hit: Recalled,
                wanted: set[str] = wanted,
                gold: frozenset[str] = question.gold,
            ) -> bool:
                if {turn.split("-")[0] for turn in replay.turns_of(hit)} - gold:
                    return False
                found = len(wanted & words(hit.text))
                return bool(gold) and found >= max(1, _MIN_WORDS * len(wanted))

            kind = "answered" if question.gold else "nothing"
            yield ask(replay, "devmembench", kind, question.text, has_answer)
        for kind, text, answer in _written():

            def carries(hit: Recalled, answer: str = answer) -> bool:
                return bool(answer) and answer.casefold() in hit.text.casefold()

            yield ask(replay, "written", kind, text, carries)


def _written() -> Iterator[tuple[str, str, str]]:
    """Kind, question, and the words that answer; empty if nothing does."""

    def read(name: str) -> object:
        return json.loads((_WRITTEN / f"{name}.json").read_text(encoding="utf-8"))

    unanswerable, unsaid = read("unanswerable"), read("unsaid")
    assert isinstance(unanswerable, list)
    assert isinstance(unsaid, list)
    yield from (("nothing", text, "") for text in unanswerable)
    yield from (("nothing", text, "") for text in unsaid[::2])
    near, paraphrases = read("near_misses"), read("paraphrases")
    assert isinstance(near, dict)
    assert isinstance(paraphrases, dict)
    for session, questions in near.items():
        if int(session[1:]) % 2:
            yield from (("near", text, "") for text in questions)
    for session, answers in paraphrases.items():
        if int(session[1:]) % 2:
            yield from (("answered", text, answer) for text, answer in answers.items())


def of_sessions(project: scripts.Project) -> Iterator[Asked]:
    """The prompts of one of our scripts of sessions, asked when all sessions are over."""
    with replaying.replayed(project) as replay, Workspace.open(replay.root) as workspace:
        engine = workspace.memory.engine()
        for each in project.asks:
            if each.kind == "time":
                continue
            labels = [label for label in project.labels if label.id in each.ids]

            def is_carried(hit: Recalled, labels: list[scripts.Label] = labels) -> bool:
                sources = replay.sources_of_hit(hit)
                return any(carries(label, hit.text, sources) for label in labels)

            found = engine.answers(each.prompt, EVERYTHING)
            yield _asked("sessions", each.kind, found, is_carried)


def of_case(path: Path) -> Iterator[Asked]:
    """The prompts of one of our cases."""
    case = json.loads(path.read_text(encoding="utf-8"))
    notes = list(enumerate(case["notes"]))
    turns = [
        Turn(
            key=str(at),
            session=f"{path.stem}-{at // 4}",
            role=note["role"],
            speaker="",
            text=note["text"],
            ts_ms=1_750_000_000_000 + at * 3_600_000,
        )
        for at, note in notes
        if note["role"] != "fact"
    ]
    conversation = Conversation(name=path.stem, turns=tuple(turns), questions=())
    with replayed(conversation) as replay:
        for at, note in notes:
            if note["role"] == "fact":
                replay.keys[replay.memory.add(note["text"]).id] = str(at)
        for each in case["prompts"]:
            wanted = {str(at) for at in each["answers"]}

            def is_wanted(
                hit: Recalled, wanted: set[str] = wanted, replay: Replayed = replay
            ) -> bool:
                return not replay.turns_of(hit).isdisjoint(wanted)

            yield ask(replay, "cases", each["kind"], each["prompt"], is_wanted)


def of_commits(mirrors: Path, names: Sequence[str]) -> Iterator[Asked]:
    """Histories of repositories: bodies of commits are remembered, their subjects asked."""
    for name in names:
        commits = _commits(mirrors / name.replace("/", "+") / "repo")
        chance = random.Random(f"{_SEED}{name}")
        chance.shuffle(commits)
        known, unknown = commits[:_COMMITS], commits[_COMMITS : _COMMITS + _ASKED_COMMITS]
        if len(unknown) < _ASKED_COMMITS // 2:
            continue
        turns = [
            Turn(
                key=str(at),
                session=f"{name}-{at // 8}",
                role="user" if at % 4 == 1 else "assistant",
                speaker="",
                text=body,
                ts_ms=1_700_000_000_000 + at * 3_600_000,
            )
            for at, (_, body) in enumerate(known)
            if at % 2
        ]
        conversation = Conversation(name="history", turns=tuple(turns), questions=())
        with replayed(conversation) as replay:
            for at, (_, body) in enumerate(known):
                if not at % 2:
                    replay.keys[replay.memory.add(body).id] = str(at)
            for at, (subject, _) in enumerate(known[:_ASKED_COMMITS]):

                def is_body(hit: Recalled, at: int = at, replay: Replayed = replay) -> bool:
                    return str(at) in replay.turns_of(hit)

                yield ask(replay, "commits", "answered", subject, is_body)
            for subject, _ in unknown:
                yield ask(replay, "commits", "nothing", subject, lambda _: False)


def _commits(repository: Path) -> list[tuple[str, str]]:
    """Subjects and bodies of commits that have both."""
    done = subprocess.run(
        ["git", "-C", str(repository), "log", "--no-merges", "-n", "6000", "--format=%s%x01%b%x02"],
        capture_output=True,
        text=True,
        errors="replace",
        check=True,
    )
    found = []
    for row in done.stdout.split("\x02"):
        subject, _, body = row.strip().partition("\x01")
        lines = [
            line for line in body.splitlines() if not re.match(r"[\w-]+(-by|: #|-Id|: http)", line)
        ]
        text = "\n".join(lines).strip()
        if len(text) >= _MIN_BODY and len(subject.split()) >= 4 and subject not in text:
            found.append((re.sub(r" ?\(?#\d+\)?", "", subject), text[:1500]))
    return found


def words(text: str) -> set[str]:
    """The distinct words of a text in lower case, of three letters and more or with a digit."""
    found = _WORD.findall(text.casefold())
    return {word for word in found if len(word) > 2 or any(map(str.isdigit, word))}
