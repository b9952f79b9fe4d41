"""DevMemBench without a model of language: sessions in order, answers in a block, and abstention.

    python -m benches.public.devmembench FOLDER [--system NAME ...] [--part choose judge] [--out FILE]

FOLDER has `sessions.json` and `questions.json` of `benchmark/src/dataset` of https://github.com/prosperitypirate/codexfi; nothing
is fetched. All 25 sessions are recorded as a host would, and asked about on the day after the last. Its gold are sessions:

- *Hit@1*, *Recall@5*, *MRR*: of sessions, in the order of the first turn of each among the first 120;
- *answer shown, N tokens*: the block has 80 % of those of the answer's words that its own sessions have at all and the question
  does not;
- *something shown* and *abstention* as in `conversation_scores`.

*choose* is the half that settings were chosen on, by `benches.memory.conversations.is_tuned_on`. Intervals are over the first
session of a question's gold. `benches.memory.devmembench` asks with the static part and 1,800 tokens instead.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from benches.memory.conversations import Conversation, Question, Turn, devmembench, is_tuned_on
from benches.public.conversation_scores import BUDGETS, is_shown, score
from benches.public.memory_systems import System, add_option
from benches.public.parts import PARTS
from benches.public.probes import Probe
from benches.results import Results, default_folder
from codecairn.errors import UsageError
from codecairn.memory.excerpts import words

FILES = ("sessions.json", "questions.json")
_POOL = 120
_TOP = 5


def conversations(folder: Path) -> Iterator[tuple[Conversation, tuple[Probe, ...]]]:
    """The sessions once for each half of the questions, which its name ends with.

    Raises:
        UsageError: If the folder does not have the set.
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise UsageError(
            f"{folder} has no {' and no '.join(missing)}",
            hint="they are in `benchmark/src/dataset` of https://github.com/prosperitypirate/codexfi",
        )
    try:
        whole = devmembench(folder)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{folder} is not as DevMemBench has it: {error!r}") from error
    said: dict[str, str] = defaultdict(str)
    turns: dict[str, set[str]] = defaultdict(set)
    for turn in whole.turns:
        said[turn.session] += f"\n{turn.text}"
        turns[turn.session].add(turn.key)
    for part in PARTS:
        asked = (
            _probe(question, at, said, turns)
            for at, question in enumerate(whole.questions)
            if is_tuned_on(question, at) is (part == PARTS[0])
        )
        yield replace(whole, name=f"{whole.name}-{part}", questions=()), tuple(asked)


def _probe(
    question: Question, at: int, said: Mapping[str, str], turns: Mapping[str, set[str]]
) -> Probe:
    """A side for each session of the gold; of the answer the words that these sessions have."""
    sessions = sorted(question.gold)
    source = set[str]().union(*(words(said[session]) for session in sessions))
    answer = " ".join(sorted(words(question.answer) & source))
    return Probe(
        text=question.text,
        category=question.category,
        sides=tuple(frozenset(turns[session]) for session in sessions),
        statements=(answer,) if answer else (),
        group=sessions[0] if sessions else f"question {at + 1}",
    )


def measures(
    system: System, probe: Probe, turns: Mapping[str, Turn]
) -> Iterator[tuple[str, float]]:
    """The measures of a question that has an answer."""
    order = list(dict.fromkeys(turns[key].session for key in system.ranked(probe.text, _POOL)))
    gold = {turns[next(iter(side))].session for side in probe.sides}
    places = [place for place, session in enumerate(order, 1) if session in gold]
    recall = len(gold & set(order[:_TOP])) / len(gold)
    yield "Hit@1", float(places[:1] == [1])
    yield f"Recall@{_TOP}", recall
    yield f"Recall@{_TOP}, {probe.category.replace('-', ' ')}", recall
    yield "MRR", 1 / places[0] if places else 0.0
    for budget in BUDGETS:
        block = system.block(probe.text, budget)
        yield f"something shown, {budget} tokens", float(bool(block.strip()))
        shown = [is_shown(each, block, probe) for each in probe.statements]
        yield f"answer shown, {budget} tokens", float(any(shown))


def part_of(name: str) -> str:
    """The half that is asked of these sessions."""
    return name.rpartition("-")[2]


def main() -> None:
    """Ask, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benches.public.devmembench")
    parser.add_argument("folder", type=Path)
    add_option(parser)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--out", type=Path, help="default: benches/runs/…/public-devmembench.json")
    options = parser.parse_args()
    results = Results("DevMemBench: sessions of development, without a model")
    asking = conversations(options.folder)
    results.add(score("DevMemBench", asking, part_of, options.part, options.system, measures))
    results.write(options.out or default_folder() / "public-devmembench.json")


if __name__ == "__main__":
    main()
