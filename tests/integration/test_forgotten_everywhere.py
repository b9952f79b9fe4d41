"""A statement that is taken away is shown nowhere, by whichever ways it came in before and comes again."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.errors import UsageError
from codecairn.memory.memory import Memory
from hooks.fixtures import claude_told, context_of
from support.graphiti_server import LocalGraph, running
from support.repository import Repository
from web.conftest import browsing

PORT = "The MatrixOne port is 6001 in all environments, that's a rule."
NEW = "The MatrixOne port is 7001 in all environments, that's a rule."
LAMP = "The lamp in the hall is green."
QUESTION = "which port does MatrixOne use?"


@dataclass
class Place:
    """A project with a memory, a team that shares one with it, and a graph."""

    project: Repository
    team: Repository
    graph: LocalGraph
    settings: dict[str, object]
    old: str
    number: int = 0

    def open(self) -> Workspace:
        return Workspace.open(self.project.root, settings=self.settings)

    def session(self) -> str:
        self.number += 1
        return f"s-{self.number}"


def _prompt(place: Place) -> None:
    claude_told(place.project, "UserPromptSubmit", place.session(), prompt=f"{PORT} {LAMP}")


def _answer(place: Place) -> None:
    session = place.session()
    answer = f"Noted: {PORT} Done."
    claude_told(place.project, "Stop", session, last_assistant_message=answer)
    with place.open() as workspace:
        workspace.memory.upkeep.summarise(session, with_models=False)


def _tool(place: Place) -> None:
    claude_told(
        place.project, "PostToolUse", place.session(), tool_name="Bash",
        tool_input={"command": "cat notes.md"}, tool_response={"stdout": PORT, "stderr": ""},
    )  # fmt: skip


def _agent(place: Place) -> None:
    with place.open() as workspace, suppress(UsageError):
        workspace.memory.add(PORT, type="discovery", origin="agent")


def _import(place: Place) -> None:
    with place.open() as workspace:
        workspace.memory.import_(place.old)


def _team(place: Place) -> None:
    place.project.git("pull", "-q")
    with place.open() as workspace:
        workspace.memory.upkeep.team.take_in()


def _graph(place: Place) -> None:
    with place.open() as workspace:
        workspace.memory.record(place.session(), LAMP, role="user")
        group = workspace.memory.upkeep.backends.group()
        fact = {"uuid": "u-1", "fact": PORT, "name": "PORT", "group_id": group}
        fact |= {"valid_at": "2026-01-02T03:04:05Z", "invalid_at": None, "expired_at": None}
        place.graph.facts[group] = [fact]
        workspace.memory.search(QUESTION)


WAYS_IN: dict[str, Callable[[Place], None]] = {
    "prompt": _prompt,
    "answer": _answer,
    "tool": _tool,
    "agent": _agent,
    "import": _import,
    "team": _team,
    "graph": _graph,
}
PAGES = ("/memory", "/", "/memory/review", "/now/sessions", "/now/session?id=s-1")
WAYS_OUT: dict[str, Callable[[Memory, str], object]] = {
    "forget": lambda memory, id_: memory.forget(id_),
    "update": lambda memory, id_: memory.update(id_, text=NEW),
    "supersede": lambda memory, id_: memory.add(NEW, type="rule", supersedes=[id_]),
    "purge": lambda memory, id_: memory.purge(id_),
}


@pytest.fixture
def place(
    repository: Repository, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    repository.write("a.py", "x = 1\n")
    repository.commit()
    repository.git("clone", "-q", str(repository.root), str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    with Workspace.open(
        repository.root, settings={"memory.path": str(tmp_path / "team.db")}
    ) as workspace:
        workspace.memory.record("team", f"{PORT} {LAMP}", role="user")
        id_ = workspace.memory.add(PORT, type="rule").id
        old = workspace.memory.export()
        workspace.memory.upkeep.team.promote([id_])
    repository.commit("share")
    graph = LocalGraph()
    with running(graph) as server:
        settings: dict[str, object] = {
            "memory.graphiti_url": server.url,
            "memory.graphiti_confirm_s": 1,
            "memory.graphiti_recall_ms": 5_000,
        }
        yield Place(clone, repository, graph, settings, old)


def _render(place: Place, *, with_history: bool) -> str:
    """All that agents, people and other systems are given."""
    texts = []
    for source in ("startup", "resume", "compact"):
        session = place.session() if source == "startup" else "s-1"
        answer = claude_told(place.project, "SessionStart", session, source=source)
        texts.append(context_of(answer))
    answer = claude_told(place.project, "UserPromptSubmit", place.session(), prompt=QUESTION)
    texts.append(context_of(answer))
    with place.open() as workspace:
        memory = workspace.memory
        texts += [repr(memory.search(words)) for words in (QUESTION, PORT)]
        texts.append(repr(workspace.ask(QUESTION)))
        texts.append(repr(memory.sessions()))
        texts.append(repr(memory.list(limit=100)))
        texts.append(repr(memory.events(limit=500)))
        if with_history:
            texts.append(repr(memory.list(limit=100, with_history=True)))
            texts.append(memory.export())
        memory.upkeep.backends.drain(wait_s=20.0, is_forced=True)
        texts += [episode.content for episode in place.graph.episodes]
    with browsing(place.project.root) as browser:
        texts += [browser.get(path) for path in (PAGES if with_history else PAGES[:1])]
    return "\n".join(texts)


def _find_statement(text: str) -> list[str]:
    """The beginnings of places where the statement stands."""
    parts = text.split("port is 6001")
    return [f"{part[-200:]}[…]" for part in parts[:-1]]


def _check(place: Place, home: Path, ways: Sequence[str], out: str) -> None:
    for way in ways:
        WAYS_IN[way](place)
    # The older words of a fact that holds are in its history.
    with_history = out in {"forget", "purge"}
    _render(place, with_history=with_history)
    with place.open() as workspace:
        id_ = workspace.memory.add(PORT, type="rule").id
        WAYS_OUT[out](workspace.memory, id_)
    assert _find_statement(_render(place, with_history=with_history)) == []
    for way in ways:
        # A person who says it again is heard.
        if way != "prompt":
            WAYS_IN[way](place)
    assert _find_statement(_render(place, with_history=with_history)) == []
    if out == "purge":
        below = (file for file in home.rglob("*") if file.is_file())
        assert not any(b"port is 6001" in file.read_bytes() for file in below)


@pytest.mark.parametrize("out", ["forget", "purge"])
def test_after_all_ways_in_one_way_out_is_enough(place: Place, home: Path, out: str) -> None:
    _check(place, home, list(WAYS_IN), out)


@pytest.mark.slow
@pytest.mark.parametrize("out", list(WAYS_OUT))
@pytest.mark.parametrize(
    "ways", [*((way,) for way in WAYS_IN), *combinations(WAYS_IN, 2), tuple(WAYS_IN)], ids="-".join
)
def test_after_every_two_ways_in_one_way_out_is_enough(
    place: Place, home: Path, ways: tuple[str, ...], out: str
) -> None:
    _check(place, home, ways, out)
