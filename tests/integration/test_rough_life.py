"""What surrounds the command: closed and full outputs, poor encodings, other users' stores, full disks, forks."""

import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn import UsageError, Workspace
from codecairn.errors import DiskFull
from support.command import as_nobody, command, run
from support.repository import SMALL_PROJECT, Repository
from support.stores import store_of

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="a matter of POSIX")


@pytest.fixture
def shop(folder: Repository) -> Repository:
    folder.write_all(SMALL_PROJECT)
    return folder


@pytest.fixture
def public_folder(home: Path) -> Iterator[Path]:
    """A folder that an unprivileged user may enter."""
    root = Path(tempfile.mkdtemp(prefix="codecairn-test-"))
    root.chmod(0o755)
    yield root
    shutil.rmtree(root)


@posix_only
@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
@pytest.mark.parametrize("arguments", [("search", "token"), ("similar", "-"), ("search",)])
def test_closed_streams_are_as_good_as_empty_ones(
    shop: Repository, closed: tuple[int, ...], arguments: tuple[str, ...]
) -> None:
    words = " ".join(f"{number}<&-" if number == 0 else f"{number}>&-" for number in closed)
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {words}', "sh", *command(*arguments)],
        cwd=shop.root, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == (0 if arguments == ("search", "token") else 2), done
    assert "internal error" not in done.stderr
    with Workspace.open(shop.root) as workspace:
        assert workspace.doctor() == () if store_of(shop.root).exists() else True


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [("search", "token"), ("--help",), ("config", "list")])
def test_full_output_is_one_clear_message(shop: Repository, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            command(*arguments), cwd=shop.root, stdout=full, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert (
        done.stderr
        == "error: the result can't be written: No space left on device\nhint: free some space, or write it elsewhere\n"
    )


@posix_only
def test_reader_that_leaves_before_the_help_is_no_failure(shop: Repository) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        command("--help"), cwd=shop.root, stdout=writing, stderr=subprocess.PIPE, text=True,
        check=False,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_name_can_be_printed_in_any_encoding(shop: Repository, encoding: str) -> None:
    shop.write("漢字/令牌.py", "def prüfe_das_siegel():\n    return '🎉'\n")
    environment = {"PYTHONIOENCODING": encoding}
    for arguments in (("define", "prüfe_das_siegel"), ("index", "--verbose"), ("status",)):
        outcome = run(*arguments, cwd=shop.root, environment=environment, encoding=encoding)
        assert outcome.code == 0, outcome
    outcome = run("define", "prüfe_das_siegel", "--json", cwd=shop.root, environment=environment)
    assert outcome.document["results"][0]["path"] == "漢字/令牌.py"


def test_message_can_not_steer_the_terminal(shop: Repository) -> None:
    outcome = run("index", "\x1b[31mred\nline", cwd=shop.root)
    assert outcome.code == 1
    assert "`\\x1b[31mred\\x0aline` does not exist" in outcome.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "token", "-n", "99999999999999999999999"),
        ("search", "token", "--context", "99999999999"),
        ("similar", "shop/tokens.py:99999999999999999"),
        ("search", "token", "--path", ""),
        ("index", ""),
        ("index", "~nobody-by-this-name/x"),
    ],
)
def test_values_out_of_reach_are_refused_in_words(
    shop: Repository, arguments: tuple[str, ...]
) -> None:
    outcome = run(*arguments, cwd=shop.root)
    assert outcome.code in (1, 2)
    assert "internal error" not in outcome.err
    assert "rror: " in outcome.err


def test_library_refuses_numbers_that_make_no_sense(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        for limit in (0, -1):
            with pytest.raises(UsageError):
                workspace.search("token", limit=limit)
        assert workspace.search("token", limit=2**70).hits
        with pytest.raises(UsageError):
            workspace.search("token", context_lines=-1)
        assert workspace.search("token", context_lines=2**70).hits
        for line in (-1, 0, 2**70):
            with pytest.raises(UsageError, match="has no code on line"):
                workspace.similar_to("shop/tokens.py", line)
        with pytest.raises(UsageError):
            workspace.refresh(budget_ms=-1)
        assert workspace.refresh(budget_ms=2**70).state == "fresh"


@posix_only
def test_store_of_another_user_is_neither_used_nor_needed(public_folder: Path) -> None:
    shop = Repository(public_folder)
    shop.write_all(SMALL_PROJECT)
    assert run("index", cwd=shop.root, environment={"CODECAIRN_SCOPE": "workspace"}).code == 0
    before = (shop.root / ".codecairn" / "index.db").read_bytes()
    nobody = as_nobody()
    if not nobody:
        pytest.skip("takes the rights of root")
    environment = {"CODECAIRN_HOME": "/nonexistent/user", "HOME": "/nonexistent"}
    outcome = run("search", "token", cwd=shop.root, prefix=nobody, environment=environment)
    assert (outcome.code, "CODECAIRN_HOME" in outcome.err) == (1, True), outcome
    home = public_folder / "home-of-nobody"
    home.mkdir(mode=0o777)
    home.chmod(0o777)
    environment["CODECAIRN_HOME"] = str(home)
    outcome = run("search", "verify token", cwd=shop.root, prefix=nobody, environment=environment)
    assert outcome.out.startswith("shop/tokens.py"), outcome
    told = run("status", cwd=shop.root, prefix=nobody, environment=environment).out
    assert "belongs to another user" in told
    assert (shop.root / ".codecairn" / "index.db").read_bytes() == before


@posix_only
def test_folder_that_can_not_be_entered_is_told(public_folder: Path) -> None:
    closed = public_folder / "closed"
    closed.mkdir(mode=0)
    environment = {"CODECAIRN_HOME": "/nonexistent/user", "HOME": "/nonexistent"}
    outcome = run(
        "index", str(closed), cwd=public_folder, prefix=as_nobody(), environment=environment
    )
    assert outcome.code == 1
    assert outcome.err.startswith(f"error: can't open `{closed}`: Permission denied")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if sys.platform != "linux" or shutil.which("mount") is None:
        pytest.skip("disks are mounted otherwise here")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "codecairn-test", str(disk)],
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip("may not mount a disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_search_answers_from_before_while_the_disk_is_full(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_HOME", str(small_disk / "home"))
    shop = Repository(small_disk / "shop")
    shop.write_all(SMALL_PROJECT)
    with Workspace.open(shop.root) as workspace:
        workspace.index()
    shop.write("late.py", "def late_addition():\n    pass\n")
    filling = small_disk / "filling"
    with filling.open("wb", buffering=0) as file, pytest.raises(OSError, match="space"):
        file.writelines(itertools.repeat(bytes(4096)))
    with Workspace.open(shop.root) as workspace:
        with pytest.raises(DiskFull):
            workspace.index()
        found = workspace.search("verify token")
        assert (found[0].path, found.obstacle) == ("shop/tokens.py", "disk-full")
        assert found.unchecked
    filling.unlink()
    with Workspace.open(shop.root) as workspace:
        assert workspace.search("late addition")[0].path == "late.py"
        assert workspace.doctor() == ()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_child_of_a_fork_searches_and_indexes(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        workspace.index(force=True)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                signal.alarm(20)
                shop.write("late.py", "def late_addition():\n    pass\n")
                found = workspace.search("late addition")[0].path == "late.py"
                with Workspace.open(shop.root) as another:
                    code = 0 if found and another.index(force=True).files else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert workspace.search("late addition")[0].path == "late.py"
        assert workspace.doctor() == ()


@posix_only
def test_current_folder_that_is_gone_is_told(shop: Repository) -> None:
    for arguments in (["search", "token"], ["config", "list"]):
        done = subprocess.run(
            ["/bin/sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh", *command(*arguments)],
            cwd=shop.root, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 1
        assert done.stderr.startswith("error: can't open the current folder: No such file")


def test_removed_folder_of_segments_is_built_again(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        workspace.index()
    shutil.rmtree(store_of(shop.root) / "segments")
    with Workspace.open(shop.root) as workspace:
        assert workspace.search("verify token")[0].path == "shop/tokens.py"
        assert workspace.doctor() == ()


def test_brackets_without_end_do_not_exhaust_the_stack(shop: Repository) -> None:
    for name, opening in (("deep.ts", "{a:\n"), ("deep.js", "(a\n"), ("deep.cpp", "a<(\n")):
        shop.write(name, opening * 60_000)
    assert run("index", cwd=shop.root).code == 0
    assert run("search", "verify token", cwd=shop.root).code == 0


def test_a_folder_whose_only_file_is_left_out_is_sound(repository: Repository) -> None:
    repository.write("one.py", "\x1f")
    with Workspace.open(repository.root) as workspace:
        assert workspace.index().skipped == 1
        assert workspace.doctor() == ()
