"""A session's summary: every few prompts and at its end, by a model or by rules, always one that holds."""

import json

import pytest

from codecairn import Workspace
from codecairn.core.types.memory import Fact
from contract.models.conftest import SETUPS, Opener
from support.model_server import ModelServer, Question, Said, sensible
from support.recorded_session import tell

ANTHROPIC = SETUPS[0]


def _summaries(workspace: Workspace, *, with_history: bool = False) -> list[Fact]:
    return list(workspace.memory.list(types=["session-summary"], with_history=with_history))


def _prompts(count: int, *, since: int = 0) -> list[str]:
    return [
        text
        for n in range(since, since + count)
        for text in (f"Please do step {n}.", f"Step {n} is done.")
    ]


def test_a_session_is_summarised_after_so_many_prompts_and_again_later(
    server: ModelServer, open_with: Opener
) -> None:
    workspace = open_with(ANTHROPIC, extraction__summary_turns=3)
    tell(workspace, "s1", *_prompts(2))
    assert workspace.memory.upkeep.work().summaries == 0
    tell(workspace, "s1", *_prompts(2, since=2))
    assert workspace.memory.upkeep.work().summaries == 1
    (summary,) = _summaries(workspace)
    assert summary.text.startswith("A session\n\nCompleted:\n- what was asked")
    assert (summary.maker, summary.subject) == ("model", "session s1")
    tell(workspace, "s1", *_prompts(3, since=4))
    workspace.memory.upkeep.work()
    assert len(_summaries(workspace)) == 1
    assert "Earlier summary" in server.of("summary")[-1].text
    assert "Step 0" not in server.of("summary")[-1].text


def test_the_end_of_a_session_is_summarised(server: ModelServer, open_with: Opener) -> None:
    workspace = open_with(ANTHROPIC)
    tell(workspace, "s1", *_prompts(1), ended=True)
    assert workspace.memory.upkeep.work().summaries == 1
    assert workspace.memory.upkeep.work().summaries == 0


def test_without_a_model_there_are_four_sections_by_rules(
    server: ModelServer, open_with: Opener
) -> None:
    workspace = open_with()
    memory = workspace.memory
    memory.record("s1", "Why does the login test fail?", role="user")
    memory.record("s1", "def login(): ...", role="tool", tool="Read", path="src/login.py")
    memory.record(
        "s1",
        "The root cause was a clock that ran backwards. Fixed the comparison.",
        role="assistant",
    )
    memory.record("s1", "ok", role="tool", tool="Edit", path="src/login.py")
    memory.record("s1", "下一步:给时钟写测试。", role="user")
    memory.record("s1", hook="SessionEnd", role="system", category="session-meta")
    memory.upkeep.work()
    (summary,) = _summaries(workspace)
    assert summary.maker == "rule"
    for part in (
        "Why does the login test fail?",
        "looked at src/login.py",
        "The root cause was",
        "changed src/login.py",
        "Fixed the comparison",
        "下一步",
    ):
        assert part in summary.text
    assert summary.sources
    assert server.asked == []


@pytest.mark.parametrize(
    "said",
    [
        Said(is_refusal=True),
        Said(text="no idea"),
        Said(text='{"title": "only a title"}'),
    ],
    ids=["refusal", "prose", "empty"],
)
def test_where_models_do_not_want_to_rules_summarise(
    server: ModelServer, open_with: Opener, said: Said
) -> None:
    server.answer = lambda question: said if question.purpose == "summary" else sensible(question)
    workspace = open_with(ANTHROPIC)
    tell(workspace, "s1", *_prompts(1), ended=True)
    workspace.memory.upkeep.work()
    (summary,) = _summaries(workspace)
    assert (summary.maker, "Step 0 is done." in summary.text) == ("rule", True)


def test_a_model_that_can_not_be_reached_delays_the_summary(
    server: ModelServer, open_with: Opener
) -> None:
    server.answer = lambda _question: Said(status=500)
    workspace = open_with(ANTHROPIC)
    tell(workspace, "s1", *_prompts(1), ended=True)
    assert workspace.memory.upkeep.work().obstacle
    assert _summaries(workspace) == []
    server.answer = sensible
    assert workspace.memory.upkeep.work().summaries == 1


def test_a_summary_that_was_cut_off_keeps_its_complete_sections(
    server: ModelServer, open_with: Opener
) -> None:
    text = json.dumps(
        {"title": "T", "investigated": ["one"], "learned": ["two"], "completed": ["thr"]}
    )
    server.answer = lambda q: Said(text[:-8]) if q.purpose == "summary" else sensible(q)
    workspace = open_with(ANTHROPIC)
    tell(workspace, "s1", *_prompts(1), ended=True)
    workspace.memory.upkeep.work()
    (summary,) = _summaries(workspace)
    assert "- two" in summary.text
    assert "thr" not in summary.text


def test_a_helper_session_is_read_and_not_summarised(
    server: ModelServer, open_with: Opener
) -> None:
    workspace = open_with(ANTHROPIC)
    workspace.memory.record(
        "child",
        "We settle on a cache of 64 MB in the helper, as measured. " * 2,
        role="user",
        parent_session="parent",
    )
    workspace.memory.record("child", hook="SessionEnd", role="system", category="session-meta")
    report = workspace.memory.upkeep.work()
    assert (report.facts, report.summaries) == (1, 0)


def test_a_person_can_ask_for_a_summary_at_any_time(server: ModelServer, open_with: Opener) -> None:
    workspace = open_with(ANTHROPIC, extraction__cooldown_s=3600)
    tell(workspace, "s1", *_prompts(1))
    id_ = workspace.memory.upkeep.summarise("s1")
    assert id_ == _summaries(workspace)[0].id
    assert workspace.memory.upkeep.summarise("s1") is None


def test_questions_carry_no_events_of_other_sessions(
    server: ModelServer, open_with: Opener
) -> None:
    workspace = open_with(ANTHROPIC)
    mine = tell(workspace, "s1", *_prompts(1), ended=True)
    tell(workspace, "s2", *_prompts(1, since=7), ended=True)
    workspace.memory.upkeep.work()
    asked: list[Question] = [q for q in server.of("summary") if "step 0" in q.text]
    assert [q.events for q in asked] == [mine]
