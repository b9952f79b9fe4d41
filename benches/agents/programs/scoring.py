"""Scores of one run: the places that its answer names, the lines that it was shown, its looks, tokens and time."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from benches.agents.programs.questions import Needed, Question
from benches.agents.programs.running import Ended
from benches.agents.programs.transcript import Look, Transcript

MAX_LINES = 80
"""A longer range counts for its first lines alone: naming a whole file is no place."""
MIN_WORD_CHARACTERS = 6
"""A line with fewer letters and digits may stand anywhere, so it does not show that it was seen."""

ENDED = "ended"
NAMED = "needed places named"
ALL_NAMED = "all needed places named"
RIGHT = "named places that are needed"
SEEN = "needed lines seen"
LOOKS = "looks"
TOKENS = "tokens"
READ, CACHED, WRITTEN = "tokens read", "of these, from a cache", "tokens written"
SECONDS = "seconds"
USED = "codecairn asked"
OPENED_AFTER = "a file opened after its answer"
GRADE = "grade"

SHARES = (ENDED, GRADE, NAMED, ALL_NAMED, RIGHT, SEEN, USED, OPENED_AFTER)
COUNTS = (LOOKS, TOKENS, READ, CACHED, WRITTEN, SECONDS)

_RANGE = r"L?(\d+)(?:\s*[-\u2013\u2014]\s*L?(\d+))?"
_PLACE = re.compile(
    r"([\w.@+~/\\-]+)(?:#|:\s?|[,:]?\s*\(?(?:lines?|ll?\.)\s*)"
    rf"({_RANGE}(?:\s*(?:,|and|&)\s*{_RANGE}(?![\w./]))*)",
    re.IGNORECASE,
)
_SPAN = re.compile(_RANGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A place in an answer; several paths where its path is short for each of them."""

    paths: tuple[str, ...]
    first: int
    last: int

    def hits(self, needed: Needed) -> bool:
        """Whether it has a needed line."""
        last = min(self.last, self.first + MAX_LINES - 1)
        return needed.path in self.paths and self.first <= needed.last and needed.first <= last


def named_places(answer: str, files: Collection[str]) -> list[Named]:
    """The places that an answer names as `path:line`, `path#L4-L10` or `path, lines 4-10`, each once.

    Args:
        answer: The text.
        files: The paths of the repository; what leads to none of them is no place.
    """
    found: dict[Named, None] = {}
    for path, spans in (
        (each[1], each[2]) for each in _PLACE.finditer(re.sub(r"[`*]", "", answer))
    ):
        paths = tuple(_meant(path, files))
        for first, last in _SPAN.findall(spans) if paths else ():
            start = int(first)
            found[Named(paths=paths, first=start, last=max(start, int(last or first)))] = None
    return list(found)


def _meant(path: str, files: Collection[str]) -> Iterator[str]:
    """The files that a path means: itself, one that ends with it, or one that it ends with, as an absolute path does."""
    cleaned = path.replace("\\", "/").removeprefix("./").strip("/")
    if cleaned in files:
        yield cleaned
        return
    inner = [file for file in files if cleaned and file.endswith(f"/{cleaned}")]
    outer = [file for file in files if cleaned.endswith(f"/{file}")]
    yield from inner or sorted(outer, key=len)[-1:]


def has_seen(looks: Sequence[Look], needed: Needed, lines: Sequence[str]) -> bool:
    """Whether results of looks that name the file have enough of its needed lines."""
    name = PurePosixPath(needed.path).name
    shown = [look.result for look in looks if name in look.arguments or name in look.result]
    filled = [line.strip() for line in lines if line.strip()]
    telling = [line for line in filled if len(re.findall(r"\w", line)) >= MIN_WORD_CHARACTERS]
    counted = telling or filled
    seen = sum(any(line in result for result in shown) for line in counted)
    return seen >= min(needed.at_least, len(counted)) if counted else bool(shown)


def scores(
    question: Question,
    ended: Ended,
    transcript: Transcript,
    files: Collection[str],
    texts: Mapping[Needed, Sequence[str]],
) -> dict[str, float]:
    """The measures of a run; those that its program doesn't tell, or that do not apply, are left out."""
    has_ended = ended.exit_code == 0 and bool(transcript.answer.strip())
    places = named_places(transcript.answer, files)
    hit = [any(place.hits(needed) for place in places) for needed in question.needed]
    found = {
        ENDED: float(has_ended),
        NAMED: sum(hit) / len(hit),
        ALL_NAMED: float(all(hit)),
    }
    if places:
        right = [any(place.hits(needed) for needed in question.needed) for place in places]
        found[RIGHT] = sum(right) / len(right)
    if transcript.looks is not None:
        seen = [has_seen(transcript.looks, each, texts[each]) for each in question.needed]
        found[SEEN] = sum(seen) / len(seen)
        found |= _use(transcript.looks)
    if has_ended:  # counts of a run that was cut off would be too small
        found |= _counts(transcript) | {SECONDS: ended.seconds}
    return found


def _use(looks: Sequence[Look]) -> dict[str, float]:
    asked = [number for number, look in enumerate(looks) if look.is_ours]
    if not asked:
        return {USED: 0.0}
    opened = any(look.is_opening for look in looks[asked[0] + 1 :])
    return {USED: 1.0, OPENED_AFTER: float(opened)}


def _counts(transcript: Transcript) -> dict[str, float]:
    looks = None if transcript.looks is None else len(transcript.looks)
    counts = (
        (LOOKS, looks),
        (TOKENS, transcript.tokens),
        (READ, transcript.tokens_in),
        (CACHED, transcript.tokens_cached),
        (WRITTEN, transcript.tokens_out),
    )
    return {name: float(count) for name, count in counts if count is not None}
