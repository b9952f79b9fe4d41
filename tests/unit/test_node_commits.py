"""The commits of a search node: what becomes of those that can't be prepared."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn.clock import SystemClock
from codecairn.errors import ConfigError
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
        """What lies in the folder of prepared commits."""
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
