"""`visualize` on real repositories, and its page in a real browser."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecairn.graph.visual.git_activity import Activity, ActivityWindow
from codecairn.graph.visual.html_page import render
from codecairn.graph.visual.page_data import Subject, page_data
from codecairn.graph.visual.selection import select
from support.command import run
from support.pages import ReadPage, made_up_survey
from support.repository import SMALL_PROJECT, Repository
from support.stores import store_of

HOSTILE_FILE = "shop/we\"ird'<img src=x onerror=alert(1)>&amp;.py"


def _written(repository: Repository, *arguments: str) -> ReadPage:
    file = repository.root.parent / "page.html"
    outcome = run("visualize", "--no-open", "--output", str(file), *arguments, cwd=repository.root)
    assert outcome.code == 0, outcome.err
    return ReadPage(file.read_text(encoding="utf-8"))


def _symbols(page: ReadPage) -> dict[str, str]:
    """The file of each symbol."""
    return {row[0]: page.data["files"][row[2]][0] for row in page.data["symbols"]}


def test_page_of_a_repository_holds_its_symbols_links_and_activity(repository: Repository) -> None:
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    repository.write(
        "shop/tokens.py",
        SMALL_PROJECT["shop/tokens.py"] + "\n\ndef f() -> str:\n    return sign('', '')\n",
    )
    repository.commit()
    page = _written(repository)
    found = _symbols(page)
    assert found["verify_token"] == found["sign"] == "shop/tokens.py"
    names = [row[0] for row in page.data["symbols"]]
    links = page.data["links"]
    ends = {(names[links[at]], names[links[at + 1]]) for at in range(0, len(links), 4)}
    assert ends == {("verify_token", "sign"), ("f", "sign")}
    (file,) = (row for row in page.data["files"] if row[0] == "shop/tokens.py")
    assert file[2] == 2
    assert page.data["has_history"]
    assert page.data["left_out"]["unlinked"] > 0
    assert page.addresses() == []


def test_commits_before_the_window_do_not_count(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write_all(SMALL_PROJECT)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")
    repository.commit(date="2001-01-01T00:00:00Z")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    repository.write(
        "shop/new.py", "def new() -> int:\n    return old()\n\n\ndef old() -> int:\n    return 1\n"
    )
    repository.commit()
    page = _written(repository)
    assert page.data["has_history"]
    assert {row[0]: row[2] for row in page.data["files"]} == {
        "shop/new.py": 1,
        "shop/tokens.py": 0,
    }


def test_window_of_a_repository_at_rest_ends_with_its_last_commit(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write_all(SMALL_PROJECT)
    for day, text in (("2000-01-01", "# old\n"), ("2001-01-01", "# one\n"), ("2001-02-01", "")):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{day}T12:00:00Z")
        repository.write("shop/tokens.py", text + SMALL_PROJECT["shop/tokens.py"])
        repository.commit(date=f"{day}T12:00:00Z")
    page = _written(repository)
    assert {row[0]: row[2] for row in page.data["files"]} == {"shop/tokens.py": 2}
    assert page.data["window_day"] == "2001-02-01"


def test_folder_without_git_gets_a_page_that_says_so(folder: Repository) -> None:
    folder.write_all(SMALL_PROJECT)
    outcome = run("visualize", str(folder.root), "--no-open", "--json", cwd=folder.root)
    assert outcome.code == 0, outcome.err
    document = outcome.document
    assert document["has_history"] is False
    file = Path(document["file"])
    assert file.name == "graph.html"
    assert file.parent == store_of(folder.root)
    assert document["size_bytes"] == file.stat().st_size
    assert document["symbols"] == len(ReadPage(file.read_text(encoding="utf-8")).data["symbols"])


def test_empty_workspace_gets_an_empty_page(repository: Repository) -> None:
    page = _written(repository)
    assert page.data["symbols"] == page.data["links"] == page.data["cycles"] == []


def test_page_can_go_to_standard_output(repository: Repository) -> None:
    repository.write_all(SMALL_PROJECT)
    outcome = run("visualize", "--output", "-", cwd=repository.root)
    assert outcome.code == 0
    assert "sign" in _symbols(ReadPage(outcome.out))
    refused = run("visualize", "--output", "-", "--json", cwd=repository.root)
    assert refused.code == 2
    assert "hint: name a file" in refused.err


def test_place_that_can_not_be_written_is_named(repository: Repository) -> None:
    repository.write_all(SMALL_PROJECT)
    outcome = run("visualize", "--no-open", "--output", "no/such/page.html", cwd=repository.root)
    assert outcome.code == 1
    assert "can't write" in outcome.err
    assert "`--output`" in outcome.err
    outcome = run("visualize", "--no-open", "--output", ".", cwd=repository.root)
    assert outcome.code == 1
    assert [entry.name for entry in repository.root.iterdir() if entry.suffix == ".html"] == []


def test_page_is_opened_when_asked(repository: Repository, tmp_path: Path) -> None:
    repository.write_all(SMALL_PROJECT)
    seen = tmp_path / "seen"
    browser = tmp_path / "browser.py"
    browser.write_text(
        f"import pathlib, sys\npathlib.Path({str(seen)!r}).write_text(sys.argv[1])\n",
        encoding="utf-8",
    )
    chosen = {"BROWSER": f"{sys.executable} {browser} %s"}
    outcome = run("visualize", "--open", cwd=repository.root, environment=chosen)
    assert outcome.code == 0, outcome.err
    shown = (store_of(repository.root) / "graph.html").as_uri()
    assert seen.read_text(encoding="utf-8") == shown


def test_hostile_file_name_stays_text(repository: Repository) -> None:
    if os.name == "nt":
        pytest.skip("this name is not one on Windows")
    repository.write(HOSTILE_FILE, "def a():\n    return b()\n\n\ndef b():\n    return a()\n")
    repository.commit()
    page = _written(repository)
    assert _symbols(page)["a"] == HOSTILE_FILE
    assert "img" not in {tag for tag, _ in page.tags}
    assert [row[2] for row in page.data["files"]] == [1]
    assert page.data["cycles"] == [[0, 1]]


# In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        program = started.chromium.executable_path
        if not Path(program).is_file():
            program = shutil.which("chromium") or shutil.which("google-chrome") or ""
        if not program:
            pytest.skip("no Chromium is installed")
        opened = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


class Visit:
    """One visit to a page: everything that was requested, and everything that went wrong."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        context = browser.new_context(
            viewport={"width": 1280, "height": 800}, reduced_motion="reduce", **options
        )
        self.page = context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def find(self, text: str) -> None:
        """Type into the search box, and take the first that is found."""
        self.page.keyboard.press("/")
        self.page.keyboard.type(text)
        self.page.wait_for_selector("#found li")
        self.page.keyboard.press("Enter")

    def settle(self) -> None:
        """Wait until two frames have been painted."""
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )


def _large_page(folder: Path) -> Path:
    survey = made_up_survey(symbols=5000, links=20000)
    files = {
        f"part000/file{number:04}.py": Activity(commits=9 - number, lines=40, weight=9 - number)
        for number in range(8)
    }
    activity = ActivityWindow(files=files, last_day="2026-01-31")
    subject = Subject(name="large", branch="main", commit="c0ffee" * 6, day="2026-01-31")
    file = folder / "large.html"
    file.write_text(
        render(page_data(select(survey, max_nodes=5000), activity, subject)), encoding="utf-8"
    )
    return file


@pytest.mark.slow
def test_page_is_searched_and_clicked_and_asks_nothing_of_the_network(
    browser: Any, repository: Repository
) -> None:
    repository.write_all(SMALL_PROJECT)
    repository.write(
        "shop/more.py", "from shop.tokens import sign\n\n\ndef more():\n    return sign('', '')\n"
    )
    repository.write(HOSTILE_FILE, "def a():\n    return b()\n\n\ndef b():\n    return a()\n")
    repository.commit()
    _written(repository)
    file = repository.root.parent / "page.html"
    visit = Visit(browser, file)
    page = visit.page
    visit.find("sign")
    assert page.inner_text("#panel h2") == "sign"
    assert "shop/tokens.py:" in page.inner_text("#panel .place")
    assert {"verify_token", "more"} <= set(page.locator("#panel .row-name").all_inner_texts())

    page.keyboard.press("Escape")
    assert page.is_hidden("#panel")
    visit.settle()
    box = page.locator("#canvas").bounding_box()
    page.keyboard.press("0")
    visit.find("verify_token")  # which puts it in the middle of the map
    page.keyboard.press("Escape")
    visit.settle()
    visit.find("verify_token")
    visit.settle()
    box = page.locator("#canvas").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.inner_text("#panel h2") == "verify_token"
    page.locator("#panel .row-name", has_text="sign").first.click()
    assert page.inner_text("#panel h2") == "sign"

    page.get_by_role("button", name="Hotspots", exact=True).click()
    assert "shop/tokens.py" in page.inner_text("#sheet table")
    page.get_by_role("button", name="Cycles", exact=True).click()
    page.get_by_role("button", name="Show on the map").first.click()
    assert page.inner_text("#panel h2") == "2 symbols in a circle"
    visit.find('we"ird')
    assert page.inner_text("#panel .place") == HOSTILE_FILE
    assert page.locator("img").count() == 0

    assert visit.requests == [file.as_uri()]
    assert visit.errors == []
    refused = page.evaluate("() => fetch('data:,x').then(() => 'came', () => 'refused')")
    assert refused == "refused"


FRAMES = """
() => new Promise((done) => {
  const canvas = document.getElementById("canvas");
  const [painted, began] = [[], performance.now()];
  const frame = () => {
    if (painted.length) painted[painted.length - 1] = Number(canvas.dataset.frameMs);
    if (painted.length === 40) return done({ painted, average: (performance.now() - began) / painted.length });
    const deltaY = painted.length % 20 < 10 ? -120 : 120;
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: 640, clientY: 430, cancelable: true }));
    painted.push(0);
    requestAnimationFrame(frame);
  };
  frame();
})
"""


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_of_five_thousand_symbols_is_drawn_and_moved(
    browser: Any, tmp_path: Path, scheme: str, request: pytest.FixtureRequest
) -> None:
    visit = Visit(browser, _large_page(tmp_path), color_scheme=scheme)
    visit.page.get_by_role("button", name="Symbols", exact=True).click()
    visit.settle()
    frames = visit.page.evaluate(FRAMES)
    request.node.user_properties.append(("ms_between_frames", frames["average"]))
    request.node.user_properties.append(("most_ms_painting", max(frames["painted"])))
    assert len(frames["painted"]) == 40
    assert visit.errors == []
    assert "5,000 symbols" in visit.page.inner_text("#summary")


@pytest.mark.slow
def test_page_is_used_with_the_keyboard_alone(browser: Any, tmp_path: Path) -> None:
    visit = Visit(browser, _large_page(tmp_path))
    page = visit.page
    page.keyboard.press("/")
    page.keyboard.type("symbol_12")
    page.keyboard.press("ArrowDown")
    second = page.locator("#found li[aria-selected=true] .row-name").inner_text()
    assert page.get_attribute("#find", "aria-activedescendant") == "found-1"
    page.keyboard.press("Enter")
    assert page.inner_text("#panel h2") == second
    page.keyboard.press("n")
    after = page.inner_text("#panel h2")
    assert after != second
    page.keyboard.press("p")
    assert page.inner_text("#panel h2") == second
    page.keyboard.press("Enter")  # into the panel
    assert page.evaluate("document.activeElement.closest('#panel') !== null")
    page.keyboard.press("Escape")
    assert page.is_hidden("#panel")
    assert visit.errors == []
