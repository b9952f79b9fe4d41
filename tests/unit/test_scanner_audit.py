"""The audit of external scanners names every grammar that is compiled in, and each that saves more than it may is mended."""

import re
from pathlib import Path

from benches.results import RUNS
from benches.scanners.audit import AUDIT
from benches.scanners.table import README, latest, page

TABLE = Path(__file__).parents[2] / "native" / "crates" / "grammars" / "src" / "table.rs"


def test_every_grammar_is_audited() -> None:
    ids = re.findall(r'entry!\("(\w+)",', TABLE.read_text(encoding="utf-8"))
    assert [row.language for row in AUDIT] == ids
    assert len(ids) == 54


def test_what_ends_a_process_has_a_mend() -> None:
    harmful = ("overwrite", "abort", "ends the process", "never ends", "reads beyond")
    assert {row.language for row in AUDIT if any(word in row.finding for word in harmful)} == {
        row.language for row in AUDIT if row.mend
    }


def test_the_page_is_that_of_the_latest_run() -> None:
    assert README.read_text(encoding="utf-8") == page(latest(RUNS))
