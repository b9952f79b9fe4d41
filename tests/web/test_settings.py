"""The page *Settings*: sources, changes that hold at once, checks, and the preview of what agents are shown."""

import re
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.config.settings import SETTINGS
from codecairn.errors import StoreDamaged
from support.page_projects import make_projects
from support.repository import Repository
from web.conftest import Browser, browsing

PROMPT = "why+is+there+a+401+after+midnight"


def test_every_setting_is_shown_with_its_source(
    browser: Browser, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(".codecairn.toml", "[search]\nlimit = 7\n")
    monkeypatch.setenv("CODECAIRN_SEARCH_CONTEXT_LINES", "3")
    page = browser.get("/settings")
    assert all(f"<code>{key}</code>" in page for key in SETTINGS)
    assert ".codecairn.toml" in _row(page, "search.limit")
    assert ">7<" in _row(page, "search.limit")
    assert "CODECAIRN_SEARCH_CONTEXT_LINES" in _row(page, "search.context_lines")
    found = browser.get("/settings?q=search.limit")
    assert "<code>search.limit</code>" in found
    assert "<code>embedder</code>" not in found


def _row(page: str, key: str) -> str:
    return page.split(f"<code>{key}</code>")[1].split("<code>", maxsplit=1)[0]


def test_credentials_are_never_shown_nor_written(
    browser: Browser, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_TOKEN", "sk-very-secret")
    file = home / "codecairn" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text('[embedding]\napi_key = "{env:OPENAI_TOKEN}"\n')
    page = browser.get("/settings")
    assert "sk-very-secret" not in page
    assert "set, and not shown" in _row(page, "embedding.api_key")
    assert "not set" in _row(page, "rerank.api_key")
    before = file.read_text()
    browser.post("/settings/change", key="embedding.api_key", value="{env:OTHER}", target="user")
    assert file.read_text() == before


def test_change_holds_from_the_next_page_on(browser: Browser, project: Repository) -> None:
    assert "Memories are not shown" not in browser.get("/settings/preview")
    browser.post("/settings/change", key="hooks.inject", value="false", target="project")
    assert "inject = false" in (project.root / ".codecairn.toml").read_text()
    page = browser.get("/settings")
    assert "hooks.inject = false" in page
    assert "Turn on" in page
    assert "Memories are not shown" in browser.get("/settings/preview")
    with Workspace.open(project.root) as workspace:
        assert not workspace.settings.hooks_inject
    browser.post("/settings/change", key="hooks.inject", value="true", target="project")
    assert "Memories are not shown" not in browser.get("/settings/preview")


def test_wrong_changes_are_refused_with_what_is_wrong(
    browser: Browser, project: Repository, home: Path
) -> None:
    changes = [
        ("search.limit", "many", "project", "search.limit"),
        ("embedding.provider", "openai", "project", "own"),
        ("nothing.at.all", "1", "project", "nothing.at.all"),
        ("search.limit", "3", "elsewhere", "search.limit"),
    ]
    for key, value, target, words in changes:
        browser.post("/settings/change", key=key, value=value, target=target, back="/settings")
        page = browser.get("/settings")
        assert "is-error" in page
        assert words in page.split('role="alert"')[1].split("</div>")[0]
    assert not (project.root / ".codecairn.toml").exists()
    assert not (home / "codecairn" / "config.toml").exists()


def test_a_broken_file_is_reported_and_the_other_pages_go_on(
    browser: Browser, project: Repository
) -> None:
    browser.get("/memory")
    project.write(".codecairn.toml", "nonsense = = 1\n")
    assert ".codecairn.toml" in browser.get("/settings", 400)
    browser.get("/memory")


def test_checks_are_those_of_doctor(browser: Browser, project: Repository) -> None:
    page = browser.get("/settings/checks")
    with Workspace.open(project.root) as workspace:
        checks = workspace.memory.upkeep.checkup()
    assert checks
    assert all(f"<strong>{check.name}</strong>" in page for check in checks)


def test_addresses_of_backends_are_shown_without_their_passwords(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_MEMORY_REDIS_URL", "redis://ann:hunter2@127.0.0.1:1")
    with browsing(project.root) as browser:
        page = browser.get("/settings")
    assert "redis://127.0.0.1:1" in page
    assert "hunter2" not in page


@pytest.mark.parametrize("failure", [StoreDamaged("the <log> can't be read"), KeyError("<log>")])
def test_checks_that_fail_end_the_page_with_why(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr("codecairn.memory.maintenance.Maintenance.checkup", fail)
    page = browser.get("/settings/checks")
    assert "<h1>Checks</h1>" in page
    assert page.endswith("</p></main></body></html>")
    if isinstance(failure, KeyError):
        assert "internal error: KeyError" in page
    else:
        assert "the &lt;log&gt; can&#x27;t be read" in page


def test_preview_shows_what_an_agent_would_get_and_notes_nothing(tmp_path: Path) -> None:
    shop, _ = make_projects(tmp_path)
    with Workspace.open(shop.root) as workspace:
        sessions = [each.id for each in workspace.memory.sessions()]
    with browsing(shop.root) as browser:
        first = browser.get(f"/settings/preview?prompt={PROMPT}")
        assert "NTP was off in its container" in first
        assert re.search(r"<p class=\"muted\">\d+ tokens, [1-9]\d* items</p>", first)
        again = browser.get(f"/settings/preview?prompt={PROMPT}")
        assert _texts(first) == _texts(again)
    with Workspace.open(shop.root) as workspace:
        assert [each.id for each in workspace.memory.sessions()] == sessions
        assert workspace.memory.context("new", "why is there a 401 after midnight").text == _plain(_texts(first)[-1])  # fmt: skip


def _texts(page: str) -> list[str]:
    return re.findall(r'aria-label="The text">(.*?)</pre>', page, re.DOTALL)


def _plain(text: str) -> str:
    import html

    return html.unescape(text)
