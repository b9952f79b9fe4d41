"""What one member of a team can take of a search node."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

from codecairn.clock import SystemClock
from codecairn.node import access as access_module
from codecairn.node.access import Access, Refusal, no_grant
from codecairn.node.answers import checked_values
from codecairn.node.app import NodeApp, _Question
from codecairn.node.commits import MAX_JOBS_OF_MEMBER, Commits, Found, Wanted
from codecairn.node.objects import PassedObjects
from codecairn.objects.grant import new_grant
from codecairn.objects.object_cache import ObjectCache
from codecairn.team.membership import Membership
from codecairn.workspace.workspace import Workspace
from support.repository import Repository

NOW_S = 1_000_000


def _nonce(number: int) -> str:
    return f"{number:032x}"


def test_the_requests_of_one_member_leave_room_for_those_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(access_module, "MAX_NONCES_OF_MEMBER", 3)
    member = Membership(
        team_id="0" * 32, team="", member="node1", conninfo="", password="",
        signing_key=bytes(32), sealing_key=bytes(32),
    )  # fmt: skip
    access = Access(member, frozenset({"127.0.0.1:1"}), clock=SystemClock())
    for number in range(3):
        access._require_new("bob", _nonce(number), NOW_S, NOW_S)
    with pytest.raises(Refusal, match="too many requests"):
        access._require_new("bob", _nonce(3), NOW_S, NOW_S)
    with pytest.raises(Refusal, match="answered before"):
        access._require_new("bob", _nonce(2), NOW_S, NOW_S)
    access._require_new("ann", _nonce(3), NOW_S, NOW_S)
    later_s = NOW_S + 2 * access_module.CLOCK_TOLERANCE_S
    access._require_new("bob", _nonce(4), later_s, later_s)


@pytest.fixture
def ending() -> Iterator[threading.Event]:
    """Ends the jobs that wait for it."""
    made = threading.Event()
    yield made
    made.set()


def test_the_jobs_of_one_member_leave_threads_for_those_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: threading.Event
) -> None:
    grant = new_grant(url=str(tmp_path / "objects"), name="shop", branch="main", publisher="ann")
    with Commits(
        tmp_path, {grant: "/nowhere"}, max_bytes=1 << 20, clock=SystemClock(), log=str
    ) as commits:
        monkeypatch.setattr(commits, "_work", lambda *_: ending.wait(60))

        def ask(number: int, member: str) -> None:
            commits.request(grant.repository, Wanted(commit=f"{number:040x}"), member)

        for number in range(MAX_JOBS_OF_MEMBER):
            ask(number, "bob")
        with pytest.raises(Refusal, match="busy with other commits"):
            ask(MAX_JOBS_OF_MEMBER, "bob")
        ask(0, "bob")  # the same job
        ask(MAX_JOBS_OF_MEMBER, "ann")
        ending.set()


class _Revoked:
    """An access whose member has no grant any more once the question is being answered."""

    def require_grant(self, _member: str, _repository: str | None) -> None:
        raise no_grant()


class _Prepared:
    """Commits of which each is ready, in a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.notes = ()
        self.workspace = workspace

    @contextmanager
    def use(self, _repository: str, _commit: str) -> Iterator["_Prepared"]:
        yield self


def test_a_member_whose_grant_went_while_the_question_was_answered_gets_no_answer(
    repository: Repository,
) -> None:
    repository.write("a.py", "def verify_token():\n    return 1\n")
    with Workspace.open(repository.root) as workspace:
        app = NodeApp(
            cast("Access", _Revoked()), cast("Commits", _Prepared(workspace)), {},
            PassedObjects((), cast("ObjectCache", None)), clock=SystemClock(),
        )  # fmt: skip
        question = _Question(
            member="bob", operation="search", repository="0" * 32, wanted=Wanted(commit="1" * 40),
            values=checked_values("search", {"query": "token"}), has_outlines=False,
        )  # fmt: skip
        with pytest.raises(Refusal, match="no grant for it"):
            app._asked(question, Found(commit="1" * 40))
