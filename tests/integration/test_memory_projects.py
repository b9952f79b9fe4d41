"""Which folders share one memory: the table of `docs/reference/projects.md`, each row on real repositories."""

import shutil
import sqlite3  # noqa: TID251 - the format of the version before
from collections.abc import Callable
from pathlib import Path

import pytest

from codecairn.errors import UsageError
from support.disk import CUSTOMER_A, CUSTOMER_B, SAID, STARTER, Disk

Situation = Callable[[Disk], tuple[str, bool]]
"""Makes a situation; the folder that is looked at, and whether what was said before is shown there."""

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "projects.md"

SITUATIONS: dict[str, Situation] = {}


def situation(name: str) -> Callable[[Situation], Situation]:
    def added(made: Situation) -> Situation:
        SITUATIONS[name] = made
        return made

    return added


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path / "disk")


@situation("a second clone of a remote")
def _clone(disk: Disk) -> tuple[str, bool]:
    disk.clone("one", CUSTOMER_A)
    disk.say("one")
    disk.clone("two", CUSTOMER_A)
    return "two", True


@situation("a worktree, also inside the repository")
def _worktree(disk: Disk) -> tuple[str, bool]:
    disk.clone("shop")
    disk.say("shop")
    disk.git("shop", "worktree", "add", "-q", "inner", "-b", "side")
    return "shop/inner", True


@situation("an SSH and an HTTPS address of one remote")
def _addresses(disk: Disk) -> tuple[str, bool]:
    disk.clone("one", "git@git.example:acme/shop.git")
    disk.say("one")
    disk.clone("two", "https://ann:word@Git.example/acme/shop")
    return "two", True


@situation("two servers on one machine, told apart by the port of HTTP")
def _ports(disk: Disk) -> tuple[str, bool]:
    disk.clone("one", "http://localhost:3000/acme/shop")
    disk.say("one")
    disk.clone("two", "http://localhost:8080/acme/shop")
    return "two", False


@situation("a relative path as remote, in another folder")
def _relative(disk: Disk) -> tuple[str, bool]:
    disk.clone("a/shop", "../starter")
    disk.say("a/shop")
    disk.clone("b/shop", "../starter")
    return "b/shop", False


@situation("a fork: another remote with the same commits")
def _fork(disk: Disk) -> tuple[str, bool]:
    disk.clone("one", "https://git.example/acme/shop")
    disk.say("one")
    disk.clone("fork", "https://git.example/ann/shop")
    disk.git("fork", "remote", "add", "upstream", "https://git.example/acme/shop")
    return "fork", False


@situation("several remotes, of which `origin` counts")
def _several(disk: Disk) -> tuple[str, bool]:
    disk.clone("one", CUSTOMER_A)
    disk.say("one")
    disk.clone("two")
    disk.git("two", "remote", "add", "backup", CUSTOMER_B)
    disk.git("two", "remote", "add", "origin", CUSTOMER_A)
    return "two", True


@situation("a clone whose remote was changed: the folder keeps its memory")
def _set_url(disk: Disk) -> tuple[str, bool]:
    disk.clone("a", STARTER)
    disk.say("a")
    disk.git("a", "remote", "set-url", "origin", CUSTOMER_A)
    return "a", True


@situation("a new clone of a starter, after the first one went on to a customer")
def _starter(disk: Disk) -> tuple[str, bool]:
    disk.clone("a", STARTER)
    disk.say("a", "The starter is read.")
    disk.git("a", "remote", "set-url", "origin", CUSTOMER_A)
    disk.say("a")
    disk.clone("b", STARTER)
    return "b", False


@situation("the same, before the first one was looked at again")
def _starter_unseen(disk: Disk) -> tuple[str, bool]:
    disk.clone("a", STARTER)
    disk.say("a")
    disk.git("a", "remote", "set-url", "origin", CUSTOMER_A)
    disk.clone("b", STARTER)
    return "b", False


@situation("two clones of a starter, of which the first went on to a customer")
def _starter_twice(disk: Disk) -> tuple[str, bool]:
    disk.clone("a", STARTER)
    disk.say("a", "The starter is read.")
    disk.clone("b", STARTER)
    assert disk.knows("b", "The starter is read.")
    disk.git("a", "remote", "set-url", "origin", CUSTOMER_A)
    disk.say("a")
    return "b", False


@situation("a clone of a starter whose git folder was removed and made again")
def _degit(disk: Disk) -> tuple[str, bool]:
    made = disk.clone("a", STARTER)
    disk.say("a", "The starter is read.")
    shutil.rmtree(made / ".git")
    disk.clone("a")
    disk.say("a")
    assert disk.knows("a", "The starter is read.")
    disk.clone("b", STARTER)
    return "b", False


@situation("a clone whose remote was removed: the folder keeps its memory")
def _removed_remote(disk: Disk) -> tuple[str, bool]:
    disk.clone("a", CUSTOMER_A)
    disk.say("a")
    disk.git("a", "remote", "remove", "origin")
    return "a", True


@situation("a new clone of a remote that another folder has removed")
def _removed_and_cloned(disk: Disk) -> tuple[str, bool]:
    disk.clone("a", STARTER)
    disk.say("a", "The starter is read.")
    disk.git("a", "remote", "remove", "origin")
    disk.say("a")
    disk.clone("b", STARTER)
    return "b", False


@situation("a clone that was removed and cloned again")
def _cloned_again(disk: Disk) -> tuple[str, bool]:
    made = disk.clone("a", CUSTOMER_A)
    disk.say("a")
    shutil.rmtree(made)
    disk.clone("elsewhere/a", CUSTOMER_A)
    return "elsewhere/a", True


@situation("another repository in the place of a removed one")
def _same_place(disk: Disk) -> tuple[str, bool]:
    made = disk.clone("work", CUSTOMER_A)
    disk.say("work")
    shutil.rmtree(made)
    disk.clone("work", CUSTOMER_B)
    return "work", False


@situation("another repository in a folder that was emptied")
def _emptied(disk: Disk) -> tuple[str, bool]:
    made = disk.clone("work", CUSTOMER_A)
    disk.say("work")
    shutil.rmtree(made / ".git")
    disk.clone("work", CUSTOMER_B)
    return "work", False


@situation("a renamed folder without git")
def _renamed_folder(disk: Disk) -> tuple[str, bool]:
    disk.folder("notes")
    disk.say("notes")
    (disk.base / "notes").rename(disk.base / "diary")
    return "diary", True


@situation("a moved repository without a remote")
def _moved_repository(disk: Disk) -> tuple[str, bool]:
    disk.clone("shop")
    disk.say("shop")
    disk.folder("old")
    (disk.base / "shop").rename(disk.base / "old" / "store")
    return "old/store", True


@situation("a renamed repository with a remote")
def _renamed_clone(disk: Disk) -> tuple[str, bool]:
    disk.clone("shop", CUSTOMER_A)
    disk.say("shop")
    (disk.base / "shop").rename(disk.base / "store")
    return "store", True


@situation("another folder in the place of a renamed one")
def _renamed_and_made(disk: Disk) -> tuple[str, bool]:
    disk.folder("notes")
    disk.say("notes")
    (disk.base / "notes").rename(disk.base / "diary")
    disk.folder("notes")
    return "notes", False


@situation("a copy of a folder without a remote")
def _copied(disk: Disk) -> tuple[str, bool]:
    disk.clone("shop")
    disk.say("shop")
    shutil.copytree(disk.base / "shop", disk.base / "copy", symlinks=True)
    return "copy", False


@situation("a folder of the same name elsewhere")
def _same_name(disk: Disk) -> tuple[str, bool]:
    disk.folder("a/api")
    disk.say("a/api")
    disk.folder("b/api")
    return "b/api", False


@situation("a folder that became a repository, and got its first commit and a remote later")
def _git_later(disk: Disk) -> tuple[str, bool]:
    made = disk.folder("shop")
    disk.say("shop")
    disk.git("shop", "init", "-q")
    assert disk.knows("shop")
    (made / "a").write_text("a")
    disk.git("shop", "add", ".")
    disk.git("shop", "commit", "-qm", "first")
    assert disk.knows("shop")
    disk.git("shop", "remote", "add", "origin", CUSTOMER_A)
    return "shop", True


@situation("the session of a submodule, which is shown the parent's memory")
def _submodule(disk: Disk) -> tuple[str, bool]:
    disk.clone("library")
    disk.clone("app", CUSTOMER_A)
    disk.say("app")
    disk.git("app", "submodule", "add", "-q", str(disk.base / "library"), "lib")
    return "app/lib", True


@situation("the session of a parent, which is not shown a submodule's memory")
def _parent(disk: Disk) -> tuple[str, bool]:
    disk.clone("library")
    disk.clone("app", CUSTOMER_A)
    disk.git("app", "submodule", "add", "-q", str(disk.base / "library"), "lib")
    disk.say("app/lib")
    return "app", False


@situation("a repository that merely lies in another one")
def _nested(disk: Disk) -> tuple[str, bool]:
    disk.clone("app", CUSTOMER_A)
    disk.say("app")
    disk.clone("app/vendor", CUSTOMER_B)
    return "app/vendor", False


@pytest.mark.parametrize("name", list(SITUATIONS))
def test_a_memory_is_shared_as_the_table_says(disk: Disk, name: str) -> None:
    looked_at, is_shown = SITUATIONS[name](disk)
    assert disk.knows(looked_at) == is_shown
    assert disk.knows(looked_at) == is_shown, "and the second look says the same"


def test_the_page_has_every_situation() -> None:
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    listed = {row[1].strip(): row[2].strip() for row in rows if len(row) == 5}
    assert {name for name in SITUATIONS if name not in listed} == set()
    assert set(listed.values()) <= {"shared", "apart", "memory", "---"}


@pytest.mark.parametrize("name", list(SITUATIONS))
def test_the_page_says_what_happens(disk: Disk, name: str) -> None:
    row = next(
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if f"| {name} |" in line
    )
    _, is_shown = SITUATIONS[name](disk)
    assert f"| {'shared' if is_shown else 'apart'} |" in row


def test_a_customer_s_memory_stays_with_the_customer(disk: Disk) -> None:
    disk.clone("a", STARTER)
    disk.say("a", "The starter is read.")
    disk.git("a", "remote", "set-url", "origin", CUSTOMER_A)
    disk.say("a")
    disk.clone("b", STARTER)
    disk.say("b", "B wants a blue page.")
    disk.git("b", "remote", "set-url", "origin", CUSTOMER_B)
    assert not disk.knows("b")
    assert disk.knows("b", "B wants a blue page.")
    assert disk.knows("a")
    assert disk.knows("a", "The starter is read.")
    assert not disk.knows("a", "B wants a blue page.")
    disk.clone("a2", CUSTOMER_A)
    assert disk.knows("a2")


def test_an_open_memory_follows_the_remote(disk: Disk) -> None:
    disk.clone("a", STARTER)
    with disk.memory("a") as server:
        server.add("The starter is read.", type="rule")
        disk.git("a", "remote", "set-url", "origin", CUSTOMER_A)
        disk.clone("b", STARTER)
        disk.say("b", "B wants a blue page.")
        assert "blue" not in str(server.list())
        server.add(SAID, type="rule")
    assert not disk.knows("b")
    assert disk.knows("a")


def test_a_name_of_the_settings_decides_alone(disk: Disk) -> None:
    disk.clone("a", STARTER)
    disk.say("a", memory_project="customer-a")
    disk.clone("b", STARTER)
    assert not disk.knows("b")
    assert not disk.knows("b", memory_project="customer-b")
    assert disk.knows("b", memory_project="customer-a")


def test_a_submodule_is_shown_its_parent_s_memory_with_a_label(disk: Disk) -> None:
    looked_at, _ = _submodule(disk)
    with disk.memory(looked_at) as memory:
        memory.add("The library has no dependencies.", type="rule")
        text = memory.context("s", part="static").text
        lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert any("of the parent project app" in line and SAID in line for line in lines)
    assert all("of the parent" not in line for line in lines if SAID not in line)


def test_a_moved_folder_of_another_disk_is_found_by_its_commits_and_adopted(disk: Disk) -> None:
    made = disk.clone("shop")
    disk.say("shop")
    shutil.copytree(made, disk.base / "store", symlinks=True)
    shutil.rmtree(made)
    assert not disk.knows("store")
    with disk.memory("store") as memory:
        report = memory.projects.report()
        (candidate,) = report.candidates
        assert candidate.name == "shop"
        with pytest.raises(UsageError, match="for good"):
            memory.projects.adopt("shop", is_confirmed=False)
        changed = memory.projects.adopt("shop", is_confirmed=True)
        assert changed.events > 0
        assert [each.body for each in memory.events(limit=9)][-1].endswith(SAID)
    assert disk.knows("store")
    with disk.memory("store") as memory:
        assert memory.projects.report().candidates == ()


def test_a_folder_parts_from_its_project_and_comes_back(disk: Disk) -> None:
    disk.clone("one", CUSTOMER_A)
    disk.say("one")
    disk.clone("two", CUSTOMER_A)
    assert disk.knows("two")
    with disk.memory("two") as memory:
        with pytest.raises(UsageError, match="without memory"):
            memory.projects.part(is_confirmed=False)
        memory.projects.part(is_confirmed=True)
    assert not disk.knows("two")
    disk.say("two", "Two has a secret handshake.")
    assert not disk.knows("one", "Two has a secret handshake.")
    disk.clone("three", CUSTOMER_A)
    assert disk.knows("three")
    with disk.memory("two") as memory:
        (former,) = memory.projects.report().candidates
        memory.projects.adopt(str(former.number), is_confirmed=True)
    assert disk.knows("two")
    assert disk.knows("one", "Two has a secret handshake.")


def test_a_wrong_project_is_named_with_a_hint(disk: Disk) -> None:
    for name in ("a/api", "b/api"):
        disk.folder(name)
        disk.say(name)
    disk.folder("c")
    disk.say("c")
    with disk.memory("c") as memory:
        with pytest.raises(UsageError, match="no project `shop`"):
            memory.projects.adopt("shop", is_confirmed=True)
        with pytest.raises(UsageError, match="2 projects are named `api`"):
            memory.projects.adopt("api", is_confirmed=True)
        with pytest.raises(UsageError, match="already"):
            memory.projects.adopt("c", is_confirmed=True)
        assert memory.projects.adopt(str(disk.base / "a" / "api"), is_confirmed=True).facts > 0


def _as_the_version_before(disk: Disk, aliases: dict[str, str]) -> None:
    """Bring the memory to the format of the version before; `aliases` lead to the project of the first folder."""
    with disk.memory(".") as memory:
        path = memory.path
    database = sqlite3.connect(path)
    with database:
        (number,) = database.execute("SELECT min(project) FROM project_folder").fetchone()
        rows = [(alias, number) for alias in aliases.values()]
        database.executemany("INSERT OR IGNORE INTO project_alias VALUES (?, ?)", rows)
        database.executescript(
            "DROP TABLE project_folder; DROP TABLE tombstone; DROP TABLE hidden;"
        )
        database.execute("PRAGMA user_version = 5")
    database.close()


def test_memories_of_the_version_before_stay_with_their_folders(disk: Disk) -> None:
    disk.clone("shop")
    disk.say("shop")
    _as_the_version_before(disk, {"shop": f"repository:{disk.base / 'shop' / '.git'}"})
    assert disk.knows("shop")
    (disk.base / "shop").rename(disk.base / "store")
    assert disk.knows("store"), "the folder is known now"


def test_a_remote_that_an_older_version_kept_leads_no_new_clone_to_a_customer(disk: Disk) -> None:
    disk.clone("a", CUSTOMER_A)
    disk.say("a")
    left = {
        "left": "remote:git.example/acme/starter",
        "a": f"repository:{disk.base / 'a' / '.git'}",
    }
    _as_the_version_before(disk, left)
    disk.clone("b", STARTER)
    assert not disk.knows("b")
    assert disk.knows("a")
    disk.clone("a2", CUSTOMER_A)
    assert disk.knows("a2")


def test_a_folder_without_git_of_the_version_before_keeps_its_memory(disk: Disk) -> None:
    disk.folder("notes")
    disk.say("notes")
    _as_the_version_before(disk, {"notes": f"folder:{disk.base / 'notes'}"})
    assert disk.knows("notes")
