"""What a person sees in a terminal: answers that fit, colours, links and the pager."""

import os
import sys
from pathlib import Path

import pytest

from support.command import run
from support.repository import Repository
from support.terminal import Shown, show

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")


def _module(word: str) -> str:
    """A class with many methods, and functions that are longer than their share of a screen."""
    methods = "".join(
        f'    def read_{word}_{n}(self, token: str) -> str:\n        """Read."""\n        return token\n\n'
        for n in range(20)
    )
    body = "".join(f"    step_{n} = token + {n}\n" for n in range(30))
    return (
        f"class {word.title()}Reader:\n{methods}\n\n"
        f"def verify_{word}_token(token: int) -> int:\n{body}    return token  # verified {word}\n"
    )


@pytest.fixture
def project(repository: Repository) -> Repository:
    repository.write_all({f"src/{word}/{word}.py": _module(word) for word in WORDS})
    repository.commit()
    run("index", "--quiet", cwd=repository.root)
    return repository


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40), (60, 15)])
@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "where are tokens verified"),
        ("search", "reader"),
        ("similar", "src/alpha/alpha.py:90"),
        ("define", "token"),
        ("peek", "verify token"),
    ],
)
def test_answer_fits_the_screen(
    project: Repository, arguments: tuple[str, ...], columns: int, rows: int
) -> None:
    limit = ("--limit", str(min(8, rows - 6))) if arguments[0] == "peek" else ()
    shown = show(*arguments, *limit, cwd=project.root, columns=columns, rows=rows)
    assert shown.code == 0
    assert len(shown.lines) <= rows - 2
    assert max(map(len, shown.lines)) <= columns
    assert all(line == line.rstrip() for line in shown.lines)


def _hits(shown: Shown) -> list[tuple[str, int]]:
    """The place of each hit, and how many lines of code it has."""
    hits: list[tuple[str, int]] = []
    for line in shown.lines:
        if line.startswith("src/"):
            hits.append((line.split(" ")[0], 0))
        elif "│" in line or "⋮" in line:
            hits[-1] = (hits[-1][0], hits[-1][1] + 1)
    return hits


def test_first_of_five_hits_has_the_most_lines_and_the_rest_is_counted(
    project: Repository,
) -> None:
    shown = show("search", "where are tokens verified", cwd=project.root)
    sizes = [size for _, size in _hits(shown)]
    assert len(sizes) == 5
    assert sizes[0] == max(sizes) > sizes[-1] >= 1
    assert shown.lines[-1] == "5 of 8 shown; `--limit 8` shows all"


def test_limit_and_settings_decide_how_many_are_shown(project: Repository) -> None:
    asked = show("search", "token", "--limit", "7", "--no-pager", cwd=project.root)
    assert len(_hits(asked)) == 7
    assert "shown;" not in asked.text
    two = {"CODECAIRN_SEARCH_SCREEN_LIMIT": "2"}
    assert len(_hits(show("search", "token", cwd=project.root, environment=two))) == 2
    document = run("search", "token", "--json", cwd=project.root, environment=two).document
    assert len(document["results"]) == 8


def test_pipe_gets_results_on_one_stream_and_notes_on_the_other(project: Repository) -> None:
    piped = run("search", "where are tokens verified", cwd=project.root)
    assert piped.out.startswith("src/")
    assert "\x1b" not in piped.out + piped.err
    assert len(piped.out.splitlines()) <= 40
    assert piped.err.splitlines()[-1] == "note: 5 of 8 shown; `--limit 8` shows all"
    quiet = run("search", "where are tokens verified", "--quiet", cwd=project.root)
    assert (quiet.out, quiet.err) == (piped.out, "")


def test_class_that_is_too_long_shows_its_outline(project: Repository) -> None:
    shown = show("define", "AlphaReader", cwd=project.root)
    assert shown.lines[0].endswith("class AlphaReader, 20 members")
    assert shown.lines[1] == "   1 │ class AlphaReader:"
    assert shown.lines[2] == "   2 │     def read_alpha_0(self, token: str) -> str"
    assert "Read." not in shown.text


def test_words_of_the_query_are_marked(project: Repository) -> None:
    shown = show("search", "where are tokens verified", cwd=project.root)
    assert "\x1b[1;4mtoken\x1b[0m" in shown.raw
    assert "\x1b[1;4;34mverify\x1b[0m" in shown.raw


@pytest.mark.parametrize(
    ("flags", "environment", "is_colored"),
    [
        ((), {}, True),
        (("--color", "never"), {}, False),
        (("--color=always",), {"NO_COLOR": "1"}, True),
        ((), {"NO_COLOR": "1"}, False),
        ((), {"CLICOLOR": "0"}, False),
        ((), {"TERM": "dumb"}, False),
    ],
)
@pytest.mark.parametrize(
    "arguments",
    [("search", "token"), ("status",), ("graph", "callers", "verify_alpha_token")],
)
def test_colours_follow_one_rule(
    project: Repository,
    arguments: tuple[str, ...],
    flags: tuple[str, ...],
    environment: dict[str, str],
    is_colored: bool,
) -> None:
    shown = show(*arguments, *flags, cwd=project.root, environment=environment)
    if arguments[0] == "graph":
        assert is_colored or "\x1b" not in shown.raw
    else:
        assert ("\x1b[" in shown.raw) is is_colored


def test_colours_can_be_forced_into_a_pipe(project: Repository) -> None:
    piped = run("search", "token", "--color", "always", cwd=project.root)
    assert "\x1b[1;36m" in piped.out
    assert run("search", "token", cwd=project.root, environment={"FORCE_COLOR": "1"}).out == piped.out  # fmt: skip
    wide = run("define", "read_alpha_0", "--color", "always", cwd=project.root)
    assert "…" not in wide.out


def test_paths_and_links_lead_from_where_one_stands(project: Repository) -> None:
    shown = show("define", "verify_beta_token", cwd=project.root / "src" / "alpha")
    place = shown.lines[0].split(" ")[0]
    assert place.startswith("../beta/beta.py:")
    line = place.split(":")[1].split("-")[0]
    host = os.uname().nodename
    file = project.root / "src/beta/beta.py"
    assert set(shown.links[:2]) == {f"file://{host}{file}#{line}"}
    plain = run("define", "verify_beta_token", "--json", cwd=project.root / "src")
    assert plain.document["results"][0]["path"] == "src/beta/beta.py"


def test_hostile_names_stay_inside_their_link(repository: Repository) -> None:
    evil = "src/\x1b\\\x1b]0;owned\x07\x1b[31m#;`id`.py"
    repository.write(evil, "def unusual_name(value):\n    return '\x1b]0;owned\x07'\n")
    repository.write("a\nb.py", "def unusual_name(other):\n    return other\n")
    run("index", "--quiet", cwd=repository.root)
    shown = show("define", "unusual_name", cwd=repository.root)
    assert len([line for line in shown.lines if "unusual_name" in line and "def" not in line]) == 2
    assert "\x07" not in shown.raw
    # What is left when links and colours are taken out holds no control character at all.
    assert all(line.isprintable() for line in shown.lines)
    assert "\\x1b\\\\x1b]0;owned\\x07\\x1b[31m#;`id`.py:1" in shown.text.replace("\n", "")


@pytest.fixture
def pager(tmp_path: Path) -> Path:
    """A pager that keeps what it is given."""
    script = tmp_path / "pager"
    script.write_text(
        f'#!/bin/sh\necho "arguments: $*"\ncat > {tmp_path}/paged\nexit "${{1:-0}}"\n'
    )
    script.chmod(0o755)
    return script


def test_answer_longer_than_the_screen_goes_through_the_pager(
    project: Repository, pager: Path
) -> None:
    environment = {"PAGER": "no-such-pager", "CODECAIRN_PAGER": f"{pager} 0 '$(id)' ;"}
    shown = show("search", "token", "--limit", "8", cwd=project.root, environment=environment)
    assert shown.text == "arguments: 0 $(id) ;\n"
    paged = (pager.parent / "paged").read_text()
    assert "src/alpha/alpha.py" in paged
    assert "\x1b[1;36m" in paged
    assert "\x1b]8" not in paged


@pytest.mark.parametrize("named", ["no-such-pager", "", "cat", "'", "{pager} 3", "/dev/null"])
def test_without_a_pager_that_works_the_answer_is_printed(
    project: Repository, pager: Path, named: str
) -> None:
    environment = {"PAGER": named.format(pager=pager)}
    shown = show("search", "token", "--limit", "8", cwd=project.root, environment=environment)
    assert len(_hits(shown)) == 8
    assert shown.code == 0


@pytest.mark.parametrize("arguments", [("define", "AlphaReader"), ("search", "token", "--limit", "8", "--no-pager"), ("search", "token", "--limit", "8", "--json")])  # fmt: skip
def test_pager_is_left_alone(project: Repository, pager: Path, arguments: tuple[str, ...]) -> None:
    show(*arguments, cwd=project.root, environment={"PAGER": str(pager)})
    assert not (pager.parent / "paged").exists()


def test_command_without_a_keyboard_never_waits_in_a_pager(
    project: Repository, pager: Path
) -> None:
    environment = {"PAGER": str(pager)}
    arguments = ("search", "token", "--limit", "8")
    shown = show(*arguments, cwd=project.root, environment=environment, has_keyboard=False)
    assert len(_hits(shown)) == 8
    assert not (pager.parent / "paged").exists()


def test_pipe_never_has_a_pager(project: Repository, pager: Path) -> None:
    run("search", "token", "--limit", "8", cwd=project.root, environment={"PAGER": str(pager)})
    assert not (pager.parent / "paged").exists()


def test_less_shows_the_beginning_and_waits(project: Repository) -> None:
    shown = show("search", "token", "--limit", "8", cwd=project.root, keys="q")
    assert shown.code == 0
    assert "src/" in shown.text


CALLS = {
    "pay/base.py": "def charge(card):\n    return card\n",
    "pay/api.py": "from pay.base import charge\n\n\ndef pay(card):\n    return charge(card)\n",
}


@pytest.mark.parametrize("symbol", ["charge", "base.py::charge", "./base.py:1", "pay/base.py::charge"])  # fmt: skip
def test_graph_is_asked_and_shown_from_where_one_stands(
    repository: Repository, symbol: str
) -> None:
    repository.write_all(CALLS)
    here = repository.root / "pay"
    run("index", "--quiet", cwd=here)
    shown = show("graph", "callers", symbol, cwd=here, columns=120)
    assert shown.lines == [
        "base.py:1-2  function charge",
        "",
        "used by:",
        "  api.py:1  at the top of the file  import charge  [import]",
        "  api.py:5  in pay  call charge  [import]",
    ]
    assert shown.links[0] == f"file://{os.uname().nodename}{here}/base.py#1"
    document = run("graph", "callers", symbol, "--json", cwd=here).document
    assert document["uses"][0]["path"] == "pay/api.py"


def test_sentences_go_on_where_places_are_cut(repository: Repository) -> None:
    repository.write_all(CALLS)
    run("index", "--quiet", cwd=repository.root)
    shown = show("uses", "charge", cwd=repository.root, columns=40)
    assert shown.lines[:2] == [
        "`charge` stands in 3 places of 2 files:",
        "  definition 1, call 1, import 1",
    ]
    assert max(map(len, shown.lines)) <= 40
    assert any(line.endswith("…") for line in shown.lines)
