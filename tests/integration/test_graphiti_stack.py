"""The drain and the recall, with Graphiti's own server, a real FalkorDB and a scripted model: killed, failing, restarted."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.errors import ConfigError, ProviderRefused
from codecairn.memory.backends.endpoint import HTTP, endpoint
from codecairn.memory.backends.graphiti_client import Episode, GraphitiClient
from codecairn.memory.backends.reports import BackendStatus, DrainReport
from support.command import command, run
from support.graphiti_stack import Stack, running_stack
from support.repository import Repository

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

OUTAGE_S = float(os.environ.get("CODECAIRN_TEST_OUTAGE_S", "600"))
"""How long the model fails: ten minutes, unless the variable asks for less while the test itself is worked on."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running_stack(tmp_path_factory.mktemp("graphiti")) as stack:
        yield stack


@pytest.fixture
def settings(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    values = {
        "memory.graphiti_url": stack.url,
        "memory.graphiti_database": stack.database_url,
        "memory.graphiti_confirm_s": 15,
    }
    for key, value in values.items():
        monkeypatch.setenv("CODECAIRN_" + key.replace(".", "_").upper(), str(value))
    return dict(values)


@pytest.fixture
def workspace(
    folder: Repository, settings: dict[str, object], tmp_path: Path
) -> Iterator[Workspace]:
    """A project of a name of its own, so that each test has a graph of its own."""
    name = {"memory.project": f"project {tmp_path.name}"}
    with Workspace.open(folder.root, settings=settings | name) as workspace:
        yield workspace


def _say(workspace: Workspace, *texts: str) -> None:
    for text in texts:
        workspace.memory.record("s", text, role="user")


def _drain(workspace: Workspace, wait_s: float = 120.0) -> DrainReport:
    return workspace.memory.upkeep.backends.drain(wait_s=wait_s, is_forced=True)[0]


def _status(workspace: Workspace) -> BackendStatus:
    return workspace.memory.upkeep.backends.status()[0]


def _remark(number: int) -> str:
    return f"Module{number} uses Library{number % 7} for remark number {number}"


def _keys(workspace: Workspace) -> list[str]:
    rows = workspace.memory.engine().outbox_rows("graphiti", ("stored", "settling"), limit=1000)
    return sorted(row.key for row in rows)


def test_events_come_into_the_graph_once_and_their_facts_come_back(
    workspace: Workspace, stack: Stack
) -> None:
    _say(
        workspace,
        "AuthService decided that TokenStore keeps tokens in Redis",
        "Gateway calls AuthService",
    )
    report = _drain(workspace)
    assert (report.stored, report.left) == (2, 0)
    status = _status(workspace)
    assert stack.names(status.group) == _keys(workspace)
    assert workspace.memory.upkeep.backends.recall().fetch("where does TokenStore keep tokens") > 0
    found = workspace.memory.search("where does TokenStore keep tokens").results
    assert any(each.fact is not None and each.fact.maker == "graph" for each in found)


def test_commands_that_end_at_once_ask_the_server(
    workspace: Workspace, folder: Repository, tmp_path: Path
) -> None:
    _say(workspace, "AuthService decided that TokenStore keeps tokens in Redis")
    assert _drain(workspace).left == 0
    environment = {"CODECAIRN_MEMORY_PROJECT": f"project {tmp_path.name}"}
    for question in ("where does TokenStore keep tokens", "who calls the gateway on friday"):
        run("memory", "search", question, cwd=folder.root, environment=environment)
    assert any(fact.maker == "graph" for fact in workspace.memory.list(limit=100))


def test_200_events_over_kills_of_server_database_and_client_are_there_once(
    workspace: Workspace,
    stack: Stack,
    folder: Repository,
    settings: dict[str, object],
    tmp_path: Path,
) -> None:
    _say(workspace, *(_remark(number) for number in range(200)))
    environment = {"CODECAIRN_MEMORY_PROJECT": f"project {tmp_path.name}"}
    deadline = time.monotonic() + 1500
    for victim in ("server", "client", "database", "server", "client", "database"):
        client = subprocess.Popen(
            command("memory", "backend", "drain", "--wait", "600"),
            cwd=folder.root,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        before = _status(workspace).stored
        while _status(workspace).stored < before + 12 and time.monotonic() < deadline:
            assert client.poll() is None
            time.sleep(0.2)
        client.kill()
        client.wait()
        if victim != "client":
            stack.kill(victim)
            if victim == "database":
                stack.kill("server")
                stack.start("database")
            stack.start("server")
    report = _drain(workspace, wait_s=900)
    assert (report.left, report.dead) == (0, 0), report
    _settle(workspace)
    names = stack.names(_status(workspace).group)
    assert len(names) == 200
    assert names == _keys(workspace)


def _settle(workspace: Workspace) -> None:
    """Drain again, which removes copies, until nothing may have any, or a while has passed."""
    for _ in range(5):
        if not workspace.memory.engine().outbox_rows("graphiti", ("settling",), limit=1):
            return
        time.sleep(6)
        _drain(workspace, wait_s=10)


def test_a_model_that_fails_for_ten_minutes_loses_nothing_and_the_state_says_why(
    workspace: Workspace, stack: Stack, folder: Repository, tmp_path: Path
) -> None:
    environment = {**os.environ, "CODECAIRN_MEMORY_PROJECT": f"project {tmp_path.name}"}
    drain = command("memory", "backend", "drain", "--wait", "600")
    stack.fault("500")
    try:
        _say(workspace, *(_remark(number) for number in range(5)))
        begin = time.monotonic()
        rounds = 0
        while time.monotonic() - begin < OUTAGE_S:
            # A process that is killed with a queue, one after the other, and once the server, too.
            client = subprocess.Popen(
                drain, cwd=folder.root, env=environment, stdout=subprocess.DEVNULL
            )
            time.sleep(min(45.0, OUTAGE_S / 4))
            assert client.poll() is None
            client.kill()
            client.wait()
            status = _status(workspace)
            assert (status.stored, status.dead) == (0, 0)
            assert status.waiting + status.sent == 5
            rounds += 1
            if rounds == 2:
                assert "did not come into the graph" in status.error
                assert status.state == "failing"
                stack.kill("server")
                stack.start("server")
        assert rounds >= 3
        report = _drain(workspace, wait_s=0)
        assert (report.stored, report.left, report.dead) == (0, 5, 0)
    finally:
        stack.fault(None)
    assert _drain(workspace, wait_s=240).left == 0
    _settle(workspace)
    assert stack.names(_status(workspace).group) == _keys(workspace)
    assert len(_keys(workspace)) == 5
    assert _status(workspace).error == ""


def _client(stack: Stack) -> GraphitiClient:
    place = endpoint("x", stack.url, schemes=HTTP, default_port=1, has_secret=False)
    return GraphitiClient(place, token="", timeout_s=60, allow_link_local=False)


def test_a_group_that_is_not_allowed_is_dropped_by_the_server_and_never_sent_from_here(
    workspace: Workspace, stack: Stack, folder: Repository, settings: dict[str, object]
) -> None:
    with _client(stack) as client:
        # The server answers "queued", and drops it: nothing but its log shows that.
        client.add_episode(
            Episode(
                name="n", body="Gateway uses Cache", group="not allowed!", description="", ts_ms=0
            )
        )
        with pytest.raises(ProviderRefused, match="group_id"):
            client.search_facts("gateway", ["not allowed!"], 3)
    _say(workspace, "Gateway uses Cache in the group of this project")
    assert _drain(workspace).left == 0
    wrong = {"memory.graphiti_group": "not allowed!"}
    with Workspace.open(folder.root, settings=settings | wrong) as other:
        _say(other, "Another remark")
        with pytest.raises(ConfigError) as caught:
            _drain(other)
        assert "memory.graphiti_group" in caught.value.message
    with Workspace.open(folder.root, settings=settings) as other:
        assert _drain(other).left == 0
        assert stack.names(_status(other).group) == _keys(other)
        assert "Another remark" in str(
            stack.query(_status(other).group, "MATCH (e:Episodic) RETURN e.content")
        )


def test_a_source_that_the_server_does_not_know_becomes_text_and_is_never_sent_from_here(
    workspace: Workspace, stack: Stack
) -> None:
    _say(workspace, "Gateway uses Cache")
    assert _drain(workspace).left == 0
    group = _status(workspace).group
    episode = {"episode_body": "Parser uses Lexer", "group_id": group}
    with _client(stack) as client:
        client._call("add_memory", episode | {"name": "unknown", "source": "event"})
    _wait_for(lambda: "unknown" in stack.names(group))
    rows = stack.query(group, "MATCH (e:Episodic) RETURN e.source")
    assert rows == [["text"], ["text"]]


def test_a_search_that_fails_at_the_database_is_an_error_as_text_and_recall_goes_on(
    workspace: Workspace, stack: Stack
) -> None:
    _say(workspace, "AuthService decided that TokenStore keeps tokens in Redis")
    assert _drain(workspace).left == 0
    recall = workspace.memory.upkeep.backends.recall()
    assert recall.fetch("where does TokenStore keep tokens") > 0
    with _client(stack) as client:
        group = _status(workspace).group
        assert client.search_facts("tokens", [group], 3)
        stack.kill("database")
        try:
            with pytest.raises(ProviderRefused, match="search_memory_facts"):
                client.search_facts("tokens", [group], 3)
            found = workspace.memory.search("in which store are the tokens kept now").results
            assert any(each.fact is not None and each.fact.maker == "graph" for each in found)
            _say(workspace, "Gateway calls AuthService")
            report = _drain(workspace, wait_s=0)
            assert (report.left, report.dead) == (1, 0)
            assert _status(workspace).error
        finally:
            stack.kill("server")
            stack.start("database")
            stack.start("server")
    assert _drain(workspace, wait_s=180).left == 0
    assert recall.fetch("which service calls AuthService") > 0


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.5)


def test_purged_events_leave_the_graph_with_what_was_drawn_from_them(
    workspace: Workspace, stack: Stack
) -> None:
    _say(workspace, "QuetzalService uses HeronStore here", "FinchService uses HeronStore there")
    assert _drain(workspace).stored == 2
    group = _status(workspace).group
    workspace.memory.purge(containing="QuetzalService")
    report = _drain(workspace)
    assert (report.removed, report.left) == (1, 0)
    assert len(stack.names(group)) == 1
    names = {row[0] for row in stack.query(group, "MATCH (n:Entity) RETURN n.name")}
    assert "QuetzalService" not in names
    facts = stack.query(group, "MATCH ()-[r:RELATES_TO]->() RETURN r.fact")
    assert not [fact for (fact,) in facts if "Quetzal" in fact]


def test_what_was_recalled_from_a_purged_event_goes_with_it(
    workspace: Workspace, stack: Stack
) -> None:
    _say(workspace, "QuetzalService uses HeronStore here", "FinchService uses HeronStore there")
    assert _drain(workspace).stored == 2
    workspace.memory.upkeep.backends.recall().fetch("which service uses HeronStore")
    before = [fact.text for fact in workspace.memory.list(limit=100) if fact.maker == "graph"]
    assert any("Quetzal" in text for text in before)
    workspace.memory.purge("E1")
    assert _drain(workspace).removed == 1
    after = [fact.text for fact in workspace.memory.list(limit=100) if fact.maker == "graph"]
    assert any("Finch" in text for text in after)
    # But for the summary of an entity that the other event names, too: it stays in the graph.
    left = [text for text in after if "Quetzal" in text]
    assert all(text.startswith("HeronStore: ") for text in left)
    assert len(left) < len([text for text in before if "Quetzal" in text])


def test_a_server_that_restarts_with_a_queue_gets_it_again(
    workspace: Workspace, stack: Stack
) -> None:
    stack.fault("slow")
    try:
        _say(workspace, *(_remark(number) for number in range(8)))
        _drain(workspace, wait_s=1)
        assert _status(workspace).sent > 0
        stack.kill("server")
    finally:
        stack.fault(None)
    stack.start("server")
    assert _drain(workspace, wait_s=180).left == 0
    _settle(workspace)
    assert stack.names(_status(workspace).group) == _keys(workspace)
    assert len(_keys(workspace)) == 8


def test_without_the_databases_address_nothing_is_sent(
    folder: Repository, stack: Stack, settings: dict[str, object]
) -> None:
    outcome = run("memory", "record", "s", "One remark", "--role", "user", cwd=folder.root)
    assert outcome.code == 0
    outcome = run(
        "memory", "backend", "drain", cwd=folder.root,
        environment={"CODECAIRN_MEMORY_GRAPHITI_DATABASE": ""},
    )  # fmt: skip
    assert outcome.code != 0
    assert "memory.graphiti_database" in outcome.err
    outcome = run("memory", "backend", "status", "--json", cwd=folder.root)
    assert outcome.document["backends"][0]["waiting"] == 1
