"""What is left of texts at the borders between secrets and what only looks like one: a snapshot.

It holds what the rules do today, right or wrong, so that no change of them goes unnoticed; `forms.toml` says what is right.
The snapshot is rewritten by `python -m integration.test_redactions` in `tests`: read each line that differs.
"""

import json
import re
from pathlib import Path

from codecairn.core.memory_engine import redacted
from support.secret_borders import border_texts
from support.secret_edits import edited, scrambled

SNAPSHOT = Path(__file__).parents[1] / "fixtures" / "secrets" / "redactions.json"

_MAX_CHARS = 400


def _shown(text: str) -> str | None:
    """What is left of a text; `None` if all of it is."""
    kept = redacted(text)[0]
    return None if kept == text else kept


def _abridged(text: str) -> str:
    """The text with runs of one to four repeated characters as the run and how often it comes."""
    return re.sub(
        r"(.{1,4}?)\1{15,}",
        lambda run: f"({run[1]}*{len(run[0]) // len(run[1])})",
        text,
        flags=re.DOTALL,
    )


def _left(text: str) -> str | None:
    shown = _shown(text)
    if shown is None:
        return None
    shown = _abridged(shown)
    return shown if len(shown) <= _MAX_CHARS else f"{shown[:_MAX_CHARS]}… of {len(shown)}"


def _now(snapshot: dict[str, dict[str, str | None]]) -> dict[str, dict[str, str | None]]:
    texts = dict(edited())
    return {
        "edits": {key: _shown(texts[key]) for key in snapshot["edits"]},
        "scrambled": {key: _shown(scrambled(int(key))) for key in snapshot["scrambled"]},
        "borders": {name: _left(text) for name, text in border_texts()},
        "texts": {text: _shown(text) for text in snapshot["texts"]},
    }


def test_texts_at_the_border_are_redacted_as_before() -> None:
    snapshot = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    assert len(snapshot["edits"]) > 80
    now = _now(snapshot)
    for table, rows in snapshot.items():
        assert now[table].keys() == rows.keys()
        assert {key: shown for key, shown in now[table].items() if shown != rows[key]} == {}


if __name__ == "__main__":
    found = _now(json.loads(SNAPSHOT.read_text(encoding="utf-8")))
    SNAPSHOT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
