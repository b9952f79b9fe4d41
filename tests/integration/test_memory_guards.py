"""What a person wrote or pinned is ended and changed by a person alone; everything else by its successor."""

from collections.abc import Callable

import pytest

from codecairn import Workspace
from codecairn.errors import UsageError
from codecairn.memory.memory import Memory
from codecairn.memory.notes import read_notes, write_note
from support.repository import Repository

Attempt = Callable[[Memory, str, str], object]

CONFIG = {"type": "project-config", "text": "The API server listens on port 8080"}
PROGRESS = {"type": "progress", "text": "The parser is half done"}
SUBJECT = CONFIG | {"subject": "api", "predicate": "port"}
NEWER = "The API server listens on port 9090"


def _superseded(memory: Memory, id_: str, origin: str) -> object:
    newer = memory.add("Ports do not matter at all", origin=origin)
    return memory.engine().supersede(newer.id, [id_], reason="read both")


ATTEMPTS: dict[str, tuple[dict[str, str], Attempt]] = {
    "a newer value": (CONFIG, lambda memory, _id, origin: memory.add(
        NEWER, type="project-config", origin=origin
    )),
    "a newer one of its subject": (SUBJECT, lambda memory, _id, origin: memory.add(
        NEWER, type="project-config", subject="api", predicate="port", origin=origin
    )),
    "a newer one of its type": (PROGRESS, lambda memory, _id, origin: memory.add(
        "Everything is done", type="progress", origin=origin
    )),
    "a longer statement": (CONFIG, lambda memory, _id, origin: memory.add(
        CONFIG["text"] + " of the host", type="project-config", origin=origin
    )),
    "a claim": (CONFIG, lambda memory, id_, origin: memory.add(
        "Ports do not matter at all", supersedes=[id_], origin=origin
    )),
    "a finding": (CONFIG, _superseded),
}  # fmt: skip

GUARDS = {
    "said by a person": {"origin": "user"},
    "pinned by a person": {"origin": "user", "is_pinned": True},
    "pinned": {"origin": "agent", "is_pinned": True},
}
MACHINES = ("agent", "tool", "repository", "external")


@pytest.mark.parametrize("attempt", list(ATTEMPTS))
@pytest.mark.parametrize("guard", list(GUARDS))
def test_no_machine_ends_what_is_guarded(folder: Repository, attempt: str, guard: str) -> None:
    told, try_ = ATTEMPTS[attempt]
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        fact = memory.add(**told, **GUARDS[guard])  # type: ignore[arg-type]
        for origin in MACHINES:
            try_(memory, fact.id, origin)
            (version,) = memory.history(fact.id)
            assert (version.state, version.text) == ("live", told["text"]), origin


@pytest.mark.parametrize("attempt", list(ATTEMPTS))
@pytest.mark.parametrize("origin", ["agent", "user"])
def test_what_nobody_guards_is_ended_by_its_successor(
    folder: Repository, attempt: str, origin: str
) -> None:
    told, try_ = ATTEMPTS[attempt]
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        id_ = memory.add(**told, origin="agent").id  # type: ignore[arg-type]
        try_(memory, id_, origin)
        newest, *_ = memory.history(id_)
        assert newest.state != "live" or newest.text != told["text"]


@pytest.mark.parametrize("attempt", ["a claim", "a finding"])
@pytest.mark.parametrize("guard", list(GUARDS))
def test_a_persons_word_ends_what_is_guarded(folder: Repository, attempt: str, guard: str) -> None:
    told, try_ = ATTEMPTS[attempt]
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        fact = memory.add(**told, **GUARDS[guard])  # type: ignore[arg-type]
        try_(memory, fact.id, "user")
        assert memory.history(fact.id)[0].state == "superseded"


CHANGES = [
    {"text": "The API server listens on any port"},
    {"title": "Ports"},
    {"tags": ["port"]},
    {"type": "note"},
    {"is_pinned": False},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
@pytest.mark.parametrize("guard", list(GUARDS))
def test_no_machine_changes_what_is_guarded(
    folder: Repository, change: dict[str, object], guard: str
) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        fact = memory.add(**CONFIG, **GUARDS[guard])  # type: ignore[arg-type]
        for origin in MACHINES:
            with pytest.raises(UsageError, match="only a person changes it"):
                memory.engine().update(fact.id, change | {"origin": origin})
        (version,) = memory.history(fact.id)
        assert (version.text, version.tags) == (CONFIG["text"], ())
        memory.engine().update(fact.id, change)
        assert len(memory.history(fact.id)) == 2


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_an_agent_changes_what_an_agent_said(folder: Repository, change: dict[str, object]) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        id_ = memory.add(**CONFIG, origin="agent").id  # type: ignore[arg-type]
        assert memory.engine().update(id_, change | {"origin": "agent"}).version == 2


def test_an_agent_leaves_a_persons_note_as_it_is(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        mine = write_note(memory, "port", "It is 8080")
        theirs = write_note(memory, "host", "It is local", origin="agent")
        memory.update(theirs.id, is_pinned=True)
        for key in ("port", "host"):
            with pytest.raises(UsageError, match="only a person changes it"):
                write_note(memory, key, "It is another", origin="agent")
            assert read_notes(memory, key)[0].text != "It is another"
        assert write_note(memory, "port", "It is 9090").id == mine.id
