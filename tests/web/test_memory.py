"""The page *Memory*: finding, changing, undoing, purging, importing and exporting; each against the real memory."""

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.core.types.memory import Fact
from codecairn.memory import explanation
from codecairn.memory.review import CONFIRMED
from codecairn.web.memory import PAGE_SIZE
from support.page_projects import make_projects
from support.repository import Repository
from web.conftest import FACTS, Browser, browsing

SECRET = "the walrus is called Gunther"


def _facts(project: Repository, *, with_history: bool = False) -> Sequence[Fact]:
    with Workspace.open(project.root) as workspace:
        return workspace.memory.list(with_history=with_history)


def _fact(project: Repository, part: str) -> Fact:
    """The newest version of the one fact with these words."""
    with Workspace.open(project.root) as workspace:
        memory = workspace.memory
        facts = (*memory.list(with_history=True), *memory.list(forgotten=True))
    found = [fact for fact in facts if part in fact.text]
    return max(found, key=lambda fact: fact.version)


def _undo(browser: Browser, path: str = "/memory") -> None:
    """Press the button of the last notice."""
    key = re.search(r'name="undo" value="([^"]+)"', browser.get(path))
    assert key is not None
    browser.post("/undo", undo=key[1], back="/memory")


def test_facts_are_listed_by_type_and_state(browser: Browser, project: Repository) -> None:
    everything = browser.get("/memory")
    assert all(html.escape(text) in everything for _, text in FACTS)
    preferences = browser.get("/memory?type=preference")
    assert "plain asserts" in preferences
    assert "gateways" not in preferences
    browser.post("/memory/change", action="forget", id=_fact(project, "plain asserts").id)
    browser.get("/memory")
    assert "plain asserts" not in browser.get("/memory")
    assert "plain asserts" in browser.get("/memory?state=forgotten")
    assert "gateways" not in browser.get("/memory?state=forgotten")
    assert "plain asserts" not in browser.get("/memory?state=all")
    assert "No fact is of this kind" in browser.get("/memory?state=ended")
    assert "No fact is of this kind" in browser.get("/memory?state=pinned")
    assert "Nothing is remembered" in browser.get("/memory?q=zeppelin+mooring+mast")


def test_search_is_that_of_the_command_line(browser: Browser, project: Repository) -> None:
    question = "why is there a 401 after midnight"
    with Workspace.open(project.root) as workspace:
        found = [each.id for each in workspace.memory.recall(question, limit=100)]
    assert found
    page = browser.get("/memory?q=why+is+there+a+401+after+midnight")
    shown = re.findall(r"/memory/fact\?project=\w+&amp;id=(\w+)", page.split('class="rows')[1])
    assert shown == [id_ for id_ in found if not id_.startswith("E")]


def test_long_lists_are_paged(project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        for number in range(PAGE_SIZE + 20):
            workspace.memory.add(f"fact number {number:03} about port {9000 + number}")
    with browsing(project.root) as browser:
        first, second = browser.get("/memory"), browser.get("/memory?page=2")
        assert "fact number 069" in first
        assert "fact number 010" not in first
        assert "fact number 010" in second
        assert "gateways" in second
        assert 'rel="next"' in first
        assert 'rel="next"' not in second
        assert "page=1" in second
        assert "gateways" not in browser.get("/memory?page=x")


@pytest.mark.parametrize(
    ("action", "test"),
    [
        ("forget", lambda fact: fact.state == "forgotten"),
        ("pin", lambda fact: fact.is_pinned),
        ("confirm", lambda fact: CONFIRMED in fact.tags),
    ],
)  # fmt: skip
def test_several_facts_are_changed_at_once_and_undone(
    browser: Browser, project: Repository, action: str, test: object
) -> None:
    assert callable(test)
    before = {fact.id: fact for fact in _facts(project)}
    browser.post("/memory/change", action=action, id=list(before), back="/memory")
    changed = [_fact(project, fact.text) for fact in before.values()]
    assert all(map(test, changed))
    assert f"{len(before)} facts" in browser.get("/memory")
    browser.post("/memory/change", action="pin", id="nothing", back="/memory")
    page = browser.get("/memory")
    assert "that may be shown here" in page


def test_undo_brings_back_what_was(browser: Browser, project: Repository) -> None:
    before = {fact.id: (fact.text, fact.type, fact.title, fact.tags, fact.is_pinned) for fact in _facts(project)}  # fmt: skip
    for action in ("forget", "pin", "confirm"):
        browser.post("/memory/change", action=action, id=list(before), back="/memory")
        _undo(browser)
        after = {fact.id: (fact.text, fact.type, fact.title, fact.tags, fact.is_pinned) for fact in _facts(project)}  # fmt: skip
        assert after == before
        assert "undone" in browser.get("/memory")
    fact = _fact(project, "plain asserts")
    browser.post("/memory/edit", id=fact.id, text="Use unittest.", type="note", title="x", tags="a b")  # fmt: skip
    changed = _fact(project, "Use unittest.")
    assert (changed.id, changed.type, changed.title, changed.tags) == (fact.id, "note", "x", ("a", "b"))  # fmt: skip
    _undo(browser)
    restored = _fact(project, "plain asserts")
    assert (restored.text, restored.type, restored.title, restored.tags) == (fact.text, fact.type, fact.title, fact.tags)  # fmt: skip
    assert "undone any more" in browser.client.post("/undo", data={"csrf": browser.csrf, "undo": "x"}, headers={"sec-fetch-site": "same-origin"}).text  # fmt: skip


def test_forgotten_fact_is_restored_with_its_history(browser: Browser, project: Repository) -> None:
    fact = _fact(project, "plain asserts")
    browser.post("/memory/change", action="forget", id=fact.id)
    page = browser.get(f"/memory/fact?id={fact.id}")
    assert 'value="restore"' in page
    assert 'value="forget"' not in page
    browser.post("/memory/change", action="restore", id=fact.id)
    assert _fact(project, "plain asserts").state == "live"
    assert _fact(project, "plain asserts").version == 2


def test_fact_is_shown_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    shop, _ = make_projects(tmp_path)
    with browsing(shop.root) as browser:
        stale = _fact(shop, "We verify tokens")
        page = browser.get(f"/memory/fact?id={stale.id}&query=how+are+tokens+verified")
        assert "shop/tokens.py::verify_token: changed" in page
        assert "return hash(signature) == sign(header, payload)" in page
        assert "place 1" in page
        assert "likely to answer" in page
        assert "/now/session?" in page
        versioned = browser.get(f"/memory/fact?id={_fact(shop, 'port of the api').id}")
        assert "The port of the api is 8000." in versioned
        assert "moved behind the gateway" in versioned
        drawn = browser.get(f"/memory/fact?id={_fact(shop, 'pytest -q tests').id}")
        assert "rests on" in drawn
        assert re.search(r'class="mono">E\d+</a>', drawn)


def test_facts_are_added_by_hand(browser: Browser, project: Repository) -> None:
    browser.post("/memory/add", text="Deploys happen on Tuesdays.", type="rule", back="/memory")
    assert _fact(project, "Tuesdays").type == "rule"
    assert _fact(project, "Tuesdays").origin == "user"
    _undo(browser)
    assert _fact(project, "Tuesdays").state == "forgotten"


def test_review_decides_as_the_command_line_does(tmp_path: Path) -> None:
    shop, _ = make_projects(tmp_path)
    with browsing(shop.root) as browser:
        page = browser.get("/memory/review")
        assert "Their code has changed" in page
        drawn = _fact(shop, "pytest -q tests")
        assert drawn.id in page
        browser.post("/memory/review/decide", action="keep", id=drawn.id)
        assert CONFIRMED in _fact(shop, "pytest -q tests").tags
        assert drawn.id not in browser.get("/memory/review")
        stale = _fact(shop, "We verify tokens")
        browser.post("/memory/review/decide", action="change", id=stale.id, text="Tokens are hashed, then compared.")  # fmt: skip
        assert _fact(shop, "Tokens are hashed").id == stale.id


def test_contradiction_is_resolved_by_ending_the_older(project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        old = workspace.memory.add("The API listens on port 8000.", type="decision")
        new = workspace.memory.add("The API does not listen on port 8000.", type="decision")
        reasons = {item.fact.id: item for item in _to_review(workspace)}
    if new.id not in reasons or not reasons[new.id].others:  # type: ignore[attr-defined]
        pytest.fail("the two facts are not seen as a contradiction")
    with browsing(project.root) as browser:
        assert "May contradict others" in browser.get("/memory/review")
        browser.post("/memory/review/decide", action="replace", id=new.id)
    states = {fact.id: fact.state for fact in _facts(project, with_history=True)}
    assert states[old.id] == "superseded"


def _to_review(workspace: Workspace) -> Sequence[object]:
    from codecairn.memory.review import to_review

    return to_review(workspace.memory, limit=50)


def _purge(browser: Browser, kind: str, text: str, word: str = "purge") -> str:
    checked = browser.post("/memory/purge/check", 200, kind=kind, text=text)
    key = re.search(r'name="key" value="([^"]+)"', checked)
    assert key is not None
    return browser.post("/memory/purge/run", 303 if word != "purge" else 200, key=key[1], word=word)


def test_purge_asks_twice_and_removes_every_byte(browser: Browser, project: Repository, home: Path) -> None:  # fmt: skip
    fact = _fact(project, "plain asserts")
    page = browser.get(f"/memory/purge?id={fact.id}")
    assert html.escape(fact.text) in page
    _purge(browser, "id", fact.id, word="yes")
    assert "nothing was purged" in browser.get("/memory")
    assert _fact(project, "plain asserts").state == "live"
    assert "It is gone" in _purge(browser, "id", fact.id)
    assert not [each for each in _facts(project, with_history=True) if each.id == fact.id]
    browser.page.site.projects.close()
    stored = b"".join(file.read_bytes() for file in (home / "codecairn/data").glob("memory.db*"))
    assert b"gateways forward" in stored
    assert b"plain asserts" not in stored


def test_purge_needs_the_key_of_its_own_check(browser: Browser, project: Repository) -> None:
    browser.post("/memory/purge/run", key="guessed", word="purge")
    assert "nothing is chosen any more" in browser.get("/memory")
    browser.post("/memory/change", action="pin", id=_fact(project, "plain asserts").id)
    key = re.search(r'name="undo" value="([^"]+)"', browser.get("/memory"))
    assert key is not None
    browser.post("/memory/purge/run", key=key[1], word="purge")
    assert len(_facts(project)) == len(FACTS)


def test_purge_by_text_session_and_project(browser: Browser, project: Repository) -> None:
    assert "1 do" in browser.post("/memory/purge/check", 200, kind="containing", text="MIDNIGHT")
    assert "It is gone" in _purge(browser, "containing", "midnight")
    assert not [fact for fact in _facts(project) if "midnight" in fact.text]
    assert "2 events" in browser.post("/memory/purge/check", 200, kind="session", text="s1")
    _purge(browser, "session", "s1")
    with Workspace.open(project.root) as workspace:
        assert workspace.memory.events() == ()
    _purge(browser, "project", "")
    assert not _facts(project, with_history=True)


def test_nothing_private_is_sent_nor_changed(project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        kept = workspace.memory.add(SECRET, privacy_tags=["private"], is_pinned=True)
        workspace.memory.record("s1", SECRET, role="user", privacy_tags=["private"])
        public = workspace.memory.list()[0].id
    with browsing(project.root) as browser:
        pages = [
            browser.get("/memory"),
            browser.get("/memory?state=all"),
            browser.get("/memory?state=pinned"),
            browser.get("/memory?q=walrus+called"),
            browser.get("/memory/review"),
            browser.get(f"/memory/fact?id={kept.id}", 400),
            browser.get(f"/memory/fact?id={public}&query=walrus"),
            browser.get(f"/memory/purge?id={kept.id}", 400),
            browser.post("/memory/purge/check", 200, kind="containing", text="walrus"),
            *(browser.get(f"/memory/export?format={name}") for name in ("json", "csv", "markdown")),
        ]
        assert not [page for page in pages if "Gunther" in page]
        assert browser.get(f"/memory/fact?id={kept.id}", 400).replace(kept.id, "") == browser.get("/memory/fact?id=fzzz", 400).replace("fzzz", "")  # fmt: skip
        browser.post("/memory/change", action="forget", id=kept.id)
        browser.post("/memory/edit", id=kept.id, text="x")
    with Workspace.open(project.root) as workspace:
        (fact,) = workspace.memory.get(kept.id)
    assert isinstance(fact, Fact)
    assert (fact.state, fact.text) == ("live", SECRET)


def test_private_versions_of_a_public_fact_are_left_out(project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        memory = workspace.memory
        event = memory.record("s1", SECRET, role="user", privacy_tags=["private"])
        drawn = memory.engine().add(
            {"text": "An animal has a name.", "type": "note", "origin": "agent", "maker": "model", "confidence": 0.9, "sources": [event.seq]}
        )  # fmt: skip
        document = json.loads(memory.export())
        fact = document["facts"][0]
        old = {**fact, "id": "f0123456789", "text": SECRET, "is_private": True, "state": "replaced", "retracted_ms": fact["recorded_ms"]}  # fmt: skip
        new = {**old, "version": 2, "text": "the walrus has a name", "is_private": False, "state": "live", "retracted_ms": None}  # fmt: skip
        document["facts"] = [old, new]
        assert memory.import_(json.dumps(document)).facts
        versioned = next(each.id for each in memory.list() if "has a name" in each.text and "walrus" in each.text)  # fmt: skip
        assert [each.is_private for each in explanation.why(memory, versioned).versions] == [False, True]  # fmt: skip
    with browsing(project.root) as browser:
        page = browser.get(f"/memory/fact?id={versioned}")
        assert "the walrus has a name" in page
        assert "Gunther" not in page
        # What is drawn from a private event is private, too.
        assert "An animal" not in browser.get(f"/memory/fact?id={drawn.id}", 400)
        assert "An animal" not in browser.get("/memory")


def test_export_is_imported_after_a_look(browser: Browser, project: Repository, tmp_path: Path) -> None:  # fmt: skip
    answer = browser.client.get("/memory/export?format=json")
    assert answer.headers["content-disposition"].startswith('attachment; filename="memory-')
    assert len(json.loads(answer.text)["facts"]) == len(FACTS)
    file = tmp_path / "export.json"
    file.write_text(answer.text)
    _purge(browser, "project", "")
    looked = browser.post("/memory/import", 200, place=str(file))
    assert "This would be imported" in looked
    assert not _facts(project)
    assert "Imported" in browser.post("/memory/import", 200, place=str(file), confirmed="1")
    assert {fact.text for fact in _facts(project)} == {text for _, text in FACTS}
    browser.get("/memory/export?format=exe", 400)
    browser.post("/memory/import", place=str(tmp_path / "none"), back="/memory/transfer")
    assert "is-error" in browser.get("/memory/transfer")


def test_backends_are_shown_where_the_settings_name_one(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    with browsing(project.root) as browser:
        assert 'id="backends"' not in browser.get("/memory/transfer")
    monkeypatch.setenv(
        "CODECAIRN_MEMORY_GRAPHITI_URL", "http://ann:hunter2@127.0.0.1:1/<b>?token=hunter2"
    )
    with browsing(project.root) as browser:
        page = browser.get("/memory/transfer")
    assert 'id="backends"' in page
    assert "http://127.0.0.1:1/&lt;b&gt;" in page
    assert "hunter2" not in page
    assert "dead letters" in page


def test_read_only_page_has_no_buttons_that_change(project: Repository) -> None:
    with browsing(project.root, is_read_only=True) as browser:
        fact = _fact(project, "plain asserts")
        for path in ("/memory", f"/memory/fact?id={fact.id}", "/memory/review", "/memory/purge", "/memory/transfer"):  # fmt: skip
            actions = set(re.findall(r'method="post" action="([^"]+)"', browser.get(path)))
            assert actions <= {"/theme", "/sign-out", "/memory/change"}, path
            assert 'name="action"' not in browser.get(path)


def test_other_projects_are_reached_by_their_key_alone(tmp_path: Path) -> None:
    shop, gateway = make_projects(tmp_path)
    with browsing(shop.root) as browser:
        keys = dict(re.findall(r'<option value="(\w+)"[^>]*>(\w+)</option>', browser.get("/")))
        key = next(key for key, name in keys.items() if name == "gateway")
        assert "sends each request once" in browser.get(f"/memory?project={key}")
        assert "sends each request once" in browser.get("/memory")
        for wrong in (str(gateway.root), "..", "x" * 12):
            assert (
                "there is no such project" in browser.get(f"/memory?project={wrong}", 400).lower()
            )
