"""What agents were shown, compared with what they then opened, by its rank in an answer."""

import json
import subprocess

import pytest

from codecairn import Workspace
from codecairn.core.store_log import Entry, Logbook, read_entries
from codecairn.core.types.memory import Event
from codecairn.mcp.dispatcher import ToolDispatcher
from codecairn.workspace.effectiveness import NONE, SHOWN, WITHIN_S, effectiveness, note_shown
from codecairn.workspace.savings import BYTES_PER_TOKEN
from hooks.fixtures import claude_told
from support.command import run
from support.repository import SMALL_PROJECT, Repository


@pytest.fixture
def project(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    return repository


def _shown(at_s: float, *files: str) -> Entry:
    return Entry(
        time_ns=int(at_s * 1e9), level="info", category="search", message=SHOWN, process=1,
        detail=json.dumps(files),
    )  # fmt: skip


def _used(at_s: float, path: str, category: str = "") -> Event:
    return Event(
        seq=int(at_s), key="", project="", session="s", ts_ms=int(at_s * 1000), hook="",
        category=category, priority=0, role="tool", title="", body="", tool="Read", command="", path=path,
        exit_code=None, tags=(), branch="", commit="", is_private=False, origin="", raw_bytes=0, redactions=0,
        meta={},
    )  # fmt: skip


def test_best_file_that_was_opened_counts_for_the_latest_answer_that_showed_it() -> None:
    entries = [_shown(10, "a", "b", "c"), _shown(20, "b", "d"), _shown(30, "e")]
    events = [
        _used(26, "d", "file-edit"),
        _used(25, "b"),
        _used(15, "c"),
        _used(5, "a"),  # before anything was shown
    ]
    found = effectiveness(entries, events)
    assert found.searches == 3
    assert {name: count for name, count in found.opened.items() if count} == {
        "1": 1,
        "3": 1,
        NONE: 1,
    }
    assert found.changed == 1
    assert found.is_observed


def test_what_is_opened_much_later_has_nothing_to_do_with_it() -> None:
    found = effectiveness([_shown(10, "a")], [_used(11 + WITHIN_S, "a")])
    assert found.opened[NONE] == 1


def test_without_hooks_nothing_is_said_about_it() -> None:
    assert not effectiveness([_shown(10, "a")], []).is_observed


def test_long_lists_lose_their_end_and_stay_whole(repository: Repository) -> None:
    store = repository.root
    note_shown(Logbook(store, level="info"), [f"folder/{'x' * 100}{n}.py" for n in range(50)])
    (entry,) = read_entries(store)
    assert 10 < entry.numbers["files"] < 50
    assert len(json.loads(entry.detail)) == entry.numbers["files"]


def test_agent_that_opens_what_it_was_shown_is_counted(project: Repository) -> None:
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], wait_s=60) as dispatcher,
    ):
        dispatcher.start()
        answer = dispatcher.call("codebase_search", {"query": "verify token"})
    results = answer.document["results"]
    assert isinstance(results, list)
    path = results[0]["path"]
    unknown = run("metrics", cwd=project.root)
    assert "not known, as no hooks told" in unknown.out
    call = {"tool_name": "Read", "tool_input": {"file_path": str(project.root / path)}}
    call |= {"tool_use_id": "t1", "tool_response": "text"}
    claude_told(project, "PostToolBatch", tool_calls=[call])
    found = run("metrics", "--json", cwd=project.root).document["effectiveness"]
    assert found["searches"] == 1
    assert found["opened"]["1"] == 1
    assert "1 times agents were shown files" in run("metrics", cwd=project.root).out


def test_answer_is_noted_with_what_other_ways_would_have_taken(project: Repository) -> None:
    run("index", cwd=project.root)
    assert run("savings", cwd=project.root).out == "agents have not been shown any files yet\n"
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], wait_s=60) as dispatcher,
    ):
        dispatcher.start()
        answer = dispatcher.call("codebase_search", {"query": "where is verify_token"})
        (entry,) = [each for each in workspace.logs() if "tokens" in each.numbers]
    shown = json.loads(entry.detail)
    sizes = sum((project.root / path).stat().st_size for path in shown)
    assert entry.numbers["tokens"] == -(-len(answer.text.encode()) // BYTES_PER_TOKEN)
    assert entry.numbers["file_tokens"] == -(-sizes // BYTES_PER_TOKEN)
    grep = subprocess.run(
        ["grep", "-rniI", "--include=*.*", "verify_token", "."],
        cwd=project.root, capture_output=True, check=True,
    ).stdout.replace(b"./", b"")  # fmt: skip
    assert entry.numbers["grep_tokens"] * BYTES_PER_TOKEN == pytest.approx(len(grep), abs=40)
    assert "verify" not in entry.detail
    found = run("savings", "--json", cwd=project.root).document
    assert (found["answers"], found["searched"]) == (1, 1)
    assert found["tokens"] == entry.numbers["tokens"]
    text = run("savings", cwd=project.root).out
    assert "1 answer to agents since" in text
    assert "grep for them" in text


def test_settings_keep_what_was_shown_out_of_the_log(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_LOG_SHOWN", "false")
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], wait_s=60) as dispatcher,
    ):
        dispatcher.start()
        dispatcher.call("codebase_search", {"query": "verify token"})
    assert run("metrics", "--json", cwd=project.root).document["effectiveness"] is None
