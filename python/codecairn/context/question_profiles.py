"""Four profiles of questions: how many results are fetched, how the budget is divided, and which aspects an answer should cover."""

from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Something that an answer should speak of.

    Attributes:
        name: What.
        found_by: A pattern that its evidence has in its text, path or type.
        query: What to look for if nothing speaks of it.
    """

    name: str
    found_by: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One sort of questions.

    Attributes:
        name: Its name, one of `PROFILES`.
        memories: How many memories are looked for.
        memories_shown: How many of them are shown.
        hits: How many places in the code are looked for.
        shares: The parts of the budget: header, memory, code.
        wishes: What an answer should speak of.
    """

    name: str
    memories: int
    memories_shown: int
    hits: int
    shares: tuple[float, float, float]
    wishes: tuple[Wish, ...]


_TESTS = Wish(
    name="tests", found_by=r"(?:^|[/_.-])tests?(?:[/_.-]|$)|pytest|vitest|测试", query="tests of"
)

_PROFILES = (
    Profile(
        name="onboarding",
        memories=8,
        memories_shown=5,
        hits=10,
        shares=(0.15, 0.20, 0.65),
        wishes=(
            Wish(
                name="purpose",
                found_by=r"readme|project-brief|product-context|overview",
                query="readme overview purpose of the project",
            ),
            Wish(
                name="entry point",
                found_by=r"\bmain\b|__main__|cli\b|index\.[jt]sx?|app\.\w+|server\.\w+|lib\.rs",
                query="main entry point of the program",
            ),
            Wish(
                name="architecture",
                found_by=r"architecture|design|module|layer|架构",
                query="architecture modules and layers",
            ),
            Wish(
                name="persistence",
                found_by=r"database|store|storage|sqlite|schema|model|migration|repository|cache|数据库",
                query="where data is stored: database, schema, migrations",
            ),
            _TESTS,
        ),
    ),
    Profile(
        name="daily",
        memories=6,
        memories_shown=6,
        hits=6,
        shares=(0.15, 0.45, 0.40),
        wishes=(),
    ),
    Profile(
        name="bugs",
        memories=12,
        memories_shown=6,
        hits=12,
        shares=(0.15, 0.35, 0.50),
        wishes=(
            Wish(
                name="known fixes",
                found_by=r"error-solution|\bfix(?:e[sd]|ing)?\b|root cause|修复|原因",
                query="fix of",
            ),
            Wish(
                name="where errors are raised",
                found_by=r"\b(?:raise|throw|panic|except|catch|error|err)\b|Error\b|Exception\b",
                query="error handling of",
            ),
            _TESTS,
        ),
    ),
    Profile(
        name="implementation",
        memories=8,
        memories_shown=5,
        hits=10,
        shares=(0.15, 0.30, 0.55),
        wishes=(
            Wish(
                name="rules and patterns",
                found_by=r"\brule\b|architecture-pattern|learned-pattern|preference|convention",
                query="conventions and patterns for",
            ),
            Wish(
                name="code to build on",
                found_by=r"\b(?:def|fn|function|class|interface|struct|func|export)\b",
                query="functions for",
            ),
            _TESTS,
        ),
    ),
)

BY_NAME = {profile.name: profile for profile in _PROFILES}
"""The profiles by name."""
