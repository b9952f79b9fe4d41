"""The drain into a graph, against a server of the protocol with the failures of the real one: nothing lost, nothing twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.errors import ConfigError
from codecairn.hooks import background
from codecairn.memory.backends.backends import Backends
from codecairn.memory.backends.reports import BackendStatus, DrainReport
from support.graphiti_server import GraphitiServer, LocalGraph, running
from support.repository import Repository

QUICK = {"memory.graphiti_confirm_s": 1, "memory.graphiti_timeout_ms": 5_000}


@pytest.fixture
def graph() -> LocalGraph:
    return LocalGraph()


@pytest.fixture
def server(graph: LocalGraph) -> Iterator[GraphitiServer]:
    with running(graph) as server:
        yield server


@pytest.fixture
def workspace(folder: Repository, server: GraphitiServer) -> Iterator[Workspace]:
    settings = {"memory.graphiti_url": server.url, **QUICK}
    with Workspace.open(folder.root, settings=settings) as workspace:
        yield workspace


def _say(workspace: Workspace, *texts: str, session: str = "s") -> None:
    for text in texts:
        workspace.memory.record(session, text, role="user")


def _backends(workspace: Workspace) -> Backends:
    return workspace.memory.upkeep.backends


def _drain(workspace: Workspace, wait_s: float = 10.0, **options: bool) -> DrainReport:
    return _backends(workspace).drain(wait_s=wait_s, is_forced=True, **options)[0]


def _status(workspace: Workspace) -> BackendStatus:
    return _backends(workspace).status()[0]


def _bodies(graph: LocalGraph) -> list[str]:
    return sorted(episode.content.rpartition("Detail: ")[2] for episode in graph.episodes)


def test_events_are_stored_once_and_count_as_stored_when_they_were_read_back(
    workspace: Workspace, graph: LocalGraph
) -> None:
    _say(workspace, *(f"Remark number {number}" for number in range(45)))
    workspace.memory.record("s", "one\ntwo", role="tool", tool="Read", path="a.py")
    assert _status(workspace).unread == 46
    report = _drain(workspace)
    assert (report.taken, report.stored, report.left, report.dead) == (45, 45, 0, 0)
    assert _bodies(graph) == sorted(f"Remark number {number}" for number in range(45))
    status = _status(workspace)
    assert (status.state, status.stored, status.unread) == ("idle", 45, 0)
    assert {episode.group_id for episode in graph.episodes} == {status.group}
    assert (_drain(workspace).sent, len(graph.seen)) == (0, 45)


def test_a_server_that_is_down_costs_nothing_but_time(
    workspace: Workspace, server: GraphitiServer, graph: LocalGraph
) -> None:
    _say(workspace, "One remark", "Another remark")
    server.stop()
    report = _drain(workspace, wait_s=0)
    assert (report.stored, report.left) == (0, 2)
    assert "no answer" in report.obstacle
    status = _status(workspace)
    assert status.state == "failing"
    assert "no answer" in status.error
    assert status.due_ms > 0
    with running(graph, port=server.port):
        assert _drain(workspace).left == 0
    assert _bodies(graph) == ["Another remark", "One remark"]


def test_what_was_queued_when_the_server_died_is_sent_again(
    workspace: Workspace, server: GraphitiServer, graph: LocalGraph
) -> None:
    graph.hangs_at = 3
    _say(workspace, *(f"Remark number {number}" for number in range(12)))
    while len(graph.episodes) < 3:
        _drain(workspace, wait_s=0)
    assert server.queued == 9
    server.stop()
    assert len(graph.episodes) == 3
    graph.hangs_at = -1
    with running(graph, port=server.port):
        report = _drain(workspace, wait_s=60)
    assert report.left == 0
    assert _bodies(graph) == sorted(f"Remark number {number}" for number in range(12))


def test_a_failing_model_loses_nothing_and_is_told(workspace: Workspace, graph: LocalGraph) -> None:
    graph.is_model_down = True
    _say(workspace, *(f"Remark number {number}" for number in range(8)))
    report = _drain(workspace, wait_s=3)
    assert (report.stored, report.dead, report.left) == (0, 0, 8)
    assert "did not come into the graph" in report.obstacle
    assert "did not come into the graph" in _status(workspace).error
    sent = len(graph.seen)
    assert sent < 8 + 4, "only a probe is sent while nothing comes in"
    graph.is_model_down = False
    assert _drain(workspace, wait_s=30).left == 0
    assert len(graph.episodes) == 8
    assert _status(workspace).error == ""


def test_an_episode_that_fails_where_others_succeed_becomes_a_dead_letter_with_a_reason(
    workspace: Workspace, graph: LocalGraph
) -> None:
    graph.poison = "poisonous"
    _say(workspace, "A poisonous remark", "One remark")
    later = 0
    while not _status(workspace).dead:
        assert later < 10
        _drain(workspace, wait_s=6)
        _say(workspace, f"Later remark {later}")
        later += 1
    assert _drain(workspace, wait_s=20).left == 0
    (letter,) = _status(workspace).dead_letters
    assert (letter.item, letter.failures) == ("E1", 3)
    assert "into the graph" in letter.reason or "later episodes" in letter.reason
    graph.poison = ""
    assert _backends(workspace).retry((letter.number,)) == 1
    assert _drain(workspace).left == 0
    assert "A poisonous remark" in _bodies(graph)
    assert len(graph.episodes) == 2 + later


def test_an_error_that_comes_as_a_success_is_an_error(
    workspace: Workspace, graph: LocalGraph
) -> None:
    graph.errors["add_memory"] = "Invalid reference_time"
    _say(workspace, "One remark")
    for _ in range(3):
        report = _drain(workspace, wait_s=4)
    assert (report.left, _status(workspace).dead) == (0, 1)
    assert "Invalid reference_time" in _status(workspace).dead_letters[0].reason
    del graph.errors["add_memory"]
    assert _backends(workspace).retry() == 1
    assert (_drain(workspace).stored, len(graph.episodes)) == (1, 1)


def test_a_server_without_its_database_counts_against_no_event(
    workspace: Workspace, graph: LocalGraph
) -> None:
    graph.errors |= {"add_memory": "Services not initialized", "get_status": "no database"}
    _say(workspace, "One remark")
    for _ in range(4):
        report = _drain(workspace, wait_s=0)
    assert (report.left, _status(workspace).dead) == (1, 0)
    assert "no database" in _status(workspace).error
    graph.errors.clear()
    assert _drain(workspace, wait_s=30).left == 0
    assert len(graph.episodes) == 1


def test_copies_of_what_was_only_slow_are_removed(workspace: Workspace, graph: LocalGraph) -> None:
    graph.hangs_at = 0
    _say(workspace, "A slow remark")
    while len(graph.seen) < 2:
        _drain(workspace, wait_s=1)
    graph.hangs_at = -1
    _say(workspace, "A later remark")
    copies = 0
    for _ in range(20):
        copies += _drain(workspace, wait_s=2).copies
        if copies and len(graph.episodes) == 2:
            break
    assert _bodies(graph) == ["A later remark", "A slow remark"]


def test_a_dying_client_sends_nothing_twice(workspace: Workspace, graph: LocalGraph) -> None:
    _say(workspace, "One remark", "Another remark")
    engine = workspace.memory.engine()
    _drain(workspace, wait_s=0)
    # As a run leaves it that ends after it has noted the sending and before it has read back.
    rows = engine.outbox_rows("graphiti", ("sent", "stored"), limit=9)
    changes = [{"number": row.number, "state": "waiting"} for row in rows]
    engine.outbox("graphiti", {"mark": changes})
    for _ in range(5):
        _drain(workspace, wait_s=3)
    assert _bodies(graph) == ["Another remark", "One remark"]
    assert len(graph.seen) == 2


def test_purged_events_leave_the_graph(workspace: Workspace, graph: LocalGraph) -> None:
    _say(workspace, "A quetzal remark", "A heron remark", "A finch remark")
    _drain(workspace)
    workspace.memory.purge("E1")
    workspace.memory.purge(containing="heron")
    assert _status(workspace).removing == 2
    report = _drain(workspace)
    assert (report.removed, report.left) == (2, 0)
    assert _bodies(graph) == ["A finch remark"]
    workspace.memory.purge(whole_project=True)
    _say(workspace, "A new beginning")
    _drain(workspace)
    assert _bodies(graph) == ["A new beginning"]


def test_what_the_graph_lost_is_sent_again_when_it_is_verified(
    workspace: Workspace, graph: LocalGraph
) -> None:
    _say(workspace, "One remark", "Another remark", "A third remark")
    _drain(workspace)
    del graph.episodes[1]
    assert _drain(workspace).missing == 0
    report = _drain(workspace, is_verifying=True)
    assert (report.missing, report.left) == (1, 0)
    assert _bodies(graph) == ["A third remark", "Another remark", "One remark"]


def test_nothing_is_sent_to_a_server_whose_graph_can_not_be_read_back(
    workspace: Workspace, graph: LocalGraph
) -> None:
    graph.is_of_falkordb = True
    _say(workspace, "One remark")
    with pytest.raises(ConfigError) as caught:
        _drain(workspace)
    assert "memory.graphiti_database" in (caught.value.hint or "")
    assert (graph.seen, _status(workspace).waiting) == ([], 1)


def test_a_purge_waits_where_the_graph_can_not_be_read_back(
    workspace: Workspace, graph: LocalGraph
) -> None:
    _say(workspace, "A quetzal remark")
    _drain(workspace)
    workspace.memory.purge(containing="quetzal")
    graph.is_of_falkordb = True
    with pytest.raises(ConfigError):
        _drain(workspace)
    assert _status(workspace).removing == 1
    graph.is_of_falkordb = False
    assert (_drain(workspace).removed, graph.episodes) == (1, [])


def test_the_tools_of_the_older_server_are_spoken_too(
    folder: Repository, graph: LocalGraph
) -> None:
    with (
        running(graph, is_old=True) as server,
        Workspace.open(
            folder.root, settings={"memory.graphiti_url": server.url, **QUICK}
        ) as workspace,
    ):
        _say(workspace, *(f"Remark number {number}" for number in range(25)))
        assert (_drain(workspace).stored, len(graph.episodes)) == (25, 25)


def test_private_events_are_never_sent(workspace: Workspace, graph: LocalGraph) -> None:
    workspace.memory.record("s", "A private remark", role="user", privacy_tags=["private"])
    workspace.memory.record("s", "It is <private>hidden</private> here", role="user")
    _drain(workspace)
    (episode,) = graph.episodes
    assert "hidden" not in episode.content
    assert "A private remark" not in episode.content


def test_a_childs_events_are_sent_under_its_root(workspace: Workspace, graph: LocalGraph) -> None:
    _say(workspace, "The root's remark", session="root")
    workspace.memory.record("child", "The child's remark", role="user", parent_session="root")
    _drain(workspace)
    roots = {
        line for each in graph.episodes for line in each.content.splitlines() if "Session:" in line
    }
    assert len(graph.episodes) == 2
    assert len(roots) == 1


def test_only_one_process_sends_at_a_time(workspace: Workspace) -> None:
    from codecairn.paths.file_lock import lease

    path = workspace.memory.path
    _say(workspace, "One remark")
    with lease(path.with_name(f"{path.name}.drain.lock")) as is_ours:
        assert is_ours
        assert _drain(workspace).is_busy
    assert not _drain(workspace).is_busy


def test_without_a_setting_nothing_is_sent(folder: Repository, graph: LocalGraph) -> None:
    with Workspace.open(folder.root) as workspace:
        _say(workspace, "One remark")
        assert _status(workspace).state == "off"
        with pytest.raises(ConfigError):
            _drain(workspace)


def test_clones_of_one_remote_share_a_group_whatever_their_folders_are_called(
    tmp_path: Path, server: GraphitiServer, graph: LocalGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, object] = {"memory.graphiti_url": server.url}
    groups = set()
    for name in ("rp", "rpB", "worktree of rp"):
        monkeypatch.setenv("CODECAIRN_HOME", str(tmp_path / f"home of {name}"))
        clone = Repository.make(tmp_path / name)
        clone.git("remote", "add", "origin", "https://git.example.com/ann/rp.git")
        with Workspace.open(clone.root, settings=settings) as workspace:
            _say(workspace, f"Said in {name}")
            assert _drain(workspace).left == 0
            groups.add(_status(workspace).group)
    assert len(groups) == 1
    assert {each.group_id for each in graph.episodes} == groups
    assert len(graph.episodes) == 3


def test_a_run_that_has_nothing_to_send_says_why(
    folder: Repository, workspace: Workspace, server: GraphitiServer, tmp_path: Path
) -> None:
    fresh = _drain(workspace)
    assert (fresh.taken, "nothing is recorded of this project" in fresh.obstacle) == (0, True)
    workspace.memory.record("s", "A note", role="system")
    report = _drain(workspace)
    assert bool(report.obstacle) == (report.taken == 0)
    _say(workspace, "One remark")
    assert not _drain(workspace).obstacle


def test_the_first_run_takes_the_last_day_and_all_of_it_on_request(
    workspace: Workspace, graph: LocalGraph
) -> None:
    # What is recorded counts from when it was recorded: an event of a past that is taken in today is new.
    workspace.memory.record("old", "Long ago", role="user", ts_ms=1)
    _say(workspace, "Today")
    _drain(workspace)
    assert _bodies(graph) == ["Long ago", "Today"]
    assert _backends(workspace).drop() == 0
    assert _drain(workspace, is_from_start=True).taken == 0


def test_what_is_purged_while_a_run_sends_is_not_sent(
    workspace: Workspace, folder: Repository, graph: LocalGraph
) -> None:
    _say(workspace, "The first remark", "A quetzal remark", "The last remark")

    def purge(_name: str) -> None:
        graph.on_add = lambda _name: None
        with Workspace.open(folder.root) as other:
            assert other.memory.purge(containing="quetzal").events == 1

    graph.on_add = purge
    assert _drain(workspace).left == 0
    assert (_bodies(graph), len(graph.seen)) == (["The first remark", "The last remark"], 2)


def test_what_is_dropped_while_a_run_sends_is_not_sent(
    workspace: Workspace, folder: Repository, graph: LocalGraph
) -> None:
    _say(workspace, "The first remark", "Another remark")

    def drop(_name: str) -> None:
        graph.on_add = lambda _name: None
        with Workspace.open(folder.root) as other:
            assert _backends(other).drop() == 1

    graph.on_add = drop
    _drain(workspace)
    assert _bodies(graph) == ["The first remark"]


def _other_machine(folder: Repository, server: GraphitiServer, data: Path) -> Workspace:
    """The same project with a memory of its own."""
    data.mkdir()
    settings = {
        "memory.graphiti_url": server.url,
        "memory.path": str(data / "memory.db"),
        **QUICK,
    }
    return Workspace.open(folder.root, settings=settings)


def test_the_purge_of_what_another_machine_had_sent_is_followed(
    workspace: Workspace,
    folder: Repository,
    server: GraphitiServer,
    graph: LocalGraph,
    tmp_path: Path,
) -> None:
    workspace.memory.record("s", "A quetzal remark", role="user", key="host-1")
    workspace.memory.record("s", "A heron remark", role="user", key="host-2")
    assert _drain(workspace).stored == 2
    with _other_machine(folder, server, tmp_path / "other") as other:
        other.memory.record("s", "A quetzal remark", role="user", key="host-1")
        report = _drain(other)
        assert (report.stored, report.sent) == (1, 0), "it was found, and not sent again"
        other.memory.purge("E1")
        assert _drain(other).removed == 1
        assert _bodies(graph) == ["A heron remark"]
        # Purged before this machine has looked for it.
        other.memory.record("s", "A heron remark", role="user", key="host-2")
        other.memory.purge(containing="heron")
        assert (_drain(other).removed, graph.episodes) == (1, [])


def test_everything_that_counts_as_stored_is_verified_page_by_page(
    workspace: Workspace, graph: LocalGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codecairn.memory.backends.drain._MAX_OPEN", 2)
    _say(workspace, *(f"Remark number {number}" for number in range(5)))
    assert _drain(workspace).left == 0
    graph.episodes.clear()
    assert _drain(workspace, is_verifying=True).missing == 5
    assert _drain(workspace).left == 0
    assert len(graph.episodes) == 5


def test_a_group_that_is_too_large_to_be_listed_is_an_error_that_names_the_way_out(
    workspace: Workspace, graph: LocalGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(workspace, *(f"Remark number {number}" for number in range(4)))
    assert _drain(workspace).left == 0
    monkeypatch.setattr("codecairn.memory.backends.graphiti_client._MAX_LISTED", 3)
    _say(workspace, "A later remark")
    report = _drain(workspace, wait_s=0)
    assert (report.left, report.sent) == (1, 0)
    assert "more than 3 episodes" in report.obstacle
    monkeypatch.undo()
    assert _drain(workspace).left == 0


def test_an_answer_without_end_is_not_read_to_its_end(
    workspace: Workspace, graph: LocalGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(workspace, "One remark")
    assert _drain(workspace).left == 0
    graph.episodes[0].content = "x" * 2_000_000
    monkeypatch.setattr("codecairn.memory.backends.bounded_answer.MAX_ANSWER_BYTES", 1_000_000)
    _say(workspace, "Another remark")
    report = _drain(workspace, wait_s=0)
    assert (report.left, report.sent) == (1, 0)
    assert "no answer" in report.obstacle
    monkeypatch.undo()
    assert _drain(workspace).left == 0


def test_odd_moments_and_lists_that_are_null_end_no_run(
    workspace: Workspace, graph: LocalGraph
) -> None:
    workspace.memory.record("s", "A remark of the far future", role="user", ts_ms=10**15)
    workspace.memory.record("s", "A remark from before all time", role="user", ts_ms=-(10**15))
    graph.is_null = True
    assert _drain(workspace, wait_s=0).left == 2
    graph.is_null = False
    assert _drain(workspace).left == 0
    assert len(graph.episodes) == 2


def test_the_status_shows_no_password_of_an_address(folder: Repository) -> None:
    settings = {
        "memory.graphiti_url": "http://ann:hunter2@localhost:1/mcp?token=hunter3",
        "memory.redis_url": "redis://ann:hunter2@localhost:1",
    }
    with Workspace.open(folder.root, settings=settings) as workspace:
        _say(workspace, "One remark")
        shown = [backend.address for backend in _backends(workspace).status()]
    assert shown == ["http://localhost:1/mcp", "redis://localhost:1"]


def test_a_session_in_the_background_sends_nothing_where_hooks_record_nothing(
    folder: Repository, server: GraphitiServer, graph: LocalGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_MEMORY_GRAPHITI_URL", server.url)
    with Workspace.open(folder.root) as workspace:
        _say(workspace, "One remark")
    monkeypatch.setenv("CODECAIRN_HOOKS_CAPTURE", "false")
    background.look_after(folder.root)
    assert (graph.seen, graph.searches) == ([], [])
    monkeypatch.setenv("CODECAIRN_HOOKS_CAPTURE", "true")
    background.look_after(folder.root)
    assert len(graph.seen) == 1
    assert graph.searches


def test_a_batch_has_so_many_episodes_and_bytes(
    folder: Repository, server: GraphitiServer, graph: LocalGraph
) -> None:
    graph.hangs_at = 0
    settings = {"memory.graphiti_url": server.url, "memory.graphiti_batch": 3, **QUICK}
    with Workspace.open(folder.root, settings=settings) as workspace:
        _say(workspace, *(f"Remark number {number}" for number in range(5)))
        _drain(workspace, wait_s=0)
        assert len(graph.seen) == 3
        graph.hangs_at = -1
        assert _drain(workspace).left == 0
    graph.hangs_at = 5
    settings["memory.graphiti_batch_bytes"] = 1024
    with Workspace.open(folder.root, settings=settings) as workspace:
        _say(workspace, "a " * 400, "b " * 400)
        _drain(workspace, wait_s=0)
        assert len(graph.seen) == 6
        graph.hangs_at = -1
        assert _drain(workspace).left == 0


def test_a_redis_that_is_away_keeps_no_event_from_the_graph(
    folder: Repository, server: GraphitiServer, graph: LocalGraph
) -> None:
    settings = {
        "memory.graphiti_url": server.url,
        "memory.redis_url": "redis://127.0.0.1:1",
        **QUICK,
    }
    with Workspace.open(folder.root, settings=settings) as workspace:
        _say(workspace, "One remark")
        reports = _backends(workspace).drain(wait_s=10)
    assert [report.name for report in reports] == ["redis", "graphiti"]
    assert "no answer" in reports[0].obstacle
    assert (reports[1].stored, _bodies(graph)) == (1, ["One remark"])
