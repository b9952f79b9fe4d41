"""What is put before an agent: what survives, what is said once, and when nothing is said."""

from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.errors import UsageError
from codecairn.memory.memory import Memory
from support.repository import Repository

DECISION = "We decided to keep sessions in Redis because it expires them itself."


def _prompt(memory: Memory, session: str, text: str) -> None:
    memory.record(session, text, role="user", hook="UserPromptSubmit")


def test_a_decision_of_the_first_event_outlives_500_events_and_two_compactions(
    folder: Repository,
) -> None:
    compactions, looks = (150, 350), range(0, 500, 50)
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        _prompt(memory, "a", DECISION)
        static = memory.context("a", part="static")
        assert "Redis" in static.text
        for number in range(500):
            memory.record(
                "a", f"output {number}", role="tool", tool="Bash", command=f"run step {number}"
            )
            if number % 40 == 0:
                _prompt(
                    memory, "a", f"We decided that step {number} comes after step {number - 1}."
                )
            if number in compactions:
                memory.record(
                    "a", "the context was compacted", role="system", category="compaction"
                )
                assert "Redis" in memory.context("a", part="compaction").text
                static = memory.context("a", part="static")
                assert "Redis" in static.text
            if number in looks:
                # What was learned meanwhile comes in the volatile part; it stays the same, byte for byte.
                memory.context("a", f"go on with step {number}")
                again = memory.context("a", part="static")
                assert (again.text.encode(), again.is_repeated) == (static.text.encode(), True)
        opening = memory.context("b", part="static")
        assert "Redis" in opening.text
        assert "Redis" in memory.context("c", "where do we keep sessions").text


def test_the_static_part_is_the_same_bytes_until_a_new_one_is_asked_for(
    folder: Repository,
) -> None:
    with Workspace.open(folder.root) as workspace:
        workspace.memory.add("The api listens on port 8000", type="project-config")
        first = workspace.memory.context("a", part="static")
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.add("Deployments go out on Fridays", type="rule")
        kept = memory.context("a", part="static")
        assert (kept.text, kept.is_repeated) == (first.text, True)
        news = memory.context("a", "hello there")
        assert "Fridays" in news.text
        assert memory.context("a", "hello again").text == ""
        refreshed = memory.context("a", part="static", refresh=True)
        assert "Fridays" in refreshed.text
        assert memory.context("a", part="static").text == refreshed.text


def test_a_memory_is_shown_once_a_session_unless_it_changed(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        for text in ("The tide table is in data/tides.csv", "Lamps are lit at dusk"):
            memory.record("old", text, role="assistant", hook="Stop")
        _prompt(memory, "new", "where is the tide table")
        first = memory.context("new", "where is the tide table")
        assert "data/tides.csv" in first.text
        assert memory.context("new", "where is the tide table kept then").text == ""
        assert "data/tides.csv" in memory.context("other", "where is the tide table").text
        added = memory.add("The harbour mistress is Ann", type="note")
        assert "Ann" in memory.context("third", "who is the harbour mistress").text
        memory.update(added.id, text="The harbour mistress is Bea")
        assert "Bea" in memory.context("third", "who is the harbour mistress").text


def test_what_is_not_known_is_met_with_silence(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        assert memory.context("a", part="static").text == ""
        memory.record("old", "The tide table is in data/tides.csv", role="assistant", hook="Stop")
        found = memory.context("new", "Which GraphQL client does the Kubernetes dashboard use?")
        assert (found.text, found.items, found.tokens) == ("", (), 0)


def test_a_chinese_conversation_is_recorded_recalled_and_injected(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        _prompt(memory, "a", "我们决定主数据库一律用 PostgreSQL 以后不要再用 MySQL。")
        memory.record(
            "a", "好的。主数据库改为 PostgreSQL。端口是 5433。", role="assistant", hook="Stop"
        )
        _prompt(memory, "a", "缓存放在 Redis 里。过期时间是七天。")
        hits = memory.recall("主数据库是什么")
        assert "PostgreSQL" in hits[0].text
        listed = memory.recall("列出所有决定")
        assert listed
        assert all(hit.fact is not None for hit in listed)
        opening = memory.context("b", part="static").text
        assert "PostgreSQL" in opening
        assert "七天" in opening + memory.context("b", "缓存的过期时间是几天").text


def test_children_fold_into_their_root_and_circles_survive(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        _prompt(memory, "root", "Port the parser to the new grammar")
        memory.record(
            "child",
            "edited",
            role="tool",
            tool="Edit",
            path="src/parser.py",
            parent_session="root",
        )
        memory.record("root", "x", role="assistant", hook="Stop", parent_session="child")
        found = memory.context("root", part="compaction")
        assert "src/parser.py" in found.text
        assert "Port the parser" in found.text


def test_after_a_compaction_things_may_be_said_again(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.record("old", "The tide table is in data/tides.csv", role="assistant", hook="Stop")
        assert "data/tides.csv" in memory.context("new", "The tide table, where is it?").text
        after = memory.context("new", part="compaction").text
        after += memory.context("new", "The tide table, where is it?").text
        assert "data/tides.csv" in after


def test_purged_facts_leave_kept_texts(folder: Repository, home: Path) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        added = memory.add("The vault code is heron-lamp-42", type="rule")
        assert "heron" in memory.context("a", part="static").text
        memory.purge(added.id)
        assert memory.context("a", part="static").text == ""
        path = memory.path
    holding = [
        each for each in path.parent.glob("memory.db*") if b"heron-lamp" in each.read_bytes()
    ]
    assert holding == []
    assert home


@pytest.mark.parametrize("part", ["static", "volatile", "compaction"])
@pytest.mark.parametrize("form", ["markdown", "xml", "json"])
def test_budgets_hold_in_every_form(folder: Repository, part: str, form: str) -> None:
    with Workspace.open(folder.root, settings={"memory.context_tokens": 600}) as workspace:
        memory = workspace.memory
        for number in range(60):
            text = f"We decided that harbour lamp {number} burns " + "brightly " * 20
            memory.record(f"s{number}", text, role="user", hook="UserPromptSubmit")
        found = memory.context("new", "which harbour lamp burns brightly", part=part, form=form)
        assert 0 < found.tokens <= 600 * (2 if form == "json" else 1.4)


def test_parts_share_one_budget_where_there_is_more_than_fits(folder: Repository) -> None:
    """What opens a session keeps to its own share, and a prompt gets what that left; titles cost a little more."""
    settings = {"memory.context_tokens": 900, "memory.static_tokens": 400}
    bright = "and burns brightly for ever and ever " * 5
    with Workspace.open(folder.root, settings=settings) as workspace:
        memory = workspace.memory
        for number in range(40):
            memory.add(f"Harbour lamp {number} is number {number * 7} {bright}", type="rule")
            memory.add(f"Task {number}: mend lamp {number} of the harbour {bright}", type="task")
        static = memory.context("a", part="static")
        assert 250 < static.tokens <= 400 * 1.1
        for number in range(20):
            text = f"We decided that harbour lamp {number + 50} is red {bright}"
            memory.record(f"s{number}", text, role="user", hook="UserPromptSubmit")
        prompt = memory.context("a", "which harbour lamp burns brightly for ever")
        assert prompt.tokens > 300
        assert static.tokens + prompt.tokens <= 900 * 1.1
        for number in range(30):
            memory.record(
                "a", f"Now mend lamp {number} {bright}", role="user", hook="UserPromptSubmit"
            )
        assert 500 < memory.context("a", part="compaction").tokens <= 900 * 1.1


def test_unknown_parts_and_forms_are_refused(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        with pytest.raises(UsageError):
            workspace.memory.context("a", part="all")
        with pytest.raises(UsageError):
            workspace.memory.context("a", form="pdf")
