"""PersonaMem's conversations and questions: https://github.com/bowen-upenn/PersonaMem, of which nothing is kept here.

The turn that a question refers to is not named. The set was made so that `context_length_in_tokens` less
`distance_to_ref_in_tokens` is the number of tokens of all messages before that turn, each counted alone by the tokenizer of
gpt-4o. The turn that begins exactly there is the gold. A question is left out if no turn of the user or the assistant does.
"""

import csv
import hashlib
import importlib.util
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from itertools import accumulate
from pathlib import Path
from typing import Any

from benches.memory.conversations import Conversation, Turn
from benches.public.probes import Probe
from codecairn.errors import UsageError

ADDRESS = "https://github.com/bowen-upenn/PersonaMem"
SIZES = ("32k", "128k", "1M")
ROLES = ("user", "assistant")

_ENCODING = "o200k_base"
_VOCABULARY = "fb374d419588a4632f3f557e76b4b70aebbca790"
_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""The name of the encoding's file in tiktoken's cache, and of its content: tiktoken fetches another one if it is not this."""
_FIRST_DAY = datetime(2024, 1, 1, 12, tzinfo=timezone.utc)
_COLUMNS = (
    "question_type", "context_length_in_tokens", "distance_to_ref_in_tokens", "shared_context_id", "end_index_in_shared_context",
)  # fmt: skip
_NUMBERS = ("context_length_in_tokens", "distance_to_ref_in_tokens", "end_index_in_shared_context")
_QUESTION = ("user_question_or_message", "question")
"""The column of the question, in the set and in its early form."""

Count = Callable[[str], int]


@dataclass(slots=True, kw_only=True)
class Asked:
    """The conversations with their questions, and how many questions were left out."""

    conversations: list[tuple[Conversation, tuple[Probe, ...]]] = field(default_factory=list)
    left_out: int = 0


def read(folder: Path, size: str, count: Count) -> Asked:
    """Each conversation as far as its questions know it: one for each place that is asked at.

    Raises:
        UsageError: If the files are not there, or not as the set has them.
    """
    contexts = _contexts(_file(folder, f"shared_contexts_{size}.jsonl"))
    places: dict[tuple[str, str, int], list[dict[str, str]]] = defaultdict(list)
    for row in _rows(_file(folder, f"questions_{size}.csv")):
        persona = row.get("persona_id") or row["shared_context_id"][:8]
        end = int(row["end_index_in_shared_context"])
        places[persona, row["shared_context_id"], end].append(row)
    asked = Asked()
    begins = {
        name: [0, *accumulate(count(each["content"]) for each in messages)]
        for name, messages in contexts.items()
    }
    for (persona, context, end), rows in sorted(places.items()):
        messages = contexts.get(context, [])
        turns = tuple(_turns(f"personamem-{persona}", messages[: max(end, 0)]))
        probes = [_probe(row, turns, begins.get(context, [])) for row in rows]
        found = tuple(probe for probe in probes if probe is not None)
        asked.left_out += len(probes) - len(found)
        if found:
            name = f"personamem-{persona}-{context[:8]}-{end}"
            asked.conversations.append((Conversation(name=name, turns=turns, questions=()), found))
    return asked


def persona_of(name: str) -> str:
    """The persona that a conversation is of: conversations of one persona are alike."""
    return "-".join(name.split("-")[:-2])


def gpt_4o_tokens() -> Count:
    """Counts tokens as the set does. Nothing is fetched.

    Raises:
        UsageError: If tiktoken or its vocabulary is not there.
    """
    named = os.environ.get("TIKTOKEN_CACHE_DIR")
    cache = Path(named) if named else Path(tempfile.gettempdir()) / "data-gym-cache"
    file = cache / _VOCABULARY
    is_there = file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == _SHA256
    if importlib.util.find_spec("tiktoken") is None or not is_there:
        raise UsageError(
            "the turns that answer are known by tokens of gpt-4o, and tiktoken or its vocabulary is not there",
            hint=f"`pip install tiktoken`, and put {_ENCODING}.tiktoken into TIKTOKEN_CACHE_DIR as {_VOCABULARY}",
        )
    encoding = importlib.import_module("tiktoken").get_encoding(_ENCODING)
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def _file(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.is_file():
        raise UsageError(f"{folder} has no {name}", hint=f"it is named in the README of {ADDRESS}")
    if path.read_bytes()[:40].startswith(b"version https://git-lfs"):
        raise UsageError(f"{path} is a pointer of Git LFS, not the file", hint="`git lfs pull`")
    return path


def _contexts(path: Path) -> dict[str, list[dict[str, str]]]:
    """The messages of each conversation: a document a line, which has one or several of them."""
    contexts: dict[str, list[dict[str, str]]] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row: dict[str, Any] = json.loads(line)
                contexts |= {
                    name: [{"role": each["role"], "content": each["content"]} for each in messages]
                    for name, messages in row.items()
                }
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise UsageError(f"{path.name}:{number}: {error!r}") from error
    return contexts


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), 1):
            missing = [name for name in _COLUMNS if not row.get(name)]
            missing += [] if any(row.get(name) for name in _QUESTION) else [_QUESTION[0]]
            if missing:
                raise UsageError(f"{path.name}: question {number} has no {', '.join(missing)}")
            for name in _NUMBERS:
                if not row[name].removeprefix("-").isdecimal():
                    raise UsageError(f"{path.name}: question {number}: {name} is {row[name]!r}")
            yield row


def _turns(name: str, messages: Sequence[Mapping[str, str]]) -> Iterator[Turn]:
    """The messages of user and assistant. A message of the system begins a session, each on a day of its own, and is no turn."""
    session = 0
    for at, message in enumerate(messages):
        session += message["role"] not in ROLES
        if message["role"] in ROLES:
            said = _FIRST_DAY + timedelta(days=session, seconds=at)
            yield Turn(
                key=str(at), session=f"{name}-{session}", role=message["role"], speaker="",
                text=message["content"], ts_ms=int(said.timestamp() * 1000),
            )  # fmt: skip


def _probe(row: Mapping[str, str], turns: Sequence[Turn], begins: Sequence[int]) -> Probe | None:
    before = int(row["context_length_in_tokens"]) - int(row["distance_to_ref_in_tokens"])
    # A message without a text begins where the next one does.
    gold = [turn.key for turn in turns if turn.text and begins[int(turn.key)] == before]
    if not gold:
        return None
    return Probe(
        text=next(row[name] for name in _QUESTION if row.get(name)),
        category=row["question_type"],
        sides=(frozenset(gold),),
        statements=(),
        group=row.get("persona_id") or row["shared_context_id"][:8],
    )
