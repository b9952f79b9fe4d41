"""A statement that is forgotten, corrected or purged is put before no agent any more, wherever it stands."""

from collections.abc import Callable
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.memory.memory import Memory
from hooks.fixtures import added, claude_told, context_of, events_of
from support.command import run
from support.repository import Repository

PORT = "The MatrixOne port is 6001 in all environments, that's a rule."
NEW = "The MatrixOne port is 7001 in all environments, that's a rule."
LAMP = "The lamp in the hall is green."
QUESTION = "which port does MatrixOne use?"


def _prompt(project: Repository, prompt: str, session: str = "s-1") -> None:
    """A session in which a person says something, the agent repeats it, and a summary is made."""
    claude_told(project, "SessionStart", session, source="startup")
    claude_told(project, "UserPromptSubmit", session, prompt=prompt)
    answer = f"Noted: {PORT} I changed the settings, done."
    claude_told(project, "Stop", session, last_assistant_message=answer)
    claude_told(project, "SessionEnd", session, reason="exit")
    with Workspace.open(project.root) as workspace:
        workspace.memory.upkeep.summarise(session)


def _fact(project: Repository) -> str:
    """The id of the fact that was drawn, or of one that a person adds."""
    with Workspace.open(project.root) as workspace:
        found = [
            fact for fact in workspace.memory.list() if fact.text.rstrip(".") == PORT.rstrip(".")
        ]
    return found[0].id if found else added(project, PORT, type="rule")


def _render(project: Repository, session: str = "s-9") -> str:
    """All that a later session, a search and a page are given."""
    texts = [context_of(claude_told(project, "SessionStart", session, source="startup"))]
    texts.append(context_of(claude_told(project, "UserPromptSubmit", session, prompt=QUESTION)))
    texts.append(context_of(claude_told(project, "SessionStart", "s-1", source="resume")))
    texts.append(context_of(claude_told(project, "SessionStart", "s-1", source="compact")))
    with Workspace.open(project.root) as workspace:
        memory = workspace.memory
        texts += [repr(memory.search(words)) for words in (QUESTION, PORT)]
        texts.append(repr(workspace.ask(QUESTION)))
        texts.append(memory.export())
        texts.append(repr(memory.sessions()))
    return "\n".join(texts)


def _bytes_below(folder: Path) -> bytes:
    return b"\0".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def _without_question(text: str) -> str:
    return text.replace(QUESTION, "")


def test_a_forgotten_prompt_is_put_before_no_agent(project: Repository) -> None:
    _prompt(project, f"{PORT} {LAMP}")
    assert "is 6001" in _render(project)
    with Workspace.open(project.root) as workspace:
        workspace.memory.forget(_fact(project))
    text = _without_question(_render(project, "s-10"))
    assert "is 6001" not in text
    assert "lamp in the hall" in text
    claude_told(project, "UserPromptSubmit", "s-11", prompt=f"Remember: {PORT}")
    assert "is 6001" in _render(project, "s-12"), "a person has said it again"


CORRECTIONS: dict[str, Callable[[Memory, str], object]] = {
    "update": lambda memory, id_: memory.update(id_, text=NEW),
    "supersede": lambda memory, id_: memory.add(NEW, type="rule", supersedes=[id_]),
}


@pytest.mark.parametrize("way", list(CORRECTIONS))
def test_of_a_corrected_statement_only_the_newest_words_are_shown(
    project: Repository, way: str
) -> None:
    _prompt(project, PORT)
    id_ = _fact(project)
    with Workspace.open(project.root) as workspace:
        CORRECTIONS[way](workspace.memory, id_)
        assert PORT in {version.text for version in workspace.memory.history(id_)}
    opening = context_of(claude_told(project, "SessionStart", "s-9", source="startup"))
    answer = context_of(claude_told(project, "UserPromptSubmit", "s-9", prompt=QUESTION))
    assert "is 6001" not in opening + answer
    assert "is 7001" in opening


def test_a_purged_statement_is_in_no_file(project: Repository, home: Path) -> None:
    _prompt(project, f"{PORT} {LAMP}")
    assert b"is 6001" in _bytes_below(home)
    done = run("memory", "purge", _fact(project), cwd=project.root)
    assert done.code == 0
    assert b"is 6001" not in _bytes_below(home)
    assert b"lamp in the hall" in _bytes_below(home)
    assert "is 6001" not in _render(project, "s-10")
    assert [event.body for event in events_of(project, session="s-1") if event.role == "user"] == [
        f"[…] {LAMP}"
    ]
