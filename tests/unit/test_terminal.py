"""What a stream can show, and how paths are shown on it."""

import io
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn.cli.code_color import colored_lines
from codecairn.cli.hit_format import shared_lines
from codecairn.cli.output import CUT, Line, Printer
from codecairn.cli.pager import pager_arguments
from codecairn.cli.shown_paths import ShownPaths
from codecairn.cli.terminal import Screen, has_color
from codecairn.core.text_format import visible
from codecairn.search.excerpt import QueryWords


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "on_terminal", "in_pipe"),
    [
        ({}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"CLICOLOR_FORCE": "1", "CLICOLOR": "0"}, True, True),
        ({"CLICOLOR": "0"}, False, False),
        ({"CLICOLOR": "1"}, True, False),
    ],
)
def test_variables_decide_about_colours(
    environment: dict[str, str], on_terminal: bool, in_pipe: bool
) -> None:
    assert has_color(Terminal(), environment) is on_terminal
    assert has_color(io.StringIO(), environment) is in_pipe


@pytest.mark.parametrize("choice", [True, False])
def test_option_wins_over_every_variable(choice: bool) -> None:
    with click.Context(click.Command("any")) as context:
        context.color = choice
        for environment in ({"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}, {"TERM": "dumb"}):
            assert has_color(Terminal(), environment) is choice


def _printed(lines: list[Line], *, columns: int, indent: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:  # fmt: skip
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    Printer(stream).lines(lines, indent=indent)
    return stream.getvalue().splitlines()


def test_line_that_is_too_wide_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[Line] = [("x" * 9, ("y" * 9, "bold")), ("版本" * 9,), ("short",), ("\tx",)]
    assert _printed(lines, columns=10, indent=CUT, monkeypatch=monkeypatch) == [
        "xxxxxxxxx…", "版本版本 …", "short", "    x",
    ]  # fmt: skip


def test_cut_is_marked_in_ascii_where_the_stream_has_no_other_mark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Ascii(Terminal):
        encoding = "ascii"  # type: ignore[assignment]

    monkeypatch.setenv("COLUMNS", "8")
    monkeypatch.setenv("TERM", "dumb")
    stream = Ascii()
    Printer(stream).lines([("4 │ ", "x" * 9)], indent=CUT)
    assert stream.getvalue() == "4 | xxx~\n"


def _texts(text: str, language: str) -> list[str]:
    lines = colored_lines(text, language=language, words=QueryWords("token"))
    return ["".join(part if isinstance(part, str) else part[0] for part in line) for line in lines]


CODE = (
    "",
    "\n\n",
    "  def f(token):\r\n\treturn '\x1b[31m'\n",
    "x" * 5_000,
    "'''\n# ü 版本 token\n\n",
)


@pytest.mark.parametrize("language", ["python", "rust", "markdown", "astro", "no-such-language"])
@pytest.mark.parametrize("text", CODE)
def test_colours_change_no_character_of_code(text: str, language: str) -> None:
    assert _texts(text, language) == [visible(line.rstrip()) for line in text.split("\n")]


def test_long_lines_have_marks_and_no_colours() -> None:
    text = "def token" + " " * 5_000 + "x"
    (line,) = colored_lines(text, language="python", words=QueryWords("token"))
    assert [part[1] for part in line] == ["none", "bold underline", "none"]


def test_line_that_is_too_wide_goes_on_below_its_column(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[Line] = [(("name  ", "bold"), "one two three four"), (("name  ", "bold"), "one")]
    assert _printed(lines, columns=16, indent=6, monkeypatch=monkeypatch) == [
        "name  one two", "      three four", "name  one",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("name  one 1 kB, two 2 kB", ["name  one 1 kB,", "      two 2 kB"]),
        ("name  a, one two three", ["name  a, one two", "      three"]),
        ("name  one_two_three", ["name  one_two_three"]),
        ("name  /a/long/path/of/a/file (x)", ["name  /a/long/path/of/a/file", "      (x)"]),
        ("name  版本 版本版本", ["name  版本", "      版本版本"]),
        ("      in a column of its own", ["      in a", "      column of", "      its own"]),
    ],
)
def test_list_is_broken_after_an_item_and_a_path_not_at_all(
    text: str, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _printed([(text,)], columns=16, indent=6, monkeypatch=monkeypatch) == lines


@pytest.mark.parametrize(
    ("folder", "path", "shown"),
    [
        ("/w", "a/b.py", "a/b.py"),
        ("/w/a", "a/b.py", "b.py"),
        ("/w/a/c", "a/b.py", "../b.py"),
        ("/", "a/b.py", "w/a/b.py"),
        ("/v", "a/b.py", "/w/a/b.py"),
        ("/w", "/other/b.py", "/other/b.py"),
        ("/w/a", "/w/b.py", "../b.py"),
        ("/wa", "a/b.py", "/w/a/b.py"),
    ],
)
def test_paths_are_relative_to_where_one_stands(folder: str, path: str, shown: str) -> None:
    assert ShownPaths(Path("/w"), Path(folder)).relative(path) == shown


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1))
def test_no_file_name_ends_the_sequence_of_its_link(name: str) -> None:
    url = ShownPaths(Path("/w"), Path("/w")).url(name, 3)
    assert url.isascii()
    assert url.isprintable()
    assert url.startswith("file://")
    assert url.endswith("#3")
    assert not set(url) & set(" ;\\\"'`$\x07\x1b")
    assert url.count("#") == 1


def test_name_that_is_no_unicode_has_a_link() -> None:
    url = ShownPaths(Path("/w"), Path("/w")).url("a\udcff b", 1)
    assert url.endswith("/w/a%FF%20b#1")


def _program(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def test_pager_is_named_by_variables_and_split_without_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    less, more = _program(tmp_path / "bin", "less"), _program(tmp_path / "bin", "more")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    workspace = tmp_path / "workspace"
    workspace.mkdir()

    def chosen(**environment: str) -> list[str]:
        return pager_arguments(environment, folder=workspace)

    assert chosen() == [str(less)]
    assert chosen(PAGER="more -c '$(touch x)' ; less") == [
        str(more), "-c", "$(touch x)", ";", "less",
    ]  # fmt: skip
    assert chosen(PAGER="more", CODECAIRN_PAGER="less -R") == [str(less), "-R"]
    assert chosen(PAGER=str(more)) == [str(more)]
    for none in ("", "cat", "missing", "unclosed '", "./more"):
        assert chosen(PAGER=none) == []


def test_no_pager_comes_from_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path / "bin", "less")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(tmp_path)
    for path in ("bin", str(tmp_path / "bin")):
        monkeypatch.setenv("PATH", path)
        assert pager_arguments({}, folder=tmp_path) == []


def test_size_of_a_pipe_is_fixed_and_its_lines_have_no_limit() -> None:
    assert Screen.of(io.StringIO()).width is None
    assert Screen.of(io.StringIO()).height == 40


@pytest.mark.parametrize(
    ("lengths", "rows", "shares"),
    [
        ([], 5, []),
        ([9, 9, 9], 0, [1, 1, 1]),
        ([9, 9, 9], 3, [1, 1, 1]),
        ([9, 9, 9], 10, [4, 3, 3]),
        ([2, 9, 9], 10, [2, 4, 4]),
        ([9, 1, 1], 10, [8, 1, 1]),
        ([99, 99], 99, [16, 10]),
        ([0, 9], 4, [0, 4]),
    ],
)
def test_first_hit_gets_most_of_the_rows(lengths: list[int], rows: int, shares: list[int]) -> None:
    assert shared_lines(lengths, rows) == shares


@given(st.lists(st.integers(0, 40), max_size=9), st.integers(0, 60))
def test_shares_never_exceed_the_rows_by_more_than_one_line_each(
    lengths: list[int], rows: int
) -> None:
    shares = shared_lines(lengths, rows)
    assert sum(shares) <= max(rows, sum(1 for length in lengths if length))
    assert all(share <= length for share, length in zip(shares, lengths, strict=True))
