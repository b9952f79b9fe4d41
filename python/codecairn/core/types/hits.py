"""Results of a search."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, overload

from codecairn.core.light_dataclass import dataclass

if TYPE_CHECKING:
    from codecairn.core.types.provenance import Blame


OBSTACLES = ("read-only", "disk-full")
"""Reasons, other than another process, why a store may not take in changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """One feature's part in a hit's score."""

    feature: str
    value: float
    part: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A place in the file of a hit that is worth its tokens; lines are 1-based and inclusive.

    Attributes:
        start_line: Its first line.
        end_line: Its last line.
        kind: What it is, as in `Hit`.
        name: Its qualified name, or empty.
        probability: How probably it is what the query needs, of all code in the files of the hits.
        text: The lines that are shown; empty where texts are not asked for.
        shown: The first and last line of each part that the budget has room for, in order. A later piece of a long function
            begins with the line of its name, which is before `start_line`.
        contributions: Each feature's part, if explained.
        ways: The parts of each way to show it, if explained; empty for a way that it is too short for.
    """

    start_line: int
    end_line: int
    kind: str
    name: str
    probability: float
    text: str
    shown: tuple[tuple[int, int], ...]
    contributions: tuple[Contribution, ...] = ()
    ways: tuple[tuple[tuple[int, int], ...], ...] = ()

    @property
    def parts(self) -> "Iterator[tuple[int, list[str]]]":
        """The first line of each part that is shown, and its lines."""
        lines = iter(self.text.split("\n"))
        for first, last in self.shown:
            yield first, list(islice(lines, last - first + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One place in the code. `path` is relative to the root with `/`; lines are 1-based and inclusive.

    `text` is what was indexed, with the lines of context that were asked for; it begins at
    `context_start_line`, which equals `start_line` without context. `base` names the knowledge base, or the one of
    several workspaces, that holds it: then `path` is absolute unless it lies below the root. `blame` is there if asked for.
    `spans` are the places of its file that are worth their tokens, in order of their lines; without a token budget there are none.
    `confidence` is the probability that the file has what is needed; `None` unless the question is in words.
    """

    path: str
    start_line: int
    end_line: int
    kind: str
    name: str
    language: str
    score: float
    text: str
    context_start_line: int
    breadcrumb: str = ""
    contributions: tuple[Contribution, ...] = ()
    base: str = ""
    blame: "Blame | None" = None
    spans: tuple[Span, ...] = ()
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult(Sequence[Hit]):
    """Hits, best first, and how fresh they are. Behaves as a sequence of its hits.

    Attributes:
        query: What was asked.
        branch: The git branch searched, `@<sha>` when detached, empty without git.
        hits: The hits, best first.
        stale: Paths of hits whose file changed or vanished since it was indexed.
        unchecked: How many files may have changed without having been looked at; `None` if no file was checked.
        locked: Whether another process was writing, so that changes could not be taken in.
        obstacle: Why the store could not be written, so that changes could not be taken in: "read-only" or
            "disk-full"; empty if nothing was in the way.
        notes: What else to know about how the hits were found, such as a provider that did not answer.
    """

    query: str
    branch: str
    hits: tuple[Hit, ...]
    stale: tuple[str, ...] = ()
    unchecked: int | None = None
    locked: bool = False
    obstacle: str = ""
    notes: tuple[str, ...] = ()

    @property
    def confidence(self) -> float | None:
        """The probability that some hit has what is needed: of the best root. `None` unless the question is in words."""
        by_root: dict[str, float] = {}
        for hit in self.hits:
            if hit.confidence is None:
                return None
            by_root[hit.base] = by_root.get(hit.base, 0.0) + hit.confidence
        return min(max(by_root.values(), default=0.0), 1.0)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)
