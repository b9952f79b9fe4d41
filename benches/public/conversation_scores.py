"""Measures of answers about conversations, without a model of language.

- *recall@10*: the share of the turns that an answer needs among the first ten, over all questions that have an answer;
- *both statements@10*: of a contradiction, a turn of either side is among them;
- *new before old@10*: of an update, a turn with the new value is among them and no turn with the old one before it;
- *something shown*: the share of questions for which there is a block at all, with and without an answer;
- *statements shown, N tokens*: the share of the statements of an ideal answer of which the block has 80 % of the words that the
  question does not have;
- *turns shown, N tokens*: the share of the needed turns of which the block has eight words in a row;
- *abstention*: the mean of the share of questions without an answer that are declined and the share of the others that are not.
  Our memory decides by itself; the score at which BM25 declines is chosen on *choose*.

Each stands with its 95 % interval over conversations, or over the groups that a set names (`Probe.group`).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benches.memory.conversations import Conversation, Turn
from benches.public.memory_systems import DEFAULT, MEMORY, System, best_threshold, systems
from benches.public.parts import PARTS, interval
from benches.public.probes import ABSTENTION, CONTRADICTION, UPDATE, Probe
from benches.results import Figure
from codecairn.memory.excerpts import words

Asking = Iterable[tuple[Conversation, tuple[Probe, ...]]]
Measures = Callable[[System, Probe, Mapping[str, Turn]], Iterator[tuple[str, float]]]
"""The measures of an answer, of a question that has one; the turns are by their keys."""

TOP = 10
BUDGETS = (120, 600)
_SHOWN = 0.8
_IN_A_ROW = 8
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Asked:
    """The values of one system in one part: by measure, then by group."""

    values: dict[str, dict[str, list[float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    answerable: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    unanswerable: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def measures(
    system: System, probe: Probe, turns: Mapping[str, Turn]
) -> Iterator[tuple[str, float]]:
    """The measures of sets whose questions name the turns that answer."""
    found = system.ranked(probe.text, TOP)
    recall = len(probe.gold & set(found)) / len(probe.gold)
    yield f"recall@{TOP}", recall
    yield f"recall@{TOP}, {probe.category.replace('_', ' ')}", recall
    if probe.category == CONTRADICTION:
        yield f"both statements@{TOP}", float(all(side & set(found) for side in probe.sides))
    if probe.category == UPDATE and len(probe.sides) == 2:
        old, new = probe.sides
        first = next((key for key in found if key in old | new), None)
        yield f"new before old@{TOP}", float(first in new)
    for budget in BUDGETS:
        block = system.block(probe.text, budget)
        yield f"something shown, {budget} tokens", float(bool(block.strip()))
        shown = [is_shown(each, block, probe) for each in probe.statements]
        label = f"{budget} tokens"
        if shown:
            yield f"statements shown, {label}", sum(shown) / len(shown)
        if probe.category == CONTRADICTION and shown:
            yield f"both statements shown, {label}", float(all(shown))
        rows = runs(block)
        yield (
            f"turns shown, {label}",
            sum(bool(runs(turns[key].text) & rows) for key in probe.gold) / len(probe.gold),
        )


def ask(
    system: System,
    conversation: Conversation,
    probes: Sequence[Probe],
    asked: Asked,
    of: Measures = measures,
) -> None:
    """Ask one system everything about one conversation."""
    turns = {turn.key: turn for turn in conversation.turns}
    for probe in probes:
        group = probe.group or conversation.name
        sure = system.confidence(probe.text)
        if probe.category == ABSTENTION:
            asked.unanswerable[group].append(sure)
            for budget in BUDGETS:
                is_given = float(bool(system.block(probe.text, budget).strip()))
                asked.values[f"something shown without an answer, {budget} tokens"][group].append(
                    is_given
                )
            continue
        asked.answerable[group].append(sure)
        for measure, value in of(system, probe, turns):
            asked.values[measure][group].append(value)


def is_shown(statement: str, block: str, probe: Probe) -> bool:
    """Whether a block has the words of a statement; of a contradiction also those that the question has."""
    wanted = words(statement)
    if probe.category != CONTRADICTION:
        wanted = wanted - words(probe.text) or wanted
    return bool(wanted) and len(wanted & words(block)) >= _SHOWN * len(wanted)


def runs(text: str) -> set[tuple[str, ...]]:
    """All runs of eight words."""
    found = _WORD.findall(text.lower())
    return {tuple(found[at : at + _IN_A_ROW]) for at in range(len(found) - _IN_A_ROW + 1)}


def figures(title: str, asked: Asked, threshold: float) -> Iterator[Figure]:
    """The figures of one system in one part, in percent."""
    for measure, groups in sorted(asked.values.items()):
        yield _figure(f"{title}: {measure}", groups)
    if not asked.unanswerable:
        return
    kept = {
        key: [float(each >= threshold) for each in values]
        for key, values in asked.answerable.items()
    }
    declined = {
        key: [float(each < threshold) for each in values]
        for key, values in asked.unanswerable.items()
    }
    yield _figure(f"{title}: answered, of those with an answer", kept)
    yield _figure(f"{title}: declined, of those without", declined)
    both = (interval(kept)[0] + interval(declined)[0]) / 2
    yield Figure(measure=f"{title}: abstention", value=100 * both, unit="%")


def _figure(measure: str, groups: dict[str, list[float]]) -> Figure:
    value, low, high = interval(groups)
    note = f"{sum(map(len, groups.values()))} questions"
    return Figure(
        measure=measure, value=100 * value, low=100 * low, high=100 * high, unit="%", note=note
    )


def score(
    title: str,
    asking: Asking,
    part_of: Callable[[str], str],
    parts: Sequence[str],
    names: Sequence[str] = DEFAULT,
    of: Measures = measures,
) -> Iterator[Figure]:
    """Ask the named systems about the conversations of some parts.

    *choose* is asked in any case: the score at which a peer declines is chosen there.
    """
    found: dict[tuple[str, str], Asked] = defaultdict(Asked)
    for conversation, probes in asking:
        part = part_of(conversation.name)
        if part in (*parts, PARTS[0]):
            with systems(conversation, names) as each:
                for system in each:
                    ask(system, conversation, probes, found[part, system.name], of)
    for part in parts:
        for name in [name for of_part, name in found if of_part == part]:
            chosen = found[PARTS[0], name]
            yes, no = _all(chosen.answerable), _all(chosen.unanswerable)
            threshold = best_threshold(yes, no) if yes and no and name != MEMORY else 0.5
            yield from figures(f"{title}, {part}, {name}", found[part, name], threshold)


def _all(groups: dict[str, list[float]]) -> list[float]:
    return [value for values in groups.values() for value in values]
