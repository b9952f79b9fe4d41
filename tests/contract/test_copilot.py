"""Copilot: the exchange of its token, which one process makes as seldom as it can, and its price, which is none."""

import pytest

from codecairn import Workspace
from codecairn.embedding import copilot
from contract.conftest import SETUPS, Opener
from support.provider_server import KEY, ProviderServer

COPILOT = next(setup for setup in SETUPS if setup.provider == "copilot")
QUESTIONS = ("combine two numbers", "left and right", "ways that are used nowhere")


@pytest.fixture(autouse=True)
def _no_sessions() -> None:
    """An earlier test's server may have had the same port."""
    copilot.SESSIONS.clear()


def _searched(workspace: Workspace, question: str) -> None:
    assert workspace.search(question).notes == ()


def _bearers(server: ProviderServer) -> list[str]:
    return [asked.headers["Authorization"].removeprefix("Bearer ") for asked in server.embeddings]


def test_token_is_exchanged_once_for_all_searches_of_a_process(
    server: ProviderServer, open_with: Opener
) -> None:
    open_with(COPILOT).index()
    for question in QUESTIONS:
        with open_with(COPILOT) as workspace:
            _searched(workspace, question)
    assert len(server.exchanges) == 1
    (exchange,) = (asked for asked in server.asked if asked.path.endswith("/v2/token"))
    assert exchange.headers["Authorization"] == f"token {KEY}"
    assert set(_bearers(server)) == {server.exchanges[0]}


def test_token_that_is_about_to_expire_is_exchanged_anew(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(COPILOT)
    workspace.index()
    copilot.SESSIONS.clear()
    server.exchanges.clear()
    server.token_life_s = copilot.RENEWAL_S - 5.0
    for question in QUESTIONS:
        _searched(workspace, question)
    assert len(server.exchanges) == len(QUESTIONS)


def test_refused_token_is_renewed_within_the_search_that_met_it(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(COPILOT)
    workspace.index()
    _searched(workspace, "what is combined")
    first = server.exchanges[-1]
    server.refused_tokens.add(first)
    before = len(server.embeddings)
    for question in QUESTIONS:
        _searched(workspace, question)
    second = server.exchanges[-1]
    assert _bearers(server)[before:] == [first, *[second] * len(QUESTIONS)]


def test_account_that_is_refused_is_not_asked_for_ever(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(COPILOT, embedding__retries=4)
    workspace.index()
    server.refused_tokens.update(f"tid=short-lived-{number}" for number in range(100))
    before = len(server.embeddings)
    (note,) = workspace.search(QUESTIONS[0]).notes
    assert "401" in note
    assert (len(server.exchanges), len(server.embeddings) - before) == (2, 2)


def test_another_account_gets_a_token_of_its_own(
    server: ProviderServer, open_with: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_with(COPILOT).index()
    workspace = open_with(COPILOT)
    monkeypatch.setenv(COPILOT.variable, "another account")
    _searched(workspace, QUESTIONS[0])
    assert len(server.exchanges) == 2


def test_exchanged_token_is_nowhere_on_the_disk(
    server: ProviderServer, open_with: Opener, home: object
) -> None:
    workspace = open_with(COPILOT)
    workspace.index()
    _searched(workspace, QUESTIONS[0])
    for path in workspace.root.parent.rglob("*"):
        if path.is_file():
            assert server.exchanges[0].encode() not in path.read_bytes(), path


def test_tokens_are_counted_and_cost_nothing(server: ProviderServer, open_with: Opener) -> None:
    """A budget in dollars is never used up, one in tokens is."""
    workspace = open_with(COPILOT, embedding__max_usd=0.000_001)
    preview = workspace.preview()
    assert preview.embedding is not None
    assert preview.embedding.usd == 0
    assert [row.usd for row in preview.providers if row.provider == "copilot"] == [0]
    assert any(row.usd > 0 for row in preview.providers if row.provider == "openai")
    workspace.index()
    _searched(workspace, QUESTIONS[0])
    spent = workspace.status().spent
    assert (spent.tokens > 0, spent.micro_usd) == (True, 0)


def test_price_of_ones_own_still_counts(server: ProviderServer, open_with: Opener) -> None:
    workspace = open_with(COPILOT, embedding__usd_per_million_tokens=1_000.0)
    workspace.index()
    assert workspace.status().spent.micro_usd > 0
