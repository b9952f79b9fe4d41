"""Mistakes at the command line: each ends with one message and its remedy, the right exit code, and nothing written."""

import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from codecairn.cli.main import main
from support.command import as_nobody, run
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
        return ascii(" ".join(self.arguments))[1:60]


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
    line("papers", "no such command `papers`", "run `codecairn"),
    wrong(["search", ""], "the query is empty", "codecairn search --help"),
    wrong(["define", " "], "the name is empty", "codecairn define --help"),
    wrong(["ask", ""], "nothing is asked", "give some words"),
    wrong(["memory", "search", ""], "nothing is asked", "codecairn memory search --help"),
    wrong(["memory", "add", " "], "the text is empty or private", "codecairn memory add --help"),
    wrong(["uses", ""], "`` is no plain name", "such as `get`"),
)

FOLDERS = (
    line("search x --dir shp", "no folder `shp`", "did you mean `shop`?"),
    line("search x --dir srv/deep", "no folder `srv/deep`", "there are `broken`, `devices`"),
    line(
        "search x --dir shop/tokens.py", "`shop/tokens.py` is a file", "by a glob: `shop/tokens.py`"
    ),
    line("search x --dir ../elsewhere", "lies outside the workspace", "codecairn knowledge add"),
    line("search x --dir /etc", "lies outside the workspace", "codecairn knowledge add"),
    line("search x --dir ..", "`..`", "codecairn knowledge add"),
    line("search x --dir qq", "no folder `qq`", "there are"),
    wrong(["search", "x", "--dir", "sh\x1bop"], r"no folder `sh\x1bop`", "did you mean `shop`?"),
    wrong(["search", "x", "--dir", ""], "the name of the folder is empty", "name a folder"),
    wrong(["search", "x", "--glob", "[z-a"], "bad pattern `[z-a`", "codecairn search --help"),
    wrong(["search", "x", "--glob", "[a"], "bad pattern `[a`", "codecairn search --help"),
    wrong(["search", "x", "--glob", ""], "a pattern is empty", "for example `*.py`"),
    wrong(["search", "x", "--exclude", "{a,b"], "bad pattern `{a,b`", "codecairn search --help"),
    line("context x --dir shp", "no folder `shp`", "did you mean `shop`?"),
    line("search x --in nobase", "no knowledge base `nobase`", "knowledge"),
    line(
        "search x --path /nowhere/at/all",
        "`/nowhere/at/all` does not exist",
        "check the path",
        code=1,
    ),
    line(
        "search x --path shop/tokens.py", "is not a folder", "name the folder that holds it", code=1
    ),
    wrong(["search", "x", "--path", ""], "the path is empty", "name a folder", code=1),
    line("search x --path . --workspace .", "`--path` and `--workspace`", "give one of them"),
    line("index nowhere", "does not exist", "check the path", code=1),
    line("index . --path .", "PATH and `--path`", "give one of them"),
    line("index --force --dry-run", "`--force` changes no estimate", "leave it out"),
    line("status --path nowhere", "does not exist", "check the path", code=1),
    line("mcp nowhere", "does not exist", "check the path", code=1),
    line("trust nowhere", "does not exist", "check the path", code=1),
    line("trust . --path .", "name the same thing", "give one of them"),
    line("visualize --output - --json", "`--output -`", "name a file"),
    line(
        "visualize --output /nowhere/page.html",
        "can't write `/nowhere/page.html`",
        "another place",
        code=1,
    ),
    line("visualize --output shop", "can't write `shop`", "another place", code=1),
    line("knowledge add nowhere", "does not exist", "check the path", code=1),
    line("knowledge add shop/tokens.py", "is not a folder", "name the folder", code=1),
    line("knowledge add .", "is the workspace itself", "searched anyway"),
    line("knowledge remove nobase", "no knowledge base `nobase`", "`codecairn knowledge add PATH`"),
    line("gc --in nobase", "no knowledge base `nobase`", "`codecairn knowledge add PATH`"),
    line("similar shop/tokens.py", "is not of the form FILE:LINE", "for example"),
    line("similar shop/toekns.py:3", "no file `shop/toekns.py`", "did you mean `shop/tokens.py`?"),
    line("similar shop/tokens.py:99999", "no code on line 99999", "give a line of a definition"),
    line("similar -", "standard input is empty", "pipe the code"),
    wrong(
        ["similar", "-"],
        "standard input is not UTF-8 text",
        "pipe the code",
        stdin=b"\x00\x01\x02\xff" * 99,
    ),
)

HISTORY_AND_GRAPH = (
    wrong(["search", "x", "--since", "not a date"], "`not a date` names no moment", "2026-01-31"),
    wrong(["search", "x", "--until", "32.13.2026"], "`32.13.2026` names no moment", "2026-01-31"),
    line("search x --commit zzzz", "there is no commit `zzzz`", "give a commit's id"),
    line("search x --author ann", "git", "need a git repository", code=1, is_repository=False),
    line("search x --since yesterday", "git", "need a git repository", code=1, is_repository=False),
    line("impact no-such-ref", "no commit `no-such-ref`", "give a branch, a tag or a commit"),
    line("impact --upload-pack=x", "no such option `--upload-pack`", "codecairn impact --help"),
    line("impact", "git", "--file", code=1, is_repository=False),
    line("impact --pr x", "invalid value `x` for `--pr`", "a whole number, 1 or more"),
    line("impact HEAD --symbol verify_token", "give one of a ref,", "codecairn impact --help"),
    line("impact --pr 1 --file shop/tokens.py", "give one of a ref,", "codecairn impact --help"),
    line("impact --file shop/nofile.py", "no file `shop/nofile.py`", "in `shop` there are"),
    line(
        "impact --symbol verify_tokn",
        "nothing is defined as `verify_tokn`",
        "codecairn search",
        code=1,
    ),
    line(
        "graph callers verify_tokn",
        "nothing is defined as `verify_tokn`",
        "codecairn search",
        code=1,
    ),
    line(
        "graph callers verify_token --file nofile.py",
        "no file `nofile.py`",
        "there are",
    ),
    line("graph path verify_token qqqqqq", "`qqqqqq`", "codecairn search", code=1),
    line("context x --from verify_token", "a path has two ends", "give both"),
)

MEMORY = (
    line("memory get fzzzz", "`fzzzz`", "codecairn memory list"),
    line("memory get E999999", "`E999999`", "codecairn memory list"),
    line("memory get f-nothing-like-this", "`f-nothing-like-this`", "codecairn memory list"),
    line("memory why fzzzz", "`fzzzz`", "codecairn memory list"),
    line("memory timeline E999999", "`E999999`", "codecairn memory timeline --help"),
    line("memory update fzzzz --text new", "no fact `fzzzz`", "codecairn memory list"),
    line("memory forget fzzzz", "no fact `fzzzz`", "codecairn memory list"),
    line("memory purge", "say what to purge", "ids, or a text"),
    wrong(
        ["memory", "purge", "--containing", ""], "at least three characters", "memory purge --help"
    ),
    line("memory add x --supersedes fzzzz", "`fzzzz`", "codecairn memory list"),
    line("memory search x --since whenever", "`whenever`", "2026-03-01"),
    line("memory search x --as-of 2026-13-45", "`2026-13-45`", "2026-03-01"),
    line(
        "memory import nofile.json", "there is no `nofile.json`", "check that it is there", code=1
    ),
    wrong(["memory", "import", "-"], "is no JSON", "codecairn memory export", stdin="{bad"),
    wrong(["memory", "import", "-"], "standard input is empty", "export", stdin=""),
    wrong(["memory", "import", "-"], "not UTF-8 text", "export", stdin=b"\xff\xfe\x00\x01" * 64),
    line("memory import blob.bin", "`blob.bin` is not UTF-8", "codecairn memory export"),
    line("memory import --from mem", "`mem`", "one of "),
    line("memory session --id nothing", "no session `nothing`", "codecairn memory session"),
    line("memory summarise nothing", "no session `nothing`", "codecairn memory session"),
    line("memory end nothing", "no session `nothing`", "codecairn memory session"),
    line("memory export --session nothing", "no session `nothing`", "codecairn memory session"),
    line("memory promote", "which facts", "codecairn memory list"),
    line("memory promote fzzzz", "`fzzzz`", "codecairn memory list"),
    line("memory notes write", "a note needs a key", "a word or a path"),
    line("memory notes delete nothing", "no note under `nothing`", "`memory notes`"),
    line("memory notes reed x", "invalid value `reed`", "did you mean `read`?"),
    line("memory update", "`ID` is missing", "codecairn memory update ID"),
    line("memory update fzzzz new", "argument `new`", "memory update fzzzz --text"),
    line("memory delete fzzzz", "no such command `memory delete`", "did you mean `memory forget`?"),
    line("memory rm fzzzz", "no such command `memory rm`", "did you mean `memory forget`?"),
    line("memory show fzzzz", "no such command `memory show`", "did you mean `memory get`?"),
    line("memory project adopt", "which project", "codecairn memory project list"),
    line("memory project adopt nothing", "no project `nothing`", "codecairn memory project list"),
    line("memory project list 3", "takes no project", "`adopt` does"),
)

TOOLS_HOSTS_SETTINGS = (
    line("call", "which tool", "--schemas"),
    line("call codebase_serach {}", "no tool `codebase_serach`", "did you mean `codebase_search`?"),
    wrong(["call", "codebase_search", "{bad json"], "no JSON", 'such as {"query": "…"}'),
    wrong(["call", "codebase_search", "[1]"], "no JSON object", 'such as {"query": "…"}'),
    wrong(["call", "codebase_search", "{}"], "`query` is missing", "Words, an identifier"),
    wrong(
        ["call", "codebase_search", '{"query": "x", "limit": "ten"}'], "`limit` must be", "How many"
    ),
    wrong(
        ["call", "codebase_search", '{"query": "x", "limt": 1}'], "`limt`", "did you mean `limit`?"
    ),
    wrong(
        ["call", "codebase_search", '{"query": "x", "directory": "shp"}'],
        "no folder `shp`",
        "`shop`",
    ),
    wrong(["call", "codebase_search", "-"], "standard input is empty", "JSON", stdin=""),
    line("call --schemas mistral7", "`mistral7`", "one of "),
    line("call --schemas openai --tools nothing", "no set of tools `nothing`", "there are compact"),
    line("install cluade", "invalid value `cluade` for `AGENT`", "did you mean `claude`?"),
    line("install", "`AGENT` is missing", "codecairn install"),
    line("uninstall", "which host", "--all"),
    line("uninstall --data", "`--data`", "add `--all`"),
    line("uninstall zed --all", "`--all`", "name none"),
    line("mcp --tools nonsense", "`nonsense`", "compact"),
    line("config get search.limt", "`search.limt`", "did you mean `search.limit`?"),
    line("config set search.limit ten", "`search.limit` must be an integer", "number of results"),
    line("config set search.limit -5", "no such option `-5`", "`-- -5`"),
    line("config set nonsense 1", "`nonsense`", "codecairn config list"),
    line("config set search.limit", "`VALUE` is missing", "codecairn config set KEY VALUE"),
    line("config import nofile.json", "can't read `nofile.json`", "check that it is there", code=1),
    line("eval run nofile.json", "can't read `nofile.json`", "check that it is there", code=1),
    line("eval run bad.json", "`bad.json` is no JSON", "codecairn eval run --help"),
    line("eval run blob.bin", "`blob.bin` is not UTF-8", "codecairn eval run --help"),
    line("eval run shop", "file `shop` is a directory", "codecairn eval run --help"),
    line("eval sweep questions.json", "`--vary` is missing", "--vary KEY=VALUE"),
    line("eval sweep questions.json --vary limit", "`limit` varies nothing", "such as"),
    line("eval sweep questions.json --vary nonsense.key=1", "`nonsense.key`", "config list"),
    line("eval compare a.json b.json", "can't read `a.json`", "check that it is there", code=1),
)

BYTES_AND_FILES = (
    wrong(["search", "\udcff"], "`QUERY` is not UTF-8 text", "write it in UTF-8"),
    wrong(["search", "x", "--glob", "\udcff"], "`--glob` is not UTF-8 text", "write it in UTF-8"),
    wrong(["search", "x", "--dir", "\udcff"], r"no folder `\udcff`", "there are"),
    wrong(["memory", "add", "a \udcff"], "`TEXT` is not UTF-8 text", "write it in UTF-8"),
    line("eval run /dev/zero", "`/dev/zero` is a device", "name a file", code=1),
    line("memory import /dev/zero", "`/dev/zero` is a device", "name a file", code=1),
    line("memory import --from json /dev/zero", "`/dev/zero` is a device", "name a file", code=1),
    line("search x --path linked", "`search.limit` must be", "number of results"),
    line("search x --path broken", "is not TOML", "codecairn config path"),
    line("search x --path devices", "can't read", "codecairn config path"),
    line("memory add x --anchor ../../etc/passwd", "no symbol, file or line", "for example"),
    line("memory demote fzzzz", "`fzzzz`", "codecairn memory list"),
    line("similar shop:1", "`shop` is not indexed", "give a line of a definition"),
    line("schema serach", "no command `serach` prints JSON", "did you mean `search`?"),
)

MISTAKES = (
    *NAMES_AND_OPTIONS, *VALUES, *FOLDERS, *HISTORY_AND_GRAPH, *MEMORY, *TOOLS_HOSTS_SETTINGS, *BYTES_AND_FILES,
)  # fmt: skip


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
            made.write("linked/.codecairn.toml", '[search]\nlimit = "x"\n')
            made.write("broken/.codecairn.toml", "[search\n")
            (root / "devices").mkdir()
            (root / "devices/.codecairn.toml").symlink_to("/dev/zero")
            for folder in ("linked", "broken", "devices"):
                (root / folder / ".git").mkdir()
    return tmp_path


def _contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, except what git and an index keep for themselves."""
    found = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each not in {".git", "stores"}]
        for name in set(files) - {"key"}:
            file = Path(place) / name
            found[str(file)] = b"" if file.is_symlink() else file.read_bytes()
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


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["search", "x", "--path", "closed"], "can't open", ""),
        (["status", "--path", "closed"], "can't open", ""),
        (["eval", "run", "closed.json"], "file `closed.json` is not readable", "--help"),
        (["memory", "import", "closed.json"], "can't read `closed.json`", "that you may read"),
        (["visualize", "--output", "readonly/page.html"], "can't write `readonly/page.html`", "another place"),
        (["config", "set", "search.limit", "5", "--path", "readonly"], "can't write", ""),
    ],
)  # fmt: skip
def test_what_may_not_be_read_or_written_is_named(
    arguments: list[str], message: str, hint: str, tmp_path: Path
) -> None:
    project = Repository.make(tmp_path / "project")
    project.write_all(SMALL_PROJECT)
    project.write("closed.json", "[]").chmod(0)
    for name, mode in (("closed", 0), ("readonly", 0o555)):
        (project.root / name).mkdir()
        (project.root / name / ".git").mkdir()
        (project.root / name).chmod(mode)
    home = tmp_path / "their-home"
    home.mkdir()
    home.chmod(0o777)
    for folder in (tmp_path, *tmp_path.parents[:3], project.root):
        folder.chmod(0o755)
    environment = {"HOME": str(home), "CODECAIRN_HOME": str(home / "codecairn")}
    done = run(*arguments, cwd=project.root, environment=environment, prefix=as_nobody())
    (project.root / "closed").chmod(0o755)
    lines = done.err.splitlines()
    assert [each.partition(": ")[0] for each in lines] == ["error", "hint"], done.err
    assert message in lines[0]
    assert hint in lines[1]
    assert (done.code, done.out) == (2 if arguments[0] in {"eval", "config"} else 1, "")
