"""What is made of a session while it is removed is not kept, and what was forgotten does not come back."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from codecairn import Workspace
from codecairn.core.types.memory import Event
from codecairn.errors import UsageError
from codecairn.memory.extract import sections
from codecairn.memory.extract.sections import Sections
from codecairn.memory.memory import Memory
from support.command import run
from support.repository import Repository

PORT = "The MatrixOne port is 6001 in all environments, that's a rule."
LAMP = "The lamp in the hall is green."


def _talk(memory: Memory, session: str = "s") -> None:
    memory.record(session, f"{PORT} {LAMP}", role="user", hook="UserPromptSubmit")
    memory.record(session, f"Done: I changed the port. {PORT}", role="assistant", hook="Stop")


def _bytes_below(folder: Path) -> bytes:
    return b"\0".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


REMOVALS: dict[str, Callable[[Memory], object]] = {
    "a purge of the session": lambda memory: memory.purge(session="s"),
    "a purge of a fact": lambda memory: memory.purge(memory.add(PORT).id),
    "a fact that is forgotten": lambda memory: memory.forget(memory.add(PORT).id),
}


@pytest.mark.parametrize("removal", list(REMOVALS))
def test_a_summary_that_a_removal_overtakes_is_not_kept(
    folder: Repository, home: Path, monkeypatch: pytest.MonkeyPatch, removal: str
) -> None:
    made: list[int] = []
    of_events = sections.of_events

    def slow(events: Sequence[Event]) -> Sections:
        """Another process removes something when the session has been read and nothing is written yet."""
        done = of_events(events)
        made.append(1)
        if len(made) == 1:
            with Workspace.open(folder.root) as other:
                REMOVALS[removal](other.memory)
        return done

    monkeypatch.setattr(sections, "of_events", slow)
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        _talk(memory)
        memory.upkeep.summarise("s", with_models=False)
        assert made
        kept = memory.list(types=("session-summary",), with_history=True)
        assert not any("is 6001" in fact.text for fact in kept)
        assert not any("is 6001" in repr(event) for event in memory.events())
        if "session" in removal:
            assert kept == ()
            assert memory.events() == ()
    if "purge" in removal:
        assert b"is 6001" not in _bytes_below(home)


def test_an_old_export_does_not_bring_a_forgotten_statement_back(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        _talk(memory)
        memory.upkeep.summarise("s", with_models=False)
        id_ = memory.add(PORT, type="rule").id
        old = memory.export()
        assert "is 6001" in old
        memory.forget(id_)
        assert "is 6001" not in memory.export()
        memory.import_(old)
        assert "is 6001" not in memory.export()
        with pytest.raises(UsageError, match="was forgotten"):
            memory.add(PORT, origin="agent")
        assert memory.add(PORT).is_new
        assert "is 6001" in memory.export()


def test_the_rest_of_a_summary_stays(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        _talk(memory)
        memory.upkeep.summarise("s", with_models=False)
        memory.forget(memory.add(PORT).id)
        (fact,) = memory.list(types=("session-summary",))
        assert "is 6001" not in fact.text
        assert "I changed the port" in fact.text


def test_other_words_for_what_was_forgotten_are_offered_and_stay(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        other = memory.add("In all environments MatrixOne has the port 6001").id
        id_ = memory.add(PORT, type="rule").id
    done = run("memory", "forget", id_, cwd=folder.root)
    assert done.code == 0
    assert f"`codecairn memory forget {other}`" in done.err
    with Workspace.open(folder.root) as workspace:
        assert [fact.id for fact in workspace.memory.list()] == [other]


def test_a_statement_is_known_in_every_form(folder: Repository) -> None:
    forms = [
        PORT.upper(),
        PORT.replace(" ", "\n"),
        PORT.replace("'", "\u2019").replace("6001", "\uff16\uff10\uff10\uff11"),
        f"> {PORT}",
        json.dumps({"text": PORT}),
    ]
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        for number, form in enumerate(forms):
            memory.record(f"s{number}", form, role="assistant")
        memory.forget(memory.add(PORT).id)
        shown: list[Any] = [event.body for event in memory.events(limit=99)]
        assert not any("6001" in text or "\uff16" in text for text in shown), shown
