"""Recall from a graph: quoted, behind the same gate, cached, never waited for beyond its budget."""

from collections.abc import Iterator
from typing import Any

import pytest

from codecairn import Workspace
from codecairn.core.memory_engine import MemoryEngine
from codecairn.memory.backends.graph_recall import (
    MAX_FACTS,
    MAX_NODES,
    CacheState,
    jaccard,
    words_of,
)
from codecairn.memory.memory import Memory
from support.command import run
from support.graphiti_server import GraphitiServer, LocalGraph, running
from support.repository import Repository

QUESTION = "where does the token store keep its tokens"


@pytest.fixture
def graph() -> LocalGraph:
    return LocalGraph()


@pytest.fixture
def server(graph: LocalGraph) -> Iterator[GraphitiServer]:
    with running(graph) as server:
        yield server


@pytest.fixture
def workspace(folder: Repository, server: GraphitiServer, graph: LocalGraph) -> Iterator[Workspace]:
    settings: dict[str, object] = {
        "memory.graphiti_url": server.url,
        "memory.graphiti_recall_ms": 5_000,
    }
    with Workspace.open(folder.root, settings=settings) as workspace:
        workspace.memory.record("s", "Good morning", role="user")
        group = workspace.memory.upkeep.backends.group()
        graph.facts[group] = [_fact("u-1", "The token store keeps its tokens in Valkey", group)]
        graph.nodes[group] = [
            {"uuid": "n-1", "name": "verify_token", "summary": "checks the signature", "group_id": group}
        ]  # fmt: skip
        yield workspace


def _fact(uuid: str, text: str, group: str, **more: Any) -> dict[str, Any]:
    row = {"uuid": uuid, "fact": text, "name": "KEEPS_IN", "group_id": group}
    return row | {"valid_at": "2026-01-02T03:04:05Z", "invalid_at": None, "expired_at": None} | more


def _graph_facts(memory: Memory) -> list[str]:
    return sorted(fact.text for fact in memory.list(limit=100) if fact.maker == "graph")


def test_facts_and_nodes_of_the_graph_are_recalled_with_where_they_come_from(
    workspace: Workspace, folder: Repository
) -> None:
    found = workspace.memory.search(QUESTION).results
    (hit,) = [each.fact for each in found if each.fact is not None and "Valkey" in each.fact.text]
    assert (hit.maker, hit.origin, hit.tags) == ("graph", "external", ("graph",))
    assert hit.meta["graph_uuid"] == "u-1"
    assert hit.valid_from_ms == 1_767_323_045_000
    assert _graph_facts(workspace.memory) == [
        "The token store keeps its tokens in Valkey",
        "verify_token: checks the signature",
    ]


def test_an_agent_is_shown_them_as_quotes_and_never_at_the_start(workspace: Workspace) -> None:
    workspace.memory.search(QUESTION)
    opening = workspace.memory.context("new", part="static").text
    assert "Valkey" not in opening
    shown = workspace.memory.context("new", QUESTION).text
    assert "Valkey" in shown
    assert "quoted from outside" in shown


def test_a_node_that_names_a_symbol_is_anchored(
    folder: Repository, server: GraphitiServer, graph: LocalGraph
) -> None:
    folder.write("shop/tokens.py", "def verify_token(text):\n    return text\n")
    settings: dict[str, object] = {
        "memory.graphiti_url": server.url,
        "memory.graphiti_recall_ms": 5_000,
    }
    with Workspace.open(folder.root, settings=settings) as workspace:
        workspace.index()
        workspace.memory.record("s", "Good morning", role="user")
        group = workspace.memory.upkeep.backends.group()
        graph.nodes[group] = [
            {"uuid": "n-1", "name": "verify_token", "summary": "checks the signature", "group_id": group}
        ]  # fmt: skip
        workspace.memory.search("what checks the signature")
        (fact,) = [each for each in workspace.memory.list(limit=9) if each.maker == "graph"]
        ((anchor,),) = workspace.memory.engine().anchors([fact.id])
        assert (anchor.path, anchor.name) == ("shop/tokens.py", "verify_token")


def test_a_question_that_is_alike_is_not_asked_again_and_one_that_drifted_is(
    workspace: Workspace, graph: LocalGraph
) -> None:
    workspace.memory.search(QUESTION)
    workspace.memory.search(f"{QUESTION} now")
    assert len(graph.searches) == 2, "facts and nodes, once"
    workspace.memory.search("how is the gateway deployed on friday")
    assert len(graph.searches) == 4


def test_a_graph_that_hangs_is_waited_for_no_longer_than_the_budget(
    folder: Repository, server: GraphitiServer, graph: LocalGraph
) -> None:
    graph.search_delay_s = 20.0
    settings: dict[str, object] = {
        "memory.graphiti_url": server.url,
        "memory.graphiti_recall_ms": 100,
        "memory.graphiti_timeout_ms": 30_000,
    }
    with Workspace.open(folder.root, settings=settings) as workspace:
        workspace.memory.record("s", "The token store keeps its tokens in Redis", role="user")
        recall = workspace.memory.upkeep.backends.recall()
        recall.refresh(QUESTION)
        hanging = recall._running
        assert hanging is not None
        assert hanging.is_alive(), "the recall went on before the graph answered"
        recall.refresh("another question on quite another thing")
        assert recall._running is hanging, "nothing else is asked, nor waited for, meanwhile"
        assert workspace.memory.search(QUESTION).results


def test_commands_that_end_before_the_graph_answers_have_asked_it(
    workspace: Workspace,
    folder: Repository,
    server: GraphitiServer,
    graph: LocalGraph,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each is a process of its own, which takes longer to load the client than a recall waits."""
    graph.search_delay_s = 0.5
    monkeypatch.setenv("CODECAIRN_MEMORY_GRAPHITI_URL", server.url)
    monkeypatch.setenv("CODECAIRN_MEMORY_GRAPHITI_RECALL_MS", "300")
    questions = (QUESTION, "how is the gateway deployed on friday")
    for asked, question in enumerate(questions, start=1):
        run("memory", "search", question, cwd=folder.root)
        assert len(graph.searches) == 2 * asked, "facts and nodes, once for each question"
    assert "Valkey" in run("memory", "search", QUESTION, cwd=folder.root).out


def test_a_command_waits_for_no_graph_that_did_not_answer_the_one_before(
    workspace: Workspace,
    folder: Repository,
    server: GraphitiServer,
    graph: LocalGraph,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("codecairn.memory.backends.graph_recall._FINISH_S", 0.1)
    graph.search_delay_s = 20.0
    settings: dict[str, object] = {
        "memory.graphiti_url": server.url,
        "memory.graphiti_recall_ms": 100,
        "memory.graphiti_timeout_ms": 30_000,
    }
    for is_slow in (False, True):
        with Workspace.open(folder.root, settings=settings) as opened:
            opened.memory.search(QUESTION)
            recall = opened.memory._graph
            assert recall is not None
            assert recall._is_slow == is_slow


def test_a_graph_that_is_down_leaves_recall_as_it_was(
    workspace: Workspace, server: GraphitiServer, folder: Repository
) -> None:
    workspace.memory.search(QUESTION)
    server.stop()
    told: list[str] = []
    settings: dict[str, object] = {
        "memory.graphiti_url": server.url,
        "memory.graphiti_recall_ms": 5_000,
    }
    with Workspace.open(folder.root, settings=settings, notify=told.append) as again:
        found = again.memory.search("which tokens are kept in Valkey, asked in other words").results
        assert any(each.fact is not None and "Valkey" in each.fact.text for each in found)
    assert any("graph" in message for message in told)


def test_an_error_as_a_success_leaves_recall_as_it_was(
    workspace: Workspace, graph: LocalGraph
) -> None:
    graph.errors["search_memory_facts"] = "Error searching facts: no such index"
    assert workspace.memory.search(QUESTION).results == ()
    del graph.errors["search_memory_facts"]
    assert workspace.memory.search(QUESTION).results != ()


def test_a_fact_that_the_graph_was_not_seen_to_hold_for_a_week_is_not_shown(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "codecairn.memory.backends.graph_recall"
    monkeypatch.setattr(f"{module}._KEPT_MS", -1)  # as after a week
    workspace.memory.search(QUESTION)
    assert _graph_facts(workspace.memory) == []
    monkeypatch.undo()
    workspace.memory.search("how is the gateway deployed on friday")
    assert len(_graph_facts(workspace.memory)) == 2


def test_what_a_person_hid_stays_hidden(workspace: Workspace, graph: LocalGraph) -> None:
    workspace.memory.search(QUESTION)
    (fact,) = [each for each in workspace.memory.list(limit=9) if "Valkey" in each.text]
    workspace.memory.forget(fact.id)
    workspace.memory.search("how is the gateway deployed on friday")
    assert _graph_facts(workspace.memory) == ["verify_token: checks the signature"]


def test_what_a_person_hid_stays_hidden_under_another_id(
    workspace: Workspace, graph: LocalGraph
) -> None:
    workspace.memory.search(QUESTION)
    (fact,) = [each for each in workspace.memory.list(limit=9) if "Valkey" in each.text]
    workspace.memory.forget(fact.id)
    group = workspace.memory.upkeep.backends.group()
    graph.facts[group] = [_fact("u-9", "the token store  keeps its tokens in Valkey", group)]
    workspace.memory.search("how is the gateway deployed on friday")
    assert _graph_facts(workspace.memory) == ["verify_token: checks the signature"]


def test_what_the_graph_ended_may_hold_again_under_another_id(
    workspace: Workspace, graph: LocalGraph
) -> None:
    workspace.memory.search(QUESTION)
    text = "The token store keeps its tokens in Valkey"
    group = workspace.memory.upkeep.backends.group()
    graph.facts[group] = [_fact("u-1", text, group, invalid_at="2026-01-03T00:00:00Z")]
    workspace.memory.search("how is the gateway deployed on friday")
    assert text not in _graph_facts(workspace.memory)
    graph.facts[group] = [_fact("u-2", text, group)]
    workspace.memory.search("which library writes the pages")
    assert text in _graph_facts(workspace.memory)


def test_a_server_that_gives_more_than_it_is_asked_for_is_not_believed(
    workspace: Workspace, graph: LocalGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = workspace.memory.upkeep.backends.group()
    graph.ignores_limits = True
    ended = {"invalid_at": "2026-01-03T00:00:00Z"}
    graph.facts[group] = [
        _fact(
            f"u-{number}", f"Fact number {number} of them", group, **(ended if number < 4 else {})
        )
        for number in range(300)
    ]
    graph.nodes[group] = [
        {"uuid": f"n-{number}", "name": f"Node{number}", "summary": "is one", "group_id": group}
        for number in range(300)
    ]
    lists: list[object] = []
    plain = MemoryEngine.list
    monkeypatch.setattr(
        MemoryEngine,
        "list",
        lambda self, *args, **named: lists.append(args) or plain(self, *args, **named),
    )
    kept = workspace.memory.upkeep.backends.recall().fetch(QUESTION)
    assert kept == MAX_FACTS - 4 + MAX_NODES
    assert len(lists) == 2, "what is hidden, and what is there, once each"


def test_an_id_or_a_group_without_end_is_no_id(workspace: Workspace, graph: LocalGraph) -> None:
    group = workspace.memory.upkeep.backends.group()
    graph.facts[group] = [
        _fact("u" * 10_000, "A fact with a long id", group),
        _fact("u-2", "A fact with a long group", "g" * 10_000),
    ]
    graph.nodes[group] = [
        {"uuid": "n" * 10_000, "name": "Node", "summary": "is one", "group_id": group}
    ]
    assert workspace.memory.upkeep.backends.recall().fetch(QUESTION) == 0


def test_a_question_is_sent_without_its_secrets(workspace: Workspace, graph: LocalGraph) -> None:
    secret = "ghp_" + "a1B2" * 9
    workspace.memory.search(f"where is the token {secret} kept <private>by Ann</private>")
    asked = [question for question, _ in graph.searches]
    assert len(asked) == 2
    assert all("token" in question for question in asked)
    assert all(secret not in question and "Ann" not in question for question in asked)
    graph.searches.clear()
    assert workspace.memory.upkeep.backends.recall().fetch("<private>by Ann</private>") == 0
    assert graph.searches == []


def test_odd_moments_and_lists_that_are_null_end_no_recall(
    workspace: Workspace, graph: LocalGraph
) -> None:
    group = workspace.memory.upkeep.backends.group()
    moments = ["0001-01-01T00:00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "x"]
    graph.facts[group] = [
        _fact(f"u-{number}", f"The fact of {moment}", group, valid_at=moment, expired_at=None)
        for number, moment in enumerate(moments)
    ]
    assert workspace.memory.upkeep.backends.recall().fetch(QUESTION) == len(moments) + 1
    graph.is_null = True
    assert workspace.memory.upkeep.backends.recall().fetch(QUESTION) == 0


def test_what_the_graph_ended_is_ended_here(workspace: Workspace, graph: LocalGraph) -> None:
    workspace.memory.search(QUESTION)
    group = workspace.memory.upkeep.backends.group()
    graph.facts[group] = [_fact("u-1", "ended", group, invalid_at="2026-01-03T00:00:00Z")]
    workspace.memory.search("how is the gateway deployed on friday")
    assert _graph_facts(workspace.memory) == ["verify_token: checks the signature"]


def test_a_fact_of_the_graph_ends_nothing_that_was_learned_here(workspace: Workspace) -> None:
    text = "The token store keeps its tokens in Redis"
    workspace.memory.add(text, type="decision", origin="agent")
    workspace.memory.search(QUESTION)
    assert [fact.state for fact in workspace.memory.list(limit=9) if fact.text == text] == ["live"]


def test_hostile_answers_are_no_facts(workspace: Workspace, graph: LocalGraph) -> None:
    group = workspace.memory.upkeep.backends.group()
    secret = "ghp_" + "a1B2" * 9
    graph.facts[group] = [
        {"uuid": 7, "fact": ["x"]},
        {"fact": "no id"},
        _fact("u-2", f"The key is {secret}", group, valid_at="yesterday"),
        _fact("u-3", "x" * 100_000, group),
    ]
    graph.nodes[group] = [{"uuid": "n", "name": None, "summary": {}}]
    workspace.memory.search(QUESTION)
    texts = _graph_facts(workspace.memory)
    assert all(secret not in text and len(text) <= 600 for text in texts)
    assert len(texts) == 2


def test_no_word_of_a_question_is_in_the_file_of_the_cache(workspace: Workspace) -> None:
    workspace.memory.search("where does the zanzibar store keep its tokens")
    path = workspace.memory.path
    assert "zanzibar" not in path.with_name(f"{path.name}.graph.json").read_text()


def test_the_state_of_the_cache_decides_whether_the_graph_is_asked() -> None:
    words = words_of("where are tokens kept")
    kept = CacheState(words=words, asked_ms=1, answered_ms=1_000)
    assert CacheState().state(words, 0, ttl_ms=10, drift=0.5) == "miss"
    assert kept.state(words, 1_005, ttl_ms=10, drift=0.5) == "aligned"
    assert kept.state(words, 1_011, ttl_ms=10, drift=0.5) == "stale"
    assert kept.state(words_of("何が保存されますか"), 1_005, ttl_ms=10, drift=0.5) == "drifted"


def test_questions_in_any_script_have_words() -> None:
    assert jaccard(words_of("不要用 SQLite"), words_of("请用 SQLite")) == pytest.approx(1 / 3)
    assert jaccard(words_of("トークン 保存"), words_of("トークン 保存")) == 1.0
    assert jaccard(frozenset(), frozenset()) == 1.0
