"""The comment on a pull request: of a real merge, with hostile names, written once and then updated."""

import importlib.util
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from support.command import run
from support.graph_project import GRAPH_PROJECT
from support.repository import Repository

SCRIPT = Path(__file__).parents[2] / ".github/actions/impact-comment/impact_comment.py"

COMMIT = "a" * 40


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("impact_comment", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


impact_comment = _load()


class Forge(ThreadingHTTPServer):
    """Pull requests and comments behind the part of GitHub's interface that the script uses."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pulls = [{"number": 7, "head": {"sha": COMMIT}}]
        self.comments: list[dict[str, Any]] = []
        self.asked_heads: list[str] = []

    def add(self, author: str, body: str) -> dict[str, Any]:
        number = len(self.comments) + 1
        comment = {"id": number, "user": {"login": author}, "body": body, "html_url": f"#{number}"}
        self.comments.append(comment)
        return comment

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Forge

    def log_message(self, *_arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(address.query).items()}
        if address.path == "/repos/ann/shop/pulls":
            self.server.asked_heads.append(query["head"])
            return self._answer(self.server.pulls)
        assert address.path == "/repos/ann/shop/issues/7/comments"
        size, page = int(query["per_page"]), int(query["page"])
        return self._answer(self.server.comments[(page - 1) * size : page * size])

    def do_POST(self) -> None:
        assert self.path == "/repos/ann/shop/issues/7/comments"
        self._answer(self.server.add("github-actions[bot]", self._body()))

    def do_PATCH(self) -> None:
        number = int(self.path.removeprefix("/repos/ann/shop/issues/comments/"))
        comment = self.server.comments[number - 1]
        comment["body"] = self._body()
        self._answer(comment)

    def _body(self) -> str:
        assert self.headers["Authorization"] == "Bearer secret"
        return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

    def _answer(self, document: object) -> None:
        data = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def forge() -> Iterator[Forge]:
    with Forge() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def event(forge: Forge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    document = {
        "workflow_run": {
            "head_sha": COMMIT,
            "head_branch": "topic/ü&page=2",
            "head_repository": {"owner": {"login": "guest"}},
        }
    }
    path = tmp_path / "event.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    for name, value in {
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_API_URL": forge.address,
        "GITHUB_REPOSITORY": "ann/shop",
        "GITHUB_TOKEN": "secret",
    }.items():
        monkeypatch.setenv(name, value)
    return document


def _merge(repository: Repository) -> None:
    """A merge commit as GitHub makes it for a pull request: the first parent is the target's tip."""
    repository.write_all(GRAPH_PROJECT)
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "topic")
    text = GRAPH_PROJECT["shop/base.py"].replace("return number + 1", "return number + 2")
    repository.write("shop/base.py", text)
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    repository.write("unrelated.py", "def unrelated():\n    return 1\n")
    repository.commit()
    repository.git("checkout", "--quiet", "--detach")
    repository.git("merge", "--quiet", "--no-ff", "--message=merge", "topic")


def _document(**changes: object) -> dict[str, Any]:
    definition = {"path": "a.py", "start_line": 3, "qualified_name": "f", "kind": "function"}
    return {
        "risk": "LOW",
        "reasons": ["1 test reaches it"],
        "files": ["a.py"],
        "touched": [definition],
        "dependents": [{"definition": definition | {"qualified_name": "g"}, "distance": 1}],
        "tests": [],
        "communities": [{"label": "shop: f", "symbols": 4}],
    } | changes


def test_merge_shows_what_it_brings_and_no_more(
    repository: Repository, forge: Forge, event: dict[str, Any], tmp_path: Path
) -> None:
    _merge(repository)
    done = run("impact", "--json", "--quiet", "--", "HEAD^1", cwd=repository.root)
    assert done.code == 0, done.err
    found = tmp_path / "impact.json"
    found.write_text(done.out, encoding="utf-8")
    assert impact_comment.main([str(found)]) == 0
    (comment,) = forge.comments
    text = comment["body"]
    assert "1 changed file, 1 changed symbol" in text
    assert "- function `helper` in `shop/base.py:" in text
    assert "- function `verify` in `shop/base.py:" in text
    affected = text.partition("Affected tests (1)")[2].partition("</details>")[0]
    assert "`test_login`" in affected
    assert "Communities (2)" in text
    assert "unrelated" not in text
    assert forge.asked_heads == ["guest:topic/ü&page=2"]


def test_shallow_clone_of_the_merge_gives_the_same_answer(
    repository: Repository, tmp_path: Path
) -> None:
    _merge(repository)
    clone = tmp_path / "clone"
    address = f"file://{repository.root.as_posix()}"
    repository.git("clone", "--quiet", "--depth=2", address, str(clone))
    answers = [
        run("impact", "--json", "--quiet", "--", "HEAD^1", cwd=folder).document
        for folder in (repository.root, clone)
    ]
    assert answers[0]["touched"]
    assert impact_comment.render(answers[0]) == impact_comment.render(answers[1])


def test_second_run_updates_the_comment_of_the_first(
    forge: Forge, event: dict[str, Any], tmp_path: Path
) -> None:
    forge.add("mallory", f"{impact_comment.MARKER}\nnot yours")
    for number in range(120):
        forge.add("ann", f"comment {number}")
    path = tmp_path / "impact.json"
    for risk in ("LOW", "HIGH"):
        path.write_text(json.dumps(_document(risk=risk)), encoding="utf-8")
        assert impact_comment.main([str(path)]) == 0
    assert len(forge.comments) == 122
    assert "HIGH risk" in forge.comments[-1]["body"]
    assert forge.comments[0]["body"].endswith("not yours")


def test_closed_or_newer_pull_request_gets_no_comment(
    forge: Forge, event: dict[str, Any], tmp_path: Path
) -> None:
    forge.pulls = [{"number": 7, "head": {"sha": "b" * 40}}]
    path = tmp_path / "impact.json"
    path.write_text(json.dumps(_document()), encoding="utf-8")
    assert impact_comment.main([str(path)]) == 0
    assert forge.comments == []


HOSTILE = [
    "`; @everyone",
    "``` </code> ```",
    "a`b``c",
    "<img src=x onerror=alert(1)>",
    "[click](https://evil.example)",
    "![](https://evil.example/pixel.png)",
    "name\n\n# Heading\n@everyone",
    "x\u202eevil\u2066",
    "\x1b[31mred\x00",
    "a | b | c",
    " ",
    "",
    "\ud800",
    "</summary></details>",
    "x" * 10_000,
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_name_is_one_line_of_inline_code(name: str) -> None:
    shown = impact_comment.inline_code(name)
    fence = re.match("`+", shown)
    assert fence
    assert shown.isprintable()
    assert len(shown) < 200
    inside = shown[len(fence[0]) : -len(fence[0])]
    assert shown == f"{fence[0]}{inside}{fence[0]}"
    assert all(len(run) != len(fence[0]) for run in re.findall("`+", inside))
    assert inside
    assert not inside.startswith("`")
    assert not inside.endswith("`")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_inside_inline_code_everywhere(name: str) -> None:
    definition = {"path": name, "start_line": 1, "qualified_name": name, "kind": name}
    text = impact_comment.render(
        _document(
            reasons=[name],
            touched=[definition],
            tests=[definition],
            dependents=[{"definition": definition | {"path": name + "x"}, "distance": 2}],
            communities=[{"label": name, "symbols": 1}],
        )
    )
    rest = text
    for fence in sorted(set(re.findall("`+", text)), key=len, reverse=True):
        rest = re.sub(rf"(?<!`){fence}(?!`).*?(?<!`){fence}(?!`)", "", rest)
    for piece in ("@", "<img", "](", "evil", "Heading", "</code>"):
        assert piece not in rest, piece
    assert rest.count("</details>") == 4


def test_comment_fits_in_githubs_limit() -> None:
    definition = {
        "path": "\U0001f600`" * 300,
        "start_line": 10**9,
        "qualified_name": "`" * 500,
        "kind": "\u202e" * 500,
    }
    text = impact_comment.render(
        _document(
            reasons=["`\u202e" * 900] * 5_000,
            touched=[definition] * 5_000,
            tests=[definition | {"start_line": 1}] * 5_000,
            dependents=[{"definition": definition, "distance": 10**9}] * 5_000,
            communities=[{"label": "`" * 900, "symbols": 10**9}] * 5_000,
        )
    )
    assert "… and 4,980 more" in text
    assert len(text) < 65_536


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "not JSON",
        "[" * 100_000,
        json.dumps(_document(risk="<b>")),
        json.dumps(_document(touched=[1])),
        json.dumps(_document(touched={})),
        json.dumps(_document(communities=[{"label": "a", "symbols": 10**30}])),
        json.dumps(_document(reasons=[{}])),
        "1" * 5_000,
    ],
)
def test_other_documents_are_refused_and_leave_no_comment(
    text: str,
    forge: Forge,
    event: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "impact.json"
    path.write_text(text, encoding="utf-8")
    assert impact_comment.main([str(path)]) == 1
    assert "no comment: " in capsys.readouterr().err
    assert forge.comments == []
