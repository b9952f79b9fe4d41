"""The commits of a search node: what becomes of those that can't be prepared."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecairn.clock import SystemClock
from codecairn.errors import ConfigError, UsageError
from codecairn.node.access import Refusal
from codecairn.node.answers import answer, checked_values
from codecairn.node.commits import Commits, Found, Wanted
from codecairn.objects.grant import Grant, new_grant
from support.repository import Repository


class Node:
    """The commits of one repository, `upstream`, and what was logged about them."""

    def __init__(self, folder: Path, upstream: Repository) -> None:
        self.folder = folder
        self.upstream = upstream
        self.logged: list[str] = []
        (folder / "objects").mkdir(parents=True)
        self.grant: Grant = new_grant(
            url=str(folder / "objects"), name="shop", branch="main", publisher="ann"
        )
        self.clock = SystemClock()
        self.commits = Commits(
            folder / "node", {self.grant: str(upstream.root)}, max_bytes=64 << 20,
            clock=self.clock, log=self.logged.append,
        )  # fmt: skip

    def ask(self, commit: str) -> Found:
        """What comes of a question about a commit."""
        wanted = Wanted(commit=commit, asked_s=self.clock.monotonic_s())
        return self.commits.request(self.grant.repository, wanted, "bob").found.result(60)

    @property
    def kept(self) -> list[str]:
        """The names in the folder of prepared commits."""
        return sorted(each.name for each in self.folder.glob("node/*/commits/*"))


@pytest.fixture
def node(repository: Repository, tmp_path: Path) -> Iterator[Node]:
    """A node that was not asked yet."""
    repository.write("shop/basket.py", "basket = []\n")
    repository.commit("first")
    made = Node(tmp_path / "served", repository)
    yield made
    made.commits.close()


def test_a_commit_whose_settings_are_wrong_is_refused_and_leaves_no_files(node: Node) -> None:
    first = node.upstream.git("rev-parse", "HEAD")
    node.upstream.write(".codecairn.toml", "[no_such_table]\nkey = 1\n")
    wrong = node.upstream.commit("wrong settings")
    with pytest.raises(ConfigError, match="no_such_table"):
        node.ask(wrong)
    assert node.kept == []
    assert node.ask(first).commit == first
    assert node.kept == [first]


def _pushed_entry_named_git(upstream: Repository) -> str:
    """A commit with a file that git does not check out, on a branch of its own."""
    blob = upstream.git("rev-parse", "HEAD:shop/basket.py")
    file = upstream.root.with_name("listing")
    file.write_text(f"100644 blob {blob}\t.git\n")
    with file.open() as given:
        tree = subprocess.run(
            ["git", "mktree"], stdin=given, cwd=upstream.root, check=True, capture_output=True, text=True,
        ).stdout.strip()  # fmt: skip
    commit = upstream.git("commit-tree", "-m", "no file", tree)
    upstream.git("branch", "odd", commit)
    return commit


def test_a_commit_that_git_does_not_check_out_is_refused_and_the_mirror_stays(node: Node) -> None:
    first = node.upstream.git("rev-parse", "HEAD")
    assert node.ask(first).commit == first
    (mirror,) = node.folder.glob("node/*/mirror")
    made = mirror.stat().st_ino
    odd = _pushed_entry_named_git(node.upstream)
    for _ in range(2):
        with pytest.raises(Refusal) as caught:
            node.ask(odd)
        assert caught.value.message == f"this node can't check commit {odd[:12]} out"
    assert [each for each in node.logged if odd[:12] in each] == node.logged[-1:]
    assert mirror.stat().st_ino == made
    assert node.kept == [first]


def test_a_mirror_is_made_again_for_damaged_objects_once_in_an_hour(node: Node) -> None:
    first = node.upstream.git("rev-parse", "HEAD")
    node.upstream.write("shop/basket.py", "basket = [1]\n")
    second = node.upstream.commit("second")
    node.upstream.write("shop/basket.py", "basket = [2]\n")
    third = node.upstream.commit("third")

    def damage(commit: str) -> None:
        blob = node.upstream.git("rev-parse", f"{commit}:shop/basket.py")
        (file,) = node.folder.glob(f"node/*/mirror/.git/objects/{blob[:2]}/{blob[2:]}")
        file.chmod(0o600)
        file.write_bytes(b"damaged")

    assert node.ask(first).commit == first
    damage(second)
    assert node.ask(second).commit == second
    assert any("the mirror was made again" in each for each in node.logged)
    damage(third)
    with pytest.raises(Refusal, match="can't check commit"):
        node.ask(third)


def test_the_filter_for_a_commit_finds_none_that_the_answered_one_does_not_contain(
    node: Node,
) -> None:
    first = node.upstream.git("rev-parse", "HEAD")
    node.upstream.write("shop/later.py", "later = []\n")
    second = node.upstream.commit("second")
    node.upstream.git("reset", "--quiet", "--hard", first)
    node.upstream.git("branch", "later", second)
    node.ask(second)
    node.ask(first)

    def search(asked: str, commit: str) -> dict[str, Any]:
        with node.commits.use(node.grant.repository, asked) as prepared:
            assert prepared is not None
            values = checked_values("search", {"query": "basket", "commit": commit})
            return answer(prepared.workspace, "search", values, has_outlines=False)

    assert search(first, first[:10])["result"]["hits"]
    assert search(second, first)["result"]["hits"]
    for name in (second, second[:10]):
        with pytest.raises(UsageError, match="there is no commit"):
            search(first, name)
    with pytest.raises(UsageError, match="there is no commit"):
        search(first, "1" * 40)
