"""The index of this repository is shared: answers are those of one made in place, and edits cost little."""

from pathlib import Path

import pytest

from support.answers import answers, answers_of_full_index
from support.people import People, size_of, stored
from support.repository import Repository

pytestmark = [pytest.mark.slow, pytest.mark.sources, pytest.mark.timeout(1200)]

ROOT = Path(__file__).parents[2]
NAMES = ("Workspace", "publish", "IndexTransfer", "open_store")


def test_clone_of_this_repository_pulls_what_it_would_have_made(tmp_path: Path) -> None:
    people, shared = People(tmp_path, Repository(ROOT)), tmp_path / "shared"
    owner = people.person("owner")
    owner.done("remote", "init", str(shared), "--name", "own", "--branch", "main")
    owner.done("index", "--publish", "own", "--branch", "main")
    reader = people.person("reader")
    reader.done("remote", "accept", str(people.grant(owner)))
    pulled = reader.done("pull", "--branch", "main", "--json").document
    assert pulled["index"]["files"] > 1000
    assert pulled["index"]["parsed"] <= 2  # a parse that was broken off by its limit has no record
    with reader.here():
        assert answers(reader.root, names=NAMES) == answers_of_full_index(reader.root, names=NAMES)
    before = stored(shared)
    for path in ("README.md", "python/codecairn/errors.py", "native/crates/base/src/hash.rs"):
        file = owner.root / path
        text = file.read_text(encoding="utf-8")
        file.write_text(text + text.splitlines()[-1] + "\n", encoding="utf-8")
    owner.done("index", "--publish", "own", "--branch", "main")
    changed = {name: data for name, data in stored(shared).items() if before.get(name) != data}
    assert size_of(changed) <= 20_000
