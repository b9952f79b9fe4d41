"""The manual page and the completion of shells have every command and option."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from codecairn.cli.app import app
from codecairn.cli.man import manual_page
from support.command import run

PAGE = manual_page(app)


def _rendered() -> str:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is missing")
    done = subprocess.run(
        [groff, "-man", "-Tutf8", "-ww", "-rLL=100n", "-P-cbou"], input=PAGE, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def _commands(command: click.Command, words: str) -> list[tuple[str, click.Command]]:
    found = [(words, command)]
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            found += _commands(inner, f"{words} {name}")
    return found


ALL = _commands(app, "codecairn")


def test_page_has_an_entry_for_every_command_and_option() -> None:
    sections = dict(re.findall(r'\.SS "(.*?)"\n(.*?)(?=\n\.S[SH] )', PAGE, re.DOTALL))
    assert set(sections) == {words.replace("-", "\\-") for words, _ in ALL[1:]}
    for words, command in ALL[1:]:
        text = sections[words.replace("-", "\\-")].replace("\\-", "-")
        for param in command.params:
            if isinstance(param, click.Option) and not param.hidden:
                assert all(f"{name}" in text for name in param.opts), (words, param.name)


def test_page_renders_without_a_warning() -> None:
    text = " ".join(_rendered().split())
    assert "CODECAIRN(1)" in text
    assert "How many results at most. [1 or more; default: 10 (search.limit)]" in text
    assert "昨天" in text
    assert "codecairn search 'where are tokens verified'" in text
    assert 'codecairn call codebase_search \'{"query": "where are tokens verified"}\'' in text


def test_lines_of_texts_are_no_requests_of_roff() -> None:
    assert not re.search(r"^\.(?!TH|SH|SS|TP|PP|B |I |RI |nf|fi)", PAGE, re.MULTILINE)
    assert not re.search(r"^'", PAGE, re.MULTILINE)


SHARE = Path(__file__).parents[2] / "packaging/data/share"


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (["man"], "man/man1/codecairn.1"),
        (["completion", "bash"], "bash-completion/completions/codecairn"),
        (["completion", "zsh"], "zsh/site-functions/_codecairn"),
        (["completion", "fish"], "fish/vendor_completions.d/codecairn.fish"),
    ],
)
def test_files_that_the_wheel_installs_are_up_to_date(
    arguments: list[str], file: str, tmp_path: Path
) -> None:
    written = (SHARE / file).read_text(encoding="utf-8")
    assert run(*arguments, cwd=tmp_path).out == written, "run `make man`"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("codecairn sea", "search"),
        ("codecairn memory ad", "add"),
        ("codecairn graph hu", "hubs"),
        ("codecairn search --lim", "--limit"),
        ("codecairn search x --kind fun", "function"),
        ("codecairn install cla", "claude"),
    ],
)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_options_and_values(
    shell: str, typed: str, offered: str, tmp_path: Path
) -> None:
    words = typed.split()
    environment = {
        "_CODECAIRN_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words) - 1),
    }
    outcome = run(cwd=tmp_path, environment=environment)
    assert outcome.err == ""
    assert offered in re.split(r"[\s,]+", outcome.out)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_sound(shell: str, tmp_path: Path) -> None:
    script = run("completion", shell, cwd=tmp_path)
    assert script.code == 0
    assert "_CODECAIRN_COMPLETE" in script.out
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is missing")
    file = tmp_path / "script"
    file.write_text(script.out)
    done = subprocess.run(
        [program, "-n", str(file)], capture_output=True, text=True, check=False, env=os.environ
    )
    assert (done.returncode, done.stderr) == (0, "")
