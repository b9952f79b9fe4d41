"""Names inside a workspace, on every platform's strings."""

from pathlib import PurePath, PurePosixPath, PureWindowsPath

import pytest

from codecairn.errors import UsageError
from codecairn.paths.relative import inner_name, relative_name, split_place

POSIX = PurePosixPath("/srv/repo")
WINDOWS = PureWindowsPath("C:\\srv\\repo")


@pytest.mark.parametrize(
    ("given", "root", "expected"),
    [
        ("src", POSIX, "src"),
        ("./src/", POSIX, "src"),
        ("src/../lib", POSIX, "lib"),
        (".", POSIX, ""),
        ("/srv/repo", POSIX, ""),
        ("/srv/repo/src/a.py", POSIX, "src/a.py"),
        ("src\\core", WINDOWS, "src/core"),
        ("src/core", WINDOWS, "src/core"),
        ("c:\\SRV\\repo\\src", WINDOWS, "src"),
    ],
)
def test_names_are_relative_with_slashes(given: str, root: PurePath, expected: str) -> None:
    assert inner_name(given, root=root) == expected


@pytest.mark.parametrize(
    ("given", "root"),
    [("..", POSIX), ("src/../../x", POSIX), ("/srv/other", POSIX), ("D:\\srv", WINDOWS)],
)
def test_names_outside_the_workspace_are_refused(given: str, root: PurePath) -> None:
    with pytest.raises(UsageError, match="outside the workspace"):
        inner_name(given, root=root)


def test_relative_name_of_the_root_is_empty() -> None:
    assert relative_name(POSIX, POSIX) == ""


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("a.py:12", ("a.py", 12)),
        ("src/a.py:12:5", ("src/a.py", 12)),
        ("C:\\src\\a.py:3", ("C:\\src\\a.py", 3)),
        ("C:\\src\\a.py:3:1", ("C:\\src\\a.py", 3)),
        ("odd:name.py:7", ("odd:name.py", 7)),
    ],
)
def test_place_is_split_at_its_line(place: str, expected: tuple[str, int]) -> None:
    assert split_place(place) == expected


@pytest.mark.parametrize("place", ["a.py", "a.py:", ":3", "a.py:0", "a.py:x", "C:3", ""])
def test_place_without_a_line_is_refused(place: str) -> None:
    with pytest.raises(UsageError, match="FILE:LINE"):
        split_place(place)
