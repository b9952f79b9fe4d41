"""`codecairn serve` as users run it: a process on a real port."""

import signal
import socket
import stat
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from support.command import run
from support.repository import Repository
from web.conftest import PATIENCE_S, serving


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as err:
        err.close()
        return err.code


def test_serves_on_the_loopback_address_and_a_link_lets_in_once(
    project: Repository, tmp_path: Path
) -> None:
    with serving(project.root, tmp_path / "log") as served:
        assert served.address.startswith("http://127.0.0.1:")
        assert _status(served.address) == 401
        link = served.link()
        assert _status(link) == 200
        assert _status(link) == 401
        deadline_s = time.monotonic() + PATIENCE_S
        while served.link() == link and time.monotonic() < deadline_s:
            time.sleep(0.02)
        assert _status(served.link()) == 200


@pytest.mark.skipif(sys.platform != "linux", reason="reads the kernel's table of sockets")
def test_listens_on_no_other_address(project: Repository, tmp_path: Path) -> None:
    with serving(project.root, tmp_path / "log") as served:
        port = f":{urlsplit(served.address).port or 0:04X}"
        tables = (Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6"))
        rows = [line.split() for table in tables for line in table.splitlines()[1:]]
        listening = [row[1] for row in rows if row[1].endswith(port) and row[3] == "0A"]
        assert listening == [f"0100007F{port}"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_also_while_a_page_is_open(
    project: Repository, tmp_path: Path, number: signal.Signals
) -> None:
    with serving(project.root, tmp_path / "log") as served:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(served.link(), timeout=30).close()
        stream = opener.open(f"{served.address}/now/stream", timeout=30)
        assert stream.readline() == b": open\n"
        code = served.stop(number)
        stream.close()
        assert code == (0 if number == signal.SIGINT else -signal.SIGTERM)
    log = (tmp_path / "log").read_text()
    assert "Traceback" not in log
    assert "error" not in log.lower()


def test_a_port_that_is_taken_is_reported(project: Repository) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = run("serve", "--port", str(port), cwd=project.root)
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: can't listen on port `{port}`")
    assert "hint: give another port" in outcome.err


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script is the browser")
def test_page_is_served_while_a_browser_is_waited_for(
    project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    script = f"""#!{sys.executable}
import pathlib, re, sys, urllib.parse, urllib.request
file = urllib.parse.unquote(urllib.parse.urlsplit(sys.argv[1]).path)
link = re.search('href="([^"]+)"', pathlib.Path(file).read_text())[1]
pathlib.Path({str(seen)!r}).write_text(str(urllib.request.urlopen(link, timeout=20).status))
"""
    browser.write_text(script)
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    with serving(project.root, tmp_path / "log", "--open"):
        deadline_s = time.monotonic() + PATIENCE_S
        while not (seen.exists() and seen.read_text()) and time.monotonic() < deadline_s:
            time.sleep(0.02)
        assert seen.read_text() == "200"


def test_without_a_desktop_the_link_is_left_to_the_user(
    project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSH_CONNECTION", "elsewhere")
    with serving(project.root, tmp_path / "log", "--open") as served:
        deadline_s = time.monotonic() + PATIENCE_S
        while (
            "no browser was found" not in served.log.read_text() and time.monotonic() < deadline_s
        ):
            time.sleep(0.02)
        assert "no browser was found; open the link" in served.log.read_text()
        assert _status(served.link()) == 200


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script is the browser")
def test_open_hands_the_link_over_in_a_file_of_the_user_s_own(
    project: Repository, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser's command line, which every user of the machine can list, names only the file."""
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > "{seen}.new"\nmv "{seen}.new" "{seen}"\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    with serving(project.root, tmp_path / "log", "--open") as served:
        deadline_s = time.monotonic() + PATIENCE_S
        while not seen.exists() and time.monotonic() < deadline_s:
            time.sleep(0.02)
        port = urlsplit(served.address).port
        file = home / "codecairn" / "data" / f"serve-{port}.html"
        assert seen.read_text().strip() == file.as_uri()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        text = file.read_text()
        link = text.split('href="')[1].split('"')[0]
        assert link.startswith(f"{served.address}/open?token=")
        assert link not in seen.read_text()
        assert _status(link) == 200
        while file.exists() and time.monotonic() < deadline_s:
            time.sleep(0.02)
        assert not file.exists()
    assert not list(file.parent.glob("serve-*"))
