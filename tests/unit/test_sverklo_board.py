"""sverklo's board: the reading of its records, the check of its truth, the registration, the checkouts and the figures."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benches.public.sverklo.__main__ import absent, figures, submit
from benches.public.sverklo.board import (
    ADDED,
    OURS,
    Run,
    check,
    checkouts,
    mirror_of,
    patch,
    registered,
    replaced,
)
from benches.public.sverklo.data import Row, Task, holds, rows, tasks
from codecairn.errors import UsageError

RUNNER = """\
import { writeFileSync } from "node:fs";
import type { Baseline } from "../baselines/base.ts";

  const allBaselines: Baseline[] = [
    new NaiveGrepBaseline(),
  ];
"""


def row(task: str, f1: float, *, repository: str = "shop", cold: float = 0.0) -> dict[str, Any]:
    """A line of `raw.jsonl`."""
    return {
        "task_id": task,
        "category": task.split("-")[1].upper(),
        "dataset": repository,
        "baseline": "codecairn",
        "metrics": {
            "input_tokens": 40,
            "tool_calls": 1,
            "wall_time_ms": 5,
            "cold_start_ms": cold,
            "recall": 1.0,
            "precision": f1,
            "f1": f1,
        },
    }


def task(category: str, query: str, expected: dict[str, Any], root: Path) -> Task:
    """A task about the files below a folder."""
    return Task(id="t", category=category, query=query, expected=expected, root=root)


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder."""
    options = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(folder), *options, *arguments], check=True)


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """A mirror of one commit with a tag; it belongs to another owner than the board says."""
    folder = tmp_path / "mirrors" / "new+shop" / "repo"
    folder.mkdir(parents=True)
    (folder / "cart.js").write_text("function total() {}\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "a")
    git(folder, "tag", "1.2.0")
    return folder


def test_rows_are_read_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "raw.jsonl"
    path.write_text(json.dumps(row("sh-p1-01", 1.0)) + "\n\n")
    (read,) = rows(path)
    assert (read.task, read.category, read.repository, read.system) == (
        "sh-p1-01", "P1", "shop", "codecairn",
    )  # fmt: skip
    assert read.metric("input_tokens") == 40.0
    path.write_text(json.dumps(row("sh-p1-01", 1.0)) + '\n{"task_id": "sh-p1-02"}\n')
    with pytest.raises(UsageError, match=r"raw\.jsonl:2: no row.*category"):
        list(rows(path))
    with pytest.raises(UsageError, match="is no file"):
        list(rows(tmp_path / "none.jsonl"))


def test_tasks_are_read_and_damaged_ones_refused(tmp_path: Path) -> None:
    printed = [
        {"id": "sh-p5-01", "category": "P5", "dataset": "shop", "query": "",
         "expected": {"kind": "names", "names": ["lost"]}, "root": str(tmp_path)}
    ]  # fmt: skip
    (read,) = tasks(json.dumps(printed))
    assert (read.id, read.category, read.root) == ("sh-p5-01", "P5", tmp_path)
    for damaged in ("[", '[{"id": "a"}]', "3"):
        with pytest.raises(UsageError, match="no tasks"):
            list(tasks(damaged))


def test_a_truth_holds_where_its_places_show_the_name(tmp_path: Path) -> None:
    (tmp_path / "cart.js").write_text("\n" * 9 + "function total() {}\n" + "\n" * 9 + "subtotal\n")

    def at(line: int, *, category: str = "P1", file: str = "cart.js") -> bool:
        expected = {"kind": "locations", "locations": [{"file": file, "line": line}]}
        return holds(task(category, "total", expected, tmp_path))

    assert at(10)
    assert (at(7), at(13)) == (True, True)
    assert (at(6), at(14)) == (False, False)
    assert (at(12, category="P2"), at(13, category="P2")) == (True, False)
    assert not at(20)
    assert not at(10, file="gone.js")
    assert not holds(task("P1", "total", {"kind": "locations", "locations": []}, tmp_path))


def test_a_truth_holds_where_its_files_exist(tmp_path: Path) -> None:
    (tmp_path / "cart.ts").write_text("")
    (tmp_path / "shop.py").write_text("")

    def deps(query: str, *importers: str) -> bool:
        expected = {"kind": "deps", "imports": [], "importers": importers}
        return holds(task("P4", query, expected, tmp_path))

    assert deps("cart.ts", "shop.py", "cart")
    assert not deps("cart.ts", "shop")
    assert not deps("gone.ts")
    assert holds(task("P5", "", {"kind": "names", "names": ["any"]}, tmp_path))


def test_baselines_are_registered_before_those_of_the_board() -> None:
    text = registered(RUNNER, ADDED)
    assert text.index('from "../baselines/codecairn.ts"') < text.index("allBaselines")
    assert text.index("new CodecairnBaseline()") < text.index("new NaiveGrepBaseline()")
    assert text.count("new CodeGraphIndexBaseline(),") == 1
    with pytest.raises(UsageError, match="no list of baselines"):
        registered("export {};", ADDED)


def test_the_classes_that_are_registered_are_in_the_files() -> None:
    for each in ADDED:
        assert f"export class {each.name} implements Baseline" in each.text


def test_the_patch_applies_to_a_clone(tmp_path: Path) -> None:
    runner = tmp_path / "benchmark" / "src" / "runner" / "run-primitive.ts"
    runner.parent.mkdir(parents=True)
    runner.write_text(RUNNER)
    git(tmp_path, "init", "-q")
    written = tmp_path / "a.patch"
    written.write_text(patch(tmp_path))
    git(tmp_path, "apply", str(written))
    assert runner.read_text() == registered(RUNNER, [OURS])
    added = tmp_path / "benchmark" / "src" / "baselines" / "codecairn.ts"
    assert added.read_text() == OURS.text


def test_a_mirror_is_found_by_its_tag_under_any_owner(mirror: Path) -> None:
    mirrors = mirror.parent.parent
    assert mirror_of("https://example.org/old/shop.git", "1.2.0", mirrors) == mirror
    assert mirror_of("https://example.org/old/shop.git", "9.9.9", mirrors) is None
    assert mirror_of("https://example.org/old/other.git", "1.2.0", mirrors) is None


def test_checkouts_are_made_and_removed_and_those_without_a_mirror_left_out(
    mirror: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "board"
    (clone / ".git").mkdir(parents=True)
    listed = [
        {"name": "board", "kind": "local", "rootPath": "."},
        {"name": "shop", "repo": "https://example.org/old/shop.git", "ref": "1.2.0", "checkoutDir": "cache/shop"},
        {"name": "lost", "repo": "https://example.org/old/lost.git", "ref": "1", "checkoutDir": "cache/lost"},
    ]  # fmt: skip
    with checkouts(clone, mirror.parent.parent, listed) as there:
        assert [each["name"] for each in there] == ["board", "shop"]
        assert (clone / "cache" / "shop" / "cart.js").is_file()
    assert not (clone / "cache" / "shop").exists()
    assert (clone / ".git").is_dir()


def test_files_are_put_back_after_an_error(tmp_path: Path) -> None:
    old, new = tmp_path / "old.ts", tmp_path / "new.ts"
    old.write_text("as it was")

    def stop() -> None:
        with replaced({old: "changed", new: "added"}):
            assert (old.read_text(), new.read_text()) == ("changed", "added")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        stop()
    assert old.read_text() == "as it was"
    assert not new.exists()


def test_a_folder_that_is_no_clone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no .*manifest\.json") as refused:
        check(tmp_path)
    assert "git clone https://github.com/sverklo/sverklo" in str(refused.value.hint)


def test_node_that_is_too_old_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("datasets/manifest.json", "runner/run-primitive.ts"):
        path = tmp_path / "benchmark" / "src" / name
        path.parent.mkdir(parents=True)
        path.write_text("")
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(UsageError, match="there is none"):
        check(tmp_path)
    node = folder / "node"
    node.write_text("#!/bin/sh\necho v20.1.0\n")
    node.chmod(0o755)
    with pytest.raises(UsageError, match=r"there is v20\.1\.0"):
        check(tmp_path)
    node.write_text("#!/bin/sh\necho v24.0.0\n")
    check(tmp_path)


def parsed(*documents: dict[str, Any], tmp_path: Path) -> list[Row]:
    """The rows of some lines."""
    path = tmp_path / "raw.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in documents))
    return list(rows(path))


def test_figures_are_means_by_class_with_intervals_of_three_repositories(tmp_path: Path) -> None:
    read = parsed(
        row("a-p1-01", 1.0, repository="a", cold=900.0),
        row("a-p1-02", 0.0, repository="a"),
        row("b-p1-01", 1.0, repository="b", cold=300.0),
        row("c-p1-01", 1.0, repository="c"),
        row("a-p5-01", 0.5, repository="a"),
        tmp_path=tmp_path,
    )
    found = {each.measure: each for each in figures(read, {"a-p1-01", "b-p1-01"})}
    f1 = found["definitions: F1"]
    assert (f1.value, f1.low, f1.high) == (0.75, 0.5, 1.0)
    assert f1.note == "4 tasks, 3 of the repositories"
    dead = found["dead code: F1"]
    assert (dead.value, dead.low, dead.high) == (0.5, None, None)
    assert found["all classes: F1"].value == pytest.approx(0.7)
    assert found["definitions: F1 where the truth holds"].value == 1.0
    assert "dead code: F1 where the truth holds" not in found
    assert found["ready after"].value == 600.0
    assert found["definitions: tokens"].value == 40.0


def test_systems_that_did_not_start_are_named(tmp_path: Path) -> None:
    read = parsed(row("a-p1-01", 1.0, repository="a"), row("b-p1-01", 1.0), tmp_path=tmp_path)
    read.append(replace(read[0], system="grep"))
    assert list(absent(read, ["codecairn", "grep", "other"])) == [
        "grep, which did not start for shop",
        "other, which did not start",
    ]


def test_a_submission_is_the_patch_with_the_documents(tmp_path: Path) -> None:
    runner = tmp_path / "clone" / "benchmark" / "src" / "runner" / "run-primitive.ts"
    runner.parent.mkdir(parents=True)
    runner.write_text(RUNNER)
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "report.md").write_text("# report\n")
    ran = Run(rows=(), holding=frozenset(), folder=folder, left_out=())
    submit(ran, tmp_path / "clone", tmp_path / "out")
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == [
        "codecairn.patch",
        "report.md",
    ]
