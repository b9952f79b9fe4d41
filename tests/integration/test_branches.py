"""Branches, worktrees, and folders without either, on real git."""

import pytest

from codecairn import Workspace
from codecairn.core.types.hits import SearchResult
from support.repository import SMALL_PROJECT, Repository
from support.stores import store_of


@pytest.fixture
def shop(repository: Repository) -> Repository:
    repository.write_all(SMALL_PROJECT)
    repository.commit("open the shop")
    return repository


def _paths(result: SearchResult) -> set[str]:
    return {hit.path for hit in result}


def test_switching_branches_embeds_nothing_and_changes_results(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        shop.git("switch", "--quiet", "--create", "feature")
        shop.write("shop/coupons.py", "def redeem_coupon(code):\n    return code\n")
        shop.commit("coupons")
        assert workspace.search("redeem coupon")[0].path == "shop/coupons.py"

        shop.git("switch", "--quiet", "main")
        back = workspace.index()
        assert (back.branch, back.embedded, back.new_chunks) == ("main", 0, 0)
        assert "shop/coupons.py" not in _paths(workspace.search("redeem coupon", limit=50))

        shop.git("switch", "--quiet", "feature")
        again = workspace.index()
        assert (again.branch, again.embedded, again.new_chunks) == ("feature", 0, 0)
        assert workspace.search("redeem coupon")[0].path == "shop/coupons.py"
        assert {name for name, _ in workspace.status().branches} == {"main", "feature"}


def test_branch_indexed_for_the_first_time_embeds_only_what_is_new(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        shop.git("switch", "--quiet", "--create", "same")
        report = workspace.index()
        assert (report.branch, report.embedded, report.new_chunks) == ("same", 0, 0)
        assert report.files == len(SMALL_PROJECT)


def test_garbage_is_what_branches_left_that_git_no_longer_has(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        shop.git("switch", "--quiet", "--create", "feature/coupons")
        shop.write("shop/coupons.py", "def redeem_coupon(code):\n    return code\n")
        shop.commit("coupons")
        workspace.index()
        shop.git("switch", "--quiet", "main")
        shop.git("pack-refs", "--all")
        workspace.index()
        assert workspace.gc().blobs == 0
        shop.git("branch", "--quiet", "--delete", "--force", "feature/coupons")
        assert workspace.gc(dry_run=True).blobs == 1
        assert {name for name, _ in workspace.status().branches} == {"main", "feature/coupons"}
        assert workspace.gc().blobs == 1
        assert {name for name, _ in workspace.status().branches} == {"main"}
        assert workspace.doctor() == ()


def test_detached_head_is_a_branch_of_its_own_name(shop: Repository) -> None:
    commit = shop.git("rev-parse", "HEAD")
    shop.git("checkout", "--quiet", "--detach")
    with Workspace.open(shop.root) as workspace:
        result = workspace.search("verify token")
    assert result.branch.startswith("@")
    assert commit.startswith(result.branch[1:])


def test_branch_before_its_first_commit_can_be_searched(repository: Repository) -> None:
    repository.write_all(SMALL_PROJECT)
    with Workspace.open(repository.root) as workspace:
        result = workspace.search("verify token")
    assert result.branch == "main"
    assert result[0].path == "shop/tokens.py"


def test_linked_worktree_shares_the_store(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        workspace.index()
    linked_root = shop.root.parent / "linked"
    shop.git("worktree", "add", "--quiet", "-b", "linked", str(linked_root))
    linked = Repository(linked_root)
    linked.write("shop/gifts.py", "def wrap_gift(paper):\n    return paper\n")
    with Workspace.open(linked_root) as workspace:
        assert workspace.root == linked_root
        assert workspace.store == store_of(shop.root)
        report = workspace.index()
        assert report.branch == "linked"
        assert report.new_chunks == 1
        assert report.embedded == 1
        assert workspace.search("wrap gift")[0].path == "shop/gifts.py"
    assert not store_of(linked_root).exists()
    with Workspace.open(shop.root) as workspace:
        assert "shop/gifts.py" not in _paths(workspace.search("wrap gift", limit=50))


def test_worktree_inside_the_main_worktree_is_searched_alone(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        shop.git("worktree", "add", "--quiet", "-b", "inner", "trees/inner")
        Repository(shop.root / "trees" / "inner").write(
            "shop/inner.py", "def only_inside():\n    pass\n"
        )
        workspace.index()
        assert all(
            not path.startswith("trees/") for path in _paths(workspace.search("only inside"))
        )
    with Workspace.open(shop.root / "trees" / "inner" / "shop") as workspace:
        assert workspace.search("only inside")[0].path == "shop/inner.py"


def test_folder_without_git_works(folder: Repository) -> None:
    folder.write_all(SMALL_PROJECT)
    with Workspace.open(folder.root) as workspace:
        assert workspace.index().branch == ""
        result = workspace.search("verify token")
        assert result.branch == workspace.status().branch == ""
        assert result[0].path == "shop/tokens.py"
        folder.write("shop/more.py", "def one_more_thing():\n    pass\n")
        assert workspace.search("one more thing")[0].path == "shop/more.py"


def test_folder_that_becomes_a_repository_keeps_working(folder: Repository) -> None:
    folder.write_all(SMALL_PROJECT)
    with Workspace.open(folder.root) as workspace:
        workspace.index()
        folder.git("init", "--quiet", "--initial-branch=main")
        folder.commit("first")
        report = workspace.index()
        assert (report.branch, report.embedded) == ("main", 0)


def test_submodule_is_part_of_the_workspace(
    shop: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    library = Repository.make(tmp_path_factory.mktemp("library") / "library")
    library.write("lib/paint.py", "def paint_the_fence(colour):\n    return colour\n")
    library.commit("paint")
    shop.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(library.root),
        "vendor",
    )
    shop.commit("vendor")
    with Workspace.open(shop.root) as workspace:
        assert workspace.search("paint the fence")[0].path == "vendor/lib/paint.py"


def test_store_is_out_of_sight_of_git(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        workspace.index()
    assert shop.git("status", "--porcelain") == ""


def test_branch_switched_to_in_the_middle_of_a_search_is_indexed_first(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codecairn.workspace import workspace as module

    repository.write_all(SMALL_PROJECT)
    repository.commit()
    real, left = module.make_ready, [1]

    def make_ready(*arguments: object, **options: object) -> object:
        freshness = real(*arguments, **options)  # type: ignore[arg-type]
        if left[0]:
            left[0] -= 1
            repository.git("switch", "--quiet", "--create", "never-indexed")
        return freshness

    monkeypatch.setattr(module, "make_ready", make_ready)
    with Workspace.open(repository.root) as workspace:
        result = workspace.search("verify token")
        assert (result[0].path, result.branch) == ("shop/tokens.py", "never-indexed")
