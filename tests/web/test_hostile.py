"""What goes wrong beside the page, and what is meant to break it: nothing runs, nothing is lost, and pages say what is wrong."""

import shutil
import signal
import subprocess
import sys
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from codecairn import Workspace
from support.repository import Repository
from web.conftest import FACTS, Browser, browsing, serving

SCRIPT = "<script>alert(1)</script>"

WRITER = """
import sys
from codecairn import Workspace
with Workspace.open(sys.argv[1]) as workspace:
    for number in range(100_000):
        workspace.memory.record("writer", f"event {number}", role="user", host="claude")
        print(number, flush=True)
"""


def test_event_of_a_megabyte_is_cut_on_the_page(browser: Browser, project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        workspace.memory.record("big", SCRIPT * 40_000, role="tool", tool="Bash", host="claude")
    for path in ("/", "/now/session?id=big", "/now/sessions"):
        text = browser.get(path)
        assert SCRIPT not in text
        assert len(text) < 400_000


def test_two_hundred_facts_are_forgotten_at_once_and_brought_back(
    browser: Browser, project: Repository
) -> None:
    with Workspace.open(project.root) as workspace:
        ids = [workspace.memory.add(f"Gate {at} opens at {at} o'clock.").id for at in range(200)]
    browser.post("/memory/change", action="forget", id=ids, back="/memory")
    page = browser.get("/memory")
    assert "200 facts forgotten" in page
    with Workspace.open(project.root) as workspace:
        assert len(workspace.memory.list()) == len(FACTS)
    undo = page.split('name="undo" value="')[1].split('"')[0]
    browser.post("/undo", undo=undo, back="/memory")
    with Workspace.open(project.root) as workspace:
        assert len(workspace.memory.list(limit=500)) == len(FACTS) + 200


def test_names_of_branches_files_and_settings_are_no_markup(repository: Repository) -> None:
    repository.write("<b>x</b>.py", "def run():\n    return 1\n")
    repository.commit()
    repository.git("checkout", "-q", "-b", "<b>branch")
    with Workspace.open(repository.root) as workspace:
        workspace.index()
    repository.write(".codecairn.toml", '[search]\n"<b>limit</b>" = 1\n')
    with browsing(repository.root) as browser:
        for path in ("/index", "/settings", "/settings/checks", "/code?q=run", "/code/map"):
            answer = browser.client.get(path)
            assert answer.status_code in {200, 400, 503}, path
            assert "<b>" not in answer.text, path


def test_killed_writer_leaves_a_page_that_shows_what_it_recorded(
    browser: Browser, project: Repository
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(project.root)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) >= 40:
                break
        writer.send_signal(signal.SIGKILL)
    text = browser.get("/now/session?id=writer")
    assert all(f"event {number}<" in text or f"event {number}\n" in text for number in range(41))


@pytest.mark.parametrize("path", ["/", "/memory", "/memory/review", "/now/sessions"])
def test_memory_that_is_replaced_is_read_again_or_reported(
    browser: Browser, project: Repository, home: Path, path: str
) -> None:
    assert "gateways forward" in browser.get("/memory")
    with Workspace.open(project.root) as workspace:
        database = workspace.memory.path
    for file in database.parent.glob("memory.db*"):
        file.unlink()
    database.write_bytes(b"no database")
    answer = browser.client.get(path)
    assert answer.status_code in {200, 503}
    assert "internal error" not in answer.text


def test_index_that_vanishes_is_reported(browser: Browser, project: Repository) -> None:
    browser.get("/code?q=tokens")
    with Workspace.open(project.root) as workspace:
        store = workspace.store
    shutil.rmtree(store)
    for path in ("/code", "/index", "/code/file?path=shop/tokens.py", "/worth", "/"):
        answer = browser.client.get(path)
        assert answer.status_code in {200, 400, 503}, (path, answer.text)
        assert "internal error" not in answer.text, path


def test_two_servers_do_not_take_the_cookies_of_one_another(
    project: Repository, tmp_path: Path
) -> None:
    with (
        serving(project.root, tmp_path / "one.log") as one,
        serving(project.root, tmp_path / "two.log") as two,
    ):
        jar = CookieJar()
        client = build_opener(HTTPCookieProcessor(jar))
        client.open(one.link()).close()
        with client.open(f"{one.address}/") as answer:
            assert answer.status == 200
        (cookie,) = jar
        foreign = cookie.name.replace(_port(one.address), _port(two.address))
        for name in (cookie.name, foreign):
            request = Request(f"{two.address}/", headers={"cookie": f"{name}={cookie.value}"})
            with pytest.raises(HTTPError) as refused:
                build_opener().open(request)
            refused.value.close()
            assert refused.value.code == 401


def _port(address: str) -> str:
    return address.rpartition(":")[2]
