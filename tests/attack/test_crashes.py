"""Files that end, or once ended, a process that reads them: no scanner can be made to, and no file does it twice."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.paths.user import data_folder
from support.command import command, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes die otherwise there")

LENGTHS = (15, 16, 17, 127, 128, 255, 256, 257, 300, 512, 1016, 1018, 1019, 1020, 1024, 2000)
"""Lengths at which a byte, or the space for a scanner's state, is full."""

FORMS = {
    "a.rb": "a = <<{d}\nb #{{c}}\n{d}\n",
    "b.rb": "f(<<~'{d}', <<-\"{d}2\", <<{d}3)\n",
    "a.sh": "cat <<{d} <<-'{d}2'\na $b\n{d}\n\t{d}2\n",
    "a.php": "<?php\n$a = <<<{d}\n{{$b}}\n{d};\n$c = <<<'{d}2'\n{d}2;\n",
    "a.cpp": 'auto a = R"{d}(b){d}";\n',
    "a.lua": "local a = [{e}[b]{e}]\n--[{e}[c]{e}]\n",
    "a.rs": 'const A: &str = r{h}"b"{h};\n',
    "a.swift": 'let a = {h}"b \\{h}(c)"{h}\n',
    "a.pl": "print <<{d};\n$b\n{d}\nprint <<~'{d}2';\n{d}2\n",
    "a.ml": "let a = {{{l}|b|{l}}}\n",
    "a.tf": "a = <<-{d}\n${{b}}\n{d}\n",
    "a.html": "<{d}-x><p>a</p></{d}-x>\n",
    "a.xml": "<{d}><b/></{d}>\n",
    "a.md": "{g}\na\n{g}\n",
    "a.sql": "SELECT ${d}$ a ${d}$;\n",
    "Dockerfile": "FROM a\nRUN <<{d}\nb\n{d}\n",
    "a.r": 'a <- r"{m}[b]{m}"\n',
    "a.jl": 'a = {d}"b"\n',
}
"""A text of each language whose scanner keeps a delimiter, to be filled in."""


def _write_hostile_texts(root: Path) -> int:
    for length in LENGTHS:
        folder = root / str(length)
        folder.mkdir(parents=True)
        signs = {name: sign * length for name, sign in zip("dehlgm", "A=#a`-", strict=True)}
        for name, form in FORMS.items():
            (folder / name).write_text(form.format(**signs), encoding="utf-8")
        indents = "".join(f"{' ' * depth}if a:\n" for depth in range(min(length, 600)))
        (folder / "a.py").write_text(indents, encoding="utf-8")
        (folder / "a.yaml").write_text("- " * length + "a\n", encoding="utf-8")
        (folder / "b.pl").write_text('print "$a{' * length + "\n", encoding="utf-8")
    return len(LENGTHS) * (len(FORMS) + 3)


def test_no_delimiter_depth_or_count_ends_a_process(tmp_path: Path) -> None:
    count = _write_hostile_texts(tmp_path)
    done = run("index", ".", cwd=tmp_path)
    assert done.code == 0, done.err
    with Workspace.open(tmp_path) as workspace:
        status = workspace.status()
        assert status.files + sum(number for _, number in status.skipped) == count
        assert status.crashed == ()


MARK = "ends-the-parser"
"""A text with it ends a process whose failpoint is armed."""

ENDS = {"abort": signal.SIGABRT, "fail": signal.SIGSEGV}
"""What the failpoint does, and by which signal that ends: an abort, or a stack that is exhausted."""


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """A folder with a sound file and two hostile ones of equal bytes."""
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "sound.py").write_text("def sound():\n    return 1\n", encoding="utf-8")
    for name in ("a.py", "b.py"):
        (folder / name).write_text(
            f"# {MARK}\ndef hostile():\n    return 'glasswort'\n", encoding="utf-8"
        )
    yield folder
    (data_folder() / "crashes").unlink(missing_ok=True)


def _run(root: Path, *arguments: str, action: str = "abort") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(*arguments), cwd=root, env=os.environ | {"CAIRN_FAILPOINT": f"parse.marked={action}"},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


@pytest.mark.failpoints
@pytest.mark.parametrize("action", ENDS)
def test_file_that_ended_a_process_does_not_end_the_next(root: Path, action: str) -> None:
    assert _run(root, "index", ".", action=action).returncode == -ENDS[action]
    again = _run(root, "index", ".", action=action)
    assert again.returncode == 0, again.stderr
    name = ENDS[action].name
    words = f"2 files cut by lines, as parsing ended a process: a.py ({name}), b.py ({name})"
    assert words in again.stdout
    assert words in run("doctor", cwd=root).out
    assert words in run("status", cwd=root).out
    listed = [{"path": path, "signal": name} for path in ("a.py", "b.py")]
    for report in ("index", "status", "doctor"):
        assert run(report, "--json", cwd=root).document["crashed"] == listed, report
    with Workspace.open(root) as workspace:
        assert workspace.status().unparsed == ()
        assert [hit.path for hit in workspace.search("glasswort").hits][:2] == ["a.py", "b.py"]
        assert workspace.search("sound").hits[0].name == "sound"
    log = data_folder() / "crashes"
    assert log.stat().st_mode & 0o777 == 0o600
    assert log.read_text(encoding="ascii").count("\n") == 1
    assert not list(root.rglob("crashes"))


@pytest.mark.failpoints
def test_only_the_text_that_ended_the_process_is_noted(root: Path) -> None:
    # Parsed at the same time, on as many threads as there are cores.
    for name in ("c.py", "d.rb"):
        (root / name).write_text(f"# {MARK} {name}\n", encoding="utf-8")
    for number in range(40):
        (root / f"sound{number}.py").write_text(
            f"def sound{number}():\n    return {number}\n", encoding="utf-8"
        )
    for ended in range(1, 4):
        assert _run(root, "index", ".").returncode == -signal.SIGABRT
        lines = (data_folder() / "crashes").read_text(encoding="ascii").splitlines()
        assert len(lines) == len(set(lines)) == ended
    document = run("index", ".", "--json", cwd=root).document
    assert [crash["path"] for crash in document["crashed"]] == ["a.py", "b.py", "c.py", "d.rb"]


@pytest.mark.failpoints
def test_file_that_ended_a_process_is_parsed_again_once_it_changes_or_is_forgotten(
    root: Path,
) -> None:
    _run(root, "index", ".")
    assert _run(root, "index", ".").returncode == 0
    (root / "a.py").write_text("def mended():\n    return 1\n", encoding="utf-8")
    assert run("index", ".", "--json", cwd=root).document["crashed"] == [
        {"path": "b.py", "signal": "SIGABRT"}
    ]
    log = data_folder() / "crashes"
    log.write_text(log.read_text(encoding="ascii").replace("+", "+9"), encoding="ascii")
    assert run("index", ".", "--json", cwd=root).document["crashed"] == []
    with Workspace.open(root) as workspace:
        names = {hit.name for word in ("mended", "hostile") for hit in workspace.search(word).hits}
    assert {"mended", "hostile"} <= names


@pytest.mark.failpoints
@pytest.mark.parametrize("arguments", [("search", "sound"), ("index", ".", "--dry-run")])
def test_all_that_parses_is_guarded(root: Path, arguments: tuple[str, ...]) -> None:
    if arguments[0] == "search":
        for name in ("a.py", "b.py"):
            (root / name).rename(root / f"{name}.aside")
        run("index", ".", cwd=root)
        (root / "a.py.aside").rename(root / "a.py")
    assert _run(root, *arguments).returncode == -signal.SIGABRT
    assert _run(root, *arguments).returncode == 0


@pytest.mark.failpoints
def test_anchor_of_a_file_that_ended_a_process_is_taken_from_its_lines(root: Path) -> None:
    script = (
        "import sys\nfrom codecairn import Workspace\n"
        "with Workspace.open('.') as workspace:\n"
        "    workspace.memory.add('The hostile file is kept', anchors=['a.py'])\n"
    )
    environment = os.environ | {"CAIRN_FAILPOINT": "parse.marked=abort"}
    codes = [
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=root,
            env=environment,
            capture_output=True,
            check=False,
        ).returncode
        for _ in range(2)
    ]
    assert codes == [-signal.SIGABRT, 0]


@pytest.mark.parametrize(
    "number", [signal.SIGABRT, signal.SIGSEGV, signal.SIGTERM, signal.SIGKILL, signal.SIGINT]
)
def test_signal_from_outside_says_nothing_about_a_file(
    tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "a.cs").write_text(
        "a<b," * 20 + "\n" + ("a<b," * 20 + "\n") * 12_000, encoding="utf-8"
    )
    process = subprocess.Popen(
        command("index", "."), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and not list(data_folder().glob("stores/*/index.db")):
        pass
    process.send_signal(number)
    process.wait(timeout=60)
    assert not (data_folder() / "crashes").exists()
