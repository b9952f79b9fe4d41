"""What a model said is in the log before anything is done with it: crashes and rivals neither lose nor double it."""

import os
import subprocess
import threading

import pytest

from codecairn import Workspace
from codecairn.core.types.memory import Recorded
from codecairn.memory.extract import fact_writer, watermark
from codecairn.memory.extract.pending_work import WorkOptions
from codecairn.paths.file_lock import lease
from contract.models.conftest import SETUPS, Opener
from support.command import command
from support.model_server import KEY, ModelServer, Question, Said, facts, sensible
from support.recorded_session import TURNS, extracted, tell
from support.repository import Repository

ANTHROPIC = SETUPS[0]


class Killed(BaseException):
    """The process ended here."""


def test_a_crash_before_the_facts_are_kept_costs_nothing_and_loses_nothing(
    server: ModelServer, open_with: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = open_with(ANTHROPIC)
    tell(workspace, "s1", *TURNS)

    def die(*_arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(fact_writer, "keep", die)
        with pytest.raises(Killed):
            workspace.memory.upkeep.work()
    assert extracted(workspace) == []
    workspace.memory.upkeep.work()
    assert len(extracted(workspace)) == 1
    assert len(server.of("normal")) == 1


def test_a_crash_between_two_facts_keeps_both_once(
    server: ModelServer, open_with: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = open_with(ANTHROPIC)
    tell(
        workspace,
        "s1",
        "We settle on tabs in all files.",
        "Fine.",
        "We settle on Rust for the core of it.",
    )

    def die(*_arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(watermark, "carried_out", die)
        with pytest.raises(Killed):
            workspace.memory.upkeep.work()
    workspace.memory.upkeep.work()
    assert len(extracted(workspace, with_history=True)) == 2
    assert len(server.of("normal")) == 1


def test_what_was_forgotten_does_not_come_back(server: ModelServer, open_with: Opener) -> None:
    workspace = open_with(ANTHROPIC)
    tell(workspace, "s1", *TURNS)
    workspace.memory.upkeep.work()
    (fact,) = extracted(workspace)
    workspace.memory.forget(fact.id)
    workspace.memory.upkeep.work()
    assert extracted(workspace) == []


def test_of_two_readers_of_one_stretch_one_wins_and_both_agree(
    server: ModelServer, open_with: Opener
) -> None:
    first = open_with(ANTHROPIC)
    second = Workspace.open(first.root)
    tell(first, "s1", *TURNS)
    stretch = watermark.unread(first.memory, "s1", watermark.READ)
    written = [
        watermark.write(
            workspace.memory,
            "s1",
            hook=watermark.READ,
            begins=stretch.begins,
            last=stretch.events[-1],
            statements=[],
            model=model,
            removals=stretch.removals,
        )
        for workspace, model in ((first, "one"), (second, "two"))
    ]
    assert [receipt.model for receipt in written if receipt] == ["one", "one"]
    second.close()


def test_a_second_worker_leaves_at_once(server: ModelServer, open_with: Opener) -> None:
    workspace = open_with(ANTHROPIC)
    tell(workspace, "s1", *TURNS)
    with lease(workspace.memory.path.with_name("memory.db.work.lock")) as is_ours:
        assert is_ours
        assert workspace.memory.upkeep.work().is_busy
    assert server.asked == []


def test_a_lively_session_waits_and_is_read_later(server: ModelServer, open_with: Opener) -> None:
    workspace = open_with(ANTHROPIC, extraction__cooldown_s=3600)
    seqs = tell(workspace, "s1", *TURNS)
    report = workspace.memory.upkeep.work()
    assert (report.waiting, server.asked) == (1, [])
    assert open_with(ANTHROPIC).memory.upkeep.work().facts == 1
    assert server.of("normal")[0].events == seqs


def test_a_long_session_is_read_to_its_last_word(server: ModelServer, open_with: Opener) -> None:
    workspace = open_with(ANTHROPIC, extraction__window_chars=2000)
    seqs = tell(
        workspace, "s1", *(f"Point {n}: we settle on value {n}. " + "x " * 300 for n in range(12))
    )
    workspace.memory.upkeep.work()
    asked = [seq for question in server.of("normal") for seq in question.events]
    assert asked == seqs
    assert len(extracted(workspace)) == 12


def test_a_copy_of_the_memory_is_not_read_again(
    server: ModelServer, open_with: Opener, repository: Repository
) -> None:
    workspace = open_with(ANTHROPIC)
    tell(workspace, "s1", *TURNS)
    workspace.memory.upkeep.work()
    exported = workspace.memory.export()
    settings = {"extraction.providers": [f"anthropic@{server.url}/v1"], "extraction.cooldown_s": 0}
    asked = len(server.of("normal"))
    with Workspace.open(repository.root, settings=settings) as other:
        for at in range(30):
            other.memory.record("before", f"an event that moves the numbers {at}", role="user")
        other.memory.import_(exported)
        other.memory.upkeep.work(WorkOptions(session="s1"))
    assert len(server.of("normal")) == asked


def test_dry_run_tells_what_would_be_sent_where_and_at_what_price(
    server: ModelServer, open_with: Opener
) -> None:
    workspace = open_with(ANTHROPIC)
    tell(workspace, "s1", *TURNS)
    plan = workspace.memory.upkeep.plan()
    assert plan.destinations == ((f"{server.url}/v1", ANTHROPIC.model),)
    assert [due.session for due in plan.due] == ["s1"]
    assert plan.tokens > 0
    assert plan.micro_usd
    assert server.asked == []


@pytest.mark.timeout(120)
def test_killed_again_and_again_nothing_is_lost_and_nothing_is_doubled(
    server: ModelServer, folder: Repository
) -> None:
    count = 12
    with Workspace.open(folder.root) as workspace:
        for number in range(count):
            tell(
                workspace,
                f"s{number}",
                f"Session {number}: we settle on port {8000 + number} for service {number} here. "
                * 3,
            )
    reached = threading.Semaphore(0)

    def answer(question: Question) -> Said:
        reached.release()
        return sensible(question)

    server.answer = answer
    environment = os.environ | {
        "ANTHROPIC_API_KEY": KEY,
        "CODECAIRN_EXTRACTION_PROVIDERS": f"anthropic@{server.url}/v1",
        "CODECAIRN_EXTRACTION_COOLDOWN_S": "0",
    }
    for answers_before in (1, 2, 1, 3, 1, 2):
        process = subprocess.Popen(
            command("memory", "work"),
            cwd=folder.root,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(answers_before):
            reached.acquire(timeout=30)
        process.kill()
        process.wait()
    subprocess.run(
        command("memory", "work"), cwd=folder.root, env=environment, check=True, capture_output=True
    )
    with Workspace.open(folder.root) as workspace:
        texts = [fact.text for fact in extracted(workspace, with_history=True)]
    assert sorted(texts) == sorted(set(texts))
    assert len(texts) == count


def test_out_of_budget_rules_go_on_and_reading_waits(
    server: ModelServer, open_with: Opener
) -> None:
    workspace = open_with(ANTHROPIC, extraction__max_tokens=1)
    for session in ("s1", "s2"):
        tell(workspace, session, *TURNS, ended=True)
    report = workspace.memory.upkeep.work()
    assert "budget of 1 tokens" in report.obstacle
    assert (report.summaries, server.asked) == (2, [])
    assert open_with(ANTHROPIC).memory.upkeep.work().windows == 2


def test_every_use_of_models_goes_through_the_one_lease(
    server: ModelServer, open_with: Opener
) -> None:
    workspace = open_with(ANTHROPIC)
    tell(workspace, "s1", *TURNS)
    (workspace.root / "Makefile").write_text("test:\n")
    with lease(workspace.memory.path.with_name("memory.db.work.lock")):
        assert workspace.memory.upkeep.initialise().asked == 0
        assert workspace.memory.upkeep.summarise("s1")
    assert server.asked == []
    assert "another process asks models" in workspace.notes[0]  # type: ignore[attr-defined]


def test_a_purged_event_does_not_make_a_session_be_read_anew(
    server: ModelServer, open_with: Opener
) -> None:
    workspace = open_with(ANTHROPIC)
    seqs = tell(workspace, "s1", *TURNS)
    workspace.memory.upkeep.work()
    workspace.memory.purge(f"E{seqs[-1]}")
    (more,) = tell(workspace, "s1", "We also settle on a retry of three times for every call. " * 2)
    workspace.memory.upkeep.work()
    assert [question.events for question in server.of("normal")] == [seqs, [more]]


def test_secrets_in_a_models_answer_reach_no_file(server: ModelServer, open_with: Opener) -> None:
    secret = "ghp_" + "a1B2c3D4" * 5
    server.answer = lambda question: facts(
        {"type": "note", "text": f"The token {secret} opens the door", "events": question.events},
        {"type": "note", "text": "Half of a pair: <private>hidden part", "events": question.events},
        {"type": "note", "text": "What comes after is kept in full", "events": question.events},
    )
    workspace = open_with(ANTHROPIC)
    tell(workspace, "s1", *TURNS)
    workspace.memory.upkeep.work()
    texts = [fact.text for fact in extracted(workspace)]
    assert "What comes after is kept in full" in texts
    folder = workspace.memory.path.parent
    raw = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert secret.encode() not in raw
    assert b"hidden part" not in raw


def test_where_the_memory_can_not_be_written_no_further_question_is_asked(
    server: ModelServer, open_with: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = open_with(ANTHROPIC)
    for session in ("s1", "s2"):
        tell(workspace, session, *TURNS)
    record = workspace.memory.record
    kept: list[tuple[tuple[str, ...], dict[str, object]]] = []

    def wait(arguments: tuple[str, ...], fields: dict[str, object]) -> Recorded:
        kept.append((arguments, fields))
        return Recorded(seq=None, is_kept=True, is_waiting=True, facts=())

    with monkeypatch.context() as patch:
        # As if it went into the spool, and nobody could take it in yet.
        patch.setattr(type(workspace.memory), "record", lambda _self, *a, **k: wait(a, k))
        report = workspace.memory.upkeep.work()
    assert "can't be written now" in report.obstacle
    assert (len(server.of("normal")), extracted(workspace)) == (1, [])
    for arguments, fields in kept:
        record(*arguments, **fields)
    workspace.memory.upkeep.work()
    assert len(extracted(workspace)) == 1
    assert len(server.of("normal")) == 2
