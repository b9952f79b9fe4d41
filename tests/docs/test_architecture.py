"""The pages for contributors: the architecture page is short and complete, and links lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / ".github").rglob("*.md"))
ARCHITECTURE = (ROOT / ".github" / "ARCHITECTURE.md").read_text(encoding="utf-8")
MAX_WORDS = 2_000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_architecture_page_is_short() -> None:
    assert len(ARCHITECTURE.split()) <= MAX_WORDS


def test_every_crate_has_its_paragraph() -> None:
    crates = {path.parent.name for path in (ROOT / "native" / "crates").glob("*/Cargo.toml")}
    rust = ARCHITECTURE.partition("\n## Rust")[2].partition("\n## ")[0]
    assert set(re.findall(r"^- \*\*`(\w+)`\*\*", rust, re.MULTILINE)) == crates


def test_decisions_are_numbered_without_gaps() -> None:
    names = sorted(path.name for path in (ROOT / ".github" / "decisions").glob("*.md"))
    assert [name[:4] for name in names] == [f"{number:04}" for number in range(1, len(names) + 1)]
    for name in names:
        first = (ROOT / ".github" / "decisions" / name).read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith(f"# {name[:4]}: "), name
