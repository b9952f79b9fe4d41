"""The page of the index, and the map of the code."""

import json
import re
import time
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from codecairn import Workspace
from codecairn.core.store_log import Logbook
from codecairn.errors import StoreDamaged
from support.repository import Repository
from web.conftest import Browser, browsing, serving


def test_state_of_the_index_is_shown(browser: Browser, project: Repository) -> None:
    project.write("picture.png", "\x89PNG\0\0\0")
    with Workspace.open(project.root) as workspace:
        workspace.index()
        files = workspace.status().files
    text = browser.get("/index")
    assert f"<dd>{files}</dd>" in text
    assert "python" in text
    assert "picture.png" in text
    assert "nothing is sent and nothing is spent" in text
    assert "What failed" not in text


def test_files_that_are_left_out_can_be_listed_by_reason(
    browser: Browser, project: Repository
) -> None:
    project.write("picture.png", "\x89PNG\0\0\0")
    project.write("bundle.min.js", "var a=1;" * 4_000)
    with Workspace.open(project.root) as workspace:
        workspace.index()
        reasons = {skip.path: skip.reason for skip in workspace.skips()}
    assert len(set(reasons.values())) > 1, reasons
    text = browser.get(f"/index?reason={reasons['picture.png']}")
    listed = text[text.index('id="skipped"') :]
    assert "picture.png" in listed
    assert "bundle.min.js" not in listed


def test_button_indexes_what_changed_and_reports_it(browser: Browser, project: Repository) -> None:
    project.write("shop/added.py", "def added():\n    return 1\n")
    browser.post("/index/update")
    for _ in range(100):
        text = browser.get("/index")
        if "1 of them changed" in text:
            break
        time.sleep(0.1)
    assert "1 of them changed" in text
    assert "shop/added.py" in browser.get("/code/file?path=shop/added.py")


def test_store_is_checked(browser: Browser) -> None:
    browser.post("/index/check")
    assert "the store is sound" in browser.get("/index")


def test_reading_alone_offers_no_change(project: Repository) -> None:
    with browsing(project.root, is_read_only=True) as reader:
        text = reader.get("/index")
        assert "Index now" not in text
        assert reader.client.post("/index/update").status_code == 403


def test_failures_of_the_log_are_listed(browser: Browser, project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        store = workspace.store
    Logbook(store, level="debug").add(
        "index", "embedding failed", level="error", detail="<b>quota</b>"
    )
    text = browser.get("/index")
    assert "embedding failed" in text
    assert "&lt;b&gt;quota" in text
    assert "Try again" in text


def test_map_is_the_page_of_the_graph_without_inline_programs(browser: Browser) -> None:
    text = browser.get("/code/map")
    assert re.findall(r"<script[^>]*>", text) == [
        '<script type="application/json" id="data">',
        '<script src="/static/map.js">',
    ]
    assert "<style" not in text
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert any(row[0] == "shop/tokens.py" for row in data["files"])
    assert '"use strict"' in browser.get("/static/map.js")
    assert browser.get("/static/map.css")


def test_map_follows_the_index(browser: Browser, project: Repository) -> None:
    assert "brand_new" not in browser.get("/code/map")
    project.write(
        "shop/new.py", "def brand_new():\n    return other()\n\n\ndef other():\n    return 1\n"
    )
    with Workspace.open(project.root) as workspace:
        workspace.index()
    assert "brand_new" in browser.get("/code/map")


def test_map_begins_to_be_shown_before_its_data_are_collected(
    project: Repository, tmp_path: Path
) -> None:
    with serving(project.root, tmp_path / "log") as served:
        client = build_opener(HTTPCookieProcessor())
        client.open(served.link()).close()
        with client.open(f"{served.address}/code/map") as answer:
            first, rest = answer.read1(), answer.read()
    assert f'<h1 id="subject">{project.root.name}</h1>'.encode() in first
    assert b"shop/tokens.py" not in first
    assert b"shop/tokens.py" in rest


def test_map_says_why_its_data_are_missing(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreDamaged("the <graph> can't be read")

    monkeypatch.setattr("codecairn.web.code_map.make_data", fail)
    text = browser.get("/code/map")
    assert "the &lt;graph&gt; can&#x27;t be read" in text
    assert "/static/map.js" not in text


def test_map_ends_with_an_error_if_its_data_fail_in_another_way(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("nothing")

    monkeypatch.setattr("codecairn.web.code_map.make_data", fail)
    text = browser.get("/code/map")
    assert "internal error: KeyError" in text
    assert text.endswith("</body></html>")
