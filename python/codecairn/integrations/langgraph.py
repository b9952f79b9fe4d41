"""A store of LangGraph (`pip install langgraph`) that lies in codecairn's memory.

from codecairn import Workspace
from codecairn.integrations.langgraph import CodecairnStore

with Workspace.open(".") as workspace:
    store = CodecairnStore(workspace.memory)
    store.put(("users", "ann"), "drink", {"text": "Ann drinks green tea"})
    store.search(("users",), query="what does Ann drink?")
"""

import asyncio
import copy
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from codecairn.integrations.key_value_log import KeyValueLog, Name, Value
from codecairn.integrations.langgraph_filters import namespaces, passes
from codecairn.memory.memory import Memory


class CodecairnStore(BaseStore):
    """Items by namespace and key; a search with a query ranks by words and meaning, without a model of its own.

    Values are kept less what privacy takes out. What was removed stays in the memory's log until
    `memory.purge(session=...)` removes it for good. There is no time to live.

    Args:
        memory: The project's memory.
        name: Which store it is: the session in the memory's log.
        is_private: Remembered for those only who ask for private records.
    """

    def __init__(
        self, memory: Memory, *, name: str = "langgraph-store", is_private: bool = False
    ) -> None:
        self._kept = KeyValueLog(memory, name, host="langgraph", is_private=is_private)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do these operations: reads see what was there before; of several puts to a key the last counts."""
        values = self._kept.all()
        puts: dict[Name, PutOp] = {}
        results: list[Result] = []
        for op in ops:
            if isinstance(op, PutOp):
                puts.update({(*op.namespace, op.key): op})
                results.append(None)
            elif isinstance(op, GetOp):
                name = (*op.namespace, op.key)
                results.append(Item(**_members(name, values[name])) if name in values else None)
            elif isinstance(op, SearchOp):
                results.append(self._search(op, values))
            else:
                results.append(namespaces(op, values))
        for name, op in puts.items():
            self._put(name, op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _put(self, name: Name, op: PutOp) -> None:
        if op.value is None:
            self._kept.remove(name)
            return
        value = dict(op.value)
        texts = [*_texts(value)] if op.index is None else []
        texts += [text for path in op.index or () for text in get_text_at_path(value, path)]
        self._kept.put(name, value, text="\n".join(texts))

    def _search(self, op: SearchOp, values: dict[Name, Value]) -> list[SearchItem]:
        prefix, wanted, last = op.namespace_prefix, op.filter or {}, op.offset + op.limit
        names = [
            name
            for name, each in values.items()
            if name[: len(prefix)] == prefix and len(name) > len(prefix)
            if all(passes(each.value.get(member), want) for member, want in wanted.items())
        ]
        scores: dict[Name, float] = {}
        if op.query:
            scores = dict(self._kept.ranked(op.query, limit=last, names=names))
        names = [*scores, *(name for name in names if name not in scores)][op.offset : last]
        return [
            SearchItem(**_members(name, values[name]), score=scores.get(name)) for name in names
        ]


def _texts(value: object) -> Iterator[str]:
    """All texts of a value."""
    if isinstance(value, str):
        yield value
    inside = value.values() if isinstance(value, Mapping) else value
    for each in inside if isinstance(inside, Iterable) and not isinstance(value, str) else ():
        yield from _texts(each)


def _members(name: Name, each: Value) -> dict[str, Any]:
    created, updated = (
        datetime.fromtimestamp(moment_ms / 1000, timezone.utc)
        for moment_ms in (each.created_ms, each.updated_ms)
    )
    value = copy.deepcopy(each.value)
    return {"namespace": name[:-1], "key": name[-1], "value": value, "created_at": created, "updated_at": updated}  # fmt: skip
