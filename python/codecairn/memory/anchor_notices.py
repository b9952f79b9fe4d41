"""Notices about memories whose code has changed; they are shown as notices, never as facts."""

from collections.abc import Iterable, Mapping

from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.types.memory import AnchorStatus
from codecairn.memory import injection_format
from codecairn.memory.anchor_status import Definitions, stale_standings
from codecairn.memory.injection_format import NOTICE
from codecairn.memory.snapshot import Item, fact_item

_NOTICE_TOKENS = 60
_MAX_NOTICES = 4


def notices(
    engine: MemoryEngine,
    shown: Iterable[str],
    answering: Mapping[str, int],
    defined_in: Definitions,
    seen: set[tuple[str, int]],
) -> list[Item]:
    """A notice for each fact whose code changed: those that answer (by how likely, in percent), and those shown."""
    ids = [id_ for id_ in (*answering, *shown) if (id_, NOTICE) not in seen]
    found = []
    for id_, standing in stale_standings(engine, list(dict.fromkeys(ids)), defined_in).items():
        versions = engine.fact(id_)
        if versions and versions[0].state == "live":
            item = fact_item(versions[0], max_tokens=_NOTICE_TOKENS)
            marks = [item.mark, what_became(standing)] if item.mark else [what_became(standing)]
            found.append(
                Item(
                    id=item.id,
                    version=NOTICE,
                    text=item.text,
                    date=item.date,
                    mark=", ".join(marks),
                    likelihood=answering.get(id_, 0),
                )
            )
    return found[:_MAX_NOTICES]


def what_became(standing: AnchorStatus) -> str:
    """What became of the code that a statement speaks of, in words; empty if it is as it was."""
    return injection_format.what_became(
        [(each.was.path, each.was.name, each.state) for each in standing.looked]
    )
