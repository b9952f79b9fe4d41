"""ContextBench: its data, blocks and measures, the part of an answer that fits, and the lines that an agent has seen."""

import json
from pathlib import Path

import pytest

from benches.agents.scripted import follow, grep
from benches.public.contextbench.__main__ import lines_within
from benches.public.contextbench.blocks import blocks, touched
from benches.public.contextbench.data import tasks
from benches.public.contextbench.scores import scores
from benches.public.issues import figures, mirror_of
from benches.quality.lines.answers import Row, Shown, render
from codecairn.errors import UsageError

PATCH = """\
diff --git a/pkg/a.py b/pkg/a.py
--- a/pkg/a.py
+++ b/pkg/a.py
@@ -2,2 +2,2 @@
-    def f(self):
+    def g(self):
         return 1
"""
ROW = {
    "instance_id": "SWE__python__1",
    "original_inst_id": "owner__name-12",
    "repo": "name",
    "base_commit": "c0ffee",
    "problem_statement": "A title\n\nA text",
    "gold_context": json.dumps(
        [
            {"file": "/testbed/pkg/a.py", "start_line": 2, "end_line": 3, "content": "x"},
            {"file": "./pkg/a.py", "start_line": 3, "end_line": 4},
            {"file": "/workspace/owner__name__0.1/.config.js", "start_line": 7, "end_line": 7},
        ]
    ),
    "patch": PATCH,
}
FILES = {
    "a.py": "class A:\n    @d\n    def f(self):\n        return 1\n\n    def g(self): ...\n\nx = 1\n",
    "b.py": "y = 1\nz = 2\n",
}


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_a_task_has_its_repository_and_the_marked_lines_by_path(tmp_path: Path) -> None:
    full = {**ROW, "repo": "Owner/Name", "gold_context": json.loads(str(ROW["gold_context"]))}
    pro = {**ROW, "original_inst_id": f"instance_o__n-m-{'a' * 40}-v{'b' * 40}"}
    found = [*tasks(write(tmp_path / "data.jsonl", ROW, full, pro))]
    assert [each.repository for each in found] == ["owner/name", "Owner/Name", "o/n-m"]
    for task in found:
        assert task.gold == {"pkg/a.py": {2, 3, 4}, ".config.js": {7}}
    assert (found[0].id, found[0].revision) == ("SWE__python__1", "c0ffee")
    assert [(target.path, target.ranges) for target in found[0].targets] == [
        ("pkg/a.py", ((2, 2),))
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"repo": "a/a"}, "data.jsonl:2: no instance_id"),
        ({**ROW, "gold_context": "context0:\nfile: a.py"}, "data.jsonl:2: gold_context is no list"),
        ({**ROW, "gold_context": [{"file": "a.py"}]}, "data.jsonl:2: gold_context is no list"),
    ],
)
def test_damaged_data_is_named_by_its_line(
    tmp_path: Path, row: dict[str, object], message: str
) -> None:
    found = tasks(write(tmp_path / "data.jsonl", ROW, row))
    next(found)
    with pytest.raises(UsageError, match=message):
        next(found)


def test_data_that_is_missing_or_no_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no file") as refused:
        next(tasks(tmp_path / "none.jsonl"))
    assert "parquet" in str(refused.value.hint)
    (tmp_path / "data.jsonl").write_text("PAR1")
    with pytest.raises(UsageError, match=r"data.jsonl:1: not JSON"):
        next(tasks(tmp_path / "data.jsonl"))


def test_a_mirror_is_found_whatever_its_case(tmp_path: Path) -> None:
    (tmp_path / "Owner+Name" / "repo").mkdir(parents=True)
    assert mirror_of(tmp_path, "owner/name") == tmp_path / "Owner+Name" / "repo"
    assert not mirror_of(tmp_path, "owner/other").exists()
    with pytest.raises(UsageError, match="is no folder"):
        mirror_of(tmp_path / "none", "owner/name")


def test_blocks_are_definitions_and_those_round_them() -> None:
    text = FILES["a.py"]
    assert {block[:2] for block in blocks("a.py", text)} == {(1, 6), (3, 4), (6, 6)}
    assert {block[:2] for block in touched("a.py", text, [4])} == {(1, 6), (3, 4)}
    # A decorator is outside of its function.
    assert {block[:2] for block in touched("a.py", text, [2, 8])} == {(1, 6)}
    assert touched("a.txt", text, [4]) == frozenset()
    assert touched("a.py", "def (", [1]) == frozenset()


@pytest.mark.parametrize(
    ("path", "text", "spans"),
    [
        ("a.go", "type A struct {\n}\n\nfunc f() {\n}\n", {(1, 2), (4, 5)}),
        ("a.rs", "struct A;\nimpl A {\n fn f() {}\n}\n", {(1, 1), (2, 4), (3, 3)}),
        ("A.java", "class A {\n A() {}\n void f() {}\n}\n", {(1, 4), (2, 2), (3, 3)}),
        ("a.js", "class A {\n f() {}\n}\nconst g = () =>\n  1\n", {(1, 3), (2, 2), (4, 5)}),
        ("a.ts", "interface A {\n}\nconst g = () => 1\n", {(1, 2)}),
        ("a.c", "struct a {\n};\nint f(void) {\n}\n", {(1, 2), (3, 4)}),
        ("a.cpp", "class A {\n};\nint f() {\n}\n", {(1, 2), (3, 4)}),
    ],
)
def test_each_language_has_its_blocks(path: str, text: str, spans: set[tuple[int, int]]) -> None:
    pytest.importorskip("tree_sitter_language_pack")
    assert {block[:2] for block in blocks(path, text)} == spans


def test_measures_are_those_of_the_sets() -> None:
    gold = {"a.py": {3, 4}, "lost.py": {1, 2}}
    found = dict(scores({"a.py": {4, 6, 8}, "b.py": {1}}, gold, FILES))
    assert found == {
        "file recall": 1 / 2,
        "file precision": 1 / 2,
        "file F1": 1 / 2,
        # Of A, f and g only A and f are marked.
        "block recall": 1,
        "block precision": 2 / 3,
        "block F1": pytest.approx(4 / 5),
        "line recall": 1 / 4,
        "line precision": 1 / 4,
        "line F1": 1 / 4,
    }


def test_nothing_seen_is_precise_and_no_marked_block_is_found() -> None:
    found = dict(scores({"b.py": set()}, {"b.py": {1}}, FILES))
    assert (found["line recall"], found["line precision"], found["line F1"]) == (0, 1, 0)
    assert (found["file precision"], found["block recall"]) == (1, 1)


def test_an_answer_is_cut_where_the_tokens_end() -> None:
    rows = [
        Row(rank=1, path="a.py", line=0, size=10),
        Row(rank=1, path="a.py", line=3, size=10),
        Row(rank=1, path="a.py", line=4, size=20),
        Row(rank=2, path="b.py", line=1, size=1),
    ]
    assert lines_within(rows, 10) == {"a.py": {3, 4}}
    assert lines_within(rows, 9) == {"a.py": {3}}
    assert lines_within(rows, 100) == {"a.py": {3, 4}, "b.py": {1}}


def test_an_agent_keeps_the_lines_that_it_has_seen() -> None:
    files = {"a.py": "\n".join(f"a{line}" for line in range(1, 201)), "b.py": "rare\nb"}
    reply = render([Shown(path="a.py", start_line=5, end_line=6, score=1.0)], files)
    walk = follow(grep("rare", files), (), files, reply)
    assert walk.seen == {"a.py": {5, 6}, "b.py": {1, 2}}


def test_shares_are_in_percent_and_sizes_are_not() -> None:
    values = {
        "1,000 tokens: line F1": {"a/a": [0.25, 0.75]},
        "agent: steps": {"a/a": [2.0, 4.0]},
    }
    share, steps = figures("t", values)
    assert (share.value, share.unit, share.note) == (50.0, "%", "2 issues")
    assert (steps.value, steps.unit) == (3.0, "")
