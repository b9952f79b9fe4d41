"""The tool that seeds faults: what it draws, what it changes, and what it takes for noticed."""

import ast
from itertools import islice
from pathlib import Path

import pytest

from benches.mutants.areas import load_areas, load_equivalent
from benches.mutants.changed import of_lines, read_diff
from benches.mutants.draw import draw
from benches.mutants.mutant import Mutant, Outcome, Verdict, make
from benches.mutants.probes import block_at, blocks_of, with_probes
from benches.mutants.python_mutants import python_mutants
from benches.mutants.recording import Recording
from benches.mutants.report import is_held, share, table
from benches.mutants.rust_mutants import Function, body_of, function_of
from benches.mutants.switch import numbers_at, switched


def _mutant(area: str = "paths", path: str = "a.py", line: int = 1, text: str = "x") -> Mutant:
    return Mutant(path, 0, 1, text, line, area, "f", "swap op", "before", f"after {text}")


MANY = [
    _mutant(area, f"{area}.py", line, text)
    for area in ("paths", "trust")
    for line in range(1, 30)
    for text in "abcdefghij"[: 10 if line == 1 else 2]
]


def test_seed_decides_what_is_drawn() -> None:
    drawn = list(draw(MANY, 1))
    assert drawn == list(draw(reversed(MANY), 1))
    assert sorted(drawn) == sorted(MANY)
    assert drawn[:20] != list(draw(MANY, 2))[:20]


def test_areas_take_turns_and_no_line_is_drawn_twice_before_every_other() -> None:
    drawn = list(islice(draw(MANY, 1), 58))
    assert [mutant.area for mutant in drawn] == ["paths", "trust"] * 29
    assert len({(mutant.path, mutant.line) for mutant in drawn}) == 58


def test_area_that_is_used_up_leaves_its_turns_to_the_others() -> None:
    drawn = list(draw([*MANY, _mutant("config")], 1))
    assert [mutant.area for mutant in drawn[:3]] == ["config", "paths", "trust"]
    assert [mutant.area for mutant in drawn[3:5]] == ["paths", "trust"]


@pytest.mark.parametrize(
    ("path", "area"),
    [
        ("python/codecairn/trust/registry.py", "trust"),
        ("native/crates/memory/src/privacy/secrets/card.rs", "privacy"),
        ("native/crates/memory/src/privacy/private.rs", "privacy"),
        ("native/crates/memory/src/privacy/secrets/tests.rs", None),
        ("native/crates/index/src/indexer/pipeline_tests.rs", None),
        ("native/crates/hooks/src/opt_out.rs", "privacy"),
        ("native/crates/hooks/src/state.rs", "hooks"),
        ("python/codecairn/cli/main.py", None),
        ("tests/unit/test_root.py", None),
    ],
)
def test_file_belongs_to_the_first_area_that_names_it(path: str, area: str | None) -> None:
    assert load_areas().area_of(path) == area


def test_equivalent_mutant_is_known_wherever_its_line_stands(tmp_path: Path) -> None:
    file = tmp_path / "equivalent.toml"
    file.write_text(
        '[[mutant]]\npath = "a.py"\nfunction = "f"\nbefore = "before"\nafter = "after x"\nreason = "why not"\n'
    )
    (row,) = load_equivalent(file)
    assert row.is_(_mutant(line=1))
    assert row.is_(_mutant(line=9))
    assert not row.is_(_mutant(text="y"))
    assert not row.is_(_mutant(path="b.py"))


DIFF = """\
diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,0 +2,3 @@ class A:
+one
+++ b/not a head
+@@ -1 +90 @@ not a hunk
@@ -9 +12 @@
-old
+new
@@ -20,2 +22,0 @@
-gone
-gone
diff --git a/b.py b/b.py
deleted file mode 100644
--- a/b.py
+++ /dev/null
@@ -1,2 +0,0 @@
-gone
-gone
"""


def test_lines_that_a_diff_adds_are_read_and_no_others() -> None:
    assert read_diff(DIFF) == {"a.py": {2, 3, 4, 12}}


def test_mutants_of_changed_lines_are_taken_alone() -> None:
    mutants = [_mutant(line=2), _mutant(line=5), _mutant(path="b.py", line=2)]
    assert list(of_lines(mutants, read_diff(DIFF))) == [mutants[0]]


SOURCE = '''\
"""Words."""

LIMIT: int = 20


def f(items: list[int], *, most: int = 3) -> bool:
    """Words."""
    if not items:
        raise ValueError("no items at all")
    elif len(items) > most and (items[0] or most):
        send(items, encoding="utf-8", to="x")
    return most < LIMIT
'''


def _changes() -> set[tuple[str, str]]:
    found = python_mutants(SOURCE, path="a.py", area="paths")
    for mutant in found:
        ast.parse(mutant.apply(SOURCE))
    return {(mutant.before, mutant.after) for mutant in found}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT: int = 20", "LIMIT: int = 21"),
        ("return most < LIMIT", "return most <= LIMIT"),
        ("if not items:", "if items:"),
        ('raise ValueError("no items at all")', "pass"),
        (
            "elif len(items) > most and (items[0] or most):",
            "elif len(items) > most and (items[0] and most):",
        ),
        ('send(items, encoding="utf-8", to="x")', "pass"),
        ('send(items, encoding="utf-8", to="x")', 'send(items, encoding="utf-8", to="XXxXX")'),
    ],
)
def test_python_is_changed_where_it_decides(before: str, after: str) -> None:
    assert (before, after) in _changes()


def test_words_annotations_and_encodings_are_left_alone() -> None:
    for _, after in _changes():
        assert "XXno items" not in after
        assert "XXutf-8" not in after
        assert "XXWords" not in after
        assert after != 'send(items, to="x")'


def test_change_is_shown_on_one_line() -> None:
    text = "f(\n    a,\n    b,\n)\n"
    mutant = make(
        text, path="a.py", start=0, end=len(text) - 1, replacement="pass", area="paths",
        function="", operator="remove call",
    )  # fmt: skip
    assert (mutant.line, mutant.before, mutant.after) == (1, "f( a, b, )", "pass")
    assert mutant.apply(text) == "pass\n"


def test_probes_number_the_blocks_of_functions() -> None:
    blocks = blocks_of(SOURCE, "a.py")
    assert [block.name for block in blocks] == ["f#0", "f#1", "f#2"]
    line = SOURCE.splitlines().index("    return most < LIMIT") + 1
    assert block_at(blocks, line) == blocks[0]
    assert block_at(blocks, line - 1) == blocks[2]
    assert block_at(blocks, 3) is None
    probed = with_probes(SOURCE, "a.py", 7)
    ast.parse(probed)
    assert [
        row.strip() for row in probed.splitlines() if "_probe(" in row and "def" not in row
    ] == [
        "_reached_probe(7)",
        "_reached_probe(8)",
        "_reached_probe(9)",
    ]


def test_tests_that_do_little_else_come_first() -> None:
    recording = Recording()
    numbers = recording.number_blocks(["a.py:f#0", "a.py:f#1", "b.py:g#0", "b.py:g#1"])
    assert list(numbers.values()) == [0, 1, 2, 3]
    recording.tests = {
        "tests/wide.py::test_w": (0.1, 0b1111),
        "tests/narrow.py::test_n": (0.1, 0b0001),
        "tests/slow.py::test_s": (9.0, 0b0001),
        "tests/other.py::test_o": (0.1, 0b1110),
    }
    mutant = _mutant(line=SOURCE.splitlines().index("    return most < LIMIT") + 1)
    assert recording.tests_of(mutant, SOURCE, []) == [
        "tests/narrow.py::test_n",
        "tests/wide.py::test_w",
        "tests/slow.py::test_s",
    ]


def test_function_that_runs_on_import_meets_every_test_of_its_file() -> None:
    text = "def f():\n    return 1\n\n\ndef g():\n    return TABLE\n\n\nTABLE = {'a': [f()]}\n"
    recording = Recording()
    recording.number_blocks(["a.py:f#0", "a.py:g#0"])
    first = {f"tests/first.py::test_{number}": (0.1, 0b01) for number in range(4)}
    recording.tests = {**first, "tests/later.py::test_l": (0.1, 0b10)}
    mutant = _mutant(line=2)
    assert set(recording.tests_of(mutant, text, [])) == set(recording.tests)
    assert set(recording.tests_of(mutant, text.replace("[f()]", "[f]"), [])) == set(first)


def test_recording_outlives_its_process(tmp_path: Path) -> None:
    recording = Recording(["a.py:f#0"], {"tests/a.py::test_a": (0.5, 1)}, {"tests/a.py": "0"})
    recording.save(tmp_path / "recording.json")
    assert Recording.load(tmp_path / "recording.json") == recording


RUST = """\
/// Braces in words: { and '{'.
pub(crate) fn outer<'a>(text: &'a str, of: [u8; { 2 }]) -> bool {
    fn inner(n: u8) -> u8 { n + 1 }
    text.contains('}') && inner(of[0]) > 1 // }
}
"""


def _function(name: str) -> Function:
    at = RUST.index(f"fn {name}")
    end = RUST.index("}\n", at) + 1 if name == "inner" else len(RUST) - 1
    found = body_of(RUST, 0 if name == "outer" else at, end)
    assert found is not None
    return Function("a.rs", found[0], found[1], name, found[2])


def test_body_of_a_function_is_found_among_other_braces() -> None:
    outer = _function("outer")
    assert RUST[outer.start : outer.end].startswith("\n    fn inner")
    assert RUST[outer.end :] == "}\n"
    assert body_of("pub const fn f() -> u8 { 1 }", 0, 28) == (24, 27, True)


def test_mutants_of_nested_functions_lie_behind_one_switch() -> None:
    functions = [_function("outer"), _function("inner")]
    plus, more = RUST.index("+ 1"), RUST.index("> 1")
    mutants = [
        Mutant("a.rs", plus, plus + 1, "-", 3, "paths", "inner", "binary operator", "", ""),
        Mutant("a.rs", more, more + 1, ">=", 4, "paths", "outer", "binary operator", "", ""),
    ]
    assert [function_of(one, functions) for one in mutants] == [functions[1], functions[0]]
    text = switched(
        RUST,
        functions,
        {functions[0]: 0, functions[1]: 1},
        {functions[1]: [(1, mutants[0])], functions[0]: [(258, mutants[1])]},
    )
    assert "is([1, 0]) { /*<1*/ n - 1 \n/*>1*/ }" in text
    assert "is([2, 1]) { /*<258*/" in text
    assert text.count("n - 1") == 1
    lines = text.splitlines()
    of_both = {number for line in range(1, len(lines) + 1) for number in numbers_at(text, line)}
    assert of_both == {1, 258}
    line = next(number for number, row in enumerate(lines, start=1) if ">= 1" in row)
    assert numbers_at(text, line) == {258}


def _verdicts(**outcomes: Outcome) -> list[Verdict]:
    return [Verdict(_mutant(area), outcome) for area, outcome in outcomes.items()]


def test_what_does_not_compile_counts_for_nothing() -> None:
    verdicts = _verdicts(paths=Outcome.NOTICED, config=Outcome.UNVIABLE)
    assert share(verdicts) == 1.0
    assert "config" not in table(verdicts, load_areas())


@pytest.mark.parametrize("outcome", [Outcome.SURVIVED, Outcome.UNFINISHED, Outcome.UNREACHED])
def test_one_survivor_in_a_strict_area_is_one_too_many(outcome: Outcome) -> None:
    areas = load_areas()
    noticed = [Verdict(_mutant(line=line), Outcome.NOTICED) for line in range(99)]
    assert is_held([*noticed, *_verdicts(config=outcome)], areas)
    assert not is_held([*noticed, *_verdicts(trust=outcome)], areas)


def test_floor_holds_for_all_areas_together() -> None:
    areas = load_areas()
    noticed = [Verdict(_mutant(line=line), Outcome.NOTICED) for line in range(85)]
    missed = [Verdict(_mutant(line=line), Outcome.SURVIVED) for line in range(15)]
    assert is_held([*noticed, *missed], areas)
    assert not is_held([*noticed, *missed, missed[0]], areas)
