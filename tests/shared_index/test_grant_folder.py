"""Grants lie in the user's own folder, and lead from a workspace to its shared index."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codecairn import FileAccessError, UsageError
from codecairn.objects.grant import Grant
from codecairn.paths import user
from codecairn.paths.entries import is_own_entry
from codecairn.replication import grant_folder
from support.repository import Repository


@pytest.fixture
def grant(make_grant: Callable[[], Grant]) -> Grant:
    return make_grant()


def test_grant_is_found_by_name_address_and_id(repository: Repository, grant: Grant) -> None:
    grant_folder.save(grant)
    for name in (grant.name, grant.url, grant.repository):
        assert grant_folder.find(repository.root, name) == grant
    assert grant_folder.find(repository.root, "") is None
    assert grant_folder.find(repository.root, "off") is None
    with pytest.raises(UsageError, match="you hold no grant for the shared index `other`"):
        grant_folder.find(repository.root, "other")


def test_grant_holds_where_it_was_accepted(repository: Repository, grant: Grant) -> None:
    grant_folder.save(grant)
    grant_folder.attach(repository.root, grant)
    assert grant_folder.find(repository.root, "") == grant
    grant_folder.remove(grant)
    assert grant_folder.find(repository.root, "") is None
    assert grant_folder.grants() == ()


@pytest.mark.parametrize(
    ("accepted", "cloned"),
    [
        ("https://example.com/team/shop.git", "https://ann:secret@example.com/team/shop"),
        ("git@example.com:team/shop.git", "git@example.com:team/shop"),
        ("https://example.com/team/shop/", "https://example.com/team/shop.git"),
    ],
)
def test_other_clone_is_known_by_its_origin(
    repository: Repository, grant: Grant, tmp_path: Path, accepted: str, cloned: str
) -> None:
    repository.git("remote", "add", "origin", accepted)
    grant_folder.save(grant)
    grant_folder.attach(repository.root, grant)
    other = Repository.make(tmp_path / "other")
    assert grant_folder.find(other.root, "") is None
    other.git("remote", "add", "origin", cloned)
    assert grant_folder.find(other.root, "") == grant
    kept = (user.remotes_folder() / "workspaces.json").read_text()
    assert "secret" not in kept


def test_linked_worktree_has_the_grant_of_its_main_one(
    repository: Repository, grant: Grant, tmp_path: Path
) -> None:
    repository.write("a.py", "")
    repository.commit()
    repository.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    grant_folder.save(grant)
    grant_folder.attach(repository.root, grant)
    assert grant_folder.find(tmp_path / "linked", "") == grant


def test_several_grants_for_one_place_need_a_name(
    repository: Repository, make_grant: Callable[[], Grant]
) -> None:
    one, two = replace(make_grant(), name="one"), replace(make_grant(), name="two")
    grant_folder.save(one)
    grant_folder.save(two)
    with pytest.raises(UsageError, match=r"several of your grants are for .*: `one`, `two`"):
        grant_folder.find(repository.root, one.url)
    grant_folder.attach(repository.root, two)
    assert grant_folder.find(repository.root, one.url) == two


def test_epochs_are_remembered_by_repository_and_branch_of_any_publisher(
    grant: Grant, make_grant: Callable[[], Grant]
) -> None:
    one, two = bytes(32), bytes([1] * 32)
    grant_folder.remember_epoch(grant, "main", one, 5)
    grant_folder.remember_epoch(grant, "main", one, 3)
    grant_folder.remember_epoch(grant, "main", two, 2)
    assert grant_folder.remembered_epoch(grant, "main") == 5
    grant_folder.remember_epoch(grant, "main", two, 8)
    assert grant_folder.remembered_epoch(grant, "main") == 8
    assert grant_folder.remembered_epoch(grant, "other") == 0
    assert grant_folder.remembered_epoch(grant, "") == 0
    assert grant_folder.remembered_epoch(make_grant(), "main") == 0


def test_revoked_grant_leaves_its_epochs_and_a_removed_one_does_not(
    repository: Repository, grant: Grant
) -> None:
    for forget, epoch in ((grant_folder.revoke, 5), (grant_folder.remove, 0)):
        grant_folder.save(grant)
        grant_folder.attach(repository.root, grant)
        grant_folder.remember_epoch(grant, "main", bytes(32), 5)
        forget(grant)
        assert grant_folder.grants() == ()
        assert grant_folder.find(repository.root, "") is None
        grant_folder.save(grant)
        assert grant_folder.remembered_epoch(grant, "main") == epoch


WRITER = """
import sys
from pathlib import Path
from codecairn.objects.grant import read_grant
from codecairn.replication import grant_folder

grant = read_grant(Path(sys.argv[1]).read_bytes(), source="grant")
for number in range(20):
    grant_folder.remember_epoch(grant, f"{sys.argv[2]}/{number}", bytes(32), 1)
    grant_folder.attach_folder(Path(sys.argv[3]) / sys.argv[2] / str(number), grant)
"""


def test_processes_that_remember_at_once_lose_nothing(grant: Grant, tmp_path: Path) -> None:
    grant_folder.save(grant)
    file = user.remotes_folder() / grant.repository / "grant.json"
    processes = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file), str(number), str(tmp_path)])
        for number in range(4)
    ]
    assert [process.wait(timeout=100) for process in processes] == [0] * 4
    names = [f"{process}/{number}" for process in range(4) for number in range(20)]
    assert all(grant_folder.remembered_epoch(grant, name) == 1 for name in names)
    kept = json.loads((user.remotes_folder() / "workspaces.json").read_text())
    assert {str(tmp_path / name) for name in names} <= set(kept)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_grant_is_for_its_user_alone(repository: Repository, grant: Grant) -> None:
    grant_folder.save(grant)
    file = user.remotes_folder() / grant.repository / "grant.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    file.chmod(0o644)
    with pytest.raises(FileAccessError, match="others may read or write it") as caught:
        grant_folder.find(repository.root, grant.name)
    assert "chmod 600" in caught.value.hint


@pytest.mark.parametrize("name", ["grant.json", "epochs.json"])
def test_damaged_file_is_named(repository: Repository, grant: Grant, name: str) -> None:
    grant_folder.save(grant)
    grant_folder.remember_epoch(grant, "main", bytes(32), 5)
    file = user.remotes_folder() / grant.repository / name
    file.write_text("damaged")
    read = {
        "grant.json": grant_folder.grants,
        "epochs.json": lambda: grant_folder.remembered_epoch(grant, "main"),
    }
    with pytest.raises((UsageError, FileAccessError), match=name):
        read[name]()


def test_folder_is_an_entry_of_the_data_folder() -> None:
    assert is_own_entry(user.remotes_folder().name)
