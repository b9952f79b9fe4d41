"""`Workspace.graph`: questions to the code graph of the current branch."""

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

from codecairn.config.setting import MAX_NUMBER
from codecairn.core.call_time import one_call
from codecairn.core.engine import Engine
from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import (
    EDGE_KINDS,
    CallPath,
    Definition,
    Evidence,
    Hierarchy,
    Neighbours,
    Use,
    Uses,
)
from codecairn.core.types.graph_analysis import Communities, Cycles, Hubs, Impact, UnusedSymbols
from codecairn.errors import UsageError
from codecairn.graph import (
    call_path,
    find_occurrences,
    hierarchy,
    neighbours,
    structure,
    unused_symbols,
)
from codecairn.graph.impact_assessment import IndexCommit, Subject, assess
from codecairn.graph.structure import GraphStructure
from codecairn.graph.symbol_resolution import Found, named, resolve_symbol
from codecairn.paths.relative import inner_name


class CodeGraph:
    """Who uses what. A symbol is named as `name`, `Class.name`, `path::name`, `path:line` or `path:line:column`.

    Facts are resolved uses; what may mean a symbol is kept apart from them and never counted. Every question first takes
    in what changed, as a search does, unless `refresh` is false.
    """

    def __init__(
        self,
        root: Path,
        ready: Callable[..., Engine],
        index_commit: IndexCommit,
    ) -> None:
        self._root = root
        self._ready = ready
        self._index_commit = index_commit
        self._kept: tuple[tuple[str, int, int], GraphStructure] | None = None

    def engine(self, *, refresh: bool | None = None) -> GraphEngine:
        """The core's view of the graph, made fit to be asked."""
        return GraphEngine(self._ready(refresh=refresh))

    def definitions(
        self, name: str, *, path: str | None = None, refresh: bool | None = None
    ) -> tuple[Definition, ...]:
        """All definitions of a name: implementations first, tests last.

        Raises:
            SymbolNotFound: If there are none.
        """
        return named(self.engine(refresh=refresh), name, path=self._inner(path))

    def resolve_symbol(self, engine: GraphEngine, name: str, *, path: str | None = None) -> Found:
        """The one symbol that a name means to an engine that is ready."""
        return resolve_symbol(engine, name, path=self._inner(path))

    def evidence(self, *, refresh: bool | None = None) -> Evidence:
        """How far the SCIP index of the workspace applies: the number of files whose names it resolves, and why not more."""
        return self.engine(refresh=refresh).evidence()

    def edges(self, path: str, *, refresh: bool | None = False) -> tuple[Use, ...]:
        """All uses in a file, resolved or not, by position; as they were indexed."""
        return self.engine(refresh=refresh).uses_in(self._inner(path) or "")

    def callers(
        self,
        name: str,
        *,
        path: str | None = None,
        kinds: Collection[str] = (),
        depth: int = 1,
        limit: int | None = None,
        refresh: bool | None = None,
    ) -> Neighbours:
        """Who uses a symbol.

        Args:
            name: The symbol.
            path: The file or folder that defines it, if several symbols have its name.
            kinds: Only these kinds of use, of `EDGE_KINDS`.
            depth: How many steps to follow; what lies further than one is in `further`.
            limit: How many uses at most.
            refresh: Whether to take in changes first.

        Raises:
            SymbolNotFound: If nothing has this name.
            SymbolAmbiguous: If several symbols have it.
        """
        _require_kinds(kinds)
        engine = self.engine(refresh=refresh)
        found = resolve_symbol(engine, name, path=self._inner(path))
        depth, limit = _steps(depth), _most(limit)
        return neighbours.callers(engine, found, kinds=kinds, limit=limit, depth=depth)

    def callees(
        self,
        name: str,
        *,
        path: str | None = None,
        kinds: Collection[str] = (),
        depth: int = 1,
        limit: int | None = None,
        refresh: bool | None = None,
    ) -> Neighbours:
        """What a symbol uses; as `callers`."""
        _require_kinds(kinds)
        engine = self.engine(refresh=refresh)
        found = resolve_symbol(engine, name, path=self._inner(path))
        depth, limit = _steps(depth), _most(limit)
        return neighbours.callees(engine, found, kinds=kinds, limit=limit, depth=depth)

    def path(
        self,
        source: str,
        target: str,
        *,
        source_path: str | None = None,
        target_path: str | None = None,
        max_depth: int = 10,
        refresh: bool | None = None,
    ) -> CallPath:
        """A shortest way of resolved uses from one symbol to another, of at most `max_depth` steps.

        Where several symbols have a name, any of them will do.

        Raises:
            SymbolNotFound: If nothing has one of the names.
        """
        return call_path.find_call_path(
            self.engine(refresh=refresh),
            source,
            target,
            source_path=self._inner(source_path),
            target_path=self._inner(target_path),
            max_depth=_steps(max_depth),
        )

    def hierarchy(
        self, name: str, *, path: str | None = None, refresh: bool | None = None
    ) -> Hierarchy:
        """What a type extends and implements, and what extends and implements it, over all steps."""
        engine = self.engine(refresh=refresh)
        return hierarchy.hierarchy(engine, resolve_symbol(engine, name, path=self._inner(path)))

    def uses(
        self,
        name: str,
        *,
        roles: Collection[str] = (),
        path: str | None = None,
        limit: int | None = None,
        refresh: bool | None = None,
    ) -> Uses:
        """Every occurrence of a plain name as a word, with an exact count of each role."""
        return find_occurrences.find_occurrences(
            self.engine(refresh=refresh),
            name,
            roles=roles,
            path=self._inner(path),
            limit=_most(limit),
        )

    def communities(
        self,
        *,
        min_size: int = 2,
        limit: int = 20,
        hub_threshold: int = 5,
        min_coupling: int = 1,
        coupling_limit: int = 20,
        refresh: bool | None = None,
    ) -> Communities:
        """Symbols that use one another more than others, the largest communities first; the same for equal code.

        Args:
            min_size: How many symbols a community must have to be shown.
            limit: How many communities at most.
            hub_threshold: How many symbols must use one for it to be a hub.
            min_coupling: The number of uses between two communities from which on they are reported.
            coupling_limit: How many couplings at most.
            refresh: Whether to take in changes first.
        """
        return structure.communities(
            self.shape(refresh=refresh),
            min_size=min_size,
            limit=limit,
            hub_threshold=hub_threshold,
            min_coupling=min_coupling,
            coupling_limit=coupling_limit,
        )

    def cycles(self, *, limit: int = 20, refresh: bool | None = None) -> Cycles:
        """Groups of symbols that use one another in a circle, the largest first."""
        return structure.cycles(self.shape(refresh=refresh), limit=limit)

    def hubs(self, *, limit: int = 20, refresh: bool | None = None) -> Hubs:
        """The most important symbols by who uses them."""
        return structure.hubs(self.shape(refresh=refresh), limit=limit)

    def unused(self, *, limit: int = 50, refresh: bool | None = None) -> UnusedSymbols:
        """Symbols that nothing is known to use, each with how certain that is.

        Passed over are tests, entry points, what the language calls by itself, what may override something, and what a
        decorator or an attribute registers.
        """
        engine = self.engine(refresh=refresh)
        return unused_symbols.unused(engine, self._shape_of(engine), limit=limit)

    @one_call()
    def impact(
        self,
        ref: str | None = None,
        *,
        pr: int | None = None,
        files: Collection[str] = (),
        symbol: str | None = None,
        max_depth: int = 5,
        hub_threshold: int = 10,
        conflicts: bool = False,
        refresh: bool | None = None,
    ) -> Impact:
        """What a change reaches: of the working tree, unless something else is named.

        Args:
            ref: A branch, tag or commit: what it brings since its history parted from ours; if it lies in our
                history, what changed since.
            pr: The number of a pull request, which GitHub's `gh` tells of.
            files: Files instead, all of whose symbols count as touched.
            symbol: A symbol instead.
            max_depth: How many steps dependents are followed.
            hub_threshold: How many symbols must use one for it to be a hub.
            conflicts: Whether to look for other local branches that touch the same.
            refresh: Whether to take in changes first.

        Raises:
            UsageError: If several of them are named, or git does not know the commit.
            HistoryUnavailable: If there is no git, or nothing was committed yet.
            PullRequestUnavailable: If the pull request can't be read.
        """
        if sum(bool(each) for each in (ref, pr is not None, files, symbol)) > 1:
            raise UsageError("give one of a ref, a pull request, files and a symbol")
        subject = Subject(ref=ref, pr=pr, files=tuple(files), symbol=symbol)
        return assess(
            self._root,
            partial(self.engine, refresh=refresh),
            self._index_commit,
            subject,
            max_depth=_steps(max_depth),
            hub_threshold=_users(hub_threshold),
            with_conflicts=conflicts,
        )

    def shape(self, *, refresh: bool | None = None) -> GraphStructure:
        """The whole graph, counted."""
        return self._shape_of(self.engine(refresh=refresh))

    def _shape_of(self, engine: GraphEngine) -> GraphStructure:
        """The structure, computed again only after a change of the index."""
        state = engine.state()
        if self._kept is None or self._kept[0] != state:
            self._kept = state, GraphStructure(survey=engine.survey())
        return self._kept[1]

    def _inner(self, path: str | None) -> str | None:
        return None if path is None else inner_name(path, root=self._root)


def _require_kinds(kinds: Collection[str]) -> None:
    unknown = sorted(set(kinds) - set(EDGE_KINDS))
    if unknown:
        raise UsageError(
            f"there is no kind of use `{unknown[0]}`", hint=f"one of {', '.join(EDGE_KINDS)}"
        )


def _most(limit: int | None) -> int | None:
    if limit is not None and limit < 1:
        raise UsageError(f"the limit is {limit}", hint="the least that makes sense is 1")
    return limit


def _steps(depth: int) -> int:
    if depth < 1:
        raise UsageError(f"the depth is {depth}", hint="the least that makes sense is 1")
    return min(depth, MAX_NUMBER)


def _users(threshold: int) -> int:
    if threshold < 1:
        raise UsageError(
            f"the hub threshold is {threshold}", hint="the least that makes sense is 1"
        )
    return min(threshold, MAX_NUMBER)
