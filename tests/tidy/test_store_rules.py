"""The table of rules in the store's header names modules and tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
STORE = ROOT / "native" / "crates" / "store" / "src"
ROW = re.compile(r"^//! \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
RULES = ROW.findall((STORE / "lib.rs").read_text(encoding="utf-8"))[1:]


def _exists(test: str) -> bool:
    module, is_rust, function = test.partition("::")
    if not is_rust:
        return (ROOT / test).is_file()
    text = (STORE / "tests" / f"{module}.rs").read_text(encoding="utf-8")
    return f"fn {function}(" in text


def test_rules_name_tests_that_exist() -> None:
    named = {
        test for *_, tests in RULES for test in re.findall(r"`([\w/.]+(?:::\w+|\.py))`", tests)
    }
    assert RULES
    assert {test for test in named if not _exists(test)} == set()


def test_rules_are_enforced_by_modules_that_exist() -> None:
    modules = {path.stem for path in STORE.glob("*.rs")}
    for rule, enforced, _ in RULES:
        names = re.findall(r"`([a-z_]+)`", enforced)
        outside = {"private_files", "base"}
        assert set(names) <= modules | outside, rule
