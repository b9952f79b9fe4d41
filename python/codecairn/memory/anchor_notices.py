"""What became of the code of facts, as it is shown: with a fact, or in a notice about one that was shown before."""

import dataclasses
from collections.abc import Iterable, Mapping

from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.types.memory import AnchorStatus, Looked
from codecairn.memory import injection_format
from codecairn.memory.anchor_status import AnchorChecker, marked_statuses
from codecairn.memory.injection_format import NOTICE
from codecairn.memory.snapshot import CodeChange, Item, fact_item

_NOTICE_TOKENS = 60
_MAX_NOTICES = 4


def code_changes(
    engine: MemoryEngine, checker: AnchorChecker, ids: Iterable[str], *, shows_code: bool
) -> dict[str, CodeChange]:
    """What became of the code of those facts whose code is not known to be as it was, by id.

    `shows_code`: whether changed lines are shown. They are the repository's words, which reach agents unasked only where
    the user trusts the workspace.
    """
    found = marked_statuses(engine, checker, list(dict.fromkeys(ids)))
    return {id_: _change(status, shows_code=shows_code) for id_, status in found.items()}


def notices(
    engine: MemoryEngine,
    changes: Mapping[str, CodeChange],
    answering: Mapping[str, int],
    seen: set[tuple[str, int]],
) -> list[Item]:
    """A notice for each shown fact whose code changed since, once; those that answer come first, by how likely in percent."""
    found = []
    for id_ in sorted(changes, key=lambda id_: -answering.get(id_, 0)):
        versions = engine.fact(id_) if (id_, NOTICE) not in seen else ()
        if versions and versions[0].state == "live" and changes[id_].is_certain:
            item = fact_item(versions[0], max_tokens=_NOTICE_TOKENS, change=changes[id_])
            likelihood = answering.get(id_, 0)
            found.append(
                dataclasses.replace(item, version=NOTICE, likelihood=likelihood, is_announced=False)
            )
    return found[:_MAX_NOTICES]


def what_became(status: AnchorStatus) -> str:
    """What became of the code that a statement speaks of, in words; empty if it is as it was."""
    return injection_format.what_became([(each.place, each.state) for each in status.looked])


def changed_lines(looked: Iterable[Looked]) -> list[str]:
    """The first changed lines of code, marked `-` and `+`."""
    return injection_format.changed_lines([_row(each) for each in looked], shows_code=True)


def _change(status: AnchorStatus, *, shows_code: bool) -> CodeChange:
    rows = [_row(each) for each in status.looked]
    return CodeChange(
        mark=what_became(status),
        lines=tuple(injection_format.changed_lines(rows, shows_code=shows_code)),
        is_certain=status.is_stale,
    )


def _row(looked: Looked) -> dict[str, object]:
    return {
        "place": looked.place,
        "state": looked.state,
        "is_signature_changed": looked.is_signature_changed,
        "diff": list(looked.diff),
    }
