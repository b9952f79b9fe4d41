"""Names inside a workspace, on every platform's strings."""

import ntpath
import posixpath
from pathlib import PurePath, PurePosixPath, PureWindowsPath

import hypothesis
import pytest
from hypothesis import strategies as st

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
        ("C:\\srv\\repo", WINDOWS, ""),
        ("/srv/repo/src/../lib", POSIX, "lib"),
        ("/srv/x/../repo/a", POSIX, "a"),
        ("C:\\srv\\repo\\a\\..\\b/c", WINDOWS, "b/c"),
        ("odd\\name:x", POSIX, "odd\\name:x"),
    ],
)
def test_names_are_relative_with_slashes(given: str, root: PurePath, expected: str) -> None:
    assert inner_name(given, root=root) == expected


@pytest.mark.parametrize(
    ("given", "root"),
    [
        ("..", POSIX),
        ("src/../../x", POSIX),
        ("/srv/other", POSIX),
        ("/srv/repo/../x", POSIX),
        ("/srv/repo/src/../../x", POSIX),
        ("/../srv/repo", POSIX),
        ("//srv/repo/x", POSIX),
        ("a\0b", POSIX),
        ("D:\\srv", WINDOWS),
        ("C:x", WINDOWS),
        ("D:x", WINDOWS),
        ("\\srv\\repo\\x", WINDOWS),
        ("C:\\srv\\repo\\..\\x", WINDOWS),
        ("C:/srv\\repo/../x", WINDOWS),
        ("\\\\?\\C:\\srv\\repo\\x", WINDOWS),
        ("\\\\server\\share\\x", WINDOWS),
        ("a.txt:stream", WINDOWS),
        ("C:\\srv\\repo\\a:b", WINDOWS),
        ("src/.. /.. /x", WINDOWS),
        ("src/. ./x", WINDOWS),
        ("src/.../x", WINDOWS),
    ],
)
def test_names_outside_the_workspace_are_refused(given: str, root: PurePath) -> None:
    with pytest.raises(UsageError, match="outside the workspace"):
        inner_name(given, root=root)


_PARTS = st.sampled_from(
    [
        "..",
        ".",
        "",
        "a",
        "b c",
        "repo",
        "srv",
        "C:",
        "c:x",
        "?",
        "\\\\",
        "//",
        "..\\",
        ".. ",
        "...",
        "x:y",
        "\0",
        "~",
    ]
)
_SEPARATORS = st.sampled_from(["/", "\\", "//", ""])
_TYPED = st.one_of(
    st.text(max_size=30),
    st.lists(st.tuples(_PARTS, _SEPARATORS), max_size=8).map(
        lambda pairs: "".join(part + separator for part, separator in pairs)
    ),
)
_STARTS = {
    POSIX: ["", "/srv/repo/", "/srv/repo/../", "/"],
    WINDOWS: ["", "C:\\srv\\repo\\", "C:/srv/repo/../"],
}


@pytest.mark.parametrize("root", [POSIX, WINDOWS])
@hypothesis.given(data=st.data())
@hypothesis.settings(max_examples=1000)
def test_whatever_is_typed_stays_inside(root: PurePath, data: st.DataObject) -> None:
    typed = data.draw(st.sampled_from(_STARTS[root])) + data.draw(_TYPED)
    try:
        name = inner_name(typed, root=root)
    except UsageError:
        return
    normal = ntpath if root == WINDOWS else posixpath
    joined = normal.normpath(normal.join(str(root), name))
    assert joined == str(root) or joined.startswith(str(root) + normal.sep)
    assert "\0" not in name
    assert ".." not in type(root)(name).parts
    assert not type(root)(name).anchor
    if root == WINDOWS:
        assert ":" not in name
        assert all(part.strip(". ") for part in name.split("/") if part)
    assert inner_name(name, root=root) == name


def test_relative_name_of_the_root_is_empty() -> None:
    assert relative_name(POSIX, POSIX) == ""


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("a.py:12", ("a.py", 12)),
        ("a.py:1", ("a.py", 1)),
        ("src/a.py:12:5", ("src/a.py", 12)),
        ("C:\\src\\a.py:3", ("C:\\src\\a.py", 3)),
        ("C:\\src\\a.py:3:1", ("C:\\src\\a.py", 3)),
        ("odd:name.py:7", ("odd:name.py", 7)),
        ("Makefile:7", ("Makefile", 7)),
        ("é:7", ("é", 7)),
        ("1:7", ("1", 7)),
        (f"a.py:{10**18 - 1}", ("a.py", 10**18 - 1)),
    ],
)
def test_place_is_split_at_its_line(place: str, expected: tuple[str, int]) -> None:
    assert split_place(place) == expected


@pytest.mark.parametrize(
    "place",
    [
        "a.py",
        "a.py:",
        ":3",
        "a.py:0",
        "a.py:x",
        "C:3",
        "C:3:1",
        "",
        "3",
        f"a.py:{10**18}",
        f"a.py:{'9' * 5000}",
    ],
)
def test_place_without_a_line_is_refused(place: str) -> None:
    with pytest.raises(UsageError, match="FILE:LINE"):
        split_place(place)
