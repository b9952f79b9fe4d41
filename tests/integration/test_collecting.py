"""Garbage: what is counted is what goes, it goes by itself once there is enough, and nothing else goes."""

import os
import shutil
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.indexing.store_copies import remember_owner, remove_old_copies
from support.answers import answers, answers_of_full_index
from support.command import run
from support.corpus import module_text, write_modules
from support.repository import Repository
from support.stores import run_sql, store_of

DAY_NS = 86_400_000_000_000


def _unlisted(root: Path) -> Path:
    """A derived file that nothing lists and that is old enough to go."""
    file = store_of(root) / "segments" / "lexical-0.seg"
    file.write_bytes(bytes(1000))
    os.utime(file, (1, 1))
    return file


@pytest.fixture
def littered(repository: Repository) -> Repository:
    """Three contents of a branch that is gone, and the stat cache of a worktree that is gone."""
    write_modules(repository, files=10, functions=6)
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        workspace.index()
    tree = repository.root.parent / "tree"
    repository.git("worktree", "add", "--quiet", "-b", "topic", str(tree))
    for seed in range(3):
        Repository(tree).write(f"topic{seed}.py", module_text(seed + 50, functions=6))
    with Workspace.open(tree) as workspace:
        assert workspace.index().files == 13
        assert workspace.store == store_of(repository.root)
    shutil.rmtree(tree)
    repository.git("worktree", "prune")
    repository.git("branch", "--quiet", "-D", "topic")
    return repository


def test_dry_run_counts_what_then_goes(littered: Repository) -> None:
    unlisted = _unlisted(littered.root)
    with Workspace.open(littered.root) as workspace:
        before = workspace.status()
        dry = workspace.gc(dry_run=True)
        assert (dry.branches, dry.worktrees, dry.blobs, dry.files) == (1, 1, 3, 1)
        assert dry.chunks > 0
        # The built-in model's are derived: they go with their segments.
        assert dry.vectors == 0
        assert dry.size_bytes >= 1000
        assert unlisted.exists()
        after = workspace.status()
        assert (after.generation, after.blobs, after.branches) == (
            before.generation, before.blobs, before.branches,
        )  # fmt: skip
        done = workspace.gc()
        assert done == dry
        assert not unlisted.exists()
        again = workspace.gc(dry_run=True)
        assert (again.branches, again.worktrees, again.blobs, again.size_bytes) == (0, 0, 0, 0)
        assert workspace.doctor() == ()
    assert answers(littered.root) == answers_of_full_index(littered.root)


def test_command_says_what_went(littered: Repository) -> None:
    told = run("gc", "--dry-run", cwd=littered.root).out
    assert "would remove 3 blobs" in told
    assert "would forget 1 branch and 1 worktree" in told
    assert "removed 3 blobs" in run("gc", cwd=littered.root).out


REACHED = (
    "WITH RECURSIVE reached (id) AS (SELECT layer FROM branch UNION SELECT parent FROM layer "
    "JOIN reached USING (id) WHERE parent IS NOT NULL) SELECT id FROM reached"
)


@pytest.mark.parametrize("is_forgotten", [False, True], ids=["by-git", "in-the-index"])
def test_layers_and_contents_that_no_branch_reaches_go(
    repository: Repository, is_forgotten: bool
) -> None:
    """Those of a branch that git deleted, and those that an index has without a branch; those of others stay."""
    write_modules(repository, files=10, functions=2)
    branches = ("main", "topic", "topic-of-topic", "other")
    for seed, branch in enumerate(branches, 50):
        repository.git("checkout", "--quiet", "-B", branch)
        repository.write(f"{branch}.py", module_text(seed, functions=2))
        repository.commit()
        with Workspace.open(repository.root) as workspace:
            workspace.index()
    chains = run_sql(repository.root, "SELECT count(*) FROM layer WHERE parent IS NOT NULL")
    assert chains == [[3]], "each branch stands on the one before"
    repository.git("checkout", "--quiet", "main")
    repository.git("branch", "--quiet", "-D", "topic-of-topic", "other")
    if is_forgotten:
        run_sql(repository.root, "DELETE FROM branch WHERE name IN ('topic-of-topic', 'other')")
    with Workspace.open(repository.root) as workspace:
        report = workspace.gc()
        assert (report.branches, report.blobs) == (0 if is_forgotten else 2, 2)
        assert [name for name, _ in workspace.status().branches] == ["main", "topic"]
        assert workspace.doctor() == ()
    layers = run_sql(repository.root, "SELECT id FROM layer ORDER BY id")
    assert layers == run_sql(repository.root, f"{REACHED} ORDER BY id")
    paths = run_sql(repository.root, "SELECT DISTINCT path FROM layer_entry WHERE path LIKE '%.py'")
    assert {"main.py", "topic.py"} == {str(path) for (path,) in paths if "/" not in str(path)}


def test_layers_that_branches_left_behind_go_at_once(repository: Repository) -> None:
    """Each branch is rewritten, so that neither refers to the layer that both began with."""

    def rewrite(seed: int, *, count: int) -> None:
        for at in range(count):
            repository.write(f"m{at}.py", module_text(seed + at, functions=1))
        repository.commit()
        with Workspace.open(repository.root) as workspace:
            workspace.index()

    rewrite(10, count=6)
    repository.git("checkout", "--quiet", "-b", "topic")
    rewrite(20, count=1)
    repository.git("checkout", "--quiet", "main")
    rewrite(30, count=6)
    assert len(run_sql(repository.root, REACHED)) == 3
    repository.git("checkout", "--quiet", "topic")
    rewrite(40, count=6)
    assert run_sql(repository.root, "SELECT count(*), sum(entries) FROM layer") == [[2, 12]]
    assert len(run_sql(repository.root, REACHED)) == 2


def test_worktree_that_can_not_be_seen_right_now_keeps_its_branch(repository: Repository) -> None:
    write_modules(repository, files=3, functions=2)
    repository.commit()
    tree = repository.root.parent / "tree"
    repository.git("worktree", "add", "--quiet", "--detach", str(tree))
    for root in (repository.root, tree):
        with Workspace.open(root) as workspace:
            workspace.index()
    with Workspace.open(repository.root) as workspace:
        assert len(workspace.status().branches) == 2
        assert (workspace.gc().branches, workspace.gc().worktrees) == (0, 0)
        shutil.rmtree(tree)
        report = workspace.gc()
        assert (report.branches, report.worktrees) == (1, 1)


def test_gaps_are_closed_once_a_quarter_of_the_numbers_is_garbage(repository: Repository) -> None:
    """What segments carry does not grow with the number of edits."""
    write_modules(repository, files=10, functions=6)
    settings = {"gc.auto": False}
    sizes = []
    with Workspace.open(repository.root, settings=settings) as workspace:
        for round_ in range(4):
            for seed in range(10):
                text = module_text(seed + 100 * round_, functions=6)
                repository.write(f"package{seed % 10}/module{seed}.py", text)
            workspace.index()
            workspace.gc()
            segments = store_of(repository.root) / "segments"
            for path in segments.iterdir():
                if path.stat().st_mtime_ns:
                    os.utime(path, (1, 1))
            workspace.gc()
            sizes.append(sum(path.stat().st_size for path in segments.iterdir()))
            assert workspace.doctor() == ()
    assert max(sizes) < 1.3 * min(sizes), sizes
    assert answers(repository.root) == answers_of_full_index(repository.root)


def test_index_collects_by_itself_once_there_is_enough(repository: Repository) -> None:
    settings = {"gc.min_contents": 4, "gc.min_percent": 30}

    def edit(seed: int, round_: int) -> None:
        repository.write(f"module{seed}.py", module_text(seed + 100 * round_, functions=2))

    for seed in range(10):
        edit(seed, 0)
    with Workspace.open(repository.root, settings=settings) as workspace:
        workspace.index()
        contents = []
        for round_ in range(1, 6):
            edit(round_, round_)
            workspace.index()
            contents.append(workspace.gc(dry_run=True).blobs)
    assert contents == [1, 2, 3, 4, 0], "5 of 15 are 33 percent"


def test_nothing_is_collected_by_itself_if_that_is_switched_off(repository: Repository) -> None:
    settings = {"gc.min_contents": 1, "gc.min_percent": 0, "gc.auto": False}
    repository.write("a.py", "def first():\n    pass\n")
    with Workspace.open(repository.root, settings=settings) as workspace:
        workspace.index()
        repository.write("a.py", "def second():\n    pass\n")
        workspace.index()
        assert workspace.gc(dry_run=True).blobs == 1


def test_what_may_have_been_paid_for_never_goes_by_itself(repository: Repository) -> None:
    settings = {
        "gc.min_contents": 1, "gc.min_percent": 0, "embedding.provider": "compatible",
        "embedding.base_url": "http://127.0.0.1:9/v1", "embedding.model": "m",
        "embedding.dimensions": 4, "embedding.retries": 0,
    }  # fmt: skip
    repository.write("a.py", "def first():\n    pass\n")
    with Workspace.open(repository.root, settings=settings) as workspace:
        workspace.index()
        repository.write("a.py", "def second():\n    pass\n")
        workspace.index()
        assert workspace.gc(dry_run=True).blobs == 1
        assert workspace.gc().blobs == 1


def _copy(data: Path, name: str, *, owner: Path | None, used_ns: int) -> Path:
    store = data / "overlays" / name
    store.mkdir(parents=True)
    (store / "index.db").write_bytes(bytes(100))
    if owner is not None:
        remember_owner(store, owner)
    for path in [*store.iterdir(), store]:
        os.utime(path, ns=(used_ns, used_ns))
    return store


def test_copies_go_when_their_workspace_is_gone_or_nobody_used_them(tmp_path: Path) -> None:
    data, now_ns = tmp_path / "data", 100 * DAY_NS
    alive = tmp_path / "alive"
    alive.mkdir()
    kept = [
        _copy(data, "used", owner=alive, used_ns=now_ns - 29 * DAY_NS),
        _copy(data, "unknown", owner=None, used_ns=now_ns),
        _copy(data, "unmounted", owner=tmp_path / "disk" / "there", used_ns=now_ns),
        _copy(data, "own", owner=None, used_ns=0),
    ]
    gone = [
        _copy(data, "old", owner=alive, used_ns=now_ns - 31 * DAY_NS),
        _copy(data, "abandoned", owner=tmp_path / "removed", used_ns=now_ns),
    ]

    def remove(*, dry_run: bool, unused_days: int = 30) -> tuple[int, int]:
        report = remove_old_copies(
            data, keep=kept[3], unused_days=unused_days, now_ns=now_ns, dry_run=dry_run
        )
        return report.copies, report.size_bytes

    dry = remove(dry_run=True)
    assert all(copy.exists() for copy in kept + gone)
    assert remove(dry_run=False) == dry
    assert dry[0] == 2
    assert dry[1] > 200
    assert [copy.exists() for copy in kept + gone] == [True] * 4 + [False] * 2
    assert remove(dry_run=False) == (0, 0)
    os.utime(kept[0] / "index.db", ns=(1, 1))
    assert remove(dry_run=False, unused_days=0) == (0, 0)
    assert (
        remove_old_copies(
            tmp_path / "nothing", keep=kept[0], unused_days=1, now_ns=now_ns, dry_run=False
        ).copies
        == 0
    )


def test_status_counts_texts_and_vectors_that_are_there(repository: Repository) -> None:
    write_modules(repository, files=8, functions=6)
    with Workspace.open(repository.root, settings={"gc.auto": False}) as workspace:
        workspace.index()
        whole = workspace.status()
        assert whole.vectors == whole.texts > 0
        for file in sorted(repository.root.rglob("*.py"))[:3]:
            file.unlink()
        workspace.index()
        workspace.gc()
        less = workspace.status()
        assert 0 < less.vectors == less.texts < whole.texts
        segments = workspace.store / "segments"
    for file in segments.glob("vectors-*"):
        file.unlink()
    with Workspace.open(repository.root) as workspace:
        assert (workspace.status().vectors, workspace.status().texts) == (0, less.texts)
        workspace.index()
        assert workspace.status().vectors == less.texts
