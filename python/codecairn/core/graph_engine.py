"""The typed face of the code graph in the Rust core. It makes no decisions."""

from collections.abc import Sequence

from codecairn import _native
from codecairn.core.engine import Engine, translated
from codecairn.core.types.graph import (
    EDGE_KINDS,
    Definition,
    Evidence,
    Link,
    Mention,
    Node,
    Place,
    Reached,
    Survey,
    Use,
)
from codecairn.core.types.graph_analysis import Hub, Reach, TouchedCommunity

MAX_PLACES = _native.MAX_PLACES
"""So many unresolved places mean that many or more."""


class GraphEngine:
    """The code graph of the branch that an engine has open. Definitions are named by the place of their name."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._native = _native.Graph(engine.native)

    def uses_in(self, path: str) -> tuple[Use, ...]:
        """All uses in a file, in order of position."""
        with translated():
            found = self._native.uses_in(path)
        return tuple(map(_use, found))

    def symbols(self, name: str) -> tuple[Definition, ...]:
        """The definitions that a name means, plain or with scopes."""
        with translated():
            found = self._native.symbols(name)
        return tuple(map(_definition, found))

    def symbols_in(
        self, path: str, lines: Sequence[tuple[int, int]] = ()
    ) -> tuple[Definition, ...]:
        """The definitions that these lines of a file touch; all of its own without lines."""
        with translated():
            found = self._native.symbols_in(path, list(lines))
        return tuple(map(_definition, found))

    def uses_of(self, symbols: Sequence[Definition]) -> tuple[Use, ...]:
        """All uses of these definitions, those that may mean them included, by path and position."""
        with translated():
            found = self._native.uses_of(_places(symbols))
        return tuple(map(_use, found))

    def unresolved_uses(
        self, symbols: Sequence[Definition], *, limit: int
    ) -> tuple[tuple[Use, ...], int]:
        """The likeliest places of the names of these definitions that could not be resolved, and how many there are."""
        with translated():
            found, count = self._native.unresolved_uses(_places(symbols), limit)
        return tuple(map(_use, found)), count

    def uses_by(self, symbols: Sequence[Definition]) -> tuple[Use, ...]:
        """All uses that these definitions make of others."""
        with translated():
            found = self._native.uses_by(_places(symbols))
        return tuple(map(_use, found))

    def occurrences(self, name: str) -> tuple[Mention, ...]:
        """Every occurrence of a name as a word, by path and position."""
        with translated():
            found = self._native.occurrences(name)
        return tuple(map(_mention, found))

    def rarest_word_lines(self, words: Sequence[str], *, max_bytes: int) -> tuple[str, int] | None:
        """The rarest of some words that any file has, and the bytes that a plain text search for it prints.

        Lines are `path:line:text`, found in any case; no more bytes are counted than `max_bytes`.
        """
        with translated():
            return self._native.rarest_word_lines(list(words), max_bytes)

    def way(
        self, sources: Sequence[Definition], targets: Sequence[Definition], *, max_depth: int
    ) -> tuple[Definition, ...]:
        """A shortest way of resolved uses, both ends included; empty if there is none."""
        starts, ends = _places(sources), _places(targets)
        with translated():
            found = self._native.way(starts, ends, max_depth)
        return tuple(map(_definition, found))

    def reached(
        self, symbols: Sequence[Definition], *, direction: str, max_depth: int
    ) -> tuple[Reached, ...]:
        """What resolved uses lead to from these ("callers", "callees" or "both"), nearest first."""
        with translated():
            found = self._native.reached(_places(symbols), direction, max_depth)
        return _reached(found)

    def survey(self) -> Survey:
        """The whole graph."""
        with translated():
            nodes, links, cycles, labels = self._native.survey()
        return Survey(
            nodes=tuple(
                Node(definition=_definition(found), importance=importance, community=community)
                for found, importance, community in nodes
            ),
            links=tuple(
                Link(source=source, target=target, kinds=_kinds(kinds), uses=uses)
                for source, target, kinds, uses in links
            ),
            cycles=tuple(map(tuple, cycles)),
            labels=dict(labels),
        )

    def state(self) -> tuple[str, int, int]:
        """The branch, the state of the index and the SCIP index that answer: others whenever an answer may differ."""
        with translated():
            return self._native.state()

    def evidence(self) -> Evidence:
        """What the SCIP index is worth."""
        with translated():
            path, tool, (files, changed, missing), problem = self._native.evidence()
        return Evidence(
            path=path, tool=tool, files=files, changed=changed, missing=missing, problem=problem
        )

    def reach(
        self,
        files: Sequence[tuple[str, Sequence[tuple[int, int]] | None]],
        symbols: Sequence[Definition] = (),
        *,
        branch: str | None = None,
        max_depth: int,
        hub_threshold: int,
        most_looked_up: int,
    ) -> Reach:
        """What a change of these lines of files, or else of these symbols, reaches in a branch; see `Reach`."""
        with translated():
            touched, missing, dependents, uses, loose, hubs, communities = self._native.reach(
                [(path, None if lines is None else list(lines)) for path, lines in files],
                _places(symbols),
                branch=branch,
                depth=max_depth,
                hub_threshold=hub_threshold,
                most_looked_up=most_looked_up,
            )
        found = tuple(map(_definition, touched))
        return Reach(
            touched=found,
            missing=tuple(missing),
            dependents=_reached(dependents),
            uses=tuple(map(_use, uses)),
            unresolved=tuple(map(_use, loose[0])),
            unresolved_count=loose[1],
            hubs=tuple(
                Hub(
                    definition=found[place],
                    users=users,
                    used=used,
                    importance=round(importance, 6),
                )
                for place, users, used, importance in hubs
            ),
            communities=tuple(
                TouchedCommunity(label=label, symbols=count) for label, count in communities
            ),
        )


def _places(symbols: Sequence[Definition]) -> list[Place]:
    return [symbol.place for symbol in symbols]


def _reached(found: Sequence[tuple[_native.Definition, int]]) -> tuple[Reached, ...]:
    return tuple(
        Reached(definition=_definition(definition), distance=distance)
        for definition, distance in found
    )


def _definition(found: _native.Definition) -> Definition:
    return Definition(
        path=found.path,
        line=found.line,
        column=found.column,
        start_line=found.start_line,
        end_line=found.end_line,
        name=found.name,
        qualified_name=found.qualified_name,
        kind=found.kind,
    )


def _use(found: _native.Use) -> Use:
    return Use(
        path=found.path,
        line=found.line,
        column=found.column,
        name=found.name,
        kind=found.kind,
        how=found.how,
        is_resolved=found.is_resolved,
        confidence=round(found.confidence, 3),
        source=None if found.source is None else _definition(found.source),
        targets=tuple(map(_definition, found.targets)),
        declared=found.declared,
    )


def _mention(found: _native.Mention) -> Mention:
    return Mention(
        path=found.path,
        line=found.line,
        column=found.column,
        role=found.role,
        how=found.how or "",
        targets=tuple(map(_definition, found.targets)),
    )


_KINDS = tuple(
    tuple(kind for bit, kind in enumerate(EDGE_KINDS) if bits >> bit & 1)
    for bits in range(1 << len(EDGE_KINDS))
)


def _kinds(bits: int) -> tuple[str, ...]:
    return _KINDS[bits]
