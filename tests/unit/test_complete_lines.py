"""The lines that are wanted whole around a needed one."""

import pytest

from benches.quality.lines.complete import wholes
from benches.quality.lines.questions import Target

PYTHON = """import os

LIMIT = 3


class Store:
    name = "x"

    @property
    def path(self):
        here = os.getcwd()

        return here

    def other(self):
        return 1
"""


def lines(text: str, path: str, *targets: tuple[tuple[int, int], int]) -> list[list[int]]:
    asked = [Target(path=path, ranges=(span,), at_least=least) for span, least in targets]
    return [
        [line for first, last in each.ranges for line in range(first, last + 1)]
        for each in wholes(asked, {path: text})
    ]


def test_a_method_is_wanted_with_its_decorator_and_without_empty_lines() -> None:
    assert lines(PYTHON, "a.py", ((11, 11), 1)) == [[9, 10, 11, 13]]


def test_a_line_of_a_class_outside_of_methods_wants_the_class() -> None:
    assert lines(PYTHON, "a.py", ((7, 7), 1)) == [[6, 7, 9, 10, 11, 13, 15, 16]]


def test_lines_outside_of_definitions_want_fifteen_around() -> None:
    assert lines(PYTHON, "a.py", ((3, 3), 1)) == [[1, 3, 6, 7, 9, 10, 11, 13, 15]]
    text = "\n".join(f"line {number}" for number in range(1, 101))
    assert lines(text, "notes.md", ((50, 50), 1)) == [[*range(43, 58)]]
    assert lines(text, "notes.md", ((100, 100), 1)) == [[*range(86, 101)]]


def test_of_a_long_function_its_name_and_fifteen_lines_are_wanted() -> None:
    body = "\n".join(f"    x{number} = {number}" for number in range(2, 102))
    assert lines(f"def long():\n{body}\n", "a.py", ((80, 80), 1)) == [[1, *range(73, 88)]]


def test_a_target_of_several_lines_is_one_place_and_equal_places_are_one() -> None:
    assert lines(PYTHON, "a.py", ((10, 13), 2)) == [[9, 10, 11, 13]]
    assert lines(PYTHON, "a.py", ((10, 11), 1)) == [[9, 10, 11, 13]]


RUST = """#[derive(Debug)]
#[repr(C)]
struct Pair {
    a: u8,
}

impl Pair {
    /// Adds.
    #[inline]
    fn sum(&self) -> u8 {
        self.a
    }
}
"""


def test_attributes_before_a_definition_belong_to_it() -> None:
    assert lines(RUST, "a.rs", ((4, 4), 1)) == [[1, 2, 3, 4, 5]]
    assert lines(RUST, "a.rs", ((11, 11), 1)) == [[9, 10, 11, 12]]


@pytest.mark.parametrize(
    ("path", "text", "needed", "wanted"),
    [
        ("a.js", "const f = (x) => {\n  return x;\n};\nf(1);\n", 2, [1, 2, 3]),
        ("a.ts", "export class A {\n  b(): void {\n    c();\n  }\n}\n", 3, [2, 3, 4]),
        (
            "a.go",
            "package a\n\ntype T struct {\n\tx int\n}\n\nfunc f() {\n\tg()\n}\n",
            4,
            [3, 4, 5],
        ),
        ("a.c", "struct s;\nint f(struct s *p)\n{\n  return 1;\n}\n", 4, [2, 3, 4, 5]),
        ("a.rb", "module M\n  def f\n    1\n  end\nend\n", 3, [2, 3, 4]),
        ("a.php", "<?php\nclass A\n{\n  function f() {\n    g();\n  }\n}\n", 5, [4, 5, 6]),
        ("A.java", "class A {\n  @Override\n  void f() {\n    g();\n  }\n}\n", 4, [2, 3, 4, 5]),
        ("a.cs", "class A {\n  [X]\n  void F() {\n    G();\n  }\n}\n", 4, [2, 3, 4, 5]),
        ("a.kt", "class A {\n  fun f() {\n    g()\n  }\n}\n", 3, [2, 3, 4]),
        ("a.swift", "class A {\n  func f() {\n    g()\n  }\n}\n", 3, [2, 3, 4]),
        ("a.scala", "object A {\n  def f() = {\n    g()\n  }\n}\n", 3, [2, 3, 4]),
        ("a.cpp", "template <class T>\nT f(T x) {\n  return x;\n}\n", 3, [1, 2, 3, 4]),
    ],
)
def test_each_language_has_extents(path: str, text: str, needed: int, wanted: list[int]) -> None:
    assert lines(text, path, ((needed, needed), 1)) == [wanted]
