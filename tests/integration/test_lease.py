"""The write lease: reported, waited for, taken over from the dead, whatever machine or container they lived in."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn import IndexLocked, Workspace
from support.command import command
from support.repository import SMALL_PROJECT, Repository
from support.stores import store_of

HOLD = (
    "import sys\n"
    "from codecairn import Workspace\n"
    "def hold(phase, done, total):\n"
    "    if phase == 'finishing':\n"
    "        print('held', flush=True)\n"
    "        sys.stdin.readline()\n"
    "Workspace.open(sys.argv[1], writer='the holder').index(force=True, progress=hold)\n"
)


@pytest.fixture
def shop(folder: Repository) -> Repository:
    folder.write_all(SMALL_PROJECT)
    with Workspace.open(folder.root) as workspace:
        workspace.index()
    return folder


def _elsewhere() -> list[str]:
    """What starts a process where process numbers begin at 1, as in a container."""
    unshare = shutil.which("unshare")
    own = [unshare or "", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if unshare is None or subprocess.run([*own, "true"], check=False).returncode != 0:
        pytest.skip("may not make process namespaces")
    return own


def _holder(root: Path, *, prefix: list[str]) -> "subprocess.Popen[str]":
    holder = subprocess.Popen(
        [*prefix, sys.executable, "-c", HOLD, str(root)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_lease_holds_between_containers_and_falls_to_the_next_when_one_dies(
    shop: Repository,
) -> None:
    elsewhere = _elsewhere()
    with _holder(shop.root, prefix=elsewhere) as holder:
        with Workspace.open(shop.root) as workspace:
            with pytest.raises(IndexLocked, match="the holder"):
                workspace.index(wait=False)
            assert "the holder" in workspace.status().indexing
        other = subprocess.run(
            [*elsewhere, *command("index", "--no-wait")],
            cwd=shop.root, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert other.returncode == 1
        assert "the holder" in other.stderr
        holder.kill()
        holder.wait()
        other = subprocess.run(
            [*elsewhere, *command("index", "--no-wait")], cwd=shop.root, check=False
        )
        assert other.returncode == 0
    with Workspace.open(shop.root) as workspace:
        workspace.index(wait=False)
        assert workspace.status().indexing == ""
        assert workspace.doctor() == ()


@pytest.mark.parametrize("process", ["1", "4194304"])
def test_what_a_dead_owner_wrote_is_no_lease(shop: Repository, process: str) -> None:
    """As after a restart of the machine, when its number belongs to somebody else or to nobody."""
    owner = f"codecairn index (process {process} on another host, since 2020-01-01 00:00:00 UTC)\n"
    (store_of(shop.root) / "write.owner").write_text(owner, encoding="utf-8")
    with Workspace.open(shop.root) as workspace:
        assert workspace.status().indexing == ""
        workspace.index(wait=False)


def test_files_of_the_lease_may_be_removed_by_hand(shop: Repository) -> None:
    for name in ("write.lock", "write.owner"):
        (store_of(shop.root) / name).unlink()
    with Workspace.open(shop.root) as workspace:
        workspace.index(wait=False)
        assert workspace.doctor() == ()


def test_second_index_joins_the_first_and_finds_nothing_left_to_do(shop: Repository) -> None:
    shop.write("late.py", "def late_addition():\n    pass\n")
    with _holder(shop.root, prefix=[]) as holder:
        waiting = subprocess.Popen(
            command("index", "--json"), cwd=shop.root, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert waiting.stderr is not None
        assert "the holder" in waiting.stderr.readline()
        assert holder.stdin is not None
        holder.stdin.write("\n")
        holder.stdin.flush()
        out, _ = waiting.communicate(timeout=100)
        assert holder.wait() == 0
    assert waiting.returncode == 0
    assert '"parsed": 0' in out
    assert '"added": 0' in out
