"""Patterns of options, seen from the folder where a command runs."""

import pytest

from codecairn.cli.path_options import anchored


@pytest.mark.parametrize(
    ("pattern", "prefix", "expected"),
    [
        ("*.py", "", "*.py"),
        ("*.py", "shop", "*.py"),
        ("tests/", "shop", "tests/"),
        ("tests/*.py", "", "/tests/*.py"),
        ("tests/*.py", "shop", "/shop/tests/*.py"),
        ("./*.py", "shop", "/shop/*.py"),
        ("/*.py", "shop", "/shop/*.py"),
        ("/*.py", "", "/*.py"),
        ("../docs/*.md", "shop/api", "/shop/docs/*.md"),
        ("../../docs/", "shop/api", "/docs/"),
        ("**/test_*.py", "shop", "**/test_*.py"),
        ("!tests/*.py", "shop", "!/shop/tests/*.py"),
        ("a/b", "sho[p]/*", r"/sho\[p\]/\*/a/b"),
    ],
)
def test_pattern_with_a_slash_is_relative_to_the_folder(
    pattern: str, prefix: str, expected: str
) -> None:
    assert anchored(pattern, prefix=prefix) == expected
