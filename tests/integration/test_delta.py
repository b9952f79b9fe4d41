"""What changed is taken in, and only that."""

import os
import time
from pathlib import Path

import pytest

from codecairn import Workspace
from support.repository import SMALL_PROJECT, Repository


@pytest.fixture
def shop(repository: Repository) -> Repository:
    repository.write_all(SMALL_PROJECT)
    repository.commit("open the shop")
    with Workspace.open(repository.root) as workspace:
        workspace.index()
    return repository


def test_added_modified_removed_and_renamed_are_told_apart(shop: Repository) -> None:
    shop.write("shop/new.py", "def brand_new():\n    return 1\n")
    tokens = shop.root / "shop" / "tokens.py"
    tokens.write_text(tokens.read_text().replace("expiry", "lifetime"))
    (shop.root / "docs" / "guide.md").unlink()
    (shop.root / "shop" / "basket.py").rename(shop.root / "shop" / "cart.py")
    with Workspace.open(shop.root) as workspace:
        report = workspace.index()
    assert (report.added, report.modified, report.removed, report.renamed) == (1, 1, 1, 1)


def test_search_takes_in_changes_first(shop: Repository) -> None:
    shop.write("shop/delivery.py", "def ship_parcel_overseas():\n    return 'boat'\n")
    with Workspace.open(shop.root) as workspace:
        result = workspace.search("ship parcel overseas")
        assert result[0].path == "shop/delivery.py"
        assert result.unchecked == 0


def test_search_without_refresh_says_what_is_stale(shop: Repository) -> None:
    tokens = shop.root / "shop" / "tokens.py"
    tokens.write_text("def nothing_of_the_kind():\n    pass\n")
    (shop.root / "shop" / "basket.py").unlink()
    with Workspace.open(shop.root) as workspace:
        result = workspace.search("verify token basket", refresh=False)
    assert result.unchecked is None
    assert {"shop/tokens.py", "shop/basket.py"} <= set(result.stale)
    assert any("def verify_token" in hit.text for hit in result)


def test_removed_file_leaves_no_hits(shop: Repository) -> None:
    (shop.root / "shop" / "tokens.py").unlink()
    with Workspace.open(shop.root) as workspace:
        paths = {hit.path for hit in workspace.search("verify token signature", limit=50)}
    assert "shop/tokens.py" not in paths


def test_renamed_file_is_found_under_its_new_name_without_embedding(shop: Repository) -> None:
    (shop.root / "shop" / "tokens.py").rename(shop.root / "shop" / "proofs.py")
    with Workspace.open(shop.root) as workspace:
        report = workspace.index()
        assert report.embedded == 0
        assert workspace.search("verify_token")[0].path == "shop/proofs.py"


def test_line_inserted_at_the_top_embeds_at_most_one_text(shop: Repository) -> None:
    basket = shop.root / "shop" / "basket.py"
    basket.write_text("import decimal\n" + basket.read_text())
    with Workspace.open(shop.root) as workspace:
        report = workspace.index()
        assert report.modified == 1
        assert report.embedded <= 1
        hit = workspace.define("total_price")[0]
        assert "def total_price" in basket.read_text().splitlines()[hit.start_line - 1]


def test_file_left_out_for_its_content_waits_for_a_change(shop: Repository) -> None:
    image = shop.write("shop/logo.raw", b"\x89PNG\r\n\x1a\n\0\0\0\0")
    time.sleep(0.1)  # a file of this very instant is read again each time
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        assert [skip.path for skip in workspace.skips()] == ["shop/logo.raw"]
        assert workspace.index().skipped == 1
    with Workspace.open(shop.root, read_only=True) as workspace:
        assert workspace.refresh().unchecked == 0
        image.write_text("def draw_logo():\n    return 'a ship'\n")
        assert workspace.refresh().unchecked == 1
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        assert len(workspace.skips()) == 0


def test_file_of_equal_size_and_time_is_still_seen(shop: Repository) -> None:
    file = shop.write("shop/flag.py", "def flag_alpha():\n    return 1\n")
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        file.write_text("def flag_omega():\n    return 1\n")
        assert workspace.define("flag_omega")[0].path == "shop/flag.py"
        assert len(workspace.define("flag_alpha")) == 0


def test_files_that_git_tracks_are_not_ignored(shop: Repository) -> None:
    for path, name in [
        ("data/kept.py", "kept_one"),
        ("data/other.py", "other_one"),
        ("my_runner.py", "runner"),
    ]:
        shop.write(path, f"def {name}():\n    return 1\n")
    shop.write(".gitignore", "/data/\n*_runner.py\n")
    shop.git("add", "--force", "data/kept.py", "my_runner.py")
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        assert [len(workspace.define(name)) for name in ("kept_one", "other_one", "runner")] == [
            1,
            0,
            1,
        ]
        shop.git("add", "--force", "data/other.py")
        shop.git("rm", "--quiet", "--cached", "my_runner.py")
        workspace.index()
        assert [len(workspace.define(name)) for name in ("kept_one", "other_one", "runner")] == [
            1,
            1,
            0,
        ]
        shop.write(".codecairnignore", "/data/\n")
        workspace.index()
        assert len(workspace.define("kept_one")) == 0


def test_ignore_rules_that_change_change_the_index(shop: Repository) -> None:
    shop.git("rm", "--quiet", "--cached", "-r", "docs")
    shop.write(".gitignore", "docs/\n")
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        paths = {hit.path for hit in workspace.search("customers pay by invoice", limit=50)}
        assert "docs/guide.md" not in paths
    with Workspace.open(shop.root, settings={"exclude": ["!docs/"]}) as workspace:
        workspace.index()
        paths = {hit.path for hit in workspace.search("customers pay by invoice", limit=50)}
        assert "docs/guide.md" in paths
    with Workspace.open(shop.root, settings={"include": ["*.py"]}) as workspace:
        workspace.index()
        assert all(share.language == "python" for share in workspace.status().languages)
    with Workspace.open(shop.root, settings={"exclude": ["*.js"]}) as workspace:
        workspace.index()
        assert len(workspace.define("getUserById")) == 0


def test_preview_writes_nothing(shop: Repository) -> None:
    shop.write("shop/new.py", "def brand_new():\n    return 1\n")
    with Workspace.open(shop.root) as workspace:
        preview = workspace.preview()
        assert preview.added == ("shop/new.py",)
        assert preview.texts >= 1
        assert preview.tokens >= 1
        assert len(workspace.peek("brand_new", refresh=False)) == 0 or all(
            hit.path != "shop/new.py" for hit in workspace.peek("brand_new", refresh=False)
        )


def test_garbage_of_removed_files_is_collected(shop: Repository) -> None:
    (shop.root / "shop" / "tokens.py").unlink()
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        counted = workspace.gc(dry_run=True)
        assert counted.blobs == 1
        removed = workspace.gc()
        assert (removed.blobs, removed.chunks) == (counted.blobs, counted.chunks)
        assert workspace.gc().blobs == 0
        assert workspace.search("total price")[0].path == "shop/basket.py"
        assert workspace.doctor() == ()


def test_equal_files_that_were_touched_are_taken_in(shop: Repository) -> None:
    text = "def said_twice():\n    return 'twice'\n"
    twins = [shop.write("shop/first.py", text), shop.write("shop/second.py", text)]
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        for twin in twins:
            os.utime(twin, (1_600_000_000, 1_600_000_000))
        assert workspace.index().embedded == 0
        assert workspace.index(force=True).files == len(SMALL_PROJECT) + 2


def test_equal_text_in_two_languages_is_answered_as_by_a_full_index(
    folder: Repository, tmp_path: Path
) -> None:
    text = '"""Ask for the opening hours."""\n'
    folder.write("one.txt", text)
    with Workspace.open(folder.root) as workspace:
        workspace.index()
        folder.write("one.py", text)
        workspace.index()
        delta = workspace.search("opening hours", explain=True).hits
    fresh = Repository(tmp_path / "fresh")
    fresh.write_all({"one.txt": text, "one.py": text})
    with Workspace.open(fresh.root) as workspace:
        assert workspace.search("opening hours", explain=True).hits == delta
