"""The bench of a newcomer's first hour sees what a person sees, and counts mistakes and missing remedies."""

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("a terminal of POSIX", allow_module_level=True)

from benches.newcomer import first_hour
from benches.newcomer.__main__ import figures
from benches.newcomer.first_hour import Walk
from benches.newcomer.page import PAGE, parts
from benches.newcomer.terminal import Shell, seen
from benches.pages import fill


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A home whose `codecairn` answers as a fixed program does."""
    program = tmp_path / "home" / "venv" / "bin" / "codecairn"
    program.parent.mkdir(parents=True)
    program.write_text(_PROGRAM)
    program.chmod(0o755)
    return Shell.make(tmp_path / "home")


def test_a_line_is_seen_as_it_was_drawn_last() -> None:
    drawn = "\x1b[1mindexing\x1b[0m 1 %\rindexing 50 %\rindexed 3 files\r\n\x1b]8;;x\x07link\x1b]8;;\x07\r\n\r\n"
    assert seen(drawn) == "indexed 3 files\nlink"


def test_a_command_has_a_terminal_and_nothing_else_of_this_environment(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_HOME", "/somewhere")
    script = "test -t 1 && stty size <&1; env | sort | cut -d= -f1; read line || echo none"
    ran = shell.run(["/bin/sh", "-c", script], shell.home)
    names = ran.text.split()
    assert names[:2] == ["40", "100"]
    assert names[-1] == "none"
    assert {*names[2:-1]} - {"_", "PWD", "SHLVL", "OLDPWD"} == {
        "HOME",
        "PATH",
        "LANG",
        "TERM",
        "PAGER",
    }


def test_silence_is_the_longest_pause(shell: Shell) -> None:
    ran = shell.run(["/bin/sh", "-c", "echo a; sleep 0.3; echo b"], shell.home)
    assert ran.seconds >= ran.silence >= 0.29


def test_mistakes_and_missing_remedies_are_counted(shell: Shell, tmp_path: Path) -> None:
    walk = Walk(shell, tmp_path)
    walk.step("first answer", "codecairn", "works")
    walk.step("check", "codecairn", "fails", exits=(0, 3))
    walk.step("broken", "codecairn", "fails")
    walk.phase = "mistakes"
    walk.mistakes(["fails"], ["hints"], ["works"])
    found = {
        figure.measure.partition(": ")[2]: figure.value for figure in figures(walk.hour, "wheel")
    }
    assert found["unexpected exit codes"] == 2  # `broken`, and a mistake that passes
    assert found["failures without a remedy"] == 2  # `broken` and the first mistake
    assert found["lines printed"] == 7
    assert walk.hour.steps[0].output == ["answer in PROJECT"]
    assert walk.hour.seconds_until("first answer") == walk.hour.steps[0].seconds


def test_installation_from_source_is_what_readme_names(tmp_path: Path) -> None:
    readme = "cd x && .venv/bin/pip install -v . && .venv/bin/codecairn search"
    (tmp_path / "README.md").write_text(readme)
    assert first_hour._install_words(tmp_path) == ["install", "-v", "."]
    assert first_hour._install_words(Path(__file__).parents[2])[0] == "install"


def test_page_of_the_first_hour_is_made_from_the_runs() -> None:
    """If this fails: `python -m benches.newcomer.page`."""
    page = PAGE.read_text(encoding="utf-8")
    assert fill(page, parts()) == page


def test_a_part_without_its_place_is_an_error() -> None:
    with pytest.raises(ValueError, match="`figures`"):
        fill("<!-- steps -->\n<!-- end of steps -->\n", {"figures": "1"})


_PROGRAM = """#!/bin/sh
case $1 in
works) echo "answer in $PWD" ;;
hints) echo "error: no"; echo "hint: do that"; exit 2 ;;
*) echo "error: no"; exit 3 ;;
esac
"""
