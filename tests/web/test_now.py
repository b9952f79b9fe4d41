"""The page *Now*: activity of all projects, live, and sessions as timelines."""

import asyncio
import re
import time
import urllib.request
from http.client import HTTPResponse
from pathlib import Path
from typing import cast

import pytest

from codecairn import Workspace
from codecairn.clock import SystemClock
from codecairn.web import feed
from codecairn.web.feed import MAX_QUEUED, MAX_SUBSCRIBERS, Filter, Hub, Item, Subscription
from codecairn.web.projects import Project, Projects
from support.page_projects import make_projects
from support.repository import Repository
from web.conftest import PATIENCE_S, Browser, browsing, hook, serving


def _lines(text: str) -> list[str]:
    return (
        text.split('<ul class="rows" id="feed"')[1].split("</ul>", maxsplit=1)[0].split("<li ")[1:]
    )


def test_activity_of_all_projects_is_listed_newest_first(tmp_path: Path) -> None:
    shop, _ = make_projects(tmp_path)
    with browsing(shop.root) as browser:
        lines = _lines(browser.get("/"))
        assert "Why are requests sent twice?" in lines[0]
        assert any("gateway" in line for line in lines)
        assert any("Bash" in line and "exit code 1" in line for line in lines)
        assert any("items shown to the agent" in line and "claude" in line for line in lines)
        times = re.findall(r'datetime="([^"]+)"', "".join(lines))
        assert times == sorted(times, reverse=True)


@pytest.mark.parametrize(
    ("choice", "in_all"),
    [("host=codex", "codex"), ("kind=fact", "tag accent"), ("kind=shown", "items shown"), ("session=g-1", "id=g-1")],
)  # fmt: skip
def test_filters_leave_what_they_name(tmp_path: Path, choice: str, in_all: str) -> None:
    shop, _ = make_projects(tmp_path)
    with browsing(shop.root) as browser:
        everything, left = _lines(browser.get("/")), _lines(browser.get(f"/?{choice}"))
        assert 0 < len(left) < len(everything)
        assert all(in_all in line for line in left)


def test_filter_by_project(tmp_path: Path) -> None:
    shop, _ = make_projects(tmp_path)
    with browsing(shop.root) as browser:
        keys = dict(re.findall(r'<option value="(\w+)">(\w+)</option>', browser.get("/")))
        key = next(key for key, name in keys.items() if name == "gateway")
        lines = _lines(browser.get(f"/?project={key}"))
        assert lines
        assert all("<span>gateway</span>" in line for line in lines)


def test_nothing_private_is_sent(project: Repository) -> None:
    secret = "the walrus is called Gunther"
    with Workspace.open(project.root) as workspace:
        kept = workspace.memory.add(secret, privacy_tags=["private"])
        event = workspace.memory.record("s1", secret, role="user", privacy_tags=["private"], host="claude")  # fmt: skip
        workspace.memory.record("s9", secret, role="user", privacy_tags=["private"], host="claude")
        item = {"id": kept.id, "version": 1}
        workspace.memory.engine().note_injection(
            {
                "session": "s1",
                "placement": "volatile",
                "form": "markdown",
                "body": "x",
                "items": [item],
                "tokens": 5,
                "seq": 1,
                "is_kept": False,
            }
        )
    assert event.is_kept
    with browsing(project.root) as browser:
        for path in ("/", "/now/session?id=s1", "/now/session?id=s9"):
            assert "Gunther" not in browser.get(path)
        assert "private" in browser.get("/now/session?id=s1")


def test_without_a_project_the_page_says_what_to_do() -> None:
    with browsing(None) as browser:
        assert "There is no project yet" in browser.get("/")
        assert "codecairn index" in browser.get("/")
        assert "there is no project yet" in browser.get("/now/session?id=s1", 400).lower()


def test_session_is_a_timeline_with_what_was_shown_after_each_prompt(tmp_path: Path) -> None:
    shop, _ = make_projects(tmp_path)
    with browsing(shop.root) as browser:
        text = browser.get("/now/session?id=s-2")
        entries = text.split('<ol class="rows">')[1]
        order = ["shown to the agent", "We get a 401 after midnight again", "1 failed: test_expiry", "4 passed", "NTP runs again"]  # fmt: skip
        places = [entries.index(each) for each in order]
        assert places == sorted(places)
        assert "/memory/fact?project=" in entries
        assert "there is no session" in browser.get("/now/session?id=none", 400).lower()


def test_what_hooks_show_stands_below_the_prompt_that_it_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """A hook shows something before it records the prompt."""
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    shop, _ = make_projects(tmp_path)
    hook(shop.root, "SessionStart", source="startup")
    hook(shop.root, "UserPromptSubmit", prompt="why is there a 401 after midnight?")
    with browsing(shop.root) as browser:
        page = browser.get("/now/session?id=s2")
        entries = page.split('<ol class="rows">')[1]
        order = ["session started", "static, ", "why is there a 401 after midnight?", "volatile, ", "NTP was off"]  # fmt: skip
        places = [entries.index(each) for each in order]
        assert places == sorted(places)
        link = re.search(r'href="(/memory/fact[^"]*query=why[^"]*)"', entries)
        assert link is not None
        fact = browser.get(link[1].replace("&amp;", "&"))
        assert "NTP was off" in fact
        assert "It passes the gate" in fact


def test_sessions_are_listed_by_project_in_pages(project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        for number in range(60):
            workspace.memory.record(f"n{number}", f"prompt number {number:02}", role="user", host="codex")  # fmt: skip
    with browsing(project.root) as browser:
        first, second = browser.get("/now/sessions"), browser.get("/now/sessions?page=2")
        assert "prompt number 59" in first
        assert "prompt number 05" not in first
        assert "prompt number 05" in second
        assert 'rel="next"' not in second
        live = browser.get("/now/session?id=n59")
        link = re.search(r'href="(/\?[^"]*session=n59)"', live)
        assert link is not None
        lines = _lines(browser.get(link[1].replace("&amp;", "&")))
        assert len(lines) == 1
        assert "prompt number 59" in lines[0]


def test_long_session_is_cut_into_pages(project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        for number in range(150):
            workspace.memory.record("long", f"turn {number:03}", role="user", host="claude")
    with browsing(project.root) as browser:
        last = browser.get("/now/session?id=long")
        assert "turn 149" in last
        assert "turn 050" in last
        assert "turn 049" not in last
        link = re.search(r'href="([^"]+)">Earlier events', last)
        assert link is not None
        first = browser.get(link[1].replace("&amp;", "&"))
        assert "turn 049" in first
        assert "turn 050" not in first
        assert "Earlier events" not in first


def test_what_a_hook_of_another_process_records_arrives_within_a_second(
    project: Repository, tmp_path: Path
) -> None:
    with serving(project.root, tmp_path / "log") as served:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(served.link(), timeout=30).close()
        opener.open(served.address, timeout=30).close()
        stream = cast(
            "HTTPResponse", opener.open(f"{served.address}/now/stream", timeout=PATIENCE_S)
        )
        with stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            assert stream.readline() == b": open\n"
            hook(project.root, "UserPromptSubmit", prompt="where do tokens come from?")
            started_s = time.monotonic()
            number, line = _message(stream)
            assert time.monotonic() - started_s < 1
            assert "where do tokens come from?" in line
            hook(project.root, "UserPromptSubmit", prompt="and who signs them?")
        request = urllib.request.Request(f"{served.address}/now/stream", headers={"last-event-id": number})  # fmt: skip
        with cast("HTTPResponse", opener.open(request, timeout=PATIENCE_S)) as again:
            again.readline()
            assert "and who signs them?" in _message(again)[1]


def _message(stream: HTTPResponse) -> tuple[str, str]:
    """The number and the data of the next event about a prompt."""
    while True:
        lines: list[str] = []
        while (line := stream.readline().decode().rstrip("\n")) or not lines:
            lines.append(line)
        data = "\n".join(line[6:] for line in lines if line.startswith("data: "))
        if "prompt</span>" in data:
            return next(line[4:] for line in lines if line.startswith("id: ")), data


def _item(number: int, kind: str = "event") -> Item:
    project = Project(key="k", name="shop", root=Path("/shop"))
    return Item(f"k-{number}", project, number, kind, "prompt", f"number {number}")


def test_slow_page_keeps_a_bounded_queue_with_the_newest() -> None:
    async def fill() -> list[str]:
        slow = Subscription(Filter(), asyncio.get_running_loop())
        for number in range(MAX_QUEUED * 3):
            slow.put((number, _item(number)))
        entries = [slow.queue.get_nowait() for _ in range(slow.queue.qsize())]
        return [entry[1].title for entry in entries if entry is not None]

    titles = asyncio.run(fill())
    assert len(titles) == MAX_QUEUED
    assert titles[-1] == f"number {MAX_QUEUED * 3 - 1}"


def test_open_pages_are_bounded(project: Repository) -> None:
    projects = Projects(here=project.root, is_read_only=True, clock=SystemClock())
    hub = Hub(projects)

    async def open_many() -> int:
        opened = [hub.subscribe(Filter(), after=0) for _ in range(MAX_SUBSCRIBERS + 5)]
        found = [each for each in opened if each is not None]
        hub.unsubscribe(found[0])
        assert hub.subscribe(Filter(), after=0) is not None
        hub.close()
        assert hub.subscribe(Filter(), after=0) is None
        await asyncio.sleep(0)
        assert await found[1].queue.get() is None
        return len(found)

    assert asyncio.run(open_many()) == MAX_SUBSCRIBERS
    projects.close()


def test_hub_rests_while_no_page_is_open(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "_LOOK_S", 0.01)
    monkeypatch.setattr(feed, "_LINGER_S", 0.02)
    hub = browser.page.site.feed
    hub.mark()
    thread = hub._thread
    assert thread is not None
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    hub.mark()
    assert hub._thread is not thread
