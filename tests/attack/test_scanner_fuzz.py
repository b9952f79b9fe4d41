"""Fuzzes every external scanner in its wrapper, under the sanitizers: minutes of building, then seconds for each."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from benches.scanners.__main__ import build, fuzz
from benches.scanners.audit import AUDIT

SECONDS = float(os.environ.get("SCANNER_SECONDS", "10"))
"""Processor time for each grammar; an audit takes 300."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the sanitizers are linked as on Linux"),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc has the sanitizers"),
]


@pytest.fixture(scope="module")
def program() -> Path:
    """The fuzzer."""
    return build()


@pytest.mark.timeout(SECONDS + 1800)
@pytest.mark.parametrize("language", [row.language for row in AUDIT if row.is_written_by_hand])
def test_no_made_up_text_ends_a_process(program: Path, tmp_path: Path, language: str) -> None:
    fuzzed = fuzz(program, language, SECONDS, tmp_path)
    assert fuzzed.texts > 0
    assert fuzzed.findings == ()
