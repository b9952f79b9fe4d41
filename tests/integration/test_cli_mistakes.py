"""Mistakes at the command line: each ends with one message and its remedy, the right exit code, and nothing written."""

import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from codecairn.cli.main import main
from support.repository import SMALL_PROJECT, Repository

HUGE = "9" * 30


@dataclass(frozen=True)
class Mistake:
    """A command line that is wrong: its message, a part of its hint, its exit code, and what it finds."""

    arguments: tuple[str, ...]
    message: str
    hint: str
    code: int = 2
    stdin: str | bytes = ""
    is_repository: bool = True

    def __str__(self) -> str:
        return " ".join(self.arguments)[:60]


def wrong(arguments: Sequence[str], message: str, hint: str, **more: object) -> Mistake:
    return Mistake(tuple(arguments), message, hint, **more)  # type: ignore[arg-type]


def line(text: str, message: str, hint: str, **more: object) -> Mistake:
    """A mistake whose arguments hold no blanks."""
    return wrong(text.split(), message, hint, **more)


NAMES_AND_OPTIONS = (
    line("serach", "no such command `serach`", "did you mean `search`?"),
    line("qqqq", "no such command `qqqq`", "run `codecairn --help`"),
    line("memory ad", "no such command `memory ad`", "did you mean `memory add`?"),
    line("graph calers x", "no such command `graph calers`", "did you mean `graph callers`?"),
    line("knowledge lst", "no such command `knowledge lst`", "did you mean `knowledge list`?"),
    line("config gett x", "no such command `config gett`", "did you mean `config get`?"),
    line("eval rum x", "no such command `eval rum`", "did you mean `eval run`?"),
    line("search x --limt 3", "no such option `--limt`", "did you mean `--limit`?"),
    line("--hlep", "no such option `--hlep`", "did you mean `--help`?"),
    line("search --hlep", "no such option `--hlep`", "did you mean `--help`?"),
    line("search x --qqqqqqq", "no such option `--qqqqqqq`", "run `codecairn search --help`"),
    line("search x -Z", "no such option `-Z`", "run `codecairn search --help`"),
    line("memory add x --tpye note", "no such option `--tpye`", "did you mean `--type`?"),
    line("search", "`QUERY` is missing", "codecairn search QUERY"),
    line("graph path one", "`TO` is missing", "codecairn graph path FROM TO"),
    line("search x --author", "`--author` needs a value", "`--author NAME`"),
    line("search x --json=yes", "`--json` takes no value", "write `--json` alone"),
    line("search verify a token", "unexpected argument `a`", 'quote them: "verify a token"'),
    line("define one two", "unexpected argument `two`", "codecairn define NAME"),
    line("search x --json --jsonl", "`--json` and `--jsonl`", "give one of them"),
    wrong(
        ["serach\x1b[31m\x07"], r"no such command `serach\x1b[31m\x07`", "run `codecairn --help`"
    ),
    wrong(["search", "x", "--\u202elimit"], r"no such option `--\u202elimit`", "did you mean"),
    line("hook claude", "`EVENT` is missing", "codecairn hook AGENT EVENT"),
    line("completion tcsh", "`tcsh`", "one of bash, zsh, fish"),
)

VALUES = (
    line("search x -n ten", "invalid value `ten` for `--limit`", "a whole number, 1 or more"),
    line("search x -n 0", "invalid value `0` for `--limit`", "a whole number, 1 or more"),
    line("search x -n -5", "invalid value `-5` for `--limit`", "a whole number, 1 or more"),
    line(f"search x -n {HUGE}", "invalid value `99999", "2,147,483,647 or less"),
    line(
        "search x --context -1", "invalid value `-1` for `--context`", "a whole number, 0 or more"
    ),
    line("search x --tokens 5", "invalid value `5` for `--tokens`", "a whole number, 100 or more"),
    line("mcp --http 99999", "invalid value `99999` for `--http`", "65,535 or less"),
    line("graph hubs -n 0", "invalid value `0` for `--limit`", "a whole number, 1 or more"),
    line(
        "search x --kind functoin",
        "invalid value `functoin` for `--kind`",
        "did you mean `function`?",
    ),
    line("search x --kind qqqq", "invalid value `qqqq` for `--kind`", "one of function, method, "),
    line("search x --lang pyton", "unknown language `pyton`", "did you mean `python`?"),
    line("search x --lang qqqqqq", "unknown language `qqqqqq`", "codecairn status"),
    line("graph callers x --kind cal", "invalid value `cal` for `--kind`", "did you mean `call`?"),
    line(
        "memory add x --type decison",
        "invalid value `decison` for `--type`",
        "did you mean `decision`?",
    ),
    line("memory export --format xml", "`xml`", "one of json, csv, markdown"),
    line("logs --level loud", "`loud`", "one of "),
    line("notes", "no such command `notes`", "run `codecairn"),
    wrong(["search", ""], "the query is empty", "codecairn search --help"),
    wrong(["define", " "], "the name is empty", "codecairn define --help"),
    wrong(["ask", ""], "nothing is asked", "give some words"),
    wrong(["memory", "search", ""], "nothing is asked", "codecairn memory search --help"),
    wrong(["memory", "add", " "], "the text is empty or private", "codecairn memory add --help"),
    wrong(["uses", ""], "`` is no plain name", "such as `get`"),
)

MISTAKES = (*NAMES_AND_OPTIONS, *VALUES)  # fmt: skip


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project, under git and without."""
    for name in ("repository", "plain"):
        root = tmp_path / name
        made = Repository.make(root) if name == "repository" else Repository(root)
        made.write_all(SMALL_PROJECT)
        made.write("blob.bin", b"\0\xff\xfe\x01" * 256)
        made.write("bad.json", "{]")
        made.write("questions.json", '[{"query": "verify", "expected": ["shop/tokens.py"]}]')
        if name == "repository":
            made.commit("open the shop")
    return tmp_path


def _contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, except what git and an index keep for themselves."""
    found = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each not in {".git", "stores"}]
        for name in set(files) - {"key"}:
            found[f"{place}/{name}"] = (Path(place) / name).read_bytes()
    return found


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_mistake_ends_with_one_message_and_its_remedy(
    mistake: Mistake,
    shop: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = shop / ("repository" if mistake.is_repository else "plain")
    given = mistake.stdin.encode() if isinstance(mistake.stdin, str) else mistake.stdin
    monkeypatch.chdir(root)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
    before = _contents(root) | _contents(home)
    code = main(mistake.arguments)
    printed = capsys.readouterr()
    lines = printed.err.splitlines()
    assert [each.partition(": ")[0] for each in lines] == ["error", "hint"], printed.err
    assert all(each.isprintable() for each in lines)
    assert (mistake.message in lines[0], mistake.hint in lines[1]) == (True, True), printed.err
    assert code == mistake.code
    if "--json" in mistake.arguments:
        error = json.loads(printed.out)["error"]
        assert list(error) == ["kind", "message", "hint"]
        assert (error["message"], error["hint"]) == (lines[0][7:], lines[1][6:])
    else:
        assert printed.out == ""
    assert _contents(root) | _contents(home) == before
