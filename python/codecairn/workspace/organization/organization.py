"""All repositories that a user has indexed on this machine, searched as one."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

from codecairn.core.closeable import Closeable
from codecairn.core.engine import ProgressCallback, stemmed_words
from codecairn.core.requests import HitRequest
from codecairn.errors import Cancelled, CodecairnError, UsageError
from codecairn.indexing.known_workspaces import known_roots
from codecairn.indexing.lock_retry import Notify
from codecairn.workspace.knowledge.registry import ALL
from codecairn.workspace.knowledge.roots import Root, Roots, distinct_names, prefix_of
from codecairn.workspace.organization import summaries
from codecairn.workspace.organization.query_likelihood import StemCounts, relevances
from codecairn.workspace.workspace import Workspace

MAX_SEARCHED = 50
"""Repositories that a question is put to; the others are less likely to have the answer."""


class Organization(Roots, Closeable):
    """All repositories that the user has indexed on this machine.

        with Organization.open() as organization:
            for hit in organization.search("where are tokens verified"):
                print(hit.base, hit.path, hit.start_line)

    A summary of each repository tells which ones a question is put to. Paths of hits are absolute, and `base` names the repository.
    Files are not looked at for changes unless a request asks for it.
    """

    are_equal = True

    def __init__(
        self,
        roots: Sequence[Path],
        open_workspace: Callable[[Path], Workspace],
        *,
        progress: ProgressCallback | None = None,
    ) -> None:
        if not roots:
            raise UsageError(
                "no repository is indexed on this machine", hint="run `codecairn index` in one"
            )
        self._roots = tuple(roots)
        self._open = open_workspace
        self._progress = progress
        self._opened: dict[Path, Workspace] = {}

    @classmethod
    def open(
        cls,
        *,
        settings: Mapping[str, object] | None = None,
        writer: str = "codecairn",
        progress: ProgressCallback | None = None,
        notify: Notify | None = None,
    ) -> "Organization":
        """All that are indexed; the rest is as for `Workspace.open`.

        Raises:
            UsageError: If there is none.
        """

        def opened(root: Path) -> Workspace:
            given = {"search.refresh": False, **(settings or {})}
            return Workspace.open(root, settings=given, writer=writer, notify=notify)

        return cls(known_roots(), opened, progress=progress)

    def close(self) -> None:
        """Let go of the stores."""
        with ExitStack() as stack:
            for workspace in self._opened.values():
                stack.callback(workspace.close)

    @cached_property
    def names(self) -> Mapping[Path, str]:
        """What each is called."""
        return dict(zip(self._roots, distinct_names(self._roots), strict=True))

    @property
    def knowledge(self) -> "Organization":
        """Itself: the knowledge bases of its repositories are no part of it."""
        return self

    @property
    def first(self) -> Workspace:
        """The one that the current folder lies in, else the first one."""
        here = Path.cwd()
        around = (root for root in self._roots if root == here or root in here.parents)
        return self._workspace(
            max(around, key=lambda root: len(root.parts), default=self._roots[0])
        )

    def chosen(
        self, scopes: Sequence[str], request: HitRequest | None = None
    ) -> tuple[list[Root], list[str]]:
        """The repositories that a request is put to, the likeliest first, or those that are named.

        Raises:
            UsageError: If there is none of a name.
        """
        named = set(scopes)
        roots = [
            root for root, name in self.names.items() if not named or named & {ALL, name, str(root)}
        ]
        if not roots:
            raise UsageError(
                f"there is no repository {', '.join(sorted(named))!r:.200}",
                hint="name one as `codecairn search --org` shows it",
            )
        words = request.words if request is not None else ""
        stems = [stem for _, stem in stemmed_words(words)]
        counts, notes = self._stem_counts(stems, roots)
        scores = relevances(stems, counts)
        likeliest = sorted(zip(scores, roots, strict=True), key=lambda pair: -pair[0])[
            :MAX_SEARCHED
        ]
        found: list[Root] = []
        for relevance, root in likeliest:
            try:
                workspace = self._workspace(root)
            except CodecairnError as err:
                notes.append(f"`{self.names[root]}` is left out: {err.message}")
                continue
            prefix = prefix_of(root, root=None)
            found.append(
                Root(name=self.names[root], workspace=workspace, prefix=prefix, relevance=relevance)
            )
        if not found:
            raise UsageError("no repository can be searched", hint="; ".join(notes))
        if len(likeliest) < len(roots):
            notes.append(f"searched the {len(likeliest)} likeliest of {len(roots)} repositories")
        return found, notes

    def _stem_counts(
        self, stems: Sequence[str], roots: Sequence[Path]
    ) -> tuple[list[StemCounts], list[str]]:
        """What each repository has of these stems, and notes on those that can't be read."""
        notes: list[str] = []
        found: list[StemCounts] = []
        for number, root in enumerate(roots):

            def count(root: Path = root, number: int = number) -> list[tuple[str, int]]:
                if self._progress is not None:
                    self._progress("summaries", number, len(roots))
                with self._open(root) as workspace:  # a thousand open stores are too many
                    return workspace.stem_counts()

            try:
                summary = summaries.current(root, summaries.usual_stores(root), count)
            except Cancelled:
                raise
            except CodecairnError as err:
                notes.append(f"`{self.names[root]}` has no summary: {err.message}")
                found.append(StemCounts(0, {}))
            else:
                found.append(summary.stem_counts(stems))
        summaries.remove_others(self._roots)
        return found, notes

    def _workspace(self, root: Path) -> Workspace:
        if root not in self._opened:
            self._opened[root] = self._open(root)
        return self._opened[root]
