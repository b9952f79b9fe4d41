"""Recognises tests by their paths and names."""

import re
from functools import lru_cache

from codecairn.core.types.graph import Definition

_TEST_FOLDERS = frozenset(
    ("test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "fixtures", "e2e")
)
_TEST_FILE = re.compile(
    r"(?:test_.*|conftest)\.py"
    r"|.*_test\.(?:py|go|exs|rb|cc|cpp|c|dart|zig|php)"
    r"|.*_spec\.(?:rb|lua)"
    r"|.*\.(?:test|spec|cy)\.[cm]?[jt]sx?"
    r"|.*(?:Test|Tests|TestCase|IT|Spec|Suite)\.(?:java|kt|scala|cs|php|swift|groovy)"
    r"|.*\.bats|tests?\.rs"
)
_TEST_NAME = re.compile(r"(?:[tT]est|[bB]enchmark|Example|it_|should|spec)")


@lru_cache(maxsize=16_384)
def is_test_path(path: str) -> bool:
    """Whether a file holds tests, or what only tests use."""
    *folders, name = path.split("/")
    return not _TEST_FOLDERS.isdisjoint(folders) or _TEST_FILE.fullmatch(name) is not None


def is_in_tests(symbol: Definition) -> bool:
    """Whether a symbol belongs to tests: by its file, or by a module of tests within it."""
    if is_test_path(symbol.path):
        return True
    if "test" not in symbol.qualified_name:
        return False
    scopes = re.split(r"\.|::", symbol.qualified_name)[:-1]
    return "tests" in scopes or "test" in scopes


def is_test(symbol: Definition) -> bool:
    """Whether a symbol is a test itself."""
    if symbol.kind not in ("function", "method") or not is_in_tests(symbol):
        return False
    return _TEST_NAME.match(symbol.name) is not None or _is_test_by_scope(symbol)


def _is_test_by_scope(symbol: Definition) -> bool:
    """A function in a module of tests, or a method of a test class: frameworks mark them in addition to the name."""
    scopes = re.split(r"\.|::", symbol.qualified_name)[:-1]
    of_class = bool(scopes) and re.fullmatch(r"Test\w*|\w*Tests?", scopes[-1]) is not None
    return of_class or scopes[-1:] == ["tests"]
