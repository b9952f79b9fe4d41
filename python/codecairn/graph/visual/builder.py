"""Builds the page of a workspace's graph."""

from datetime import datetime, timezone
from pathlib import Path

from codecairn.clock import Clock
from codecairn.core.engine import git_head
from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.graph import Survey
from codecairn.graph.visual.git_activity import ActivityWindow, git_activity
from codecairn.graph.visual.html_page import render
from codecairn.graph.visual.page_data import Subject, page_data
from codecairn.graph.visual.selection import Selection, select

DEFAULT_MAX_NODES = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPage:
    """A page, and what is on it.

    Attributes:
        html: The page.
        symbols: How many symbols it shows.
        links: How many links it shows.
        unlinked: Symbols that are left out because they use nothing and nothing uses them.
        unimportant: Symbols that are left out because there are too many.
        left_out_links: Links between shown symbols that are left out because there are too many.
        has_history: Whether git could tell what was worked on.
    """

    html: str
    symbols: int
    links: int
    unlinked: int
    unimportant: int
    left_out_links: int
    has_history: bool


def make_page(
    survey: Survey, root: Path, *, clock: Clock, max_nodes: int = DEFAULT_MAX_NODES
) -> GraphPage:
    """The page of the graph of the workspace at `root`."""
    selection = select(survey, max_nodes=max_nodes)
    activity = git_activity(root, clock=clock)
    return GraphPage(
        html=render(_data(selection, activity, root, clock)),
        symbols=len(selection.survey.nodes),
        links=len(selection.survey.links),
        unlinked=selection.unlinked,
        unimportant=selection.unimportant,
        left_out_links=selection.links,
        has_history=activity is not None,
    )


def make_data(
    survey: Survey, root: Path, *, clock: Clock, max_nodes: int = DEFAULT_MAX_NODES
) -> dict[str, object]:
    """What the page of the graph of the workspace at `root` shows, for `html_page.render_linked`."""
    selection = select(survey, max_nodes=max_nodes)
    return _data(selection, git_activity(root, clock=clock), root, clock)


def _data(
    selection: Selection, activity: ActivityWindow | None, root: Path, clock: Clock
) -> dict[str, object]:
    branch, commit = git_head(root)
    day = datetime.fromtimestamp(clock.now_ns() / 1e9, tz=timezone.utc).date().isoformat()
    subject = Subject(name=root.name or str(root), branch=branch, commit=commit, day=day)
    return page_data(selection, activity, subject)
