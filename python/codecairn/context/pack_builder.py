"""`Workspace.packs`: context for a question or an edit, within a token budget."""

import re
from collections.abc import Callable, Sequence

from codecairn.context import symbol_context
from codecairn.context.anchored_facts import memory_pieces
from codecairn.context.pack import Pack
from codecairn.context.pack_assembly import packed
from codecairn.context.pack_pieces import Pieces, definition_piece, hit_piece
from codecairn.context.requests import ContextRequest, EditContextRequest
from codecairn.core.graph_engine import GraphEngine
from codecairn.core.light_dataclass import dataclass
from codecairn.core.requests import NO_FILTERS, SearchFilters, accepts
from codecairn.core.types.graph import Definition
from codecairn.core.types.hits import SearchResult
from codecairn.errors import SymbolAmbiguous, SymbolNotFound, UsageError
from codecairn.graph.graph import CodeGraph
from codecairn.graph.neighbours import unresolved_uses
from codecairn.graph.render import unresolved_words
from codecairn.graph.symbol_resolution import (
    MAX_CANDIDATES,
    Found,
    resolve_canonical,
    resolve_symbol,
)
from codecairn.memory.memory import Memory

_TARGET_SHARE = 0.6
_MAX_TYPES = 5
_MAX_MEMORIES = 5
_FROM_TO = re.compile(
    r"(?:.*\b)?from\s+`?([\w.:#/$-]+)`?\s+to\s+`?([\w.:#/$-]+)`?\W*|`?([\w.:#/$-]+)`?\s*->\s*`?([\w.:#/$-]+)`?"
)
_LOOKS_LIKE_CODE = re.compile(
    r"`([^`\s]+)`|\b([A-Za-z_]\w*(?:(?:\.|::)\w+)+|\w*[a-z0-9][A-Z]\w*|[A-Za-z]\w*_\w+|_\w+)(?:\(\))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Packs:
    """Puts packs together from the code graph, a search of the code, and the memory."""

    graph: CodeGraph
    search: Callable[..., SearchResult]
    memory: Callable[[], Memory]

    @accepts(ContextRequest)
    def context(self, request: ContextRequest) -> Pack:
        """What answers a question: the way between two symbols, a definition with its neighbours, or the best hits.

        "from A to B" asks for a way; one name in the question that is defined asks for its definition. If no hit passes
        the filters, the search is repeated without them, and a note says so.

        Raises:
            UsageError: If nothing is asked, or the budget is too small.
        """
        query, symbol, limit = request.query, request.symbol, request.limit
        source, target = request.source, request.target
        if not query.strip() and not symbol and not (source and target):
            raise UsageError("nothing is asked", hint="give some words, or a symbol")
        if (source is None) != (target is None):
            raise UsageError("a path has two ends", hint="give both `from` and `to`")
        engine = self.graph.engine(refresh=request.refresh)
        ends = (source, target) if source and target else _ends(query)
        notes: list[str] = []
        pieces = Pieces()
        route = "search"
        if ends is not None and symbol is None:
            pieces = self._way(engine, *ends, notes=notes, max_depth=request.max_depth)
            route = "path"
        found: tuple[Definition, ...] = ()
        if not pieces.shown:
            pieces, found = self._definition(engine, query, symbol, limit, notes)
            route = "definition"
        if not pieces.shown:
            pieces = self._hits(query or symbol or "", limit, request.filters, notes)
            route = "search"
        asked = query.strip() or symbol or " -> ".join(ends or ())
        return _packed(engine, asked, pieces, found, route=route, request=request, notes=notes)

    @accepts(EditContextRequest)
    def edit_context(self, request: EditContextRequest) -> Pack:
        """What to know before a symbol is changed: its source, who uses it, what it uses, types, tests, memories.

        Where nothing has the name, the best hits of a search stand in for it, and that is said.

        Raises:
            SymbolAmbiguous: If several symbols have the name.
        """
        target, callers, callees = request.target, request.caller_limit, request.callee_limit
        engine = self.graph.engine(refresh=request.refresh)
        notes: list[str] = []
        symbols: tuple[Definition, ...] = ()
        try:
            found = self.graph.resolve_symbol(engine, target, path=request.file)
        except SymbolNotFound as err:
            notes.append(f"risk: {err.message}; what a search finds stands in for it")
            pieces = self._hits(request.query or target, callers + callees, NO_FILTERS, notes)
        else:
            symbols = found.symbols
            notes += _passed_over(found)
            pieces = Pieces(
                shown=(
                    *(
                        definition_piece(
                            engine.engine,
                            each,
                            title="Target",
                            max_share=_TARGET_SHARE,
                            with_lead=True,
                        )
                        for each in symbols
                    ),
                    *memory_pieces(self.memory(), symbols, limit=_MAX_MEMORIES),
                )
            )
            pieces += symbol_context.caller_pieces(engine, found.symbols, limit=callers)
            pieces += symbol_context.callee_pieces(engine, found.symbols, limit=callees)
            pieces += symbol_context.type_pieces(engine, found.symbols, limit=_MAX_TYPES)
            pieces += symbol_context.test_pieces(engine, found.symbols)
        subject = f"Before editing {target}"
        return _packed(engine, subject, pieces, symbols, route="edit", request=request, notes=notes)

    def _way(
        self, engine: GraphEngine, source: str, target: str, *, notes: list[str], max_depth: int
    ) -> Pieces:
        try:
            way = self.graph.path(source, target, max_depth=max_depth, refresh=False)
        except SymbolNotFound as err:
            notes.append(f"recovery: {err.message}; searched instead")
            return Pieces()
        if way.is_reversed:
            notes.append(f"no way leads from {source} to {target}; this one leads back")
        if not way.hops:
            notes.append(f"recovery: no way of known uses leads from {source} to {target}")
        hops = (
            definition_piece(
                engine.engine,
                hop.definition,
                title="Way",
                why=""
                if hop.use is None
                else f"by {hop.use.kind} at {hop.use.path}:{hop.use.line}",
                lines=[
                    after.use.line
                    for after in way.hops
                    if after.use is not None and after.use.source == hop.definition
                ],
            )
            for hop in way.hops
        )
        return Pieces(shown=tuple(hops))

    def _definition(
        self, engine: GraphEngine, query: str, symbol: str | None, limit: int, notes: list[str]
    ) -> tuple[Pieces, tuple[Definition, ...]]:
        found = self._named(engine, query, symbol, notes)
        if found is None:
            return Pieces(), ()
        notes += _passed_over(found)
        own = (
            definition_piece(engine.engine, each, title="Definition", max_share=0.5, with_lead=True)
            for each in found.symbols
        )
        pieces = Pieces(shown=tuple(own))
        pieces += symbol_context.caller_pieces(engine, found.symbols, limit=limit)
        pieces += symbol_context.callee_pieces(engine, found.symbols, limit=limit)
        return pieces, found.symbols

    def _named(
        self, engine: GraphEngine, query: str, symbol: str | None, notes: list[str]
    ) -> Found | None:
        """The one symbol that is asked about."""
        if symbol is not None:
            try:
                return resolve_canonical(engine, symbol)
            except SymbolNotFound as err:
                notes.append(f"recovery: {err.message}; searched instead")
                return None
        found = []
        for name in _names(query):
            try:
                found.append(resolve_symbol(engine, name))
            except SymbolNotFound:
                continue
            except SymbolAmbiguous as err:
                notes.append(f"{err.message}: {err.hint}")
                return None
        return found[0] if len(found) == 1 else None

    def _hits(self, query: str, limit: int, filters: SearchFilters, notes: list[str]) -> Pieces:
        result = self.search(query, limit=limit, filters=filters, refresh=False)
        if not result.hits and filters != NO_FILTERS:
            notes.append("recovery: nothing passes the filters; searched without them")
            result = self.search(query, limit=limit, refresh=False)
        if not result.hits:
            notes.append("nothing was found")
        notes += [f"`{path}` changed since it was indexed" for path in result.stale]
        return Pieces(shown=tuple(hit_piece(hit, title="Found") for hit in result.hits))


def _packed(
    engine: GraphEngine,
    subject: str,
    pieces: Pieces,
    symbols: tuple[Definition, ...],
    *,
    route: str,
    request: ContextRequest | EditContextRequest,
    notes: list[str],
) -> Pack:
    """The pack of these pieces, with a note of the uses by the names of `symbols` that could not be resolved."""
    uses, count = unresolved_uses(engine, symbols)
    if count:
        places = ", ".join(f"{use.path}:{use.line}" for use in uses)
        more = f" and {count - len(uses):,} more" if count > len(uses) else ""
        name = uses[0].name
        words = unresolved_words(count, of=f" of `{name}`", name=name)
        notes.append(f"{words}: {places}{more}")
    return packed(
        subject,
        pieces.shown,
        route=route,
        token_budget=request.token_budget,
        notes=notes,
        left_out=pieces.left_out,
        unresolved_count=count,
    )


def _ends(query: str) -> tuple[str, str] | None:
    found = _FROM_TO.fullmatch(query.strip())
    if found is None:
        return None
    source, target = found[1] or found[3], found[2] or found[4]
    return source, target


def _names(query: str) -> Sequence[str]:
    """What in a query looks like the name of a symbol: all of it, or words as only code has them."""
    if query.strip() and not re.search(r"\s", query.strip()):
        return [query.strip()]
    return list(dict.fromkeys(first or second for first, second in _LOOKS_LIKE_CODE.findall(query)))


def _passed_over(found: Found) -> list[str]:
    titles = list(dict.fromkeys(each.title for each in found.also))
    more = f" and {len(titles) - MAX_CANDIDATES:,} more" if len(titles) > MAX_CANDIDATES else ""
    return [f"also defined: {', '.join(titles[:MAX_CANDIDATES])}{more}"] if titles else []
