"""What reaches the page, and what is refused: other programs, other sites, old links, old forms."""

import re
from collections.abc import Mapping
from importlib.resources import files

import pytest
from starlette.testclient import TestClient

from codecairn import Workspace
from codecairn.web.app import make_app
from codecairn.web.guard import (
    HEADERS,
    MAX_BODY_BYTES,
    MAX_URL_BYTES,
    POLICY,
    RATES,
    _with_headers,
)
from codecairn.web.page import own_path
from codecairn.web.sessions import MAX_LINKS, MAX_SESSIONS, Sessions
from support.repository import Repository
from web.conftest import ADDRESS, PORT, Browser, browsing

SECURE = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def _status(browser: Browser, headers: Mapping[str, str], method: str = "GET") -> int:
    answer = browser.client.request(
        method, "/theme" if method == "POST" else "/", headers=headers, follow_redirects=False,
        data={"csrf": browser.csrf} if method == "POST" else None,
    )  # fmt: skip
    return answer.status_code


def test_pages_need_a_cookie_and_the_answer_says_how_to_get_one(browser: Browser) -> None:
    stranger = TestClient(browser.page, base_url=ADDRESS)
    for path in ("/", "/now/stream", "/now/session?id=s1", "/nothing"):
        answer = stranger.get(path)
        assert answer.status_code == 401
        assert "codecairn serve --open" in answer.text
        assert "tokens" not in answer.text
    wrong = {"cookie": f"codecairn-{PORT}=guessed; codecairn-1={'x' * 32}"}
    assert stranger.get("/", headers=wrong).status_code == 401
    assert stranger.post("/theme", headers={"origin": ADDRESS}).status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", f"127.0.0.1:{PORT + 1}", "", f"127.0.0.1:{PORT}.evil.example"])  # fmt: skip
def test_other_hosts_are_refused_also_with_a_cookie(browser: Browser, host: str) -> None:
    """A name of another site can be made to resolve to this machine, and its cookies and scripts are that site's."""
    for path in ("/", "/static/page.css", "/open?token=x"):
        answer = browser.client.get(path, headers={"host": host})
        assert answer.status_code == 421
        assert "tokens" not in answer.text


def test_a_second_host_is_refused_too(browser: Browser) -> None:
    own, other = ("host", f"127.0.0.1:{PORT}"), ("host", "evil.example")
    for headers in ([own, other], [other, own], [own, own]):
        assert browser.client.get("/", headers=headers).status_code == 421


def test_nothing_public_can_be_changed(browser: Browser) -> None:
    stranger = TestClient(browser.page, base_url=ADDRESS)
    for path in ("/open?token=x", "/static/page.css"):
        assert stranger.post(path, headers={"origin": ADDRESS}).status_code == 405


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
        {"sec-fetch-site": "anything", "origin": ADDRESS},
    ],
)
def test_requests_of_other_sites_are_refused(browser: Browser, headers: Mapping[str, str]) -> None:
    assert _status(browser, headers) == 403
    assert _status(browser, headers, "POST") == 403


def test_requests_of_the_page_itself_and_of_the_user_are_served(browser: Browser) -> None:
    for headers in ({}, {"sec-fetch-site": "none"}, {"sec-fetch-site": "same-origin"}):
        assert _status(browser, headers) == 200
    # A form of a page that sends no referrer has the origin `null`.
    from_form = {"sec-fetch-site": "same-origin", "origin": "null"}
    for headers in ({"origin": ADDRESS}, {"sec-fetch-site": "same-origin"}, from_form):
        assert _status(browser, headers, "POST") == 303
    assert _status(browser, {}, "POST") == 403


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("HEAD", {}, 200),
        ("OPTIONS", {}, 405),
        ("PUT", {}, 405),
        ("GET", {"sec-purpose": "prefetch"}, 503),
        ("GET", {"sec-purpose": "prefetch;prerender"}, 503),
        ("GET", {"purpose": "prefetch"}, 503),
        ("GET", {"x-moz": "prefetch"}, 503),
        ("GET", {"x-purpose": "preview"}, 503),
    ],
)
def test_what_looks_ahead_leaves_the_link_to_who_opens_it(
    project: Repository, method: str, headers: Mapping[str, str], status: int
) -> None:
    sessions = Sessions(PORT)
    used: list[bool] = []
    page = make_app(
        port=PORT, here=project.root, is_read_only=False, sessions=sessions,
        on_link_used=lambda: used.append(True),
    )  # fmt: skip
    client = TestClient(page, base_url=ADDRESS)
    link = f"/open?token={sessions.new_link()}"
    for _ in range(2):
        answer = client.request(method, link, headers=headers)
        assert answer.status_code == status
        assert "set-cookie" not in answer.headers
    assert used == []
    assert client.get(link).status_code == 200
    assert used == [True]
    assert client.get(link).status_code == 401
    assert client.head(link).status_code == 401


def test_the_link_of_the_file_is_let_in_from_another_site_as_a_navigation_alone(
    project: Repository,
) -> None:
    sessions = Sessions(PORT)
    page = make_app(port=PORT, here=project.root, is_read_only=False, sessions=sessions)
    client = TestClient(page, base_url=ADDRESS)
    token = sessions.new_link()
    site = {"sec-fetch-site": "cross-site"}
    for mode in ("no-cors", "cors"):
        answer = client.get(f"/open?token={token}", headers={**site, "sec-fetch-mode": mode})
        assert answer.status_code == 403
    answer = client.get(f"/open?token={token}", headers={**site, "sec-fetch-mode": "navigate"})
    assert answer.status_code == 200
    page.close()


def test_link_works_once(project: Repository) -> None:
    sessions = Sessions(PORT)
    page = make_app(port=PORT, here=project.root, is_read_only=False, sessions=sessions)
    token = sessions.new_link()
    first, second = (TestClient(page, base_url=ADDRESS) for _ in range(2))
    answer = first.get(f"/open?token={token}")
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"codecairn-{PORT}=")
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/" in cookie
    again = second.get(f"/open?token={token}")
    assert again.status_code == 401
    assert "this link was used" in again.text.lower()
    assert "set-cookie" not in again.headers
    for wrong in ("", token[:-1], token + "x", "é"):
        assert second.get("/open", params={"token": wrong}).status_code == 401
    assert second.get("/").status_code == 401
    assert first.get("/").status_code == 200
    page.close()


def test_links_and_sessions_are_bounded() -> None:
    sessions = Sessions(PORT)
    links = [sessions.new_link() for _ in range(MAX_LINKS + 1)]
    assert sessions.open(links[0]) is None
    secrets = [sessions.open(link) for link in links[1:]]
    assert None not in secrets
    for _ in range(MAX_SESSIONS):
        sessions.open(sessions.new_link())
    assert all(sessions.session(secret or "") is None for secret in secrets)


def test_servers_have_cookies_of_their_own_names() -> None:
    assert Sessions(8001).cookie != Sessions(8002).cookie


def test_changes_need_the_token_of_their_session(browser: Browser) -> None:
    headers = {"origin": ADDRESS}
    for form in ({}, {"csrf": ""}, {"csrf": "guessed"}, {"csrf": browser.csrf[:-1]}, {"csrf": "é"}):
        answer = browser.client.post("/theme", data=form, headers=headers)
        assert answer.status_code == 403
    with browsing(None) as other:
        answer = browser.client.post("/theme", data={"csrf": other.csrf}, headers=headers)
    assert answer.status_code == 403
    assert browser.client.post("/theme", content=b"\xff=%", headers=headers).status_code == 400
    assert browser.client.get("/theme").status_code in {404, 405}


def test_read_only_refuses_every_change_but_of_colours(project: Repository) -> None:
    with browsing(project.root, is_read_only=True) as browser:
        assert browser.post("/theme", theme="dark") == "/"
        assert 'data-theme="dark"' in browser.get("/")
        assert "read-only" in browser.get("/")
        for path in ("/undo", "/memory/change", "/settings", "/anything"):
            assert "--read-only" in browser.post(path, 403)


def test_sizes_are_bounded(browser: Browser) -> None:
    headers = {"origin": ADDRESS}
    large = {"csrf": browser.csrf, "text": "x" * MAX_BODY_BYTES}
    assert browser.client.post("/theme", data=large, headers=headers).status_code == 413
    many = {"csrf": browser.csrf, **{f"f{number}": "1" for number in range(2_500)}}
    assert browser.client.post("/theme", data=many, headers=headers).status_code == 400
    assert browser.client.get("/?kind=" + "x" * MAX_URL_BYTES).status_code == 414
    assert browser.client.delete("/").status_code == 405


def test_rates_are_bounded_and_strangers_do_not_spend_those_of_a_session(browser: Browser) -> None:
    stranger = TestClient(browser.page, base_url=ADDRESS)
    most = int(RATES["public"][1])
    statuses = [stranger.get("/").status_code for _ in range(most * 3)]
    assert 429 in statuses
    assert browser.client.get("/static/page.css").status_code == 200


def test_every_answer_has_the_headers(browser: Browser) -> None:
    stranger = TestClient(browser.page, base_url=ADDRESS)
    answers = [
        browser.client.get("/"),
        browser.client.get("/nothing"),
        browser.client.get("/now/session?id=none"),
        browser.client.get("/static/page.js"),
        browser.client.get("/static/nothing"),
        browser.client.get("/", headers={"host": "evil.example"}),
        browser.client.get("/", headers={"origin": "http://evil.example"}),
        stranger.get("/"),
        stranger.get("/open"),
    ]
    for answer in answers:
        assert {name: answer.headers[name] for name in SECURE} == SECURE
        is_asset = answer.request.url.path.startswith("/static/p")
        assert answer.headers["cache-control"] == ("no-cache" if is_asset else "no-store")
        assert "access-control-allow-origin" not in answer.headers


def test_a_route_can_replace_the_rule_of_caches_alone() -> None:
    given = [(b"Content-Security-Policy", b"default-src *"), (b"Cache-Control", b"no-cache"), (b"x", b"y")]  # fmt: skip
    names = [name.lower() for name, _ in _with_headers(given)]
    headers = {name.lower(): value for name, value in _with_headers(given)}
    assert len(names) == len(set(names)) == len(HEADERS) + 1
    assert headers[b"content-security-policy"].decode() == POLICY
    assert headers[b"cache-control"] == b"no-cache"


def test_static_files_are_the_package_s_own_alone(browser: Browser) -> None:
    for name in ("page.css", "page.js", "now.js", "htmx.min.js", "hx-sse.min.js", "uPlot.iife.min.js", "icon.svg"):  # fmt: skip
        assert browser.client.get(f"/static/{name}").status_code == 200
    for name in ("../app.py", "..%2fapp.py", "%2e%2e/app.py", "htmx.LICENSE", "", "vendor/htmx.min.js"):  # fmt: skip
        assert browser.client.get(f"/static/{name}").status_code in {404, 405}


def test_no_template_has_a_script_or_a_style_of_its_own() -> None:
    """The policy would block them; a template that turns escaping off would need none."""
    for template in (files("codecairn.web") / "templates").iterdir():
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"<script(?! src=)|<style|\sstyle=|\son\w+=|javascript:", text), template.name  # fmt: skip
        assert "|safe" not in text.replace(" ", ""), template.name
        assert "autoescape" not in text, template.name


HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>" onmouseover="x" \x1b[31m\u202e'


def test_everything_that_a_record_holds_is_escaped(project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        workspace.memory.add(f"{HOSTILE} in a fact", title=HOSTILE)
        workspace.memory.record("<b>s</b>", HOSTILE, role="user", host="<i>h</i>", title=HOSTILE)
        workspace.memory.record("<b>s</b>", HOSTILE, role="tool", tool="<u>t</u>", command=HOSTILE, path="a<b>.py", exit_code=1)  # fmt: skip
    with browsing(project.root) as browser:
        first = browser.get("/")
        link = re.search(r'href="(/now/session\?[^"]*%3Cb%3E[^"]*)"', first)
        assert link is not None
        for text in (first, browser.get(link[1].replace("&amp;", "&"))):
            assert "<script>alert" not in text
            assert "<img src=x" not in text
            assert "<b>" not in text
            assert "<i>h" not in text
            assert "<u>t" not in text
            assert "\x1b" not in text
            assert "\u202e" not in text
            assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_only_own_paths_are_led_to() -> None:
    assert own_path("/memory?x=1") == "/memory?x=1"
    for path in ("//evil.example", "https://evil.example", "/\\evil.example", "", "evil", "/a\nb"):
        assert own_path(path) == "/"


def test_signing_out_ends_the_session(browser: Browser) -> None:
    cookie = dict(browser.client.cookies)
    browser.post("/sign-out")
    assert browser.client.get("/").status_code == 401
    again = TestClient(browser.page, base_url=ADDRESS, cookies=cookie)
    assert again.get("/").status_code == 401


def test_a_bug_is_a_page_and_one_line_in_the_terminal(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        message = "a\x1b[31m bug"
        raise ZeroDivisionError(message)

    monkeypatch.setattr("codecairn.web.now._filter", fail)
    answer = browser.client.get("/")
    assert answer.status_code == 500
    assert "ZeroDivisionError" in answer.text
    assert "bug" not in answer.text
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "\x1b" not in shown
