"""The client of language servers, against a small server of our own."""

import json
import sys
from contextlib import closing
from pathlib import Path

import pytest

from benches.quality.graph.answers import ask_server
from benches.quality.graph.grammar import GRAMMARS
from benches.quality.graph.lsp import Client, ServerFailed
from benches.quality.graph.places import Place
from benches.quality.graph.servers import SERVERS, Server

# Reports work, asks for its settings, and answers with what its settings say.
_SERVER = """
import json, sys

def read():
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        if line.lower().startswith(b"content-length"):
            length = int(line.partition(b":")[2])
    return json.loads(sys.stdin.buffer.read(length)) if length else None

def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()

settings = None
root = ""
early = []
while (message := early.pop(0) if early and settings is not None else read()) is not None:
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        root = message["params"]["rootUri"]
        send(id=number, result={"serverInfo": {"name": "small", "version": "7"}})
    elif method == "initialized":
        send(method="$/progress", params={"token": 1, "value": {"kind": "begin"}})
        send(id="ask", method="workspace/configuration", params={"items": [{"section": "small.answers"}]})
    elif number == "ask":
        settings = message["result"][0]
        send(method="$/progress", params={"token": 1, "value": {"kind": "end"}})
    elif method == "textDocument/definition" and settings is None:
        early.append(message)
    elif method == "textDocument/definition":
        line = message["params"]["position"]["line"]
        answer = settings.get(str(line))
        if answer == "refuse":
            send(id=number, error={"code": 1, "message": "no"})
        elif answer == "end":
            sys.exit(3)
        else:
            send(id=number, result=answer and [
                {"uri": path.replace("ROOT", root), "range": {"start": {"line": row, "character": column}}}
                for path, row, column in answer
            ])
    elif method == "textDocument/didOpen":
        uri = message["params"]["textDocument"]["uri"]
        left_out = {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}}
        regions = [left_out] if uri.endswith("/b.py") else []
        send(method="textDocument/inactiveRegions", params={"textDocument": {"uri": uri}, "regions": regions})
    elif method == "textDocument/declaration":
        place = {"start": {"line": 4, "character": 0}}
        send(id=number, result=[{"uri": root + "/a.py", "range": place}])
    elif method == "shutdown":
        send(id=number, result=None)
    elif method == "exit":
        sys.exit(0)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text("é = f()\ng()\nh()\ni()\nj()\n", encoding="utf-8")
    (folder / "server.py").write_text(_SERVER, encoding="utf-8")
    return folder


def _server(root: Path, *, declares_apart: bool = False) -> Server:
    return Server(
        command=(sys.executable, str(root / "server.py")),
        install="",
        language_ids={".py": "python"},
        settings={"small": {"answers": {}}},
        quiet_s=0,
        declares_apart=declares_apart,
    )


def test_answers_are_places_in_the_project_or_nothing(root: Path) -> None:
    answers = {
        "0": [["ROOT/a.py", 0, 4], ["ROOT/a.py", 1, 0]],
        "1": [["file:///elsewhere/b.py", 0, 0], ["ROOT/node_modules/c.py", 0, 0]],
        "2": [],
        "3": [["ROOT/a.py", 3, 0]],
        "4": "refuse",
    }
    with ask_server(
        _server(root),
        root=root,
        settings={"small": {"answers": answers}},
        first=["a.py"],
        log=root / "log",
    ) as asked:
        assert asked.version == "small 7"
        found = [asked.definitions(Place(path="a.py", line=line, column=0)) for line in range(2, 6)]
        assert found == [[], None, None, None]
        call = Place(path="a.py", line=1, column=5)
        assert asked.definitions(call) == [Place(path="a.py", line=2, column=0)]


def test_published_copy_of_the_project_itself_is_no_answer(root: Path) -> None:
    (root / "package.json").write_text('{"name": "small"}', encoding="utf-8")
    answers = {
        "0": [["ROOT/node_modules/small/a.py", 0, 0]],
        "1": [["ROOT/node_modules/smaller/a.py", 0, 0]],
    }
    with ask_server(
        _server(root),
        root=root,
        settings={"small": {"answers": answers}},
        first=["a.py"],
        log=root / "log",
    ) as asked:
        assert asked.definitions(Place(path="a.py", line=1, column=5)) is None
        assert asked.definitions(Place(path="a.py", line=2, column=0)) == []


def test_what_is_declared_apart_is_right_where_it_is_declared_too(root: Path) -> None:
    with ask_server(
        _server(root, declares_apart=True),
        root=root,
        settings={"small": {"answers": {"0": [["ROOT/a.py", 1, 0]], "1": []}}},
        first=["a.py"],
        log=root / "log",
    ) as asked:
        assert asked.definitions(Place(path="a.py", line=1, column=5)) == [
            Place(path="a.py", line=2, column=0),
            Place(path="a.py", line=5, column=0),
        ]
        assert asked.definitions(Place(path="a.py", line=2, column=0)) is None


def test_what_leads_back_is_a_declaration_and_no_call(root: Path) -> None:
    answers = {"0": [["ROOT/a.py", 1, 0]], "1": [["ROOT/a.py", 3, 0]], "3": [["ROOT/a.py", 1, 0]]}
    with ask_server(
        _server(root, declares_apart=True),
        root=root,
        settings={"small": {"answers": answers}},
        first=["a.py"],
        log=root / "log",
    ) as asked:
        assert asked.is_declaration(Place(path="a.py", line=2, column=0))
        assert not asked.is_declaration(Place(path="a.py", line=1, column=5))


def test_answers_for_lines_that_the_preprocessor_leaves_out_are_unknown(root: Path) -> None:
    (root / "b.py").write_text("f()\ng()\nh()\ni()\n", encoding="utf-8")
    answers = {str(line): [["ROOT/a.py", 0, 4]] for line in range(4)}
    with ask_server(
        _server(root),
        root=root,
        settings={"small": {"answers": answers}},
        first=["b.py"],
        log=root / "log",
    ) as asked:
        found = [asked.definitions(Place(path="b.py", line=line, column=0)) for line in range(1, 5)]
        known = [Place(path="a.py", line=1, column=5)]
        assert found == [known, None, None, known]


def test_a_server_that_ends_is_told_of(root: Path) -> None:
    client = Client(
        [sys.executable, str(root / "server.py")],
        root=root,
        options={},
        settings={"small": {"answers": {"0": "end"}}},
        log=root / "log",
    )
    with closing(client):
        client.initialize(timeout_s=30)
        assert client.wait_until_idle(quiet_s=0.1, timeout_s=30)
        with pytest.raises(ServerFailed, match="ended"):
            client.request(
                "textDocument/definition",
                {"position": {"line": 0, "character": 0}},
                timeout_s=30,
            )


def test_the_servers_know_the_language_of_each_source() -> None:
    projects = Path(__file__).parents[2] / "benches/quality/graph/projects.json"
    listed = json.loads(projects.read_text(encoding="utf-8"))
    pairs = {(each["language"], each["server"]) for each in listed if each["server"] in SERVERS}
    for language, server in pairs:
        assert set(GRAMMARS[language].parsers) <= set(SERVERS[server].language_ids)
    assert {".hxx", ".inl"} <= set(GRAMMARS["cpp"].parsers)
