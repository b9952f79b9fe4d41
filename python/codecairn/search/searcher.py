"""One search on an engine that is ready: the question put, and the answer checked against the files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from codecairn.config.settings import MAX_NUMBER, Settings
from codecairn.engine import Engine, git_head
from codecairn.errors import UsageError
from codecairn.search.filters import SearchFilters, resolve_filters
from codecairn.types import OBSTACLES, Freshness, Hit, SearchResult

if TYPE_CHECKING:
    from codecairn.embedding.base import Role
    from codecairn.search.query_vectors import QueryVectors
    from codecairn.search.rerank import ExternalRerank


@dataclass(frozen=True, slots=True, kw_only=True)
class Searcher:
    """Puts questions to an engine.

    `freshness` is how far a refresh came, `None` if nobody looked; `vectors` asks for vectors outside, `None` if nothing
    is to be asked there; `rerank` orders the best hits once more, if anybody does; `notes` are to be told
    with every result.
    """

    engine: Engine
    settings: Settings
    freshness: Freshness | None
    vectors: "QueryVectors | None" = None
    rerank: "ExternalRerank | None" = None
    notes: tuple[str, ...] = ()

    def search(
        self,
        query: str,
        *,
        limit: int | None,
        filters: SearchFilters,
        context_lines: int | None,
        explain: bool,
        text: bool,
    ) -> SearchResult:
        """The places that answer `query` best."""
        settings = self.settings
        rerank = self.rerank if self.rerank is not None and self.rerank.wants(query) else None
        wanted = self._limit(limit)
        hits = self.engine.search(
            query,
            limit=wanted if rerank is None else max(wanted, rerank.depth),
            filters=resolve_filters(filters, root=self.engine.options.root),
            context_lines=_context_lines(
                settings.search_context_lines if context_lines is None else context_lines
            ),
            explain=explain,
            ranking=settings.ranking,
            fusion=settings.fusion,
            text=text or rerank is not None,
            vector=self._vector(query, role="query"),
        )
        if rerank is not None:
            hits = tuple(rerank.order(query, hits)[:wanted])
            hits = hits if text else tuple(replace(hit, text="") for hit in hits)
        return self._result(query, hits)

    def similar(self, text: str, *, limit: int | None, filters: SearchFilters) -> SearchResult:
        """The places that look like `text`."""
        return self._result(text, self._alike(text, limit, filters, exclude=None))

    def similar_to(
        self, path: str, line: int, *, limit: int | None, filters: SearchFilters
    ) -> SearchResult:
        """The places that look like the chunk at this line, without that one."""
        if not 0 <= line <= MAX_NUMBER:
            raise UsageError(f"`{path}` has no code on line {line}")
        text, first, last = self.engine.text_at(path, line)
        hits = self._alike(text, limit, filters, exclude=(path, first, last))
        return self._result(f"{path}:{line}", hits)

    def define(self, name: str, *, limit: int | None, filters: SearchFilters) -> SearchResult:
        """Where symbols of this name are defined."""
        hits = self.engine.define(
            name,
            limit=self._limit(limit),
            filters=resolve_filters(filters, root=self.engine.options.root),
        )
        return self._result(name, hits)

    def _alike(
        self,
        text: str,
        limit: int | None,
        filters: SearchFilters,
        *,
        exclude: tuple[str, int, int] | None,
    ) -> tuple[Hit, ...]:
        return self.engine.similar(
            text,
            limit=self._limit(limit),
            filters=resolve_filters(filters, root=self.engine.options.root),
            exclude=exclude,
            vector=self._vector(text, role="document"),
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

    def _limit(self, limit: int | None) -> int:
        wanted = self.settings.search_limit if limit is None else limit
        if wanted < 1:
            raise UsageError(f"the limit is {wanted}", hint="the least that makes sense is 1")
        return min(wanted, MAX_NUMBER)

    def _result(self, query: str, hits: Sequence[Hit]) -> SearchResult:
        """The hits with the state of their files, looked at now."""
        paths = list(dict.fromkeys(hit.path for hit in hits))
        states = self.engine.check(paths) if paths else []
        freshness = self.freshness
        state = "" if freshness is None else freshness.state
        return SearchResult(
            query=query,
            branch=git_head(self.engine.options.root)[0],
            hits=tuple(hits),
            stale=tuple(
                path for path, state in zip(paths, states, strict=True) if state != "fresh"
            ),
            unchecked=None if freshness is None else freshness.unchecked,
            locked=state == "locked",
            obstacle=state if state in OBSTACLES else "",
            notes=self._notes(),
        )


def _context_lines(wanted: int) -> int:
    if wanted < 0:
        raise UsageError(f"the lines of context are {wanted}", hint="give 0 or more")
    return min(wanted, MAX_NUMBER)
