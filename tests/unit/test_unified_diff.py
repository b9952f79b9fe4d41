"""Reading diffs: which lines change, whatever they look like."""

import pytest

from codecairn.graph.unified_diff import ChangedFile, Hunk, joined, parse_diff
from support.repository import Repository

WITH_CONTEXT = """diff --git a/shop/a.py b/shop/a.py
index 1..2 100644
--- a/shop/a.py
+++ b/shop/a.py
@@ -1,7 +1,7 @@ def context():
 one
-two
+TWO
 three
 four
+more
 five
--- six
 seven
\\ No newline at end of file
"""


def _hunk(old: int, gone: int, new: int, come: int) -> Hunk:
    return Hunk(old_start=old, old_count=gone, new_start=new, new_count=come)


def test_lines_of_context_are_no_change() -> None:
    (file,) = parse_diff(WITH_CONTEXT)
    assert file.hunks == (_hunk(2, 1, 2, 1), _hunk(4, 0, 5, 1), _hunk(6, 1, 6, 0))
    assert file.new_lines() == [(2, 2), (5, 5), (6, 6)]
    assert file.old_lines() == [(2, 2), (4, 4), (6, 6)]


@pytest.mark.parametrize(
    ("header", "lines", "hunk"),
    [
        ("@@ -0,0 +1,2 @@", "+a\n+b\n", (0, 0, 1, 2)),
        ("@@ -5,0 +6,2 @@", "+a\n+b\n", (5, 0, 6, 2)),
        ("@@ -5,0 +6 @@", "+a\n", (5, 0, 6, 1)),
        ("@@ -5,2 +4,0 @@", "-a\n-b\n", (5, 2, 4, 0)),
        ("@@ -1,2 +0,0 @@", "-a\n-b\n", (1, 2, 0, 0)),
        ("@@ -3 +3 @@", "-a\n+b\n", (3, 1, 3, 1)),
    ],
)
def test_hunks_without_context_are_placed_by_their_headers(
    header: str, lines: str, hunk: tuple[int, int, int, int]
) -> None:
    """A side without lines names the line before it."""
    (file,) = parse_diff(f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n{header}\n{lines}")
    assert file.hunks == (_hunk(*hunk),)


def test_line_is_followed_from_the_old_file_to_the_new_one() -> None:
    (file,) = parse_diff(WITH_CONTEXT)
    assert [file.moved(line) for line in (1, 2, 3, 4, 5, 7)] == [1, 2, 3, 4, 6, 7]
    assert ChangedFile(old_path="a", new_path="a").moved(9) == 9


@pytest.mark.parametrize(
    "name", ["plain.py", "with space.py", "käse.py", 'quo"te.py', "tab\there.py"]
)
def test_names_and_kinds_of_change_are_read_from_git(repository: Repository, name: str) -> None:
    repository.write(name, "".join(f"line {number}\n" for number in range(20)))
    repository.write("gone.py", "x = 1\n")
    repository.commit()
    repository.git("mv", name, f"moved {name}")
    repository.git("rm", "--quiet", "gone.py")
    repository.write("new.py", "--- a/x\n+++ b/y\n@@ -1 +1 @@\n")
    repository.write("bytes.bin", b"\0\1\2")
    repository.git("add", "--all")
    text = repository.git("diff", "--cached", "--find-renames", "--unified=0", "HEAD")
    found = {(file.old_path, file.new_path): file for file in parse_diff(text)}
    assert set(found) == {
        (name, f"moved {name}"),
        ("gone.py", None),
        (None, "new.py"),
        (None, "bytes.bin"),
    }
    assert found[None, "new.py"].new_lines() == [(1, 3)]
    assert found[name, f"moved {name}"].hunks == ()


def test_spans_that_touch_become_one() -> None:
    assert joined([(5, 6), (1, 2), (3, 3), (9, 9)]) == [(1, 3), (5, 6), (9, 9)]
