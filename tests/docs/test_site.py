"""The pages build into a site whose links all lead somewhere, and which loads nothing from other servers."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "zensical.toml"
_REMOTE = re.compile(
    r"<(?:script|link|img|iframe|source|object|embed)\b[^>]*(?:src|href|data)=[\"']?(?:https?:)?//"
)


def _pages(entries: list[dict[str, Any]]) -> list[str]:
    """The pages of the navigation, in its order."""
    found = []
    for entry in entries:
        for target in entry.values():
            found += [target] if isinstance(target, str) else _pages(target)
    return found


def test_every_page_is_in_the_navigation_once() -> None:
    listed = _pages(tomllib.loads(CONFIG.read_text(encoding="utf-8"))["project"]["nav"])
    docs = ROOT / "docs"
    assert sorted(listed) == sorted(
        path.relative_to(docs).as_posix() for path in docs.rglob("*.md")
    )


def test_site_builds_without_warnings_and_needs_no_network(tmp_path: Path) -> None:
    if find_spec("zensical") is None:
        pytest.skip("in the dependency group `docs`")
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(CONFIG, tmp_path)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    built = [*(tmp_path / "target" / "site").rglob("*.html")]
    assert len(built) >= len([*(ROOT / "docs").rglob("*.md")])
    for page in built:
        assert not _REMOTE.search(page.read_text(encoding="utf-8")), page.name
