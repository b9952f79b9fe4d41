"""The test files that `impact` names for a change, with their labels and ranks."""

import pytest

from codecairn import Workspace
from codecairn.core.types.graph_analysis import LikelyTest
from codecairn.graph.co_changes import MAX_FILES, CoChange, counted_together
from codecairn.graph.likely_tests import MIN_NAMED, file_subject
from codecairn.graph.render_structure import impact_lines
from support.repository import Repository

LAMPS = "def burn(lamp):\n    return lamp\n\n\ndef dim(lamp):\n    return lamp\n"
PROJECT = {
    "shop/__init__.py": "",
    "shop/lamps.py": LAMPS,
    "shop/oil.py": "def pour():\n    return 1\n",
    "tests/test_lights.py": "from shop.lamps import burn\n\n\ndef test_burn():\n    assert burn(1)\n",
    "tests/test_lamps.py": "def test_nothing():\n    assert True\n",
    "tests/test_dim.py": "from shop.lamps import dim\n\n\ndef test_dim():\n    assert dim(1)\n",
    "tests/test_flow.py": "def test_flow():\n    assert True\n",
    "tests/test_oil.py": "from shop.oil import pour\n\n\ndef test_oil():\n    assert pour()\n",
}


def _labels(found: tuple[LikelyTest, ...]) -> dict[str, tuple[str, ...]]:
    assert [each.rank for each in found] == [*range(1, len(found) + 1)]
    return {each.path: each.labels for each in found}


def test_test_files_carry_the_evidence_as_labels(repository: Repository) -> None:
    repository.write_all(PROJECT)
    repository.commit()
    for at in range(3):
        repository.write("shop/lamps.py", f"# {at}\n{LAMPS}")
        repository.write("tests/test_flow.py", f"def test_flow():\n    assert {at + 1}\n")
        repository.commit()
    repository.write("shop/lamps.py", LAMPS.replace("return lamp", "return lamp or 0", 1))
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.impact()
    labels = _labels(found.test_files)
    together = "changed together in 1 of 4 commits"
    assert labels == {
        "tests/test_lights.py": ("reached", "imports it", together),
        "tests/test_lamps.py": ("same name", together),
        "tests/test_flow.py": ("changed together in 4 of 4 commits",),
        "tests/test_dim.py": ("imports it", together),
        "tests/test_oil.py": (together,),
    }
    assert found.test_files[-1].path == "tests/test_oil.py"
    assert [test.name for each in found.test_files for test in each.tests] == ["test_burn"]
    assert "test files that may cover it, the likeliest first:" in list(impact_lines(found))


def test_test_files_are_named_without_a_history(folder: Repository) -> None:
    folder.write_all(PROJECT)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.impact(files=["shop/lamps.py"])
    assert _labels(found.test_files) == {
        "tests/test_lights.py": ("reached", "imports it"),
        "tests/test_dim.py": ("reached", "imports it"),
        "tests/test_lamps.py": ("same name",),
    }


def test_code_that_only_a_name_or_an_import_covers_is_not_called_untested(
    folder: Repository,
) -> None:
    folder.write_all(PROJECT | {"tests/test_lights.py": "", "tests/test_dim.py": ""})
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.impact(symbol="burn")
    assert "no call from a test is known, but 1 test file may cover it" in found.reasons
    assert found.risk == "LOW"


def test_history_alone_names_no_more_files_than_are_wanted(repository: Repository) -> None:
    flows = {
        f"tests/test_flow_{at}.py": f"def test_{at}():\n    pass\n" for at in range(MIN_NAMED + 5)
    }
    repository.write_all({"lamps.py": LAMPS, **flows})
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.impact(symbol="burn")
    assert len(found.test_files) == MIN_NAMED
    assert "no test is known to reach it" in found.reasons


def test_huge_commits_count_for_less_and_too_large_ones_for_nothing() -> None:
    small = frozenset(("a.py", "t.py"))
    large = frozenset(("a.py", "u.py", *(f"{at}.py" for at in range(13))))
    huge = frozenset(("a.py", "v.py", *(f"{at}.py" for at in range(MAX_FILES))))
    found = counted_together(iter((small, large, huge, frozenset(("t.py",)))), frozenset(("a.py",)))
    assert "v.py" not in found
    assert found["t.py"].together == found["u.py"].together == 1
    assert found["t.py"].commits == 2
    assert found["t.py"].share == pytest.approx((1 / 1.58496) / (1 / 1.58496 + 1 / 4))
    assert found["t.py"].share > found["u.py"].share
    assert counted_together(iter(()), frozenset(("a.py",))) == {}
    assert isinstance(found["t.py"], CoChange)


@pytest.mark.parametrize(
    ("path", "subject"),
    [
        ("tests/test_api.py", "api"), ("store/store_test.go", "store"), ("web/cart.test.ts", "cart"), ("web/cart.ts", "cart"),
        ("src/click/_termui_impl.py", "termui_impl"), ("src/test/java/shop/CartItemTest.java", "cart_item"),
        ("spec/cart_spec.rb", "cart"), ("shop/latest.py", "latest"), ("shop/cart/__init__.py", "cart"), ("src/lib.rs", ""),
        ("src/money/tests.rs", "money"), ("tests/conftest.py", ""),
    ],
)  # fmt: skip
def test_subject_of_a_file_is_its_name_without_marks_of_tests(path: str, subject: str) -> None:
    assert file_subject(path) == subject
