"""Peers of the memory: the whole conversation in order, and other programs where they are there."""

import argparse
import sys
from pathlib import Path

import pytest

from benches.memory.conversations import Conversation, Turn
from benches.public.memory_systems import (
    BM25,
    CLAUDE_MEM,
    DEFAULT,
    FIRST,
    LAST,
    MEM0,
    add_option,
    systems,
)
from codecairn.errors import UsageError

TEXTS = ("The cache is Redis.", "Migrations run with Aerich.", "We ship on Friday.")

CONVERSATION = Conversation(
    name="talk",
    turns=tuple(
        Turn(key=f"t{at}", session="s", role="user", speaker="", text=text, ts_ms=at)
        for at, text in enumerate(TEXTS)
    ),
    questions=(),
)

BUN = """\
import http.server, json, os, urllib.parse

assert os.environ["CLAUDE_MEM_CHROMA_ENABLED"] == "false" and os.environ["DO_NOT_TRACK"] == "1"
texts = []


class Worker(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, document):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    def do_POST(self):
        texts.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["text"])
        self.reply({"id": len(texts)})

    def do_GET(self):
        asked = urllib.parse.urlparse(self.path)
        if asked.path == "/api/health":
            return self.reply({"initialized": True})
        query = urllib.parse.parse_qs(asked.query)["query"][0]
        rows = [{"id": at} for at, text in enumerate(texts, 1) if query in text]
        self.reply({"observations": rows})


port = int(os.environ["CLAUDE_MEM_WORKER_PORT"])
http.server.HTTPServer(("127.0.0.1", port), Worker).serve_forever()
"""

PYTHON = """\
import json, sys

rows = []
for line in sys.stdin:
    asked = json.loads(line)
    rows += asked.get("add", [])
    found = [[key, 0.5] for key, _, text in rows if asked.get("search", "-") in text]
    print(json.dumps(found), flush=True)
"""


def program(path: Path, text: str) -> Path:
    """A program of Python that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_everything_in_order_is_shown_as_far_as_there_is_room() -> None:
    with systems(CONVERSATION, (FIRST, LAST)) as (first, last):
        assert first.block("?", 100) == "\n".join(TEXTS)
        # Four bytes are a token: five take the first turn and a beginning of the next.
        assert first.block("?", 5) == "The cache is Redis.\nM…"
        assert last.block("?", 100) == "\n".join(TEXTS[::-1])
        assert first.ranked("?", 2) == ["t0", "t1"]
        assert first.confidence("?") == 1.0


def test_systems_are_those_that_are_named_in_their_order() -> None:
    with systems(CONVERSATION, (LAST, BM25)) as each:
        assert [system.name for system in each] == [LAST, BM25]
    assert not {CLAUDE_MEM, MEM0} & set(DEFAULT)
    parser = argparse.ArgumentParser()
    add_option(parser)
    assert parser.parse_args([]).system == list(DEFAULT)
    assert parser.parse_args(["--system", MEM0, FIRST]).system == [MEM0, FIRST]


def test_claude_mem_is_asked_through_its_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin" / "bun", BUN)
    program(tmp_path / "package" / "plugin" / "scripts" / "worker-service.cjs", "")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("CLAUDE_MEM_PROGRAM", str(tmp_path / "package"))
    with systems(CONVERSATION, (CLAUDE_MEM,)) as (peer,):
        assert peer.ranked("run with Aerich", 10) == ["t1"]
        assert peer.block("run with Aerich", 100) == TEXTS[1]
        assert (peer.confidence("Redis"), peer.confidence("Which cache?")) == (1.0, 0.0)


def test_mem0_is_asked_in_its_own_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEM0_PYTHON", str(program(tmp_path / "python", PYTHON)))
    with systems(CONVERSATION, (MEM0,)) as (peer,):
        assert peer.ranked("Friday", 10) == ["t2"]
        assert peer.block("Friday", 100) == TEXTS[2]
        assert (peer.confidence("Friday"), peer.confidence("Monday")) == (0.5, 0.0)


def test_a_program_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLAUDE_MEM_PROGRAM", raising=False)
    monkeypatch.delenv("MEM0_PYTHON", raising=False)
    with (
        pytest.raises(UsageError, match="CLAUDE_MEM_PROGRAM names no folder"),
        systems(CONVERSATION, (CLAUDE_MEM,)),
    ):
        pass
    with (
        pytest.raises(UsageError, match="MEM0_PYTHON names no Python"),
        systems(CONVERSATION, (MEM0,)),
    ):
        pass
    monkeypatch.setenv("MEM0_PYTHON", str(program(tmp_path / "python", "")))
    with pytest.raises(UsageError, match="mem0 does not run"), systems(CONVERSATION, (MEM0,)):
        pass
    program(tmp_path / "plugin" / "scripts" / "worker-service.cjs", "")
    monkeypatch.setenv("CLAUDE_MEM_PROGRAM", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        pytest.raises(UsageError, match="bun, which is not on the path"),
        systems(CONVERSATION, (CLAUDE_MEM,)),
    ):
        pass
    program(tmp_path / "bun", "raise SystemExit(1)")
    with pytest.raises(UsageError, match="did not start"), systems(CONVERSATION, (CLAUDE_MEM,)):
        pass
