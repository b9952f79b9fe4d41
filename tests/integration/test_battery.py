"""On battery, with the setting that says so, what nobody waits for is put off; what somebody asks for is not."""

import queue
import threading

import pytest

from codecairn import Workspace
from codecairn.config import layers
from codecairn.embedding.choice import choose
from codecairn.indexing.battery import Mains
from codecairn.indexing.opening import Opening
from codecairn.indexing.watch import Update, Watch
from codecairn.mcp.desk import Desk
from codecairn.mcp.readiness import Readiness
from support.repository import SMALL_PROJECT, Repository
from support.watched import PATIENCE_S

PAUSES = {"index.pause_on_battery": True}


class Plug:
    """What a test plugs in and pulls out."""

    def __init__(self) -> None:
        self.is_pulled = True
        self.asked = threading.Event()

    def says_battery(self) -> bool:
        self.asked.set()
        return self.is_pulled


@pytest.fixture
def project(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    return repository


def _watch(
    project: Repository, plug: Plug, updates: "queue.Queue[Update]", told: list[str]
) -> Watch:
    settings = layers.load(project.root, arguments=PAUSES).settings
    opening = Opening(
        root=project.root,
        settings=settings,
        read_only=False,
        writer="a test",
        given_store=None,
        choice=choose(settings),
    )
    mains = Mains(notify=told.append, asked=plug.says_battery, look_again_s=0.01)
    return Watch(opening, arguments=PAUSES, on_update=updates.put, poll=True, mains=mains)


def test_watch_takes_changes_in_once_the_mains_are_back(project: Repository) -> None:
    plug, told = Plug(), list[str]()
    updates: queue.Queue[Update] = queue.Queue()
    with _watch(project, plug, updates, told) as watch:
        assert plug.asked.wait(PATIENCE_S)
        assert updates.empty()
        assert not watch.ready.is_set()
        plug.is_pulled = False
        assert updates.get(timeout=PATIENCE_S).report.files == len(SMALL_PROJECT)
    assert [text.split(":")[0] for text in told] == [
        "the machine runs on its battery",
        "the mains are back",
    ]


def test_watch_that_waits_for_the_mains_ends_when_it_is_told_to(project: Repository) -> None:
    plug, updates = Plug(), queue.Queue[Update]()
    with _watch(project, plug, updates, []) as watch:
        assert plug.asked.wait(PATIENCE_S)
    assert watch.wait(PATIENCE_S)
    assert updates.empty()


def test_server_makes_a_first_index_on_battery_and_puts_off_later_ones(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug = Plug()
    monkeypatch.setattr("codecairn.mcp.readiness.Mains", _always(plug))
    with (
        Workspace.open(project.root, settings=PAUSES) as workspace,
        Desk([workspace], wait_s=60) as desk,
    ):
        desk.start()
        assert "tokens.py" in desk.call("codebase_search", {"query": "verify tokens"}).text
    assert not plug.asked.is_set()
    with Workspace.open(project.root, settings=PAUSES) as workspace:
        before = workspace.status().generation
        readiness = Readiness(workspace)
        project.write("shop/late.py", "def late():\n    pass\n")
        readiness.start()
        assert plug.asked.wait(PATIENCE_S)
        assert readiness.wait(PATIENCE_S, is_cancelled=lambda: False) is None
        assert workspace.status().generation == before
        found = workspace.define("late")
        assert [hit.path for hit in found] == ["shop/late.py"], "who asks is not put off"
        readiness.close()


def _always(plug: Plug) -> object:
    def make(**given: object) -> Mains:
        return Mains(notify=lambda _: None, asked=plug.says_battery, look_again_s=0.01)

    return make
