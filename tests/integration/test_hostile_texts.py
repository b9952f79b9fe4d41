"""Files that are made to exhaust a parser: no process ends by a signal, and none takes more memory than it may."""

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benches.parsing.patterns import PATTERNS, PREFIXES
from codecairn import Workspace
from support.command import command

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="memory is measured otherwise there"
)

MAX_PEAK_BYTES = 600 << 20
"""What an index run may take for one such file."""

FILES = {
    "apex": "cls", "astro": "astro", "bash": "sh", "c": "c", "clojure": "clj", "cpp": "cpp", "csharp": "cs", "css": "css",
    "dart": "dart", "elixir": "ex", "elm": "elm", "erlang": "erl", "gdscript": "gd", "go": "go", "graphql": "graphql",
    "groovy": "groovy", "haskell": "hs", "hcl": "hcl", "html": "html", "java": "java", "javascript": "js", "json": "json",
    "julia": "jl", "kotlin": "kt", "lua": "lua", "markdown": "md", "nix": "nix", "objc": "mm", "ocaml": "ml",
    "ocaml_interface": "mli", "perl": "pl", "php": "php", "powershell": "ps1", "proto": "proto", "python": "py", "r": "r",
    "ruby": "rb", "rust": "rs", "scala": "scala", "scss": "scss", "sql": "sql", "svelte": "svelte", "swift": "swift",
    "toml": "toml", "tsx": "tsx", "typescript": "ts", "vue": "vue", "xml": "xml", "yaml": "yaml", "zig": "zig",
}  # fmt: skip
"""Languages by an extension that is theirs alone."""

BOMBS = (
    ("cpp", "a<b,", 1 << 20),
    ("csharp", "a<b,", 1 << 20),
    ("haskell", "a+", 1 << 20),
    ("java", "(a)->\n", 1 << 20),
    ("java", "a=>\n", 100_000),
    ("kotlin", "a<b,", 1 << 20),
    ("ruby", "a+", 1 << 20),
    ("scala", "a<b,", 1 << 20),
    ("sql", "a+", 1 << 20),
    ("swift", "a<b,", 1 << 20),
    ("typescript", "a<b,", 1 << 20),
)
"""Each took gigabytes, or minutes."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty folder to index."""
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def test_a_tree_of_any_depth_is_freed(root: Path) -> None:
    # The parser calls itself for each of hundreds of thousands of ambiguous operators when it gives up what it has.
    peak = _index(root, [("perl", "a+", 1_600_000)])
    assert peak < MAX_PEAK_BYTES


@pytest.mark.timeout(300)
def test_ambiguous_texts_take_bounded_memory_and_are_reported(root: Path) -> None:
    peak = _index(root, BOMBS)
    # Two of them may be parsed at once.
    assert peak < 2 * MAX_PEAK_BYTES
    with Workspace.open(root) as workspace:
        status = workspace.status()
        assert status.files == len(BOMBS)
        assert "004.java" in status.unparsed
        assert workspace.search("a", refresh=False)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_sample_of_all_languages_and_patterns(root: Path) -> None:
    chance = random.Random(54)
    for number, language in enumerate(FILES):
        for pattern in chance.sample(PATTERNS, 2):
            folder = root / f"{number} {PATTERNS.index(pattern)}"
            folder.mkdir()
            peak = _index(folder, [(language, pattern, 8 << 20)])
            assert peak < MAX_PEAK_BYTES, (language, pattern, peak >> 20)


def _index(root: Path, texts: Sequence[tuple[str, str, int]]) -> int:
    """Index texts of one repeated pattern each; the peak of resident memory, in bytes."""
    for number, (language, pattern, size) in enumerate(texts):
        # A file of one long line is taken for minified and left out.
        line = pattern if "\n" in pattern else pattern * (80 // len(pattern)) + "\n"
        text = PREFIXES.get(language, "") + line * (size // len(line.encode()))
        (root / f"{number:03}.{FILES[language]}").write_text(text, encoding="utf-8")
    return _run(root)


_MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
"""
"""Runs a program and prints the peak of its memory, which on Linux begins with that of the process that starts it."""


def _run(root: Path) -> int:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _MEASURE, *command("index", ".")],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stderr)
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)
