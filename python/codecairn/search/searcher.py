"""One search on a prepared engine: runs the query, and checks the hits against the files."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from codecairn.config.setting import MAX_NUMBER
from codecairn.config.settings import Settings
from codecairn.core.engine import Engine, git_head
from codecairn.core.light_dataclass import dataclass
from codecairn.core.requests import (
    MIN_TOKENS,
    DefineRequest,
    HitRequest,
    SearchFilters,
    SearchRequest,
    SimilarRequest,
)
from codecairn.core.store_log import Logbook
from codecairn.core.types.freshness import Freshness
from codecairn.core.types.hits import OBSTACLES, Hit, SearchResult
from codecairn.errors import (
    DiskFull,
    IndexLocked,
    NotIndexed,
    PathNotFound,
    StoreReadOnly,
    UsageError,
)
from codecairn.search.conditions import SearchConditions

if TYPE_CHECKING:
    from codecairn.embedding.base import Role
    from codecairn.search.query_vectors import QueryVectors
    from codecairn.search.rerank import ExternalRerank

_Found = TypeVar("_Found")

_PLACES_IN_A_FILE = 50
"""Of a file whose best place is not by the commits asked for: in so many others such a one is looked for."""

_MAX_SWITCHES = 3
"""How often a branch may be switched under one search, each time to one that is not indexed yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Searcher:
    """Sends queries to an engine and completes its answers.

    `freshness` is the result of the refresh, `None` if no file was checked. `ready` indexes the current branch if needed.
    `vectors` fetches query vectors from the provider, `None` without one. `rerank` reorders the best hits, `None` for not at
    all. `notes` are added to each result.
    """

    engine: Engine
    settings: Settings
    freshness: Freshness | None
    ready: Callable[[], Freshness | None]
    logbook: Logbook
    vectors: "QueryVectors | None" = None
    rerank: "ExternalRerank | None" = None
    notes: tuple[str, ...] = ()

    def search(self, request: SearchRequest, *, text: bool) -> SearchResult:
        """The places that answer a question best."""
        settings, query, wanted = self.settings, request.query, self._limit(request)
        conditions = self._conditions(request)
        rerank = self.rerank if self.rerank is not None and self.rerank.wants(query) else None
        vector = cache(lambda: self._vector(query, role="query"))
        resolved = replace(
            request,
            filters=conditions.filters,
            context_lines=self._context_lines(request),
            token_budget=_token_budget(request),
        )

        def best(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
            if rerank is None:
                return hits
            hits = tuple(rerank.order(self.engine, query, hits)[:wanted])
            return hits if text else tuple(replace(hit, text="") for hit in hits)

        def ask(depth: int) -> tuple[Hit, ...]:
            return self.engine.search(
                replace(resolved, limit=depth),
                ranking=settings.ranking,
                fusion=settings.fusion,
                text=text or rerank is not None,
                vector=vector(),
            )

        def others(_hit: Hit, only: SearchFilters) -> tuple[Hit, ...]:
            alike = SimilarRequest(query, limit=_PLACES_IN_A_FILE, filters=only)
            found = self.engine.similar(alike, own_place=None, vector=vector())
            return found if text else tuple(replace(hit, text="") for hit in found)

        depth = wanted if rerank is None else max(wanted, rerank.depth)
        return self._answer(
            "search" if text else "peek",
            query,
            conditions,
            lambda: conditions.hits(ask, limit=depth, others=others),
            best,
        )

    def similar(self, request: SimilarRequest) -> SearchResult:
        """The places that look like a text."""
        conditions = self._conditions(request)
        return self._answer(
            "similar",
            request.text,
            conditions,
            lambda: self._alike(request, conditions, own_place=None),
        )

    def similar_to(self, path: str, line: int, request: HitRequest) -> SearchResult:
        """The places that look like the chunk at this line, without that one."""

        def ask() -> tuple[Hit, ...]:
            text, first, last = self._code_at(path, line)
            alike = SimilarRequest(text, limit=request.limit)
            return self._alike(alike, conditions, own_place=(path, first, last))

        conditions = self._conditions(request)
        return self._answer("similar", f"{path}:{line}", conditions, ask)

    def code_at(self, path: str, line: int) -> str:
        """The text of the chunk at this line."""
        return self._asked(lambda: self._code_at(path, line))[0]

    def define(self, request: DefineRequest) -> SearchResult:
        """Where symbols of a name are defined."""
        wanted, conditions = self._limit(request), self._conditions(request)
        resolved = replace(request, filters=conditions.filters)

        def ask(depth: int) -> tuple[Hit, ...]:
            return self.engine.define(replace(resolved, limit=depth))

        return self._answer(
            "define", request.name, conditions, lambda: conditions.hits(ask, limit=wanted)
        )

    def _code_at(self, path: str, line: int) -> tuple[str, int, int]:
        """Text and lines of the chunk at this line."""
        if not 0 <= line <= MAX_NUMBER:
            raise UsageError(f"`{path}` has no code on line {line}")
        try:
            return self.engine.text_at(path, line)
        except UsageError as err:
            from codecairn.paths.named_entry import require_entry

            root = self.engine.options.root
            require_entry(path, base=root, root=root)
            err.hint = err.hint or "give a line of a definition or of a text that is indexed"
            raise

    def _alike(
        self,
        request: SimilarRequest,
        conditions: SearchConditions,
        *,
        own_place: tuple[str, int, int] | None,
    ) -> tuple[Hit, ...]:
        vector = self._vector(request.text, role="document")
        resolved = replace(request, filters=conditions.filters)

        def ask(depth: int) -> tuple[Hit, ...]:
            return self.engine.similar(
                replace(resolved, limit=depth), own_place=own_place, vector=vector
            )

        return conditions.hits(ask, limit=self._limit(request))

    def _conditions(self, request: HitRequest) -> SearchConditions:
        if request.filters.scopes:
            raise UsageError(
                "one workspace has no scopes", hint="search by `workspace.knowledge` instead"
            )
        usual = self.settings.search_blame
        return SearchConditions(
            request.filters, root=self.engine.options.root, blames_usually=usual
        )

    def _vector(self, text: str, *, role: "Role") -> bytes | None:
        return None if self.vectors is None else self.vectors.vector(self.engine, text, role=role)

    def _notes(self) -> tuple[str, ...]:
        notes = list(self.notes)
        for helper in (self.vectors, self.rerank):
            if helper is not None:
                notes += helper.notes
                helper.notes.clear()
        return tuple(notes)

    def _limit(self, request: HitRequest) -> int:
        wanted = self.settings.search_limit if request.limit is None else request.limit
        if wanted < 1:
            raise UsageError(f"the limit is {wanted}", hint="the least that makes sense is 1")
        return min(wanted, MAX_NUMBER)

    def _context_lines(self, request: SearchRequest) -> int:
        given = request.context_lines
        wanted = self.settings.search_context_lines if given is None else given
        if wanted < 0:
            raise UsageError(f"the lines of context are {wanted}", hint="give 0 or more")
        return min(wanted, MAX_NUMBER)

    def _answer(
        self,
        what: str,
        query: str,
        conditions: SearchConditions,
        ask: Callable[[], tuple[Hit, ...]],
        best: Callable[[tuple[Hit, ...]], tuple[Hit, ...]] = lambda hits: hits,
    ) -> SearchResult:
        with self.logbook.timed("search", what) as numbers:
            result = self._checked(query, conditions, ask, best)
            numbers["hits"] = len(result.hits)
            numbers["stale"] = len(result.stale)
            if self.freshness is not None:
                numbers["refresh_s"] = self.freshness.seconds
                numbers["unchecked"] = self.freshness.unchecked
        return result

    def _checked(
        self,
        query: str,
        conditions: SearchConditions,
        ask: Callable[[], tuple[Hit, ...]],
        best: Callable[[tuple[Hit, ...]], tuple[Hit, ...]],
    ) -> SearchResult:
        """The best hits with the state of their files, looked at now, whatever the budget.

        Hits whose file changed since are taken in, and the query runs once more, unless refreshing is off.
        What is best of them is asked for once only, as that may cost something.
        """
        hits = self._asked(ask)
        stale = self._stale(hits)
        if stale and self.freshness is not None and self._take_in(stale):
            hits = self._asked(ask)
            stale = self._stale(hits)
        hits = conditions.shown(best(hits))
        if not hits:
            self._require_indexed(conditions.filters.directories)
        shown = {hit.path for hit in hits}
        freshness = self.freshness
        state = "" if freshness is None else freshness.state
        return SearchResult(
            query=query,
            branch=git_head(self.engine.options.root)[0],
            hits=hits,
            stale=tuple(path for path in stale if path in shown),
            unchecked=None if freshness is None else freshness.unchecked,
            locked=state == "locked",
            obstacle=state if state in OBSTACLES else "",
            notes=(*self._notes(), *conditions.notes),
        )

    def _asked(self, ask: Callable[[], _Found]) -> _Found:
        """What is found. A branch that was switched to only a moment ago may have to be indexed first."""
        for _ in range(_MAX_SWITCHES):
            try:
                return ask()
            except NotIndexed:
                self.ready()
        return ask()

    def _require_indexed(self, folders: Sequence[str]) -> None:
        """Check that some file in one of these folders is indexed, if there are any.

        Raises:
            PathNotFound: If none is.
        """
        if not folders:
            return
        paths = self.engine.paths()
        for folder in folders:
            at = bisect_left(paths, f"{folder}/")
            if at < len(paths) and paths[at].startswith(f"{folder}/"):
                return
        raise PathNotFound(
            f"no file in `{folders[0]}` is indexed",
            hint="`codecairn status --verbose` says why files are left out",
        )

    def _stale(self, hits: Sequence[Hit]) -> tuple[str, ...]:
        """The hits' files that are not as they were indexed."""
        paths = list(dict.fromkeys(hit.path for hit in hits))
        states = self.engine.check(paths) if paths else []
        return tuple(path for path, state in zip(paths, states, strict=True) if state != "fresh")

    def _take_in(self, paths: Sequence[str]) -> bool:
        """Bring the index up to date with some files; returns whether that was possible."""
        if self.engine.options.read_only:
            return False
        try:
            self.engine.index(force=False, progress=None, paths=paths)
        except (IndexLocked, StoreReadOnly, DiskFull):
            return False
        return True


def _token_budget(request: SearchRequest) -> int | None:
    wanted = request.token_budget
    if wanted is None:
        return None
    if wanted < MIN_TOKENS:
        raise UsageError(f"the token budget is {wanted}", hint=f"give {MIN_TOKENS} or more")
    return min(wanted, MAX_NUMBER)
