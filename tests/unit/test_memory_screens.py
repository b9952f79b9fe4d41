"""What commands of the memory print for people: what was done, what is due, what was taken in, and what is wrong."""

from typing import Any

import click
import pytest

from codecairn.cli import memory as listing
from codecairn.cli import memory_maintenance as maintenance
from codecairn.core.types.embedding import EmbeddingEstimate
from codecairn.core.types.memory import Added, Recorded
from codecairn.llm.cost_log import Cost
from codecairn.memory.activity import Activity
from codecairn.memory.extract.reports import Due, WorkPlan, WorkReport
from codecairn.memory.health import Check
from codecairn.memory.importing.ingestion import ImportReport
from codecairn.memory.importing.records import Problem
from codecairn.memory.initialise.project_memory import InitReport
from codecairn.memory.team.sharing import TeamReport

WHERE = "https://api.example.com/v1"
ESTIMATE = EmbeddingEstimate(space="openai/m", destination=WHERE, texts=3, tokens=400, usd=None)


def _added(**more: Any) -> Added:
    given: dict[str, Any] = {
        "id": "f1", "is_new": True, "is_waiting": False, "is_version": False, "ended": (), "may_contradict": (),
    }  # fmt: skip
    return Added(**(given | more))


@pytest.mark.parametrize(
    ("report", "lines"),
    [
        (WorkReport(is_busy=True), ["another process is at work on this memory; nothing was done"]),
        (
            WorkReport(),
            ["0 sessions worked on: 0 new facts, 0 ended, 0 summarised"],
        ),
        (
            WorkReport(
                sessions=1, facts=2, learned=4, windows=3, input_tokens=900, output_tokens=100, micro_usd=2_000_000,
                declined=1, embedded=5, to_embed=6, embedding_tokens=70, embedding_micro_usd=3_000_000,
                embedding_obstacle="the budget is used up", waiting=2, obstacle="no answer",
            ),
            [
                "1 session worked on: 2 new facts, 0 ended, 0 summarised",
                "  4 facts learned from the project's own files",
                "  models read 3 parts: 1,000 tokens, $2.00",
                "  1 refused by every model; they stay in the log",
                "  5 texts embedded: 70 tokens, $3.00; 6 still waiting",
                "  the budget is used up",
                "  2 sessions left for the next run",
                "  no answer",
            ],
        ),
    ],
    ids=["busy", "nothing to do", "much"],
)  # fmt: skip
def test_work_that_was_done(
    report: WorkReport, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    maintenance._show_work(report, None)
    assert capsys.readouterr().out.splitlines() == lines


DUE = Due(session="s-1", title="", events=3, windows=1, tokens=500, is_quiet=False)


@pytest.mark.parametrize(
    ("plan", "lines"),
    [
        (
            WorkPlan(destinations=(), due=(), tokens=0, micro_usd=0),
            ["no models: sessions are summarised by rules, and nothing is sent anywhere"],
        ),
        (
            WorkPlan(destinations=(), due=(), tokens=0, micro_usd=0, embedding=ESTIMATE),
            [
                "no models: sessions are summarised by rules",
                f"to {WHERE} (openai/m)",
                "3 texts to embed, 400 tokens, at a price that is not known",
            ],
        ),
        (
            WorkPlan(destinations=((WHERE, "m"),), due=(DUE,), tokens=500, micro_usd=None),
            [
                f"to {WHERE} (m)",
                "s-1  (no title)  3 events, 500 tokens, active just now",
                "1 session, 500 tokens, at a price that is not known",
            ],
        ),
        (
            WorkPlan(destinations=((WHERE, ""),), due=(), tokens=0, micro_usd=2_000_000),
            [f"to {WHERE}", "0 sessions, 0 tokens, about $2.00"],
        ),
    ],
    ids=["no models", "vectors alone", "a price unknown", "a price known"],
)
def test_work_that_would_be_done_names_where_text_would_go(
    plan: WorkPlan, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    maintenance._show_work(plan, None)
    assert capsys.readouterr().out.splitlines() == lines


def test_what_the_files_of_a_project_gave(capsys: pytest.CaptureFixture[str]) -> None:
    report = InitReport(
        files=("README.md",), facts=1, known=2, asked=3, obstacle="no answer", hint="add a brief"
    )
    maintenance._show_init(report, None)
    maintenance._show_init(InitReport(is_new_project=True, hint="write a README first"), None)
    maintenance._show_init(InitReport(), None)
    assert capsys.readouterr().out.splitlines() == [
        "read README.md: 1 new fact, 2 known already",
        "add a brief",
        "  models read 3 pieces",
        "  no answer",
        "write a README first",
        "read no files: 0 new facts, 0 known already",
    ]


def test_costs_are_listed_and_summed(capsys: pytest.CaptureFixture[str]) -> None:
    maintenance._show_costs((), None)
    assert capsys.readouterr().out == "no model was asked yet\n"
    each = Cost(
        ts_ms=0, provider="openai", model="m", purpose="extract", input_tokens=600, output_tokens=50,
        micro_usd=1_000_000, cached_tokens=0, duration_ms=9, is_ok=True,
    )  # fmt: skip
    maintenance._show_costs((each, each), None)
    assert capsys.readouterr().out.splitlines() == [
        "openai  m  extract  2 calls, 1,200 tokens in, 100 out, $2.00"
    ]


def test_what_happened_lately(capsys: pytest.CaptureFixture[str]) -> None:
    maintenance._show_activity((), None)
    assert capsys.readouterr().out == "nothing has happened yet\n"
    each = Activity(ts_ms=0, kind="fact", what="added", id="f1", title="The API listens on 8080")
    maintenance._show_activity((each,), None)
    assert "fact added  f1  The API listens on 8080" in capsys.readouterr().out


def test_check_that_fails_has_its_remedy_and_ends_the_command_with_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sound = Check(name="database", is_ok=True, detail="3 MB", hint="")
    broken = Check(name="models", is_ok=False, detail="no key", hint="set a key")
    with click.Context(click.Command("doctor")):
        maintenance._show_checks((sound,), None)
        with pytest.raises(click.exceptions.Exit) as left:
            maintenance._show_checks((sound, broken), None)
    assert left.value.exit_code == 1
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "ok    database   3 MB",
        "not ok  models     no key",
        "        set a key",
    ]


def test_what_was_taken_in_from_another_tool(capsys: pytest.CaptureFixture[str]) -> None:
    problems = [Problem(where=f"row {number}", what="it has no text") for number in range(30)]
    report = ImportReport(
        source="json", place="/a.json", facts=2, events=1, skipped=4, types={"note": 2}, problems=problems
    )  # fmt: skip
    maintenance._show_import(report, None)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "took in 1 event and 2 facts from /a.json; 4 were known already, or may not be kept"
    )
    assert lines[1] == "  row 0: it has no text"
    assert lines[-1].endswith("more (`--json` lists all)")
    assert "note" not in "".join(lines)
    report.is_dry_run = True
    maintenance._show_import(report, None)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("would take in 1 event")
    assert lines[1].split() == ["note", "2"]


def test_what_is_shared_with_a_team(capsys: pytest.CaptureFixture[str]) -> None:
    for report in (
        TeamReport(folder="/team", shared=3, added=2, ended=1),
        TeamReport(folder="/team", shared=3, added=2, ended=1, is_dry_run=True),
        TeamReport(folder="/team", shared=1, promoted=("f1",), demoted=("f2",)),
    ):
        maintenance._show_team(report, None)
    assert capsys.readouterr().out.splitlines() == [
        "3 statements shared in /team: 2 taken in, 1 hidden",
        "3 statements shared in /team: 2 would be taken in, 1 would be hidden",
        "f1 is shared; commit /team for others to get it",
        "f2 is no longer shared; commit /team for others to learn it",
        "1 statement shared in /team",
    ]


@pytest.mark.parametrize(
    ("recorded", "line"),
    [
        (Recorded(seq=None, is_kept=False, is_waiting=False, facts=()), "its privacy forbids keeping it"),
        (Recorded(seq=None, is_kept=True, is_waiting=True, facts=()), "waits until the database can be written"),
        (Recorded(seq=None, is_kept=True, is_waiting=False, facts=()), "was known already"),
        (Recorded(seq=7, is_kept=True, is_waiting=False, facts=("f1", "f2")), "E7  f1, f2"),
    ],
)  # fmt: skip
def test_what_became_of_an_event(
    recorded: Recorded, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    maintenance._show_recorded(recorded, None)
    assert capsys.readouterr().out == f"{line}\n"


@pytest.mark.parametrize(
    ("added", "lines"),
    [
        (_added(), ["f1"]),
        (_added(is_new=False), ["f1  (was known already)"]),
        (_added(is_waiting=True), ["f1  (waits until the database can be written)"]),
        (_added(is_version=True, ended=("f0",)), ["f1  (a new version of it)", "  ended f0"]),
        (
            _added(may_contradict=("f2",)),
            ["f1", "  may contradict f2; `codecairn memory add … --supersedes f2` ends it"],
        ),
    ],
)
def test_what_became_of_a_fact(
    added: Added, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    listing._show_added(added, None)
    assert capsys.readouterr().out.splitlines() == lines
