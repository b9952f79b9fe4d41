"""The command line from outside: what it prints, where, and how it ends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn.cli.main import main
from support.command import command, run
from support.repository import SMALL_PROJECT, Repository


@pytest.fixture
def shop(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    repository.write_all(SMALL_PROJECT)
    repository.commit("open the shop")
    monkeypatch.chdir(repository.root)
    return repository


def test_search_prints_the_promised_document(
    shop: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", "verify a session token", "--json", "-n", "2"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert list(document) == ["query", "branch", "stale", "unchecked", "confidence", "results"]
    assert {name: document[name] for name in ("query", "branch", "stale", "unchecked")} == {
        "query": "verify a session token",
        "branch": "main",
        "stale": [],
        "unchecked": 0,
    }
    assert len(document["results"]) == 2
    first = document["results"][0]
    assert list(first) == [
        "path",
        "start_line",
        "end_line",
        "kind",
        "name",
        "language",
        "score",
        "confidence",
        "text",
        "stale",
    ]
    assert (first["path"], first["start_line"], first["end_line"]) == ("shop/tokens.py", 4, 10)
    assert captured.err == ""


def test_json_lines_are_one_hit_each(shop: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "price", "--jsonl", "--explain", "-n", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(json.loads(line)["contributions"] for line in lines)


def test_plain_output_shows_place_and_excerpt(
    shop: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", "verify token", "-n", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("shop/tokens.py:4-10  function verify_token\n")
    assert "   4 │ def verify_token(token: str) -> bool:\n" in out
    assert "\x1b" not in out


def test_no_hits_is_a_success_with_a_note(
    shop: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["define", "nowhere_to_be_found"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "note: nothing found\n"
    assert main(["define", "nowhere_to_be_found", "--json", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["results"] == []
    assert captured.err == ""


def test_commands_work_from_a_folder_inside(
    shop: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(shop.root / "shop")
    assert main(["similar", "tokens.py:5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["query"] == "shop/tokens.py:5"
    assert main(["peek", "basket", "--dir", "../docs", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert all(hit["path"].startswith("docs/") for hit in results)
    assert all("text" not in hit for hit in results)


def test_path_names_another_workspace(shop: Repository, tmp_path: Path) -> None:
    outcome = run("search", "verify token", "--path", str(shop.root), "--json", cwd=tmp_path)
    assert outcome.code == 0
    assert outcome.document["results"][0]["path"] == "shop/tokens.py"


def test_similar_reads_standard_input(shop: Repository) -> None:
    outcome = run(
        "similar", "-", "--json", cwd=shop.root, stdin="def sign(header):\n    return header\n"
    )
    assert outcome.code == 0
    assert outcome.document["results"][0]["path"] == "shop/tokens.py"
    outcome = run("similar", "-", cwd=shop.root, stdin=" \n")
    assert (outcome.code, "standard input is empty" in outcome.err) == (2, True)


def test_index_reports_and_looks_ahead(
    shop: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["index", "--estimate", "--json"]) == 0
    estimate = json.loads(capsys.readouterr().out)
    assert estimate["added"] == len(SMALL_PROJECT)
    assert main(["index", "--dry-run"]) == 0
    assert "+ shop/tokens.py" in capsys.readouterr().out
    assert main(["index", "--verbose", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["added"] == len(SMALL_PROJECT)
    assert main(["index", "--force"]) == 0
    assert "indexed" in capsys.readouterr().out


def test_call_estimates_an_index_with_the_same_figures(shop: Repository) -> None:
    outcome = run("call", "index_codebase", '{"estimate": true}', "--json", cwd=shop.root)
    assert outcome.code == 0, outcome.err
    found = outcome.document
    count = len(SMALL_PROJECT)
    assert found["text"].startswith(f"would take in {count} added and 0 modified files, drop 0:")
    assert (found["result"]["added"], found["result"]["removed"]) == (count, 0)


def test_health_commands_answer(shop: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index"]) == 0
    capsys.readouterr()
    for name in ("status", "doctor", "gc"):
        assert main([name]) == 0
        assert capsys.readouterr().out
        assert main([name, "--json"]) == 0
        assert isinstance(json.loads(capsys.readouterr().out), dict)
    assert main(["status", "--verbose", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["skips"] == []


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["serch", "x"], 2, "serch"),
        (["search"], 2, "QUERY"),
        (["search", "x", "-n", "0"], 2, "--limit"),
        (["search", "x", "--kind", "thing"], 2, "thing"),
        (["search", "x", "--lang", "pyton"], 2, "did you mean `python`?"),
        (["search", "x", "--dir", "../.."], 2, "outside the workspace"),
        (["search", "x", "--glob", "[z-a"], 2, "[z-a"),
        (["similar", "tokens.py"], 2, "FILE:LINE"),
        (["similar", "shop/none.py:3"], 2, "shop/none.py"),
        (["status"], 1, "codecairn index"),
        (["index", ".", "--path", "."], 2, "same thing"),
        (["config", "get", "serch.limit"], 2, "did you mean `search.limit`?"),
    ],
)
def test_wrong_requests_end_with_words_and_a_code(
    shop: Repository,
    arguments: list[str],
    code: int,
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(arguments) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert "Traceback" not in captured.err


def test_home_folder_is_refused_unless_named(home: Path) -> None:
    (home / "notes.md").write_text("# Notes\n\nBuy milk.\n")
    for arguments in (["index"], ["search", "milk"], ["search", "milk", "--path", str(home)]):
        outcome = run(*arguments, cwd=home)
        assert (outcome.code, "is a home folder" in outcome.err) == (1, True), outcome
        assert not (home / ".codecairn").exists()
    assert run("index", str(home), cwd=home).code == 0
    assert run("search", "milk", cwd=home).code == 0


def test_traceback_is_shown_on_request_only(folder: Repository) -> None:
    done = subprocess.run(
        command("status"), cwd=folder.root, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    import os

    done = subprocess.run(
        command("status"),
        cwd=folder.root,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"CODECAIRN_DEBUG": "1"},
    )
    assert "Traceback" in done.stderr


def test_internal_error_is_one_line(
    shop: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from codecairn.workspace.workspace import Workspace

    def fail(*_args: object, **_kwargs: object) -> None:
        message = "the roof is leaking"
        raise RuntimeError(message)

    monkeypatch.setattr(Workspace, "status", fail)
    assert main(["status"]) == 1
    assert capsys.readouterr().err.startswith(
        "error: internal error: RuntimeError: the roof is leaking\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="pipes differ there")
def test_reader_that_leaves_early_is_no_failure(shop: Repository) -> None:
    import os

    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        command("config", "list"), cwd=shop.root, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")


def test_config_is_read_and_written(shop: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "set", "search.limit", "1"]) == 0
    capsys.readouterr()
    assert main(["config", "get", "search.limit"]) == 0
    assert capsys.readouterr().out == "1\n"
    assert main(["search", "price", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["results"]) == 1
    assert main(["config", "set", "--user", "fusion", "weighted"]) == 0
    capsys.readouterr()
    assert main(["config", "list", "--json"]) == 0
    rows = {row["key"]: row for row in json.loads(capsys.readouterr().out)["settings"]}
    assert rows["search.limit"]["source"].endswith(".codecairn.toml")
    assert rows["fusion"]["value"] == "weighted"
    assert main(["config", "path"]) == 0
    assert ".codecairn.toml" in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_names_the_program(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    assert "_CODECAIRN_COMPLETE" in capsys.readouterr().out


def test_completion_offers_commands(shop: Repository) -> None:
    environment = {
        "_CODECAIRN_COMPLETE": "bash_complete",
        "COMP_WORDS": "codecairn se",
        "COMP_CWORD": "1",
    }
    outcome = run(cwd=shop.root, environment=environment)
    assert "plain,search" in outcome.out


def test_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    from importlib.metadata import version

    import codecairn

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"codecairn {version('codecairn')}\n"
    assert codecairn.__version__ == version("codecairn")


def test_a_folder_in_which_everything_is_ignored_says_so(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write_all({".gitignore": "/*\n", "a.py": "def a(): pass\n"})
    assert main(["index", str(repository.root)]) == 0
    assert "ignore rules" in capsys.readouterr().out
    repository.write(".codecairnignore", "!/*\n")
    assert main(["index", str(repository.root)]) == 0
    assert "ignore rules" not in capsys.readouterr().out


def test_unlikely_answer_is_shown_without_a_verdict_and_json_has_the_number(
    shop: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "pizza delivery driver in the moonlight"
    assert main(["search", question]) == 0
    captured = capsys.readouterr()
    assert "here" not in captured.err
    assert "%" not in captured.err
    assert main(["search", question, "--json"]) == 0
    captured = capsys.readouterr()
    assert 0.0 < json.loads(captured.out)["confidence"] < 0.6
    assert captured.err == ""
