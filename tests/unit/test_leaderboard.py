"""The leaderboard is made from the documents of the runs: newest values, systems by their figures."""

import json
from pathlib import Path

from benches.leaderboard import PAGE, README, newest, parts, readme_parts
from benches.pages import fill


def test_page_of_comparisons_is_made_from_the_runs() -> None:
    """If this fails: `python -m benches.leaderboard`."""
    for file, filled in ((PAGE, parts()), (README, readme_parts())):
        page = file.read_text(encoding="utf-8")
        assert fill(page, filled) == page


def test_public_sets_show_judge_alone_with_intervals_and_ours_first(tmp_path: Path) -> None:
    run = tmp_path / "2026-01-01-a"
    run.mkdir()
    values = {"a peer": 20.0, "codecairn": 43.333}
    rows: list[dict[str, object]] = [
        {"measure": f"verified, judge, {name}: file Acc@1", "value": value, "unit": "%", "min": 1.5, "max": 60.25, "note": "30 issues"}
        for name, value in values.items()
    ]  # fmt: skip
    rows += [{"measure": "verified, choose, codecairn: file Acc@1", "value": 99.0, "unit": "%"}]
    document = json.dumps({"title": "x", "figures": rows})
    (run / "public.json").write_text(document, encoding="utf-8")
    lines = parts(tmp_path)["issues"].splitlines()
    assert lines[0] == "SWE-bench Verified (30 issues):"
    assert [line.split("|")[1:4] for line in lines[4:6]] == [
        [" `codecairn` ", " 43.3 % [1.5, 60.2] ", " not asked "],
        [" `a peer` ", " 20 % [1.5, 60.2] ", " not asked "],
    ]
    assert "2026-01-01-a/public.json" in lines[-1]
    assert readme_parts(tmp_path)["public sets"].splitlines()[2:] == [
        "| SWE-bench Verified: all files of the fix are the first | 43.3 % [1.5, 60.2] "
        "| bm25-files: not asked | `swebench` |"
    ]


def test_a_system_is_added_by_its_figures_and_the_newest_run_counts(tmp_path: Path) -> None:
    _write(
        tmp_path,
        "2026-01-01-a",
        "quality",
        {"quality, ours: NDCG@10": 0.8, "quality, ours: MRR": 0.7},
    )
    _write(tmp_path, "2026-01-02-a", "quality", {"quality, ours: NDCG@10": 0.85})
    _write(tmp_path, "2026-01-02-a", "theirs", {"quality, new one: NDCG@10": 0.9})
    lines = parts(tmp_path)["files"].splitlines()
    assert [[cell.strip() for cell in line.split("|")[1:5]] for line in lines[2:4]] == [
        ["`new one`", "0.9", "not asked", "not asked"],
        ["`ours`", "0.85", "not asked", "0.7"],
    ]
    assert "2026-01-02-a/theirs.json" in lines[-1]
    assert "2026-01-01-a" not in lines[-1]


def test_lines_are_ordered_by_descriptions_and_variants_are_left_out(tmp_path: Path) -> None:
    figures = {
        "codecairn, judge, descriptions: need <= 1000": 50.0,
        "codecairn, judge, descriptions: need <= 2000": 99.0,
        "codecairn, 2,000 tokens, judge, descriptions: need <= 1000": 98.0,
        "other, judge, descriptions: need <= 1000": 60.0,
        "other, fit, descriptions: need <= 1000": 97.0,
    }
    _write(tmp_path, "2026-01-01-a", "lines", figures)
    rows = parts(tmp_path)["lines"].splitlines()[2:4]
    assert [row.split("|")[1:3] for row in rows] == [
        [" `other` ", " 60 % "],
        [" `codecairn` ", " 50 % "],
    ]


def test_figures_of_two_documents_with_one_name_are_told_apart_by_title(tmp_path: Path) -> None:
    for name, value in (("a", 1.0), ("b", 2.0)):
        _write(tmp_path, "2026-01-01-a", name, {"shown": value})
    found = newest(tmp_path)
    assert (found["a: shown"].value, found["b: shown"].value, found["shown"].value) == (1, 2, 2)


def _write(runs: Path, run: str, name: str, figures: dict[str, float]) -> None:
    rows = [{"measure": measure, "value": value} for measure, value in figures.items()]
    (runs / run).mkdir(exist_ok=True)
    document = {"title": name, "figures": rows}
    (runs / run / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
