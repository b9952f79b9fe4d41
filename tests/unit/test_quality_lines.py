"""The benchmark of needed lines: its split, its questions, what they need, and differences of results."""

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from benches.quality.lines import (
    codegraph,
    comparing,
    confidence,
    fitting,
    history,
    messages,
    network,
)
from benches.quality.lines.answers import Reply, Row, Shown, need, parse, rank_of, render
from benches.quality.lines.bm25 import Bm25, terms, windows
from benches.quality.lines.by_hand import HAND_SETS, hand_questions
from benches.quality.lines.confidence import Asked
from benches.quality.lines.descriptions import body_lines, words_of
from benches.quality.lines.doc_comments import (
    blanked,
    description,
    docstring_text,
    first_sentence,
)
from benches.quality.lines.listing import load, split_of
from benches.quality.lines.questions import Question, Set, Target, ranges_of, read, write
from benches.quality.lines.scoring import Outcome
from benches.quality.lines.syntax import is_asked_about
from benches.quality.lines.systems import bound
from benches.quality.model.corpus import may_learn_from
from codecairn.core.types.hits import Contribution, Hit, Span

_CORPUS = Path("benches/quality/model/corpus.tsv")


def _target(path: str, *lines: int, at_least: int = 1) -> Target:
    return Target(path=path, ranges=ranges_of(lines), at_least=at_least)


# The list


def test_the_list_is_in_the_splits_of_its_names_and_in_nothing_that_was_learnt_from() -> None:
    repositories = load()
    names = [each.name for each in repositories]
    learnt = {row.split("\t")[1] for row in _CORPUS.read_text(encoding="utf-8").splitlines()[1:]}
    assert len(names) == len(set(names))
    assert not [name for name in names if name in learnt or not may_learn_from(name)]
    assert {each.split for each in repositories} == {"fit", "choose", "judge"}


def test_splits_have_their_shares() -> None:
    drawn = [split_of(f"owner/name{at}") for at in range(2_000)]
    assert drawn.count("fit") == pytest.approx(1_000, rel=0.1)
    assert drawn.count("judge") == pytest.approx(600, rel=0.1)


# Questions


def test_questions_are_written_and_read_as_they_are(tmp_path: Path) -> None:
    asked = Question(id="a/b/0", query="größe", targets=(_target("x.py", 1, 2, 5),), revision="c")
    write(tmp_path / "q.jsonl", [asked, asked])
    once = (tmp_path / "q.jsonl").read_bytes()
    write(tmp_path / "q.jsonl", read(tmp_path / "q.jsonl"))
    assert (tmp_path / "q.jsonl").read_bytes() == once
    assert read(tmp_path / "q.jsonl")[1] == asked


def test_lines_become_ranges() -> None:
    assert ranges_of([3, 1, 2, 7, 7]) == ((1, 3), (7, 7))


@pytest.mark.parametrize(
    ("path", "is_asked"),
    [
        ("src/a.py", True),
        ("src/CppUTest/a.cpp", True),
        ("lib/rspec/mocks/a.rb", True),
        ("openssl-tests/src/a.rs", False),
        ("Tests/A/b.swift", False),
        ("functional_tests.go", False),
        ("vendor/a.go", False),
        ("dist/x.min.js", False),
        ("README.md", False),
    ],
)
def test_only_source_of_the_project_itself_is_asked_about(path: str, *, is_asked: bool) -> None:
    assert is_asked_about(path) == is_asked


# Descriptions


def test_blanking_keeps_line_numbers() -> None:
    content = b"/** one\n * two */\nint f();\n/// x\nint g();\n"
    spans = [(0, 17), (27, 32)]
    assert blanked(content, spans, is_python=False) == b"\n\nint f();\n\nint g();\n"
    code = b'def f():\n    """One.\n\n    Two."""\n    return 1\n'
    rest = blanked(code, [(13, 33)], is_python=True)
    assert rest == b'def f():\n    ""\n\n\n    return 1\n'
    compile(rest, "f.py", "exec")


@pytest.mark.parametrize(
    ("comments", "sentence"),
    [
        (["/**\n * Reads a header, e.g. this one. And more.\n * @param x y\n */"],
         "Reads a header, e.g. this one."),
        (["// Parse reads all", "// of it."], "Parse reads all of it."),
        (["/// <summary>", "/// Finds <see cref=\"X\"/> the `key`.", "/// </summary>"],
         "Finds the key."),
        (["/** @brief Opens {@link File} now\n * @return it */"], "Opens File now"),
        (["# Builds it:", "#", "#   x"], "Builds it:"),
        ([], ""),
    ],
)  # fmt: skip
def test_the_first_sentence_is_plain(comments: list[str], sentence: str) -> None:
    assert first_sentence(comments) == sentence


def test_a_docstring_is_what_its_quotes_hold() -> None:
    assert docstring_text('r"""One\ntwo."""') == "One\ntwo."


@pytest.mark.parametrize(
    ("sentence", "query"),
    [
        ("Parse reads a header from r.", "reads a header from r"),
        ("Reads what parse has left of it.", ""),
        ("Reads it.", ""),
        ("Copyright by those who wrote all this", ""),
        ("word " * 26, ""),
    ],
)
def test_a_description_has_some_words_and_not_the_name(sentence: str, query: str) -> None:
    assert description(sentence, "Parse") == query


def test_the_body_is_its_first_five_lines_with_words() -> None:
    lines = ["f() {", '""', "a", "", "{", "b", "c", "d", "e", "g", "}"]
    assert body_lines(lines, 2, 11) == [3, 6, 7, 8, 9]
    assert words_of(" * One,\n * two") == "one two"


# Messages


@pytest.mark.parametrize(
    ("opening", "is_sink"),
    [
        ("raise ValueError(", True),
        ("logger.warning(", True),
        ('fmt.Errorf("', True),
        ("throw new Exception(", True),
        ("render(error, ", False),
        ("format(", False),
    ],
)
def test_a_sink_raises_or_logs(opening: str, *, is_sink: bool) -> None:
    assert messages.is_sink(opening) == is_sink


def test_a_message_has_four_words_of_its_own_and_its_placeholders_are_filled() -> None:
    assert messages.is_message("cannot open file {path} now")
    assert not messages.is_message("cannot open {path}: %s in $x")
    assert not messages.is_message("do-not-log-this")
    text = messages.filled('no %d in ${x} of \\(y)\\n \\"z\\"', random.Random(1))
    assert not set("%$\\{") & set(text)
    assert text.endswith('"z"')


def test_half_of_the_messages_are_changed() -> None:
    message = "Cannot open This file now"
    drawn = [messages.variant(message, at, random.Random(0)) for at in range(8)]
    assert [form for _, form in drawn[::2]] == ["as it is"] * 4
    assert [form for _, form in drawn[1::2]] == ["cut", "lower", "prefix", "cut"]
    assert drawn[1][0] == "Cannot open This"
    assert drawn[3][0] == message.lower()
    assert drawn[5][0].endswith(message)


def test_all_places_of_a_text_are_found_up_to_one_too_many() -> None:
    texts = {"a": "x\nab ab\n", "b": "\n\nab", "c": "ab"}
    assert messages.occurrences("ab", texts) == [("a", 2), ("a", 2), ("b", 3), ("c", 1)]


# Commits


def _commit(message: str, author: str = "Ann <a@b.org>") -> history.Commit:
    return history.Commit(revision="r", parent="p", author=author, message=message)


def test_a_commit_asks_with_its_subject_and_first_paragraph() -> None:
    message = "Keep the old key (#12)\n\nIt was lost, see GH-7.\nFixes #3\n\nMore."
    assert history.query_of(_commit(message)) == "Keep the old key It was lost, see"
    assert len(history.query_of(_commit("word " * 300))) <= history.MAX_CHARACTERS


@pytest.mark.parametrize(
    "commit",
    [
        _commit("Too few words"),
        _commit("Bump the version of some package"),
        _commit("v1.2.3 is the release of today"),
        _commit("Update this and that and more", "renovate[bot] <x@y>"),
    ],
)
def test_bots_and_releases_ask_nothing(commit: history.Commit) -> None:
    assert history.query_of(commit) == ""


_DIFF = """diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1 +1 @@
-import os
+import re
@@ -20,2 +20,1 @@ def f():
-    x = 1
-    y = 2
+    z = 3
@@ -40,0 +41,1 @@
+    g()
diff --git a/tests/test_a.py b/tests/test_a.py
--- a/tests/test_a.py
+++ b/tests/test_a.py
@@ -5 +5 @@
-a = 1
+a = 2
"""


def test_needed_lines_are_old_ones_with_three_around_and_no_imports() -> None:
    assert history.targets_of(_DIFF) == (
        Target(path="a.py", ranges=((17, 24), (38, 43)), at_least=1),
    )


def test_a_commit_that_only_adds_files_or_changes_many_has_no_needed_lines() -> None:
    added = "diff --git a/n.py b/n.py\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x = 1\n"
    assert history.targets_of(added) == ()
    many = "".join(_DIFF.replace("a.py", f"{name}.py") for name in "bcde")
    assert history.targets_of(many) == ()


# Answers


def _row(path: str, line: int, size: int = 4, rank: int = 1) -> Row:
    return Row(rank=rank, path=path, line=line, size=size)


def test_need_counts_all_that_is_read_up_to_the_line() -> None:
    rows = [_row("a", 0, 20), _row("a", 1), _row("a", 2), _row("b", 0, 8, 2), _row("b", 7, 4, 2)]
    assert need(rows, [_target("a", 2)]) == 7
    assert need(rows, [_target("b", 7), _target("b", 9)]) == 10
    assert need(rows, [_target("a", 1, 2, 3, at_least=2)]) == 7
    assert need(rows, [_target("a", 1, 3, at_least=2)]) == math.inf
    assert (rank_of(rows, [_target("b", 7)]), rank_of(rows, [_target("c", 7)])) == (2, None)


def test_an_answer_of_codegraph_has_the_lines_that_it_numbers() -> None:
    text = "Found 2 symbols\n**`a.py`** - f, g\n\n```python\n7\tdef f():\n8\t    1\n```\n**`b.py`** - h\n3\th = 2"
    reply = codegraph.parse(text)
    assert [(row.path, row.line) for row in reply.rows if row.line] == [
        ("a.py", 7),
        ("a.py", 8),
        ("b.py", 3),
    ]
    assert [place.path for place in reply.places] == ["a.py", "b.py"]
    assert reply.tokens == (len(text) + 1) / 4


def test_a_line_that_is_shown_twice_counts_once() -> None:
    assert need([_row("a", 1), _row("a", 1)], [_target("a", 1, 2, at_least=2)]) == math.inf


def test_rendered_answers_are_parsed_back() -> None:
    texts = {"a.py": "one\ntwo\n}\nthree\n}\nfour", "b.py": "five"}
    text = "[1] a.py:2-3 function f (0.90)\n```python\n  two\n}\n…\n}\nfour\n```\n\n[2] b.py:1-1\n```\nfive\n```\n"
    rows = parse(text, ["a.py", "b.py"], [2, 1], texts).rows
    assert [(row.path, row.line) for row in rows if row.line] == [
        ("a.py", 2), ("a.py", 3), ("a.py", 5), ("a.py", 6), ("b.py", 1),
    ]  # fmt: skip
    assert sum(row.size for row in rows) == len(text) + 1


def test_what_is_said_above_the_first_place_is_read_with_it() -> None:
    rows = parse("note: read as German\n[1] a.py:1-1 x\nx", ["a.py"], [1], {"a.py": "x"}).rows
    assert [(row.rank, row.path, row.line) for row in rows] == [
        (1, "a.py", 0), (1, "a.py", 0), (1, "a.py", 1),
    ]  # fmt: skip


def test_other_systems_are_rendered_alike() -> None:
    reply = render([Shown(path="a", start_line=2, end_line=9, score=1)], {"a": "x\ny\nz"})
    assert [row.line for row in reply.rows] == [0, 0, 2, 3, 0]


def test_the_bound_shows_the_shortest_needed_line_of_each_file_and_the_rest_as_it_was() -> None:
    rows = (_row("w", 0, 10), _row("w", 1, 10), _row("a", 0, 6, 2), _row("a", 9, 90, 2))
    best = bound(Reply(rows=rows), [_target("a", 1, 2)], {"a": "long line\nx"})
    assert [(row.path, row.line, row.size) for row in best] == [
        ("w", 0, 10), ("w", 1, 10), ("a", 0, 6), ("a", 2, 2),
    ]  # fmt: skip


# Words


def test_words_are_split_and_windows_cover_all_lines() -> None:
    assert terms("parseHTTPHeader(max_size2)") == ["parse", "http", "header", "max", "size", "2"]
    assert windows({"a": "\n" * 6, "b": ""}, 3) == [
        ("a", 1, 3), ("a", 4, 6), ("a", 7, 7), ("b", 1, 1),
    ]  # fmt: skip


def test_bm25_prefers_rare_words() -> None:
    scores = Bm25([["a", "b"], ["a", "c"], ["a", "d"]])
    assert scores.score(["a", "b"], "b x") > scores.score(["a", "b"], "a x") > 0
    assert scores.score(["q"], "a") == 0


# Differences


def _outcomes(*needs: float) -> list[Outcome]:
    return [
        Outcome(
            id=f"q{at}", repository=f"r{at % 3}", set="messages", need=each, bound=1,
            complete=each, complete_bound=1, rank=1, file_rank=1, tokens=1,
        )
        for at, each in enumerate(needs)
    ]  # fmt: skip


def test_differences_are_the_same_each_time() -> None:
    ours, theirs = _outcomes(1, 1, 1, 9, 9, 9), _outcomes(1, 9, 1, 9, 1, 1)
    first = comparing.difference(ours, theirs, lambda each: each.need)
    assert first == comparing.difference(ours[::-1], theirs, lambda each: each.need)
    assert first.mean == pytest.approx(8 / 6)
    assert first.low <= first.mean <= first.high


def test_files_that_are_named_below_the_places_are_in_the_answer() -> None:
    text = "[1] a.py:1-1 function f\n```python\ndef f(): ...\n```\n\nalso: b.py:3 g, c.py:1"
    reply = parse(text, ["a.py", "b.py", "c.py"], [1, 3, 1], {"a.py": "def f(): ..."})
    assert [(row.rank, row.path) for row in reply.rows if row.path != "a.py"] == [
        (2, "b.py"),
        (3, "c.py"),
    ]
    assert reply.tokens == sum(len(line) + 1 for line in text.split("\n")) / 4


def test_other_questions_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="same questions"):
        comparing.difference(_outcomes(1), _outcomes(1, 1), lambda each: each.need)


def test_weights_make_needed_spans_probable_and_names_decide_for_symbols(tmp_path: Path) -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], np.float32)
    needed = np.array([False, True, False])
    pool = network.Pool(features=rows, is_needed=needed, weight=1.0)
    linear = network.fit_linear([pool, pool])
    assert linear[0] < 0
    assert linear[1] > 1
    model = network.fit([pool] * 64)
    scores = model.scores(rows)
    assert scores[1] > scores[0] + 2
    assert scores[1] > scores[2] + 1
    file = tmp_path / "spans.json"
    fitting.write(file, ["coverage", "defines"], model, fitting.Material())
    counted = fitting.Material(complete={("messages", 1, (2, 3)): (3, 6)})
    fitting.write_rates(file, counted)
    document = json.loads(file.read_text())
    assert (document["complete"][1][2][3], document["shown"][1][2][3]) == (0.5, 1.0)
    assert document["features"] == ["coverage", "defines"]
    assert document["linear"] == [round(float(weight), 3) for weight in model.linear]
    assert [len(unit) for unit in document["hidden"]] == [2] * network.HIDDEN
    assert document["symbol_defines"] == fitting.SYMBOL_DEFINES


def test_a_network_learns_what_no_weights_of_features_tell() -> None:
    neither, first, second, both = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], np.float32)
    pools = [
        network.Pool(
            features=np.stack([neither, one, both]),
            is_needed=np.array([False, True, False]),
            weight=1.0,
        )
        for one in (first, second)
    ]
    model = network.fit(pools * 500)
    linear = network.fit_linear(pools)
    for pool in pools:
        assert model.scores(pool.features).argmax() == 1
    assert any((pool.features @ linear).argmax() != 1 for pool in pools)


def test_rates_are_means_over_sets_and_small_classes_follow_the_one_before() -> None:
    counts: fitting.Counts = {
        ("descriptions", 0, (1, 2)): (10, 10), ("commits", 0, (1, 2)): (5, 10),
        ("commits", 0, (2, 0)): (2, 8), ("messages", 0, (1, 3)): (1, 1),
    }  # fmt: skip
    rows = fitting.rates(counts)
    assert rows[0][1] == [1.0, 1.0, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75]
    assert rows[0][2] == [0.25] * 8
    assert rows[0][3] == [1.0] * 8
    assert [fitting.size_class(lines) for lines in (1, 2, 3, 4, 255, 256, 9_999)] == [0, 1, 1, 2, 7, 7, 7]  # fmt: skip
    shares = (0.0, 0.06, 0.0625, 0.125, 0.25, 0.5, 1.0)
    assert [fitting.match_class(share) for share in shares] == [0, 0, 1, 2, 3, 4, 4]


@pytest.mark.parametrize("which", HAND_SETS)
def test_questions_by_hand_are_about_listed_repositories_and_need_lines_that_they_name(
    which: Set,
) -> None:
    folders = {each.folder for each in load()}
    asked = {folder: hand_questions(folder, which) for folder in folders}
    for folder, questions in asked.items():
        assert [each.id for each in questions] == [
            f"{which}/{folder}/{number}" for number in range(len(questions))
        ]
        for target in (target for each in questions for target in each.targets):
            named = sum(last - first + 1 for first, last in target.ranges)
            assert 1 <= target.at_least <= named, target
            assert not target.path.startswith("/")
    file = Path("benches/quality/lines") / f"{which}.json"
    assert set(json.loads(file.read_text(encoding="utf-8"))) <= folders
    languages = [each.form for questions in asked.values() for each in questions]
    assert sum(each != "en" for each in languages) * 6 >= len(languages)


def _ranked(path: str, rank: int, *bodies: float) -> Hit:
    spans = tuple(
        Span(
            start_line=1, end_line=1, kind="block", name="", probability=0.0, text="", shown=(),
            contributions=(
                Contribution(feature="body_of_best", value=body, part=0.0),
                Contribution(feature="file_rank", value=1 / (1 + rank), part=0.0),
            ),
        )
        for body in bodies
    )  # fmt: skip
    return Hit(
        path=path, start_line=1, end_line=1, kind="block", name="", language="python", score=0.0,
        text="", context_start_line=1, spans=spans,
    )  # fmt: skip


def test_an_answer_considers_the_best_files_and_those_of_the_best_chunks() -> None:
    best = _ranked("best", 30, 0.1, 1.0)
    hits = [_ranked(f"{at}", at, *(0.5,) * 2) for at in range(12)]
    found = fitting.considered([*hits, best, _ranked("worse", 31, 0.4)])
    assert best in found
    assert {hit.path for hit in found} >= {f"{at}" for at in range(10)}
    assert "worse" not in {hit.path for hit in found}
    assert fitting.considered([]) == []


# Confidence


def _asked(confidence: float, *, is_right: bool, features: tuple[float, ...] = ()) -> Asked:
    return Asked(
        set="commits", way="left out", is_right=is_right, confidence=confidence, features=features
    )


def test_calibration_compares_confidence_with_what_is_right_by_bin() -> None:
    sure = [_asked(0.75, is_right=at < 3) for at in range(4)]
    assert confidence.calibration_error(sure) == pytest.approx(0.0)
    unsure = [_asked(0.25, is_right=True), _asked(0.25, is_right=True)]
    assert confidence.calibration_error(sure + unsure) == pytest.approx(0.25)


def test_auroc_is_the_share_of_pairs_in_order_and_half_of_the_ties() -> None:
    answers = [
        _asked(0.75, is_right=True),
        _asked(0.5, is_right=True),
        _asked(0.5, is_right=False),
        _asked(0.25, is_right=False),
    ]
    assert confidence.auroc(answers) == pytest.approx(3.5 / 4)


def test_the_fit_of_confidence_finds_the_feature_that_tells() -> None:
    chance = random.Random(3)
    rows = [(chance.gauss(0, 1), chance.gauss(5, 2)) for _ in range(400)]
    answers = [
        _asked(0.5, is_right=chance.random() < 1 / (1 + math.exp(-2 * row[0])), features=row)
        for row in rows
    ]
    weights, _ = confidence.fit(answers)
    assert 1.2 < weights[0] < 3.0
    assert abs(weights[1]) < 0.2
