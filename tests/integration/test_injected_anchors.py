"""What is put before an agent of code that goes on: what changed is marked, and announced where it was shown before."""

from collections.abc import Iterator

import pytest

from codecairn import Workspace
from codecairn.memory.memory import Memory
from codecairn.trust.registry import distrust, trust
from support.repository import Repository

RETRY = "def retry(times):\n    return times + 1\n"
REWRITTEN = "def retry(times, pause):\n    sleep(pause)\n    return times * 2\n"
DECISION = "We count retries upwards, one at a time"
QUESTION = "how do we count retries"


@pytest.fixture
def workspace(repository: Repository) -> Iterator[Workspace]:
    repository.write("net.py", f"import os\n\n{RETRY}")
    repository.write("other.py", "def lamp():\n    pass\n")
    repository.commit("first")
    trust(repository.root)
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        workspace.memory.add(DECISION, type="decision", symbols=["net.py::retry"])
        workspace.memory.add("Deployments go out on Fridays", type="rule")
        yield workspace


def _rewrite(workspace: Workspace, repository: Repository) -> None:
    repository.write("net.py", f"import os\n\n{REWRITTEN}")
    workspace.index()


def _parts(memory: Memory, session: str) -> list[str]:
    """Every part that could contain a fact."""
    return [memory.context(session, part=part).text for part in ("static", "compaction")]


def test_a_decision_whose_code_is_as_it_was_is_put_before_an_agent(workspace: Workspace) -> None:
    assert all(DECISION in text for text in _parts(workspace.memory, "a"))
    assert DECISION in workspace.memory.context("b", QUESTION).text


@pytest.mark.parametrize("form", ["markdown", "xml", "json"])
def test_a_decision_whose_symbol_was_rewritten_is_shown_with_what_changed(
    workspace: Workspace, repository: Repository, form: str
) -> None:
    _rewrite(workspace, repository)
    memory = workspace.memory
    for part in ("static", "compaction", "volatile"):
        text = memory.context(f"s-{part}", QUESTION, part=part, form=form).text
        assert DECISION in text
        assert "net.py::retry changed since noted" in text
        assert "-    return times + 1" in text
        assert "+    return times * 2" in text
        assert "Changed Since Noted" not in text
    (hit,) = memory.recall(QUESTION, kinds=["fact"], types=["decision"])
    assert hit.standing.state == "changed"


def test_a_mark_is_no_news_after_it_was_shown(workspace: Workspace, repository: Repository) -> None:
    _rewrite(workspace, repository)
    memory = workspace.memory
    assert "changed since noted" in memory.context("a", part="static").text
    assert memory.context("a", QUESTION).text == ""


def test_an_answer_that_was_shown_before_its_code_changed_is_announced_as_changed(
    workspace: Workspace, repository: Repository
) -> None:
    memory = workspace.memory
    assert DECISION in memory.context("a", QUESTION).text
    _rewrite(workspace, repository)
    answers, _, notice = memory.context("a", QUESTION).text.partition("## Changed Since Noted")
    assert DECISION not in answers
    assert "+    return times * 2" in notice
    assert memory.context("a", QUESTION).text == ""


def test_code_of_a_workspace_that_is_not_trusted_is_not_shown(
    workspace: Workspace, repository: Repository
) -> None:
    distrust(repository.root)
    _rewrite(workspace, repository)
    for part in ("static", "compaction", "volatile"):
        text = workspace.memory.context(f"s-{part}", QUESTION, part=part).text
        assert "net.py::retry changed since noted" in text
        assert "net.py::retry: its signature changed" in text
        assert "return times" not in text


def test_a_secret_in_changed_code_is_not_shown(
    workspace: Workspace, repository: Repository
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    repository.write("net.py", f'import os\n\ndef retry(times):\n    return "{secret}"\n')
    text = workspace.memory.context("a", QUESTION).text
    assert "+    return" in text
    assert secret not in text


def test_an_agent_is_told_once_that_what_it_was_shown_has_changed(
    workspace: Workspace, repository: Repository
) -> None:
    memory = workspace.memory
    opening = memory.context("a", part="static")
    assert DECISION in opening.text
    _rewrite(workspace, repository)
    assert memory.context("a", part="static").text == opening.text
    told = memory.context("a", "hello there").text
    assert "net.py::retry changed since" in told
    assert memory.context("a", "hello again").text == ""
    # After a compaction it knows neither the decision nor that it changed.
    assert "net.py::retry changed since" in memory.context("a", part="compaction").text
    assert memory.context("a", QUESTION).text == ""


def test_a_decision_whose_symbol_moved_stays_a_fact_and_is_anchored_where_it_is(
    workspace: Workspace, repository: Repository
) -> None:
    repository.git("mv", "net.py", "moved.py")
    repository.commit("move")
    workspace.index()
    memory = workspace.memory
    assert all(DECISION in text for text in _parts(memory, "a"))
    found = memory.context("b", QUESTION).text
    assert DECISION in found
    assert "Changed Since Noted" not in found
    (hit,) = memory.recall(QUESTION, types=["decision"])
    assert hit.standing.state == "moved"
    (looked,) = memory.recall(QUESTION, types=["decision"])[0].standing.looked
    assert (looked.state, looked.was.path) == ("fresh", "moved.py")


def test_a_decision_whose_symbol_is_gone_is_shown_as_that(
    workspace: Workspace, repository: Repository
) -> None:
    repository.write("net.py", "import os\n")
    memory = workspace.memory
    for part in ("static", "compaction", "volatile"):
        text = memory.context(f"s-{part}", QUESTION, part=part).text
        assert DECISION in text
        assert "net.py::retry is gone" in text
    assert memory.recall(QUESTION, types=["decision"])[0].standing.state == "orphan"


def test_code_that_came_back_takes_the_mark_away(
    workspace: Workspace, repository: Repository
) -> None:
    _rewrite(workspace, repository)
    assert "changed since" in workspace.memory.context("a", part="static").text
    repository.write("net.py", RETRY)
    assert "changed since" not in workspace.memory.context("b", part="static").text


def test_an_answer_says_beside_the_memory_that_its_code_changed(
    workspace: Workspace, repository: Repository
) -> None:
    _rewrite(workspace, repository)
    answer = workspace.ask(QUESTION)
    (piece,) = [piece for piece in answer.pieces if piece.text == DECISION]
    assert "net.py::retry changed since" in piece.about
    assert piece.about in answer.text
