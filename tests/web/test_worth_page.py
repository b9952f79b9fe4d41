"""The page of what answers saved."""

import re

from codecairn import Workspace
from codecairn.mcp.dispatcher import ToolDispatcher
from support.repository import Repository
from web.conftest import Browser


def test_without_answers_the_page_says_how_they_come(browser: Browser) -> None:
    assert "No agent has been given an answer yet" in browser.get("/worth")


def test_answers_are_counted_beside_other_ways(browser: Browser, project: Repository) -> None:
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], wait_s=60) as dispatcher,
    ):
        dispatcher.start()
        text = dispatcher.call("codebase_search", {"query": "how are tokens verified"}).text
    page = browser.get("/worth")
    shown = -(-len(text.encode()) // 4)
    assert re.search(rf'scope="row">shown</th>\s*<td class="number">{shown:,}</td>', page)
    assert "How this is counted" in page
    assert project.root.name in page
