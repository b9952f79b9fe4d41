"""A store of LangGraph, with LangGraph itself: its own store in memory tells what is right."""

import asyncio
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecairn import Workspace
from codecairn.errors import UsageError
from codecairn.memory.memory import Memory

base = pytest.importorskip("langgraph.store.base", reason="in the dependency group `integrations`")
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::PendingDeprecationWarning"
)

ANN, BOB = ("users", "ann"), ("users", "bob")


def _store(memory: Memory, **options: Any) -> Any:
    from codecairn.integrations.langgraph import CodecairnStore

    return CodecairnStore(memory, **options)


def _filled(memory: Memory) -> Any:
    store = _store(memory)
    store.put(ANN, "drink", {"text": "Ann drinks green tea", "cups": 3})
    store.put(ANN, "music", {"text": "Ann plays the cello in an orchestra", "cups": 0})
    store.put(BOB, "drink", {"text": "Bob likes coffee with milk", "cups": 5})
    store.put(("teams", "red"), "drink", {"text": "water"})
    return store


def _keys(found: list[Any]) -> list[tuple[str, str]]:
    return [(each.namespace[-1], each.key) for each in found]


def test_what_is_put_is_got_with_its_times(memory: Memory) -> None:
    before = datetime.now(timezone.utc)
    store = _filled(memory)
    item = store.get(ANN, "drink")
    assert (item.value, item.key, item.namespace) == (
        {"text": "Ann drinks green tea", "cups": 3},
        "drink",
        ANN,
    )
    store.put(ANN, "drink", {"text": "Ann drinks black tea"})
    again = _store(memory).get(ANN, "drink")
    assert again.value == {"text": "Ann drinks black tea"}
    assert again.created_at == item.created_at <= again.updated_at
    assert abs((again.created_at - before).total_seconds()) < 60
    assert store.get(ANN, "none") is None


def test_removed_is_gone_for_every_store_on_the_memory(memory: Memory) -> None:
    store, other = _filled(memory), _store(memory)
    assert other.get(ANN, "drink") is not None
    store.delete(ANN, "drink")
    store.delete(ANN, "never there")
    assert other.get(ANN, "drink") is None
    assert "drink" not in [each.key for each in other.search(ANN)]
    assert _store(memory, name="another").search(()) == []


def test_search_with_a_query_ranks_and_pages(memory: Memory) -> None:
    store = _filled(memory)
    found = store.search(("users",), query="who drinks tea?")
    assert _keys(found)[0] == ("ann", "drink")
    assert len(found) == 3
    assert found[0].score > found[1].score
    assert _keys(store.search(("users",), query="who drinks tea?", limit=1, offset=1)) == [
        _keys(found)[1]
    ]
    assert _keys(store.search((), query="orchestra"))[0] == ("ann", "music")
    assert all(each.score is None for each in store.search(("users",)))


def test_filters(memory: Memory) -> None:
    store = _filled(memory)
    assert _keys(store.search(("users",), filter={"cups": 5})) == [("bob", "drink")]
    assert len(store.search(("users",), filter={"cups": {"$gte": 3, "$ne": 5}})) == 1
    assert store.search(("users",), filter={"text": {"$gt": 3}}) == []
    assert _keys(store.search(("users",), query="drinks", filter={"cups": {"$lt": 3}})) == [
        ("ann", "music")
    ]
    with pytest.raises(ValueError, match="not known"):
        store.search(("users",), filter={"cups": {"$near": 3}})


def test_what_is_not_indexed_is_kept_but_not_ranked(memory: Memory) -> None:
    store = _filled(memory)
    store.put(ANN, "hidden", {"text": "green tea, green tea"}, index=False)
    store.put(ANN, "part", {"text": "green tea", "more": "an umbrella"}, index=["more"])
    scores = {each.key: each.score for each in store.search(ANN, query="green tea")}
    assert scores["hidden"] is None
    assert scores["drink"] == max(score for score in scores.values() if score is not None)
    assert _keys(store.search(ANN, query="umbrella"))[0] == ("ann", "part")


def test_namespaces(memory: Memory) -> None:
    store = _filled(memory)
    assert store.list_namespaces() == [("teams", "red"), ANN, BOB]
    assert store.list_namespaces(prefix=("users",)) == [ANN, BOB]
    assert store.list_namespaces(prefix=("*", "bob")) == [BOB]
    assert store.list_namespaces(suffix=("red",)) == [("teams", "red")]
    assert store.list_namespaces(max_depth=1) == [("teams",), ("users",)]
    assert store.list_namespaces(limit=1, offset=1) == [ANN]


def test_privacy_takes_secrets_out_and_refuses_them_as_names(memory: Memory) -> None:
    store, secret = _store(memory), "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    store.put(
        ANN, "key", {"text": f"use {secret}", "api_key": "abc123def456ghi789", "open": "<private>x"}
    )
    value = store.get(ANN, "key").value
    assert list(value) == ["text", "api_key", "open"]
    assert secret not in str(value)
    assert "abc123" not in str(value)
    with pytest.raises(UsageError, match="name for a secret"):
        store.put(ANN, secret, {"text": "x"})


def test_value_that_is_no_json_is_told(memory: Memory) -> None:
    with pytest.raises(UsageError, match="as JSON"):
        _store(memory).put(ANN, "when", {"at": datetime.now(timezone.utc)})


def test_values_that_are_given_can_be_changed(memory: Memory) -> None:
    store = _filled(memory)
    store.get(ANN, "drink").value["text"] = "changed"
    assert store.get(ANN, "drink").value["text"] == "Ann drinks green tea"


def test_batches_can_be_awaited_and_run_at_once(memory: Memory) -> None:
    store = _store(memory)

    async def many() -> list[Any]:
        await asyncio.gather(*(store.aput(ANN, f"k{n}", {"n": n}) for n in range(20)))
        await store.adelete(ANN, "k3")
        return [each async for each in _each(await store.asearch(ANN, limit=50))]

    async def _each(found: list[Any]) -> Any:
        for item in found:
            yield item

    assert sorted(each.value["n"] for each in asyncio.run(many())) == [
        n for n in range(20) if n != 3
    ]


_NAMESPACES = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(tuple)
_CONDITIONS = st.builds(
    lambda kind, path: base.MatchCondition(match_type=kind, path=tuple(path)),
    st.sampled_from(["prefix", "suffix"]), st.lists(st.sampled_from("ab*"), min_size=1, max_size=2),
)  # fmt: skip
_VALUES = st.none() | st.fixed_dictionaries(
    {"n": st.integers(0, 3), "in": st.fixed_dictionaries({"x": st.integers(0, 1)})}
)
_FILTERS = st.none() | st.sampled_from(
    [
        {"n": 1},
        {"n": {"$gte": 1, "$lt": 3}},
        {"n": {"$ne": 2}},
        {"in": {"x": 1}},
        {"none": 1},
        {"n": {"$eq": 0}},
    ]
)
_OPS = st.lists(
    st.builds(base.PutOp, _NAMESPACES, st.sampled_from("kl"), _VALUES)
    | st.builds(base.GetOp, _NAMESPACES, st.sampled_from("kl"))
    | st.builds(lambda ns, wanted: base.SearchOp(ns, wanted, limit=100), _NAMESPACES, _FILTERS)
    | st.builds(
        lambda conditions, depth, limit: base.ListNamespacesOp(tuple(conditions), depth, limit),
        st.lists(_CONDITIONS, max_size=2), st.none() | st.integers(1, 3), st.integers(1, 5),
    ),
    max_size=6,
)  # fmt: skip


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(batches=st.lists(_OPS, max_size=4))
def test_it_answers_as_langgraphs_own_store(batches: list[list[Any]], tmp_path: Path) -> None:
    from langgraph.store.memory import InMemoryStore

    with Workspace.open(tmp_path) as workspace:
        memory = workspace.memory
        memory.record("other", "something else")
        ours, theirs = _store(memory, name=uuid4().hex), InMemoryStore()
        for batch in batches:
            expected = _answered(theirs, batch)
            assert [_plain(each) for each in ours.batch(batch)] == [
                _plain(each) for each in expected
            ]


def _answered(store: Any, batch: list[Any]) -> list[Any]:
    """What LangGraph's store answers, which takes a namespace that it was only asked about for one that it has."""
    answers = []
    for op in batch:
        for namespace in [name for name, held in store._data.items() if not held]:
            del store._data[namespace]
        answers.append(None if isinstance(op, base.PutOp) else store.batch([op])[0])
    store.batch([op for op in batch if isinstance(op, base.PutOp)])
    return answers


def _plain(result: Any) -> Any:
    """A result without times, and searches without their order."""
    if isinstance(result, base.Item):
        return (result.namespace, result.key, result.value)
    if isinstance(result, list) and result and isinstance(result[0], base.Item):
        return sorted((each.namespace, each.key, str(each.value)) for each in result)
    return result


def test_graph_reads_and_writes_it(memory: Memory) -> None:
    """LangGraph's own runtime hands the store to a node."""
    from langgraph.graph import END, START, StateGraph

    def node(state: dict[str, Any], *, store: base.BaseStore) -> dict[str, Any]:  # type: ignore[name-defined, unused-ignore]
        store.put(("notes",), "last", {"text": state["said"]})
        (found,) = store.search(("notes",), query="what was said?")
        return {"said": f"kept: {found.value['text']}"}

    builder: Any = StateGraph(dict)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    graph = builder.compile(store=_store(memory))
    assert graph.invoke({"said": "we deploy on Fridays"})["said"] == "kept: we deploy on Fridays"
    assert any("Fridays" in each.text for each in memory.recall("when do we deploy?", evidence=0.0))
