"""What answers to agents saved, counted as they were given: their tokens beside those of the other ways to the same files.

The other ways are to read the files that an answer names as a whole, and to search with grep for the rarest word of the question.
grep is taken at its cheapest: an agent does not know which word is the rarest, and must read the files that it finds afterwards.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from codecairn.core.engine import stemmed_words
from codecairn.core.light_dataclass import dataclass
from codecairn.core.store_log import Entry
from codecairn.errors import CodecairnError
from codecairn.workspace.effectiveness import NONE, is_shown, observed_effectiveness

if TYPE_CHECKING:
    from codecairn.workspace.workspace import Workspace

BYTES_PER_TOKEN = 4
"""What a token is taken for, on all sides: about what the tokenizers of current models make of code."""

MAX_GREP_BYTES = 30_000
"""Where agents cut the output of a command; the limit of Claude Code's shell."""

_MAX_WORDS = 40
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Savings:
    """What the answers of a store's log saved.

    Attributes:
        since_ns: When the oldest answer was given, nanoseconds since 1970; 0 without any.
        answers: How many answers named files.
        counted: How many of them have tokens on record.
        tokens: What these answers took.
        file_tokens: What the files that they named would have taken, each read once as a whole by answer.
        searched: How many of the counted answers were to questions in words.
        searched_tokens: What the answers to these took.
        grep_tokens: What grep for the rarest word of each of these questions would have printed.
        opened: After how many answers an agent opened one of the files.
        changed: After how many it changed one.
        is_observed: Whether hooks recorded what was opened; if not, it is unknown.
    """

    since_ns: int
    answers: int
    counted: int
    tokens: int
    file_tokens: int
    searched: int
    searched_tokens: int
    grep_tokens: int
    opened: int
    changed: int
    is_observed: bool

    @property
    def saved_of_files(self) -> float:
        """The share of the files' tokens that was not shown; below 0 if more was."""
        return 1 - self.tokens / self.file_tokens if self.file_tokens else 0.0

    @property
    def saved_of_grep(self) -> float:
        """The share of grep's tokens that was not shown; below 0 if more was."""
        return 1 - self.searched_tokens / self.grep_tokens if self.grep_tokens else 0.0


def costs(
    workspace: "Workspace", question: str, paths: Sequence[str], text: str
) -> dict[str, float]:
    """The tokens of an answer, of the files that it names, and of grep for the question, if it is in words."""
    numbers = {"tokens": float(_tokens(len(text.encode())))}
    size = 0
    for path in dict.fromkeys(paths):
        with suppress(OSError, ValueError):
            size += (workspace.root / path).lstat().st_size
    numbers["file_tokens"] = float(_tokens(size))
    words = [word for word in dict.fromkeys(_WORD.findall(question)) if stemmed_words(word)]
    with suppress(CodecairnError):
        engine = workspace.graph.engine(refresh=False)
        found = engine.rarest_word_lines(words[:_MAX_WORDS], max_bytes=MAX_GREP_BYTES)
        if found is not None:
            numbers["grep_tokens"] = float(_tokens(found[1]))
    return numbers


def observed_savings(workspace: "Workspace") -> Savings:
    """What the answers of the store's log saved, and what became of them."""
    entries = [entry for entry in workspace.logs(categories=("search",)) if is_shown(entry)]
    observed = observed_effectiveness(workspace)
    answers = 0 if observed is None else observed.searches
    unopened = 0 if observed is None else observed.opened.get(NONE, 0)
    return _savings(
        entries,
        opened=answers - unopened,
        changed=0 if observed is None else observed.changed,
        is_observed=observed is not None and observed.is_observed,
    )


def _savings(entries: Iterable[Entry], *, opened: int, changed: int, is_observed: bool) -> Savings:
    listed = list(entries)
    counted = [entry.numbers for entry in listed if "tokens" in entry.numbers]
    searched = [numbers for numbers in counted if "grep_tokens" in numbers]
    return Savings(
        since_ns=min((entry.time_ns for entry in listed), default=0),
        answers=len(listed),
        counted=len(counted),
        tokens=int(sum(numbers["tokens"] for numbers in counted)),
        file_tokens=int(sum(numbers.get("file_tokens", 0) for numbers in counted)),
        searched=len(searched),
        searched_tokens=int(sum(numbers["tokens"] for numbers in searched)),
        grep_tokens=int(sum(numbers["grep_tokens"] for numbers in searched)),
        opened=opened if is_observed else 0,
        changed=changed,
        is_observed=is_observed,
    )


def _tokens(size: int) -> int:
    return -(-size // BYTES_PER_TOKEN)
