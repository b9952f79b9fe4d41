"""Ending a fact by another: it stays readable with its time, and with what took its place."""

import dataclasses
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory


def supersede(memory: "Memory", id_: str, *, by: str, reason: str) -> bool:
    """End the fact `id_` by the fact `by`; false if it does not hold any more, is pinned, or a person said it.

    The version that held is retracted, and one that says until when it held, and by what it was ended, is written.
    """
    engine = memory.engine()
    old, new = engine.fact(id_), engine.fact(by)
    if not old or not new or old[0].state != "live" or old[0].is_pinned or old[0].origin == "user":
        return False
    current = engine.forget(old[0].id, reason=reason)
    retracted_ms = current.retracted_ms or current.recorded_ms
    ended = dataclasses.replace(
        old[0],
        version=old[0].version + 1,
        state="superseded",
        superseded_by=new[0].id,
        invalid_at_ms=max(new[0].valid_from_ms, old[0].valid_from_ms),
        recorded_ms=retracted_ms,
        retracted_ms=None,
        reason=reason,
    )
    document = {"schema": "codecairn-memory-v1", "facts": [dataclasses.asdict(ended)]}
    return engine.import_json(json.dumps(document, ensure_ascii=False)).facts == 1
