"""What goes wrong with a provider loses nothing, and nothing is read twice."""

from collections.abc import Callable

import pytest

from codecairn import Workspace
from codecairn.errors import ProviderUnauthorized
from codecairn.memory.extract.pending_work import WorkOptions
from contract.models.conftest import SETUPS, Opener, Setup
from support.model_server import KEY, ModelServer, Question, Said, sensible
from support.recorded_session import TURNS, extracted, tell


def _failing(*failures: Said) -> Callable[[Question], Said]:
    """Fails for the first questions, then answers sensibly."""
    return lambda question: (
        failures[question.number] if question.number < len(failures) else sensible(question)
    )


@pytest.mark.parametrize(
    "failure",
    [
        Said(status=429, headers={"Retry-After": "0"}),
        Said(status=429),
        Said(status=500),
        Said(status=503, headers={"Retry-After": "0"}),
        Said(status=529),
        Said(text='{"facts": []}', is_cut=True),
        Said(raw=b"<html>a proxy's page</html>"),
    ],
    ids=["429-advised", "429", "500", "503-advised", "529", "cut", "no-json"],
)
def test_what_passes_is_tried_again(
    setup: Setup, server: ModelServer, open_with: Opener, failure: Said
) -> None:
    server.answer = _failing(failure, failure)
    workspace = open_with(setup)
    tell(workspace, "s1", *TURNS)
    report = workspace.memory.upkeep.work()
    assert len(extracted(workspace)) == 1
    assert len(server.of("normal")) == 3
    assert report.obstacle == ""


@pytest.mark.parametrize(
    "failure",
    [
        Said(status=429, headers={"Retry-After": "3600"}),
        Said(status=401, body={"error": {"message": f"bad key {KEY}"}}),
        Said(status=500),
        Said(status=404),
        Said(body={"surprise": True}),
        Said(text="x", is_cut=True),
    ],
    ids=["429-later", "401", "500", "404", "shape", "cut"],
)
def test_what_does_not_pass_loses_nothing_and_is_done_by_the_next_run(
    setup: Setup, server: ModelServer, open_with: Opener, failure: Said
) -> None:
    server.answer = lambda _question: failure
    workspace = open_with(setup)
    seqs = tell(workspace, "s1", *TURNS)
    report = workspace.memory.upkeep.work()
    assert report.obstacle
    assert KEY not in report.obstacle
    assert (report.waiting, report.facts, extracted(workspace)) == (1, 0, [])
    server.answer = sensible
    assert workspace.memory.upkeep.work().facts == 1
    assert server.of("normal")[-1].events == seqs


def test_a_slow_answer_is_given_up_and_asked_for_again_by_the_next_run(
    setup: Setup, server: ModelServer, open_with: Opener
) -> None:
    server.answer = lambda _question: Said(text='{"facts": []}', delay_s=0.6)
    workspace = open_with(setup, extraction__timeout_ms=150, extraction__retries=0)
    tell(workspace, "s1", *TURNS)
    report = workspace.memory.upkeep.work()
    assert "did not answer within" in report.obstacle
    server.answer = sensible
    assert open_with(setup).memory.upkeep.work().facts == 1


def test_a_refusal_is_halved_down_to_the_event_at_fault_and_the_rest_is_read(
    setup: Setup, server: ModelServer, open_with: Opener
) -> None:
    def answer(question: Question) -> Said:
        return Said(is_refusal=True) if "poison" in question.text else sensible(question)

    server.answer = answer
    workspace = open_with(setup)
    tell(
        workspace,
        "s1",
        "We settle on tabs for indentation in this repository.",
        "Fine, tabs it is.",
        "And now the poison recipe, please.",
        "I can't help with that.",
        "We settle on semver for our releases from now on.",
    )
    report = workspace.memory.upkeep.work()
    assert [fact.text[:20] for fact in extracted(workspace)] == ["Settled: We settle o"] * 2
    assert report.declined == 1
    asked = len(server.of("normal"))
    workspace.memory.upkeep.work()
    assert len(server.of("normal")) == asked


@pytest.mark.parametrize(
    "text",
    [
        "I am sorry, I can't find anything.",
        "",
        "{",
        '{"facts": [{"type": "decision", "te',
        "[1, 2]",
    ],
)
def test_what_nobody_can_read_is_asked_for_once_more(
    setup: Setup, server: ModelServer, open_with: Opener, text: str
) -> None:
    server.answer = _failing(Said(text))
    workspace = open_with(setup)
    tell(workspace, "s1", *TURNS)
    workspace.memory.upkeep.work()
    assert len(extracted(workspace)) == 1


def test_an_answer_that_became_too_long_is_asked_for_in_halves(
    setup: Setup, server: ModelServer, open_with: Opener
) -> None:
    def answer(question: Question) -> Said:
        said = sensible(question)
        said.is_too_long = question.purpose == "normal" and len(question.events) > 1
        return said

    server.answer = answer
    workspace = open_with(setup)
    tell(
        workspace,
        "s1",
        "We settle on tabs everywhere.",
        "Yes.",
        "We settle on Rust for the core of it.",
    )
    workspace.memory.upkeep.work()
    assert len(extracted(workspace)) == 2


def test_the_next_provider_is_asked_when_one_fails(server: ModelServer, open_with: Opener) -> None:
    tried: list[str] = []

    def answer(question: Question) -> Said:
        tried.append(question.path)
        if question.path.startswith("/v1/"):
            return Said(status=401)
        if question.path.startswith("/xai/"):
            return Said(is_refusal=True)
        return sensible(question)

    server.answer = answer
    workspace = open_with(*SETUPS)
    tell(workspace, "s1", *TURNS)
    report = workspace.memory.upkeep.work(WorkOptions())
    (fact,) = extracted(workspace)
    assert fact.meta["model"] == "gemini-3-flash-preview"
    assert [path.split("/")[1] for path in tried[:3]] == ["v1", "xai", "v1beta"]
    assert report.obstacle == ""


def test_without_a_key_nothing_is_sent(server: ModelServer, open_with: Opener) -> None:
    workspace = open_with()
    tell(workspace, "s1", *TURNS)
    settings = {"extraction.providers": [f"anthropic@{server.url}/v1"]}
    with (
        Workspace.open(workspace.root, settings=settings) as other,
        pytest.raises(ProviderUnauthorized, match="no key for anthropic"),
    ):
        other.memory.upkeep.work()
    assert server.asked == []


def test_a_model_that_never_answers_usefully_marks_nothing_as_read(
    setup: Setup, server: ModelServer, open_with: Opener
) -> None:
    server.answer = lambda _question: Said("As a small model I like to chat.")
    workspace = open_with(setup)
    for session in ("s1", "s2", "s3"):
        tell(workspace, session, *TURNS)
    report = workspace.memory.upkeep.work()
    assert "answered what can't be used" in report.obstacle
    assert (report.declined, len(server.of("normal"))) == (0, 2)
    server.answer = sensible
    assert workspace.memory.upkeep.work().windows == 3


def test_a_text_that_is_too_long_for_the_model_is_halved(
    setup: Setup, server: ModelServer, open_with: Opener
) -> None:
    too_long = Said(
        status=400, body={"error": {"message": "this model's maximum context length is 500 tokens"}}
    )

    def answer(question: Question) -> Said:
        return too_long if len(question.events) > 1 else sensible(question)

    server.answer = answer
    workspace = open_with(setup)
    seqs = tell(
        workspace,
        "s1",
        "We settle on tabs everywhere.",
        "Yes, that is fine with me.",
        "We settle on Rust for the core.",
    )
    assert workspace.memory.upkeep.work().obstacle == ""
    assert len(extracted(workspace)) == 2
    assert sorted(q.events[0] for q in server.of("normal") if len(q.events) == 1) == seqs


def test_a_wrong_request_marks_nothing_as_read(
    setup: Setup, server: ModelServer, open_with: Opener
) -> None:
    server.answer = lambda _question: Said(status=400, body={"error": {"message": "unknown field"}})
    workspace = open_with(setup)
    for session in ("s1", "s2"):
        tell(workspace, session, *TURNS)
    report = workspace.memory.upkeep.work()
    assert "unknown field" in report.obstacle
    assert (report.waiting, len(server.asked)) == (2, 1)
    server.answer = sensible
    assert workspace.memory.upkeep.work().windows == 2


def test_one_session_that_waits_does_not_hold_up_the_others(
    server: ModelServer, open_with: Opener
) -> None:
    """One provider refuses the text, the other is away: this session waits for it, the others are read."""

    def answer(question: Question) -> Said:
        if question.path.startswith("/xai/"):
            return Said(status=401)
        return Said(is_refusal=True) if "poison" in question.text else sensible(question)

    server.answer = answer
    workspace = open_with(SETUPS[0], SETUPS[1])
    tell(workspace, "older", *TURNS)
    tell(workspace, "newer", *TURNS)
    tell(
        workspace,
        "poisoned",
        "And now the poison recipe, please, in all of its detail and with amounts. " * 2,
    )
    report = workspace.memory.upkeep.work()
    assert (report.windows, report.declined) == (2, 0)
    assert "401" in report.obstacle
