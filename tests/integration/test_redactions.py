"""What is left of texts at the borders between secrets and what only looks like one: a snapshot.

It holds what the rules do today, right or wrong, so that no change of them goes unnoticed; `forms.toml` says what is right.
The snapshot is rewritten by `python -m integration.test_redactions` in `tests`: read each line that differs.
"""

import json
from pathlib import Path

from codecairn.memory_engine import redacted
from support.secret_edits import edited, scrambled

SNAPSHOT = Path(__file__).parents[1] / "fixtures" / "secrets" / "redactions.json"


def _shown(text: str) -> str | None:
    """What is left of a text; `None` if all of it is."""
    kept = redacted(text)[0]
    return None if kept == text else kept


def _now(snapshot: dict[str, dict[str, str | None]]) -> dict[str, dict[str, str | None]]:
    texts = dict(edited())
    return {
        "edits": {key: _shown(texts[key]) for key in snapshot["edits"]},
        "scrambled": {key: _shown(scrambled(int(key))) for key in snapshot["scrambled"]},
        "texts": {text: _shown(text) for text in snapshot["texts"]},
    }


def test_texts_at_the_border_are_redacted_as_before() -> None:
    snapshot = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    assert len(snapshot["edits"]) > 80
    now = _now(snapshot)
    for table, rows in snapshot.items():
        assert {key: shown for key, shown in now[table].items() if shown != rows[key]} == {}


if __name__ == "__main__":
    found = _now(json.loads(SNAPSHOT.read_text(encoding="utf-8")))
    SNAPSHOT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
