"""A session of the OpenAI Agents SDK (`pip install openai-agents`) that lies in codecairn's memory.

from agents import Agent, Runner
from codecairn import Workspace
from codecairn.integrations.openai_agents import CodecairnSession

with Workspace.open(".") as workspace:
    session = CodecairnSession("conversation-1", workspace.memory)
    Runner.run_sync(agent, "Why did we choose JWT?", session=session)
"""

import asyncio
from typing import Any

from agents.items import TResponseInputItem
from agents.memory import SessionSettings

from codecairn.integrations.append_log import AppendLog, Entry
from codecairn.integrations.openai_items import event_of, in_pieces, whole
from codecairn.integrations.redaction import cleaned
from codecairn.memory.memory import Memory

_HOST = "openai-agents"


class CodecairnSession:
    """A conversation: its items come back as they were added, less what privacy takes out.

    What is said is remembered, too: found by the memory's search and shown to other agents. `pop_item` and `clear_session`
    end it for the conversation; for good, `memory.purge(session=...)` removes it.

    Args:
        session_id: Which conversation it is.
        memory: The project's memory.
        session_settings: The usual limit of `get_items`.
        is_private: Remembered for those only who ask for private records.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory,
        *,
        session_settings: SessionSettings | None = None,
        is_private: bool = False,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._ledger = AppendLog(memory, session_id, host=_HOST, is_private=is_private)
        self._items: dict[str, Any] = {}

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The newest `limit` items, the oldest of them first; all without a limit."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        items = [whole(item) for item in (await asyncio.to_thread(self._now)).values()]
        return items if limit is None else items[-limit:] if limit > 0 else []

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items at the end."""
        await asyncio.to_thread(self._add, items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the newest item off."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Remove all items."""
        says = {"clear": True}
        await asyncio.to_thread(self._ledger.add, says, role="system", title="session cleared")

    def _add(self, items: list[TResponseInputItem]) -> None:
        for item in items:
            kept = cleaned(in_pieces(item))
            self._ledger.add({"item": kept}, **event_of(kept))

    def _pop(self) -> Any:  # noqa: ANN401 - an item
        with self._ledger.lock:
            items = self._now()
            if not items:
                return None
            key, item = items.popitem()
            self._ledger.add({"pop": key}, role="system", title="last item taken back")
            return whole(item)

    def _now(self) -> dict[str, Any]:
        with self._ledger.lock:
            settled, waiting = self._ledger.read()
            _apply(settled, self._items)
            items = dict(self._items)
            _apply(waiting, items)
            return items


def _apply(entries: list[Entry], items: dict[str, Any]) -> None:
    for entry in entries:
        if "item" in entry.says:
            items[entry.key] = entry.says["item"]
        elif "pop" in entry.says:
            items.pop(entry.says["pop"], None)
        else:
            items.clear()
