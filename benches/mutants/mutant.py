"""A mutant: one small change of one place in a source file, and what became of it."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, order=True)
class Mutant:
    """The text between two offsets of a file, replaced."""

    path: str
    start: int
    end: int
    replacement: str
    line: int
    area: str
    function: str
    operator: str
    before: str
    """The line on which the change begins, without its indentation."""
    after: str
    """The same line with the change."""

    @property
    def is_rust(self) -> bool:
        """Whether the core must be built to see it."""
        return self.path.endswith(".rs")

    def apply(self, text: str) -> str:
        """The file's text with the change."""
        return text[: self.start] + self.replacement + text[self.end :]


class Outcome(str, Enum):
    """What the tests made of a mutant."""

    NOTICED = "noticed"
    SURVIVED = "survived"
    UNFINISHED = "unfinished"
    """No test failed before the time was up, and some were not run."""
    UNREACHED = "unreached"
    """No test runs the line."""
    UNVIABLE = "unviable"
    """It does not compile: nothing to notice."""


@dataclass(frozen=True)
class Verdict:
    """What became of one mutant."""

    mutant: Mutant
    outcome: Outcome
    by: str = ""
    """The test that failed first."""
    tests: int = 0
    """How many tests were run."""
    seconds: float = 0.0


def make(
    text: str,
    *,
    path: str,
    start: int,
    end: int,
    replacement: str,
    area: str,
    function: str,
    operator: str,
) -> Mutant:
    """A mutant of this text, with the lines that a reader sees."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    before = " ".join(text[first:last].split())
    after = " ".join((text[first:start] + replacement + text[end:last]).split())
    return Mutant(
        path=path,
        start=start,
        end=end,
        replacement=replacement,
        line=text.count("\n", 0, start) + 1,
        area=area,
        function=function,
        operator=operator,
        before=before,
        after=after,
    )
