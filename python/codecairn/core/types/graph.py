"""Results of the code graph. Paths are relative to the root, lines are 1-based."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import overload

from codecairn.core.light_dataclass import dataclass

EDGE_KINDS = (
    "call",
    "method_call",
    "construct",
    "import",
    "inherit",
    "implement",
    "reference",
)
"""How one symbol uses another, as shown and as filtered by."""

ROLES = ("definition", *EDGE_KINDS, "comment", "mention")
"""The role of an occurrence; a mention is a string, a key or a value."""

Place = tuple[str, int, int]
"""The file of a definition, the line of its name, and the byte of its name in that line, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A definition.

    Attributes:
        path: Its file.
        line: The line of its name.
        column: The byte of its name in that line, from 0.
        start_line: Its first line.
        end_line: Its last line.
        name: Its simple name.
        qualified_name: Its name with scopes.
        kind: What it is: "function", "class" and so on.
    """

    path: str
    line: int
    column: int
    start_line: int
    end_line: int
    name: str
    qualified_name: str
    kind: str

    @property
    def place(self) -> Place:
        """How the core knows it."""
        return self.path, self.line, self.column

    @property
    def title(self) -> str:
        """The unambiguous name of the symbol: `path::Class.method`."""
        return f"{self.path}::{self.qualified_name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A use of a definition.

    Attributes:
        path: The file that uses.
        line: The line of the name.
        column: The byte of the name in its line, from 0.
        name: The name as written there.
        kind: One of `EDGE_KINDS`; "mention" where the name stands and nothing tells how it is used.
        how: How the definition was found: "scip", "same-file", "import", "receiver", "package", "qualified"; "override",
            "unique-name" and "ambiguous" are candidates; "local", "outside" and "unknown" lead to no definition.
        is_resolved: Whether the targets are taken as facts.
        confidence: How likely each target is meant, 0 to 1.
        source: The innermost definition that uses; `None` at the top of a file.
        targets: What is used: one, the overloads of one name, or candidates.
        declared: Of what is "local": the line of the parameter or the variable that is called, in the same file, and the
            byte of its name in that line, from 0. It is no definition of the index.
        code: The line, of a use that is shown because it could not be resolved; else empty.
    """

    path: str
    line: int
    column: int
    name: str
    kind: str
    how: str
    is_resolved: bool
    confidence: float
    source: Definition | None
    targets: tuple[Definition, ...]
    declared: tuple[int, int] | None = None
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The SCIP index of a workspace.

    Attributes:
        path: Its file, relative to the root; empty if there is none.
        tool: The indexer that made it, as it calls itself.
        files: Files whose names it decides.
        changed: Files that it does not decide, as they are not what was indexed.
        missing: Files of it that the workspace's index does not have.
        problem: Why it can't be used, and what to do; empty if it can.
    """

    path: str
    tool: str
    files: int
    changed: int
    missing: int
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """An occurrence of a name: its role is one of `ROLES`; `how` is empty where it is not used."""

    path: str
    line: int
    column: int
    role: str
    how: str
    targets: tuple[Definition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A definition in the whole graph.

    Attributes:
        definition: What it is.
        importance: How important by who uses it; the sum over all is 1.
        community: The number of the first node of its community.
    """

    definition: Definition
    importance: float
    community: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One node uses another: their numbers, how, and how often."""

    source: int
    target: int
    kinds: tuple[str, ...]
    uses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The whole graph of what is resolved; cycles hold numbers of nodes, the largest first; labels are communities'."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    cycles: tuple[tuple[int, ...], ...]
    labels: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A definition, and how many steps away it is."""

    definition: Definition
    distance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours(Sequence[Use]):
    """Who uses a symbol, or what it uses. Behaves as a sequence of its resolved uses.

    Attributes:
        direction: "callers" or "callees".
        symbols: The symbol; several are overloads of one name.
        also: Other definitions of the name, which were passed over: tests and the like.
        uses: What is known, by path and line.
        possible: Candidates: uses of the name that may mean it, and few other symbols.
        outside: Names used that the index does not define; for "callees" only.
        left_out: How many uses and candidates the limit cut off.
        further: What is reached in more than one step, the nearest first; only if a depth was asked for.
        unresolved: For "callers", the likeliest places where the symbol's name stands and that could not be resolved or may
            mean many symbols: uses, code that no query reads, templates, strings. For "callees", the first such uses.
        unresolved_count: How many such places there are; from 10,000 on, at least so many.
        into_tests: How many uses outside of tests would be candidates for a symbol of tests, and are not shown.
    """

    direction: str
    symbols: tuple[Definition, ...]
    also: tuple[Definition, ...]
    uses: tuple[Use, ...]
    possible: tuple[Use, ...]
    outside: tuple[str, ...] = ()
    left_out: int = 0
    further: tuple[Reached, ...] = ()
    unresolved: tuple[Use, ...] = ()
    unresolved_count: int = 0
    into_tests: int = 0

    @overload
    def __getitem__(self, index: int) -> Use: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Use, ...]: ...
    def __getitem__(self, index: int | slice) -> Use | tuple[Use, ...]:
        return self.uses[index]

    def __len__(self) -> int:
        return len(self.uses)

    def __iter__(self) -> Iterator[Use]:
        return iter(self.uses)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """A step of a way: a definition, and the use in the one before it that leads here; `None` at the start."""

    definition: Definition
    use: Use | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPath:
    """A shortest way of uses from one symbol to another.

    Attributes:
        source: The name asked for.
        target: The other one.
        hops: The way, both ends included; empty if there is none.
        is_reversed: Whether there is none in the direction asked for, and this one leads back.
        possible: Candidates: direct uses that may lead from the one to the other, where nothing is known.
    """

    source: str
    target: str
    hops: tuple[Hop, ...]
    is_reversed: bool = False
    possible: tuple[Use, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kin:
    """A type above or below another: how far, by which use, and whether that is a fact."""

    definition: Definition
    distance: int
    kind: str
    is_resolved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchy:
    """What a type extends and implements, and what extends and implements it; nearest first.

    Attributes:
        symbols: The type.
        bases: Those above.
        derived: Those below.
        outside: Names of bases that the index does not define.
    """

    symbols: tuple[Definition, ...]
    bases: tuple[Kin, ...]
    derived: tuple[Kin, ...]
    outside: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """Every occurrence of a name as a word.

    Attributes:
        name: The name.
        counts: How many places there are in each role, before any filter.
        total: How many in all.
        files: How many files.
        places: Those that pass the filter, by path and line.
        left_out: How many of them the limit cut off.
    """

    name: str
    counts: tuple[tuple[str, int], ...]
    total: int
    files: int
    places: tuple[Mention, ...]
    left_out: int = 0
