"""Bad input: a recorded skip or a clear error, and an index that answers afterwards."""

import os
import shutil
import sqlite3  # noqa: TID251 - a version that no command writes
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from codecairn import StoreDamaged, StoreTooNew, Workspace
from support.command import as_nobody, run
from support.repository import SMALL_PROJECT, Repository
from support.stores import store_of


@pytest.fixture
def shop(folder: Repository) -> Repository:
    folder.write_all(SMALL_PROJECT)
    return folder


def _skip_reasons(workspace: Workspace) -> dict[str, str]:
    return {skip.path: skip.reason for skip in workspace.skips()}


def _answers(root: Path) -> None:
    with Workspace.open(root) as workspace:
        assert workspace.search("verify token")[0].path == "shop/tokens.py"


def test_empty_folder_and_empty_repository_have_no_hits(
    folder: Repository, repository: Repository
) -> None:
    for root in (folder.root, repository.root):
        with Workspace.open(root) as workspace:
            assert workspace.index().files == 0
            assert len(workspace.search("anything")) == 0
            assert len(workspace.define("anything")) == 0
            assert workspace.doctor() == ()


def test_empty_file_is_indexed_without_chunks(shop: Repository) -> None:
    shop.write("empty.py", "")
    shop.write("blank.py", "\n\n  \n")
    with Workspace.open(shop.root) as workspace:
        report = workspace.index()
        assert report.files == len(SMALL_PROJECT) + 2
        assert "empty.py" not in _skip_reasons(workspace)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("zero.bin", b"\0" * 4096),
        ("image.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8),
        ("nul.py", b"def a():\n    return '\0\0\0\0'\n" + b"\0" * 2000),
        ("bundle.min.js", b"function a(){" + b"var b=1;" * 20_000 + b"}"),
        (".env", b"SECRET=1\n"),
        (
            "id_rsa",
            b"-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n",
        ),
    ],
)
def test_what_is_no_source_is_skipped_with_a_reason(
    shop: Repository, name: str, content: bytes
) -> None:
    shop.write(name, content)
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        assert _skip_reasons(workspace).get(name)
    _answers(shop.root)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("utf16.py", "def grüße_sechzehn():\n    return 'straße'\n".encode("utf-16")),
        ("bom.py", b"\xef\xbb\xbfdef with_a_mark():\n    return 1\n"),
        (
            "latin.py",
            "# Größe und Maß, naïve café\ndef latin_words():\n    return 'Maß'\n".encode("latin-1"),
        ),
        ("crlf.py", b"def carriage_return():\r\n    return 1\r\n"),
        ("deep.py", b"x = " + b"(\n" * 3000 + b"1" + b")\n" * 3000),
        ("broken.py", b"def half(:\n  class class\n\n\ndef whole_again():\n    return 1\n"),
        ("one_line.txt", b"word " * 200_000),
    ],
)
def test_whatever_can_be_read_is_indexed(shop: Repository, name: str, content: bytes) -> None:
    shop.write(name, content)
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        status = workspace.status()
        reasons = _skip_reasons(workspace)
    assert name not in reasons or name == "one_line.txt"
    assert status.files + len(reasons) == len(SMALL_PROJECT) + 1
    _answers(shop.root)


def test_invalid_utf8_is_read_or_skipped_but_never_fatal(shop: Repository) -> None:
    shop.write("odd.py", b"def odd_bytes():\n    return '\xc3\x28 \xa0\xa1'\n")
    _answers(shop.root)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_neither_loop_nor_lead_out(shop: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("def outside_secret():\n    pass\n")
    links = {
        "loop": shop.root,
        "shop/self": shop.root / "shop",
        "out": outside,
        "out.py": outside / "secret.py",
        "alias.py": shop.root / "shop" / "tokens.py",
        "broken.py": shop.root / "nowhere.py",
    }
    for name, target in links.items():
        (shop.root / name).symlink_to(target)
    with Workspace.open(shop.root) as workspace:
        report = workspace.index()
        reasons = _skip_reasons(workspace)
        assert report.files == len(SMALL_PROJECT)
        assert len(workspace.define("outside_secret")) == 0
        assert [hit.path for hit in workspace.define("verify_token")] == ["shop/tokens.py"]
    assert {"out.py", "alias.py", "broken.py"} <= set(reasons)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_file_name_that_is_not_utf8_is_skipped(shop: Repository) -> None:
    (shop.root / os.fsdecode(b"bad\xff.py")).write_text("x = 1\n")
    with Workspace.open(shop.root) as workspace:
        report = workspace.index()
        assert report.files == len(SMALL_PROJECT)
        assert len(workspace.skips()) == 1
    _answers(shop.root)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_special_file_does_not_block(shop: Repository) -> None:
    os.mkfifo(shop.root / "pipe.py")
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        assert "pipe.py" in _skip_reasons(workspace)


@pytest.fixture
def public_shop(home: Path) -> Iterator[Repository]:
    """The shop in a folder that an unprivileged user may enter and write."""
    root = Path(tempfile.mkdtemp(prefix="codecairn-test-"))
    root.chmod(0o777)
    made = Repository(root)
    made.write_all(SMALL_PROJECT)
    for path in [root, *root.rglob("*")]:
        path.chmod(0o777 if path.is_dir() else 0o666)
    yield made
    for path in root.rglob("*"):
        if path.is_dir():
            path.chmod(0o777)
    shutil.rmtree(root)


@pytest.mark.skipif(sys.platform == "win32", reason="modes are a matter of POSIX")
def test_unreadable_files_and_folders_are_skipped_with_a_reason(public_shop: Repository) -> None:
    file = public_shop.write("locked.py", "x = 1\n")
    inner = public_shop.write("closed/inner.py", "x = 1\n").parent
    file.chmod(0)
    inner.chmod(0)
    environment = {"CODECAIRN_HOME": str(public_shop.root / ".user"), "HOME": str(public_shop.root)}
    outcome = run(
        "index", str(public_shop.root), "--json", "--verbose",
        cwd=public_shop.root, prefix=as_nobody(), environment=environment,
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    skipped = {skip["path"] for skip in outcome.document["skips"]}
    assert {"locked.py", "closed"} <= {path.rstrip("/") for path in skipped}
    assert outcome.document["files"] == len(SMALL_PROJECT)


@pytest.mark.skipif(sys.platform == "win32", reason="modes are a matter of POSIX")
def test_folder_that_can_not_be_written_gets_a_clear_error(public_shop: Repository) -> None:
    public_shop.root.chmod(0o555)
    environment = {"CODECAIRN_HOME": "/nonexistent/user", "HOME": "/nonexistent"}
    outcome = run(
        "search", "token", "--path", str(public_shop.root),
        cwd=public_shop.root, prefix=as_nobody(), environment=environment,
    )  # fmt: skip
    assert outcome.code == 1
    assert "can't be written" in outcome.err
    assert "CODECAIRN_HOME" in outcome.err


def test_store_of_a_newer_version_is_refused_and_left_alone(shop: Repository) -> None:
    _answers(shop.root)
    database = store_of(shop.root) / "index.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    content = database.read_bytes()
    with Workspace.open(shop.root) as workspace, pytest.raises(StoreTooNew, match="9999"):
        workspace.search("token")
    assert database.read_bytes() == content


def test_damaged_database_is_told_and_repaired_by_the_doctor(shop: Repository) -> None:
    _answers(shop.root)
    database = store_of(shop.root) / "index.db"
    for rest in database.parent.glob("index.db-*"):
        rest.unlink()
    database.write_bytes(b"this is no database at all" * 1000)
    with Workspace.open(shop.root) as workspace:
        with pytest.raises(StoreDamaged, match=r"index\.db"):
            workspace.search("token")
        assert [problem.repaired for problem in workspace.doctor()] == [False]
        assert all(problem.repaired for problem in workspace.doctor(repair=True))
        assert workspace.doctor() == ()
    _answers(shop.root)


def test_lost_and_damaged_segments_are_rebuilt(shop: Repository) -> None:
    _answers(shop.root)
    for number, segment in enumerate(sorted((store_of(shop.root) / "segments").iterdir())):
        if number % 2:
            segment.unlink()
        else:
            segment.write_bytes(b"\0" * 100)
    _answers(shop.root)
    with Workspace.open(shop.root) as workspace:
        workspace.doctor(repair=True)
        assert workspace.doctor() == ()
    _answers(shop.root)


def test_folder_that_vanished_is_told(shop: Repository) -> None:
    outcome = run("index", str(shop.root / "gone"), cwd=shop.root)
    assert (outcome.code, "does not exist" in outcome.err) == (1, True)
    outcome = run("index", str(shop.root / "pyproject.toml"), cwd=shop.root)
    assert (outcome.code, "is not a folder" in outcome.err) == (1, True)
