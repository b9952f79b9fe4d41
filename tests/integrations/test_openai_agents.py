"""A session of the OpenAI Agents SDK, with the SDK itself."""

import asyncio
import importlib
import json
import random
import string
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from codecairn.errors import UsageError
from codecairn.memory.memory import Memory
from integrations.sdk import swapped

with swapped():
    agents = pytest.importorskip(
        "agents.memory.session", reason="in the dependency group `integrations`"
    )
    agents = sys.modules["agents"]
    session_module = importlib.import_module("codecairn.integrations.openai_agents")

# The SDK leaves its event loops to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"


@pytest.fixture(autouse=True)
def _sdk() -> Iterator[None]:
    with swapped():
        yield


def _session(memory: Memory, name: str = "talk-1", **options: Any) -> Any:
    return session_module.CodecairnSession(name, memory, **options)


def _do(call: Any) -> Any:
    return asyncio.run(call)


def _random_id(prefix: str, size: int) -> str:
    letters = random.choices(string.ascii_letters + string.digits, k=size)
    return f"{prefix}_{''.join(letters)}"


def _items() -> list[dict[str, Any]]:
    """A turn as the API writes it: its ids are random, and must come back as they are."""
    call = _random_id("call", 24)
    answer = {
        "type": "output_text",
        "text": "We chose JWT: Grüße 😀",
        "annotations": [],
        "logprobs": None,
    }
    return [
        {"role": "user", "content": "Why did we choose JWT?"},
        {"id": _random_id("rs", 48), "type": "reasoning", "summary": [], "encrypted_content": "gAAAAABo" + "Qx7" * 200},
        {"id": _random_id("fc", 48), "type": "function_call", "call_id": call, "name": "look_up", "arguments": '{"q": "JWT"}', "status": "completed"},
        {"type": "function_call_output", "call_id": call, "output": "they need no server\n" * 40},
        {"id": _random_id("msg", 48), "type": "message", "role": "assistant", "status": "completed", "content": [answer]},
    ]  # fmt: skip


def test_it_is_a_session_of_the_sdk(memory: Memory) -> None:
    assert isinstance(_session(memory), agents.memory.Session)


def test_items_come_back_byte_for_byte_and_in_order(memory: Memory) -> None:
    items = [item for _ in range(6) for item in _items()]
    _do(_session(memory).add_items(items))
    again = _do(_session(memory).get_items())
    assert [json.dumps(item) for item in again] == [json.dumps(item) for item in items]
    assert _do(_session(memory, "talk-2").get_items()) == []


def test_equal_items_are_both_kept(memory: Memory) -> None:
    item = {"role": "user", "content": "go on"}
    _do(_session(memory).add_items([item, item]))
    assert _do(_session(memory).get_items()) == [item, item]


def test_limits_count_from_the_end(memory: Memory) -> None:
    items = [{"role": "user", "content": str(number)} for number in range(5)]
    session = _session(memory)
    _do(session.add_items(items))
    assert _do(session.get_items(2)) == items[-2:]
    assert _do(session.get_items(99)) == items
    assert _do(session.get_items(0)) == []
    settings = agents.memory.SessionSettings(limit=3)
    assert _do(_session(memory, session_settings=settings).get_items()) == items[-3:]


def test_popping_and_clearing_hold_for_every_view_of_the_session(memory: Memory) -> None:
    items = _items()
    one, two = _session(memory), _session(memory)
    _do(one.add_items(items))
    assert _do(two.pop_item()) == items[-1]
    assert _do(one.get_items()) == items[:-1]
    _do(one.clear_session())
    assert _do(two.get_items()) == []
    assert _do(two.pop_item()) is None
    _do(two.add_items(items[:1]))
    assert _do(one.get_items()) == items[:1]


def test_items_that_are_given_can_be_changed(memory: Memory) -> None:
    session = _session(memory)
    _do(session.add_items(_items()))
    before = json.dumps(_do(session.get_items()))
    _do(session.get_items())[4]["content"][0]["text"] = "changed"
    assert json.dumps(_do(session.get_items())) == before


def test_what_is_said_is_remembered(memory: Memory) -> None:
    _do(_session(memory).add_items(_items()))
    found = memory.recall("why JWT?", kinds=["event"])
    assert any("We chose JWT" in each.text for each in found)
    assert memory.recall("server", session="talk-1", evidence=0.0)
    _do(
        _session(memory, "hidden", is_private=True).add_items(
            [{"role": "user", "content": "my zebra"}]
        )
    )
    assert len(_do(_session(memory, "hidden", is_private=True).get_items())) == 1
    assert not any("zebra" in each.text for each in memory.recall("zebra", evidence=0.0))


def test_privacy_wins_over_exactness(memory: Memory) -> None:
    items = [
        {"role": "user", "content": f"my key is {SECRET}"},
        {"role": "user", "content": "<private>all of it</private>"},
        {"role": "user", "content": "an open <private>tag"},
        {"role": "assistant", "content": "half a character: \ud83d"},
        {"type": "function_call_output", "call_id": "call_1", "output": '{"password": "hunter2hunter2"}'},
    ]  # fmt: skip
    session = _session(memory)
    _do(session.add_items(items))
    again = _do(session.get_items())
    assert [list(item) for item in again] == [list(item) for item in items]
    assert again[0]["content"] == "my key is [REDACTED:api-key]"
    assert again[1]["content"] == "[REDACTED]"
    assert again[2]["content"].startswith("an open [REDACTED]")
    assert "hunter2" not in json.dumps(again[4])
    held = memory.path.read_bytes() + memory.path.with_name("memory.db-wal").read_bytes()
    assert SECRET.encode() not in held
    assert b"all of it" not in held


def test_session_whose_name_is_a_secret_has_another(memory: Memory) -> None:
    session = _session(memory, SECRET)
    _do(session.add_items([{"role": "user", "content": "hello"}]))
    assert session.session_id == SECRET
    assert len(_do(_session(memory, SECRET).get_items())) == 1
    assert all(SECRET not in each.id for each in memory.sessions())


def test_item_that_is_too_large_is_told(memory: Memory) -> None:
    with pytest.raises(UsageError, match="more than is kept"):
        _do(_session(memory).add_items([{"role": "user", "content": "x y " * (1 << 20)}]))


@pytest.fixture
def _quiet() -> Iterator[None]:
    agents.set_tracing_disabled(True)
    yield
    agents.set_tracing_disabled(False)


@pytest.mark.usefixtures("_quiet")
def test_runner_goes_on_with_what_was_said(memory: Memory) -> None:
    """The SDK's own runner, with a model that is played: it sees what was said in an earlier run."""
    from agents.items import ModelResponse
    from agents.usage import Usage
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    seen: list[Any] = []

    class Played(agents.Model):  # type: ignore[misc, name-defined, unused-ignore]
        async def get_response(self, **given: Any) -> Any:
            seen.append(given["input"])
            text = ResponseOutputText(
                type="output_text", text=f"answer {len(seen)}", annotations=[]
            )
            message = ResponseOutputMessage(
                id=_random_id("msg", 40),
                type="message",
                role="assistant",
                status="completed",
                content=[text],
            )
            return ModelResponse(output=[message], usage=Usage(), response_id=None)

        def stream_response(self, *_args: Any, **_more: Any) -> Any:
            raise NotImplementedError

    agent = agents.Agent(name="played", model=Played())
    first = _do(agents.Runner.run(agent, "first question", session=_session(memory)))
    assert first.final_output == "answer 1"
    _do(agents.Runner.run(agent, "second question", session=_session(memory)))
    assert seen[1][0]["content"] == "first question"
    assert seen[1][1]["content"][0]["text"] == "answer 1"
    assert len(_do(_session(memory).get_items())) == 4
