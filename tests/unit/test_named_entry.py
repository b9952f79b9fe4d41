"""A folder or a file that a request names: there it is, or the nearest one is named."""

import os
from pathlib import Path

import pytest

from codecairn.errors import FileAccessError, PathNotFound, UsageError
from codecairn.paths.named_entry import require_entry, require_folder, require_no_device


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a few folders and files."""
    root = tmp_path / "root"
    for name in ("shop/orders", "shop/tokens", "docs", ".hidden"):
        (root / name).mkdir(parents=True)
    (root / "shop/prices.py").write_text("")
    return root


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("shpo", "did you mean `shop`?"),
        ("shop/token", "did you mean `shop/tokens`?"),
        ("shop/zzzzzz", "in `shop` there are `orders`, `tokens`"),
        ("zzzzzz", "there are `docs`, `shop`"),
        ("docs/zzzzzz", "`docs` holds none"),
        (".", None),
        ("shop/orders", None),
    ],
)
def test_missing_folder_is_named_with_what_there_is(
    root: Path, given: str, hint: str | None
) -> None:
    if hint is None:
        require_folder(given, base=root, root=root)
        return
    with pytest.raises(PathNotFound, match="no folder") as refused:
        require_folder(given, base=root, root=root)
    assert refused.value.hint == hint


def test_file_is_no_folder_and_an_entry_is_both(root: Path) -> None:
    require_entry("shop/prices.py", base=root, root=root)
    require_entry("shop", base=root, root=root)
    with pytest.raises(UsageError, match="is a file") as refused:
        require_folder("shop/prices.py", base=root, root=root)
    assert "select the file by a glob" in refused.value.hint
    with pytest.raises(PathNotFound, match=r"no file `shop/price\.py`") as missing:
        require_entry("shop/price.py", base=root, root=root)
    assert missing.value.hint == "did you mean `shop/prices.py`?"


def test_what_is_named_from_a_folder_within_may_be_in_the_root(root: Path) -> None:
    with pytest.raises(PathNotFound) as refused:
        require_folder("docs", base=root / "shop/orders", root=root)
    assert refused.value.hint == "it is in the workspace's root: `../../docs`"


@pytest.mark.parametrize("given", ["../elsewhere", "/etc"])
def test_what_lies_outside_has_an_error_of_its_own(root: Path, given: str) -> None:
    require_folder(given, base=root, root=root)


@pytest.mark.parametrize("given", ["a\0b", "x" * 5000])
def test_name_that_no_system_takes_is_not_found(root: Path, given: str) -> None:
    for require in (require_folder, require_entry):
        with pytest.raises(PathNotFound) as refused:
            require(given, base=root, root=root)
        assert len(refused.value.message) < 300


def test_empty_name_is_refused(root: Path) -> None:
    with pytest.raises(UsageError, match="the name of the folder is empty"):
        require_folder(" ", base=root, root=root)


@pytest.mark.skipif(os.name == "nt", reason="devices have other names")
def test_device_is_refused_and_a_pipe_is_not(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for harmless in (tmp_path / "pipe", tmp_path, tmp_path / "gone", Path("a\0b")):
        require_no_device(harmless)
    with pytest.raises(FileAccessError, match="`/dev/zero` is a device"):
        require_no_device(Path("/dev/zero"))
