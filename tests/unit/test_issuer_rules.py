"""The public list of issuers' rules: what is taken of it, and that the core's copy says where it is from and when it is due."""

import datetime
import re
from pathlib import Path

from benches.memory.issuer_rules import OUT, rules_of

ROOT = Path(__file__).parents[2]
END = r"""(?:[\x60'"\s;]|\\[nr]|$)"""


def _rule(id_: str, expression: str, *keywords: str, **more: object) -> dict[str, object]:
    return {"id": id_, "regex": expression, "keywords": list(keywords), **more}


def test_rules_that_a_literal_of_the_token_tells_are_taken() -> None:
    beside = r"(?i)[\w.-]{0,50}?(?:acme)(?:=)([a-z0-9]{32})"
    config = {
        "rules": [
            _rule("acme-token", rf"\b(acme_(?i)[a-z0-9]{{20}}){END}", "Acme_", entropy=3),
            _rule("acme-beside-a-name", beside, "acme"),
            _rule("acme-short", "AC[0-9a-f]{32}", "ac"),
            _rule("private-key", "-----BEGIN", "-----begin"),
            {"id": "acme-file", "path": "x"},
        ]
    }
    (rule,) = rules_of(config)
    assert rule.row().split("\t") == [
        "acme-token", "25", "3", "acme_", r"\b(acme_(?i)[a-z0-9]{20})(?:[^A-Za-z0-9_-]|$)",
    ]  # fmt: skip


def test_the_copy_names_its_source_and_the_policy_says_when_it_is_renewed() -> None:
    first, _, *rows = OUT.read_text(encoding="utf-8").splitlines()
    head = re.fullmatch(
        r"# gitleaks/gitleaks [0-9a-f]{40} (\S+), config/gitleaks\.toml, MIT", first
    )
    assert head is not None
    assert len(rows) > 90
    assert all(len(row.split("\t")) == 5 for row in rows)
    policy = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert head[1] in policy
    due = re.search(r"next by \*\*(\S+)\*\*", policy)
    assert due is not None
    wait = datetime.date.fromisoformat(due[1]) - datetime.date.fromisoformat(head[1])
    assert wait < datetime.timedelta(days=400)
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert "gitleaks.tsv" in notice
    assert "Zachary Rice" in notice
