"""Runs a query on several roots: which ones, with which filters, and which notes for those that fail."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, ClassVar, TypeVar

from codecairn.core.light_dataclass import dataclass
from codecairn.core.requests import (
    DefineRequest,
    HitRequest,
    PeekRequest,
    SearchFilters,
    SearchRequest,
    SimilarPlaceRequest,
    SimilarRequest,
    accepts,
)
from codecairn.errors import Cancelled, CodecairnError, PathNotFound, UsageError
from codecairn.paths.relative import inner_name, split_place
from codecairn.search.filters import require_lists
from codecairn.search.quoted_texts import or_unquoted

if TYPE_CHECKING:
    from codecairn.core.types.hits import SearchResult
    from codecairn.workspace.workspace import Workspace

_Request = TypeVar("_Request", bound=HitRequest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """One root that is searched.

    Attributes:
        name: What it is called; empty for the workspace itself.
        workspace: The workspace on it.
        prefix: The prefix of its paths; empty for that workspace.
        relevance: What is added to the scores of its hits, so that they compare with those of the other roots.
    """

    name: str
    workspace: "Workspace"
    prefix: str
    relevance: float = 0.0


class Roots(ABC):
    """Several roots that are asked as one.

    Relative folders are about the first one, unless others are named, or all are equal (`are_equal`).
    """

    are_equal: ClassVar[bool] = False

    @property
    @abstractmethod
    def first(self) -> "Workspace":
        """The workspace that relative places are about."""

    @abstractmethod
    def chosen(
        self, scopes: Sequence[str], _request: HitRequest | None = None
    ) -> tuple[list[Root], list[str]]:
        """The roots that these names mean (the usual ones if there are none), and notes on those left out.

        A request may go to the likeliest of many only.

        Raises:
            UsageError: If a name means nothing.
        """

    def relevances(self, _request: HitRequest, roots: Sequence[Root]) -> Sequence[float]:
        """What is added to the scores of the hits of roots that have answered."""
        return [root.relevance for root in roots]

    @accepts(SearchRequest)
    def search(self, request: SearchRequest) -> "SearchResult":
        """The places in all of the roots that answer a question best; as `Workspace.search`."""

        def ask(asked: SearchRequest) -> "SearchResult":
            return self._asked(asked, lambda workspace, own: workspace.search_quoted(own))

        return or_unquoted(request, ask)

    @accepts(PeekRequest)
    def peek(self, request: PeekRequest) -> "SearchResult":
        """The same places without their text."""

        def ask(asked: PeekRequest) -> "SearchResult":
            return self._asked(asked, lambda workspace, own: workspace.peek_quoted(own))

        return or_unquoted(request, ask)

    @accepts(SimilarRequest)
    def similar(self, request: SimilarRequest) -> "SearchResult":
        """Places in all of the roots that look like this piece of code."""
        return self._asked(request, lambda workspace, own: workspace.similar(own), by_rank=True)

    def similar_to(self, request: SimilarPlaceRequest) -> "SearchResult":
        """Places that look like the code at a line of the first workspace, which is not among them.

        Only that workspace is searched, unless the filters name scopes.
        """
        file, line = split_place(request.place)
        path = inner_name(file, root=self.first.root)

        def ask(workspace: "Workspace", own: SimilarPlaceRequest) -> "SearchResult":
            limit, filters, refresh = own.limit, own.filters, own.refresh
            if workspace.root == self.first.root:
                return workspace.similar_to(
                    path, line, limit=limit, filters=filters, refresh=refresh
                )
            return workspace.similar(code, limit=limit, filters=filters, refresh=refresh)

        if not request.filters.scopes:
            return ask(self.first, request)
        code = self.first.code_at(path, line, refresh=request.refresh)
        return replace(self._asked(request, ask, by_rank=True), query=f"{path}:{line}")

    @accepts(DefineRequest)
    def define(self, request: DefineRequest) -> "SearchResult":
        """Where symbols of this name are defined in all of the roots."""
        return self._asked(request, lambda workspace, own: workspace.define(own))

    def _asked(
        self,
        request: _Request,
        ask: "Callable[[Workspace, _Request], SearchResult]",
        *,
        by_rank: bool = False,
    ) -> "SearchResult":
        """The best hits of the roots; `ask` puts the request to one of them, narrowed to what it has."""
        limit, filters = request.limit, request.filters
        require_lists(filters)
        from codecairn.workspace.knowledge.hit_merge import Part, merged

        roots, notes = self.chosen(filters.scopes, request)
        is_named = self.are_equal or bool(filters.scopes)
        narrowed = [(root, narrowed_to(root, filters, is_named=is_named)) for root in roots]
        asked = [(root, each) for root, each in narrowed if each is not None]
        asked = asked or [(roots[0], filters)]
        most = asked[0][0].workspace.settings.search_limit if limit is None else limit
        request = replace(request.for_one_of(len(asked)), limit=most)
        answers: list[tuple[Root, SearchResult]] = []
        failure: CodecairnError | None = None
        for root, each in asked:
            try:
                own = replace(each, scopes=(), blame=False)
                result = ask(root.workspace, replace(request, filters=own))
            except Cancelled:
                raise
            except PathNotFound as err:
                failure = failure or err  # another root may have the folder
            except CodecairnError as err:
                if not root.name:
                    raise  # other errors become notes
                failure = failure or err
                notes.append(f"`{root.name}` is left out: {err.message}")
            else:
                answers.append((root, result))
        if not answers:
            raise failure or UsageError("there is nothing to search")
        rules = {_rules(root) for root, _ in asked}
        by_rank = by_rank or len(rules) > 1
        relevances: Sequence[float] = [0.0] * len(answers)
        if not by_rank and rules == {_BY_MODEL}:
            relevances = self.relevances(request, [root for root, _ in answers])
        parts = [
            Part(base=root.name, prefix=root.prefix, result=result, relevance=relevance)
            for (root, result), relevance in zip(answers, relevances, strict=True)
        ]
        found = merged(parts, limit=most, by_rank=by_rank, notes=notes)
        return self._blamed(found, [root for root, _ in asked], filters)

    def _blamed(
        self, result: "SearchResult", roots: Sequence[Root], filters: SearchFilters
    ) -> "SearchResult":
        """The hits with who changed them last, where that is wanted."""
        told = [
            root
            for root in roots
            if (root.workspace.settings.search_blame if filters.blame is None else filters.blame)
        ]
        if not told:
            return result
        from codecairn.workspace.knowledge.hit_blame import blamed

        places = {root.name: (root.workspace.root, root.prefix) for root in told}
        return blamed(result, places, tells=filters.blame is True)


_BY_MODEL = ("model", "", "none")


def _rules(root: Root) -> tuple[str, ...]:
    """By which rules a root ranks: scores are compared where they are the same.

    A relevance is measured in points of the ranking model, so it is added to its scores alone.
    """
    settings = root.workspace.settings
    fusion = settings.fusion if settings.ranking == "fusion" else ""
    return settings.ranking, fusion, settings.rerank_provider


def narrowed_to(root: Root, filters: SearchFilters, *, is_named: bool) -> SearchFilters | None:
    """The filters as one root takes them; `None` if they leave nothing of it.

    Relative folders are folders of the first workspace, or of every root that is named; absolute ones are looked for in
    the root that holds them.
    """
    if not filters.directories or isinstance(filters.directories, str):
        return filters
    place = root.workspace.root
    kept = []
    for given in filters.directories:
        folder = type(place)(given)
        if not folder.is_absolute():
            kept += [given] if is_named or not root.name else []
        elif folder == place or folder in place.parents:
            return replace(filters, directories=())
        elif place in folder.parents:
            kept.append(given)
    return replace(filters, directories=tuple(kept)) if kept else None


def distinct_names(folders: Sequence[Path]) -> tuple[str, ...]:
    """What each folder is called: its own name, or its whole path where several have the same."""
    times = Counter(folder.name for folder in folders)
    return tuple(
        folder.name if folder.name and times[folder.name] == 1 else str(folder)
        for folder in folders
    )


def prefix_of(folder: Path, *, root: PurePath | None) -> str:
    """The prefix of a root's paths: relative to another root that contains it; else its whole path."""
    if root is not None and root in folder.parents:
        return f"{folder.relative_to(root).as_posix()}/"
    return f"{folder.as_posix().rstrip('/')}/"
