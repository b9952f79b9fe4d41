"""Several workspaces that are searched as one."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from codecairn.core.closeable import Closeable
from codecairn.core.engine import ProgressCallback, stemmed_words
from codecairn.core.requests import HitRequest
from codecairn.errors import UsageError
from codecairn.indexing.lock_retry import Notify
from codecairn.workspace.knowledge.registry import ALL, WORKSPACE
from codecairn.workspace.knowledge.roots import Root, Roots, distinct_names, prefix_of
from codecairn.workspace.organization import summaries
from codecairn.workspace.organization.query_likelihood import relevances
from codecairn.workspace.workspace import Workspace


class Workspaces(Roots, Closeable):
    """Several workspaces, each with its knowledge bases, that are searched as one.

        with Workspaces.open(["../api", "../web"]) as workspaces:
            for hit in workspaces.search("where are tokens verified"):
                print(hit.base, hit.path, hit.start_line)

    Paths of hits are absolute, and `base` says which workspace, or knowledge base, holds them. What is in the first one
    decides how many hits there are.
    """

    are_equal = True

    def __init__(self, workspaces: Sequence[Workspace]) -> None:
        if not workspaces:
            raise UsageError("no workspace is given", hint="name one folder at least")
        self.all = tuple({workspace.root: workspace for workspace in workspaces}.values())

    @classmethod
    def open(
        cls,
        paths: Sequence[str | os.PathLike[str]],
        *,
        read_only: bool = False,
        settings: Mapping[str, object] | None = None,
        writer: str = "codecairn",
        progress: ProgressCallback | None = None,
        notify: Notify | None = None,
    ) -> "Workspaces":
        """The workspaces that these folders lie in, each once; the rest is as for `Workspace.open`.

        Raises:
            UsageError: If there is no path.
            BadWorkspace: If one is not a folder.
            ConfigError: If some setting is unknown or has a wrong value.
        """
        if isinstance(paths, str):
            raise UsageError("`paths` is one text", hint="give a list of folders")
        with ExitStack() as stack:
            opened = [
                stack.enter_context(
                    Workspace.open(
                        path,
                        read_only=read_only,
                        settings=settings,
                        writer=writer,
                        progress=progress,
                        notify=notify,
                    )
                )
                for path in paths
            ]
            made = cls(opened)
            stack.pop_all()
        return made

    def close(self) -> None:
        """Let go of the stores; the next call opens them again."""
        with ExitStack() as stack:
            for workspace in self.all:
                stack.callback(workspace.close)

    @property
    def knowledge(self) -> "Workspaces":
        """Itself: the knowledge bases of a workspace are searched here anyway."""
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """What each is called."""
        return distinct_names([workspace.root for workspace in self.all])

    @property
    def first(self) -> Workspace:
        """The first of them."""
        return self.all[0]

    def chosen(
        self, scopes: Sequence[str], _request: HitRequest | None = None
    ) -> tuple[list[Root], list[str]]:
        """All workspaces with their knowledge bases, the workspaces alone (`workspace`), or those that are named.

        Raises:
            UsageError: If there is none of a name.
        """
        names = set(scopes)
        found: dict[Path, Root] = {}
        notes: list[str] = []
        own = dict(zip(self.names, self.all, strict=True))
        for name, workspace in own.items():
            if not names or names & {ALL, WORKSPACE, name, str(workspace.root)}:
                prefix = prefix_of(workspace.root, root=None)
                found[workspace.root] = Root(name=name, workspace=workspace, prefix=prefix)
        for workspace in self.all:
            wanted = _bases(workspace, names, without=set(own))
            if not wanted:
                continue
            roots, missing = workspace.knowledge.chosen(wanted)
            notes += missing
            for root in roots:
                if root.name:
                    prefix = prefix_of(root.workspace.root, root=None)
                    named = Root(name=root.name, workspace=root.workspace, prefix=prefix)
                    found.setdefault(root.workspace.root, named)
        if not found:
            raise UsageError(
                f"there is no workspace or knowledge base {', '.join(sorted(names))!r:.200}",
                hint=f"there are: {', '.join(own)}",
            )
        return list(found.values()), list(dict.fromkeys(notes))

    def relevances(self, request: HitRequest, roots: Sequence[Root]) -> Sequence[float]:
        """How likely the words of the request are in each of these, compared with the others."""
        stems = [stem for _, stem in stemmed_words(request.words)]
        return relevances(
            stems,
            [
                summaries.current(
                    root.workspace.root, [root.workspace.store], root.workspace.stem_counts
                ).stem_counts(stems)
                for root in roots
            ],
        )


def _bases(workspace: Workspace, names: set[str], *, without: set[str]) -> list[str]:
    """Which of a workspace's bases are meant, in words that it knows; none if it need not be asked."""
    if not names:
        return [ALL] if workspace.settings.knowledge_search else []
    if ALL in names:
        return [ALL]
    known = {base.name for base in workspace.knowledge.bases()}
    return sorted((names - without) & known)
