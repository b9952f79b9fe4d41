"""The page in a real Chromium: live, by keyboard, without scripts, on a narrow screen, and attacked by another site."""

import http.server
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conftest import make_home
from support.page_projects import make_projects
from support.repository import Repository
from web.browsers import Visit, chromium
from web.conftest import PATIENCE_S, Served, hook, serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

AXE = Path(__file__).parents[2] / "target/axe/node_modules/axe-core/axe.min.js"

PATHS = (
    "/",
    "/?host=codex",
    "/now/sessions",
    "/now/session?id=s-2",
    "/memory",
    "/memory?q=why+is+there+a+401",
    "/memory?state=forgotten",
    "/memory/review",
    "/memory/transfer",
    "/memory/purge",
    "/code",
    "/code?q=verify+token",
    "/code?q=verify+token&explain=1",
    "/code/file?path=shop/tokens.py",
    "/code/symbol?name=verify_token",
    "/code/map",
    "/index",
    "/worth",
    "/settings",
    "/settings/checks",
    "/settings/preview?prompt=why+is+there+a+401+after+midnight",
    "/nothing",
)
"""Every page, and some of their states."""

LINES = "#feed > li"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    folder = tmp_path_factory.mktemp("projects")
    with pytest.MonkeyPatch.context() as patch:
        make_home(folder / "home", patch)
        patch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
        yield make_projects(folder)[0]


@pytest.fixture(autouse=True)
def home(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of the projects, instead of one for each test."""
    folder = shop.root.parent / "home"
    for name, value in (("HOME", folder), ("CODECAIRN_HOME", folder / "codecairn")):
        monkeypatch.setenv(name, str(value))
    return folder


@pytest.fixture(scope="module")
def served(shop: Repository) -> Iterator[Served]:
    with serving(shop.root, shop.root.parent / "log") as server:
        yield server


def _visit(browser: Any, served: Served, **options: Any) -> Visit:
    """A visit by the newest link; returns when the next one is printed."""
    link = served.link()
    visit = Visit(browser, link, **options)
    deadline_s = time.monotonic() + PATIENCE_S
    while served.link() == link and time.monotonic() < deadline_s:
        time.sleep(0.02)
    return visit


def _paths(visit: Visit) -> list[str]:
    """Every page, and one fact in full, with the reasons for its score."""
    visit.open("/memory")
    fact = visit.page.locator('.rows a[href^="/memory/fact"]').last.get_attribute("href")
    return [*PATHS, f"{fact}&query=how+are+tokens+verified"]


def test_events_of_hooks_appear_while_the_page_is_open(
    browser: Any, served: Served, shop: Repository
) -> None:
    visit = _visit(browser, served)
    page = visit.open("/")
    page.wait_for_selector('#live[data-state="on"]')
    before = page.locator(LINES).count()
    hook(shop.root, "UserPromptSubmit", prompt="is this live?")
    page.wait_for_selector(f'{LINES}:has-text("is this live?")', timeout=1_000)
    page.click("#pause")
    hook(shop.root, "UserPromptSubmit", prompt="is this held back?")
    page.wait_for_selector('#live-text:has-text("1 new")', timeout=5_000)
    assert page.locator(LINES, has_text="held back").count() == 0
    page.click("#pause")
    page.wait_for_selector(f'{LINES}:has-text("is this held back?")')
    keys = [page.locator(LINES).nth(at).get_attribute("id") for at in range(before + 2)]
    assert len(set(keys)) == len(keys)
    assert not visit.errors
    assert not visit.foreign


def test_the_feed_is_live_however_late_a_script_arrives(browser: Any, served: Served) -> None:
    visit = _visit(browser, served)

    def delayed(route: Any) -> None:
        time.sleep(0.5)
        route.continue_()

    visit.page.route("**/static/hx-sse.min.js", delayed)
    visit.open("/").wait_for_selector('#live[data-state="on"]', timeout=5_000)
    visit.page.unroute("**/static/hx-sse.min.js")
    visit.page.route("**/static/htmx.min.js", delayed)
    visit.open("/").wait_for_selector('#live[data-state="on"]', timeout=5_000)
    assert not visit.errors


def test_the_feed_of_a_tab_is_bounded(browser: Any, served: Served, shop: Repository) -> None:
    page = _visit(browser, served).open("/")
    page.wait_for_selector('#live[data-state="on"]')
    page.evaluate(
        """() => { const feed = document.getElementById("feed");
        for (let at = 0; at < 500; at += 1) feed.insertAdjacentHTML("beforeend", `<li id="x${at}"></li>`); }"""
    )
    hook(shop.root, "UserPromptSubmit", prompt="one more")
    page.wait_for_selector(f'{LINES}:has-text("one more")')
    page.wait_for_function("document.querySelectorAll('#feed > li').length === 200")


def test_every_page_is_reached_and_used_by_keyboard(browser: Any, served: Served) -> None:
    visit = _visit(browser, served)
    page = visit.open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    for key, path in (("m", "/memory"), ("s", "/settings"), ("n", "/")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(visit.address + path)
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    visit.open("/memory")
    page.keyboard.press("/")
    page.keyboard.type("why is there a 401")
    page.keyboard.press("Enter")
    page.wait_for_url("**/memory?**q=why+is+there+a+401**")
    assert not visit.errors


def test_colours_follow_the_system_or_the_choice(browser: Any, served: Served) -> None:
    visit = _visit(browser, served, color_scheme="dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    page = visit.open("/memory")
    dark = page.evaluate(paper)
    page.click("text=Light")
    page.wait_for_selector('html[data-theme="light"]')
    page.wait_for_load_state()
    assert page.evaluate(paper) != dark
    assert visit.open("/settings").locator('html[data-theme="light"]').count() == 1
    page.click("text=System")
    page.wait_for_selector("html:not([data-theme])")
    page.wait_for_load_state()
    assert page.evaluate(paper) == dark


def test_pages_work_without_scripts(browser: Any, served: Served) -> None:
    visit = _visit(browser, served, java_script_enabled=False)
    page = visit.open("/memory")
    count = page.locator('input[name="id"]').count()
    page.locator('input[name="id"]').first.check()
    page.click('button[value="forget"]')
    page.wait_for_selector('.notice:has-text("1 fact forgotten")')
    assert page.locator('input[name="id"]').count() == count - 1
    page.click("text=Undo")
    page.wait_for_selector('.notice:has-text("undone")')
    assert page.locator('input[name="id"]').count() == count
    for path in _paths(visit):
        assert visit.open(path).locator("main").count() == 1
        assert page.locator("h1").count() == 1
    page = visit.open("/")
    page.select_option('select[name="kind"]', "fact")
    page.click("text=Apply")
    page.wait_for_url("**kind=fact**")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible(browser: Any, served: Served, scheme: str) -> None:
    assert AXE.is_file(), "axe-core is missing: `npm install --prefix target/axe axe-core`"
    visit = _visit(browser, served, color_scheme=scheme)
    violations = []
    for path in _paths(visit):
        page = visit.open(path)
        page.evaluate(AXE.read_text())
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        violations += [
            (path, each["id"], node["html"][:200], node["failureSummary"])
            for each in found["violations"]
            for node in each["nodes"]
        ]
    assert not violations, "\n".join(map(str, violations))


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_nothing_is_wider_than_the_screen(browser: Any, served: Served, width: int) -> None:
    visit = _visit(browser, served, viewport={"width": width, "height": 844})
    for path in _paths(visit):
        page = visit.open(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    assert not [error for error in visit.errors if "404" not in error]
    assert not visit.foreign


def test_pages_do_not_shift_while_they_load(browser: Any, served: Served) -> None:
    visit = _visit(browser, served)
    # A program draws the map, and places what belongs to it then.
    for path in (path for path in _paths(visit) if path != "/code/map"):
        page = visit.open(path)
        shift = page.evaluate(
            """() => new Promise((done) => { let sum = 0;
            new PerformanceObserver((list) => { for (const each of list.getEntries()) sum += each.value; })
              .observe({ type: "layout-shift", buffered: true });
            setTimeout(() => done(sum), 150); })"""
        )
        assert shift < 0.02, (path, shift)


@contextmanager
def _other_site(page: str) -> Iterator[str]:
    """A site of another port with one page."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: Any) -> None:
            """Nothing is printed."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


def test_another_site_reads_and_changes_nothing(browser: Any, served: Served) -> None:
    """Another port of this machine is the same site for cookies: the browser sends them along."""
    visit = _visit(browser, served)
    attack = f"""<form id="f" method="post" action="{served.address}/memory/purge/run"><input name="word" value="purge"></form>
        <iframe src="{served.address}/memory"></iframe>"""
    with _other_site(attack) as site:
        page = visit.context.new_page()
        page.goto(site)
        read = f"""() => fetch("{served.address}/memory", {{credentials: "include"}}).then((answer) => answer.text()).catch(() => "refused")"""
        assert page.evaluate(read) == "refused"
        script = f"""() => new Promise((done) => {{ const script = document.createElement("script");
            script.src = "{served.address}/static/page.js"; script.onload = () => done("loaded"); script.onerror = () => done("refused"); document.body.append(script); }})"""
        assert page.evaluate(script) == "refused"
        frame = page.frames[1]
        assert "shop" not in frame.content()
        with page.expect_navigation() as navigation:
            page.evaluate("document.getElementById('f').submit()")
        assert navigation.value.status == 403
    assert visit.open("/memory").locator('input[name="id"]').count() > 5
