"""Paths between backticks lead to files: those of the repository in all pages, those of sources in pages for contributors."""

import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

from support.documents import spans

ROOT = Path(__file__).parents[2]
HISTORY = ".github/CHANGELOG.md"
"""Releases may name files that are gone."""


def _tracked() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if (ROOT / line).exists()]


FILES = _tracked()
PLACES = sorted({*FILES, *(str(folder) for file in FILES for folder in Path(file).parents)})
PAGES = [
    file
    for file in FILES
    if file.endswith(".md") and file != HISTORY and not {"corpus", "fixtures"} & {*file.split("/")}
]
CONTRIBUTING = [
    page
    for page in PAGES
    if page.startswith((".github", "benches", "native", "docs/how-to/extend"))
]

FROM_ROOT = re.compile(r"(?:native|python|tests|benches|docs)/[^\s:]*")
SOURCE = re.compile(r"(?:[\w<>-]+/)*[\w<>-]+\.(?:rs|sql|scm)|(?:[\w<>-]+/)+[\w<>-]+\.py")
MODULE = re.compile(r"\w+(?:/\w+)+")


def _is_found(pattern: str) -> bool:
    return any(fnmatch(place, pattern) for place in PLACES)


def _leads(path: str, page: str) -> bool:
    """Whether a path with placeholders, `<name>` or `*`, leads to a file from the root or from the page's folder."""
    pattern = re.sub(r"<\w+>", "*", path.rstrip("/"))
    return _is_found(pattern) or _is_found(f"{Path(page).parent}/{pattern}")


def _named(page: str, form: re.Pattern[str]) -> list[str]:
    found = spans((ROOT / page).read_text(encoding="utf-8"))
    return [text for text in found if form.fullmatch(text) and not text.startswith("target/")]


def _is_source(path: str) -> bool:
    """Whether a file or folder ends with this path; a crate's folder `src` may be left out."""
    pattern = re.sub(r"<\w+>", "*", path)
    crate, _, rest = pattern.partition("/")
    forms = (pattern, f"*/{pattern}", f"native/crates/{crate}/src/{rest}")
    return any(_is_found(form) for form in forms if not form.endswith("/"))


@pytest.mark.parametrize("page", PAGES)
def test_paths_from_the_root_lead_to_files(page: str) -> None:
    assert [path for path in _named(page, FROM_ROOT) if not _leads(path, page)] == []


@pytest.mark.parametrize("page", CONTRIBUTING)
def test_paths_of_sources_lead_to_files(page: str) -> None:
    assert [path for path in _named(page, SOURCE) if not _is_source(path)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith(".github")])
def test_modules_and_folders_exist(page: str) -> None:
    named = _named(page, MODULE)
    assert [path for path in named if not _is_source(path) and not _is_source(f"{path}.*")] == []
