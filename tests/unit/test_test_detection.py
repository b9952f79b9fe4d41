"""Tests are distinguished from other code by path and name."""

import pytest

from codecairn.core.types.graph import Definition
from codecairn.graph.test_detection import is_test, is_test_path


@pytest.mark.parametrize(
    "path",
    [
        "tests/unit/helpers.py", "test_api.py", "pkg/conftest.py", "store/store_test.go",
        "web/cart.test.ts", "web/cart.spec.tsx", "src/__tests__/cart.js", "src/test/java/shop/Cart.java",
        "Shop/CartTests.cs", "spec/cart_spec.rb", "src/tests.rs",
    ],
)  # fmt: skip
def test_files_of_tests_are_known(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    ["shop/contest.py", "latest/api.py", "src/testing_ground.py", "web/cart.ts", "store/store.go",
     "src/main/java/shop/Attest.java", "src/protest.rs"],
)  # fmt: skip
def test_other_files_are_not(path: str) -> None:
    assert not is_test_path(path)


def _symbol(path: str, qualified_name: str, kind: str = "function") -> Definition:
    name = qualified_name.rpartition(".")[2]
    return Definition(
        path=path, line=1, column=4, start_line=1, end_line=2, name=name, qualified_name=qualified_name, kind=kind
    )  # fmt: skip


def test_tests_are_told_from_their_helpers() -> None:
    assert is_test(_symbol("tests/test_api.py", "test_login"))
    assert is_test(_symbol("src/lib.rs", "tests.adds_two"))
    assert is_test(_symbol("src/test/CartTest.java", "CartTest.addsUp", "method"))
    assert not is_test(_symbol("tests/test_api.py", "helper"))
    assert not is_test(_symbol("shop/api.py", "test_connection"))
    assert not is_test(_symbol("tests/test_api.py", "TestCart", "class"))
