"""Other tools' memories: taken in once, whatever is wrong with some records, and their files never touched."""

import hashlib
import json
import sqlite3  # noqa: TID251 - files of other tools
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.core.types.memory import Fact
from codecairn.errors import FileAccessError, UsageError
from support import foreign_stores
from support.repository import Repository


@pytest.fixture
def workspace(folder: Repository) -> Iterator[Workspace]:
    """A workspace with an empty memory."""
    with Workspace.open(folder.root) as workspace:
        yield workspace


def _facts(workspace: Workspace) -> dict[str, Fact]:
    return {fact.text: fact for fact in workspace.memory.list(with_private=True, limit=100)}


def _state(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.is_file()
    }


def test_codexfi_gives_this_projects_and_the_users_memories(
    workspace: Workspace, tmp_path: Path
) -> None:
    place = foreign_stores.codexfi(tmp_path / "x" / "store.db", workspace.root)
    report = workspace.memory.upkeep.import_from(str(place))
    assert (report.source, report.facts) == ("codexfi", 4)
    assert [problem.where for problem in report.problems] == ["memories row 5"]
    found = _facts(workspace)
    assert found["Orders are priced in cents"].type == "architecture"
    assert found["Orders are priced in cents"].valid_from_ms == 1_771_581_600_000
    assert (found["Prefers short answers"].type, found["Prefers short answers"].scope) == (
        "preference",
        "user",
    )
    assert "Orders are priced in euros" not in found
    assert not [text for text in found if "ghp_" in text or "Another project" in text]
    history = workspace.memory.list(with_history=True)
    assert {fact.state for fact in history if "euros" in fact.text} == {"superseded"}


def test_what_another_tool_held_private_stays_private(workspace: Workspace, tmp_path: Path) -> None:
    place = tmp_path / "codex-mem.db"
    foreign_stores.codex_mem(place)
    private = json.dumps({"privacy": {"visibility": "private"}})
    with closing(sqlite3.connect(place)) as database, database:
        database.execute("UPDATE observations SET metadata_json = ?", (private,))
    workspace.memory.upkeep.import_from(str(place))
    facts = workspace.memory.list(with_private=True, with_history=True)
    assert facts
    assert [fact for fact in facts if fact.maker == "import" and not fact.is_private] == []


def test_codexfi_of_a_moved_project_names_what_it_knows(
    workspace: Workspace, tmp_path: Path
) -> None:
    place = foreign_stores.codexfi(tmp_path / "x" / "store.db", tmp_path / "elsewhere")
    report = workspace.memory.upkeep.import_from(str(place))
    assert "choose with `--of`" in report.problems[-1].what
    taken = workspace.memory.upkeep.import_from(
        str(place), of=["opencode_project_ffffffffffffffff"]
    )
    assert taken.facts == 1
    with pytest.raises(UsageError, match="knows no `nonsense`"):
        workspace.memory.upkeep.import_from(str(place), of=["nonsense"])


def test_codex_mem_gives_observations_and_events(workspace: Workspace) -> None:
    foreign_stores.codex_mem(workspace.root / ".codex_mem" / "codex_mem.sqlite3")
    report = workspace.memory.upkeep.import_from(source="codex-mem")
    assert (report.facts, report.events) == (2, 3)
    assert [problem.what for problem in report.problems] == ["it names no session"]
    found = _facts(workspace)
    assert found["The clock ran backwards"].type == "learned-pattern"
    assert found["Write a test for it"].type == "task"
    events = workspace.memory.events(session="a")
    assert [event.body for event in events] == ["2 failed", "Make the tests green"]
    assert events[0].exit_code == 1
    assert len(workspace.memory.events(session="a", with_private=True)) == 3


def test_claude_mem_gives_what_it_knows_by_the_folders_name(
    workspace: Workspace, tmp_path: Path
) -> None:
    place = foreign_stores.claude_mem(tmp_path / "c.db", workspace.root.name)
    report = workspace.memory.upkeep.import_from(str(place))
    assert (report.source, report.facts, report.events) == ("claude-mem", 3, 1)
    by_type = {fact.type: fact for fact in _facts(workspace).values()}
    assert (
        by_type["error-solution"].text
        == "Login loop fixed\nThe cookie had no path.\n- Cookie path is /"
    )
    assert by_type["error-solution"].meta["files"] == "src/login.py"
    assert "Learned:\n- Cookies need a path" in by_type["session-summary"].text
    assert (by_type["rule"].text, by_type["rule"].scope) == ("Never push to main", "user")


def test_claude_mem_of_a_renamed_project_names_what_it_knows(
    workspace: Workspace, tmp_path: Path
) -> None:
    place = foreign_stores.claude_mem(tmp_path / "c.db", "old-name")
    report = workspace.memory.upkeep.import_from(str(place))
    assert "but elsewhere, old-name (choose with `--of`)" in report.problems[0].what
    assert workspace.memory.upkeep.import_from(str(place), of=["old-name"]).events == 1
    with pytest.raises(UsageError, match="knows no `x`"):
        workspace.memory.upkeep.import_from(str(place), of=["x"])


def test_a_log_that_was_not_taken_in_yet_is_read_too_and_nothing_is_touched(
    workspace: Workspace, tmp_path: Path
) -> None:
    place = foreign_stores.claude_mem(tmp_path / "store" / "c.db", workspace.root.name)
    writer = sqlite3.connect(place)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute(
        "INSERT INTO observations (id, project, type, title) VALUES (9, ?, 'discovery', 'Only in the log')",
        [workspace.root.name],
    )
    writer.commit()
    before = _state(place.parent)
    workspace.memory.upkeep.import_from(str(place))
    assert "Only in the log" in _facts(workspace)
    assert _state(place.parent) == before
    writer.close()


def test_transcripts_give_prompts_answers_and_tools(workspace: Workspace, tmp_path: Path) -> None:
    place = foreign_stores.transcript(tmp_path / "t" / "t1.jsonl")
    report = workspace.memory.upkeep.import_from(str(place))
    assert (report.source, report.events) == ("claude-transcripts", 5)
    assert [problem.where for problem in report.problems] == ["t1.jsonl line 10"]
    outside, tool, answer, prompt = workspace.memory.events(session="t1")
    assert (prompt.body, prompt.branch) == (
        "We decided to use uv for all releases because pip was slow.",
        "main",
    )
    assert answer.body == "Understood, uv it is."
    assert (tool.tool, tool.command, tool.exit_code) == ("Bash", "uv sync", 1)
    assert (outside.tool, outside.origin) == ("WebFetch", "external")
    (decision,) = workspace.memory.list(types=["decision"])
    assert decision.sources == (prompt.seq,)
    session, helper = workspace.memory.session("t1")
    assert (helper.id, helper.parent) == ("t1/helper", "t1")
    assert session.title == "We decided to use uv for all releases because pip was slow."


def test_models_do_not_read_what_was_imported_unless_told_to(
    workspace: Workspace, tmp_path: Path
) -> None:
    place = foreign_stores.transcript(tmp_path / "t" / "t1.jsonl")
    workspace.memory.upkeep.import_from(str(place))
    assert workspace.memory.upkeep.plan().due == ()


def test_claudes_memory_files_give_their_entries(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "MEMORY.md").write_text(
        "# Memory\n\n- [Style](style.md): how to write\n\n## Commands\n\n- `make test` runs all\n  in a virtual environment\n\n## Decisions\n\nWe keep SQLite.\n"
    )
    (folder / "style.md").write_text(
        "---\nname: style\ndescription: How to write\ntype: feedback\n---\nShort sentences, please.\n"
    )
    report = workspace.memory.upkeep.import_from(str(folder))
    assert report.source == "claude"
    found = {text: fact.type for text, fact in _facts(workspace).items()}
    assert found == {
        "`make test` runs all\nin a virtual environment": "project-config",
        "We keep SQLite.": "decision",
        "Short sentences, please.": "rule",
    }


def test_codexs_memories_give_what_names_this_project(workspace: Workspace, home: Path) -> None:
    folder = home / ".codex" / "memories"
    (folder / "extensions/ad_hoc/notes").mkdir(parents=True)
    (folder / "rollout_summaries").mkdir()
    (folder / "MEMORY.md").write_text(
        f"# Here\n\ncwd: {workspace.root}\n\n- Tests need a database\n\n# Elsewhere\n\n- Deploys on Fridays\n"
    )
    (folder / "rollout_summaries" / "a.md").write_text(f"Worked in {workspace.root} on the parser.")
    (folder / "rollout_summaries" / "b.md").write_text("Worked in /other on the lexer.")
    (folder / "extensions/ad_hoc/notes" / "1-x.md").write_text("Answer in German.")
    report = workspace.memory.upkeep.import_from(source="codex")
    texts = set(_facts(workspace))
    assert {"Tests need a database", "Answer in German."} <= texts
    assert not [text for text in texts if "Fridays" in text or "lexer" in text]
    assert "2 entries do not name this project" in report.problems[-1].what


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('["Plain text is a note too"]', 1),
        ('{"memories": [{"memory": "From mem0", "created_at": "2026-01-01"}, {"id": 3}, 7]}', 1),
        ('{"id": "bd-1", "title": "Fix it", "description": "The pump", "issue_type": "bug"}\n{"text": "Second line"}\n{broken', 2),
        ('{"results": [{"text": "A", "type": "no-such-type"}]}', 1),
    ],
)  # fmt: skip
def test_json_of_many_shapes(workspace: Workspace, tmp_path: Path, text: str, count: int) -> None:
    place = tmp_path / "some.json"
    place.write_text(text)
    assert workspace.memory.upkeep.import_from(str(place)).facts == count


@pytest.mark.parametrize("make", ["codexfi", "codex-mem", "claude-mem", "transcript", "json"])
def test_twice_is_once_and_a_dry_run_is_nothing(
    workspace: Workspace, tmp_path: Path, make: str
) -> None:
    place = tmp_path / "place"
    if make == "codexfi":
        foreign_stores.codexfi(place, workspace.root)
    elif make == "codex-mem":
        foreign_stores.codex_mem(place)
    elif make == "claude-mem":
        foreign_stores.claude_mem(place, workspace.root.name)
    elif make == "transcript":
        foreign_stores.transcript(place)
    else:
        place.write_text('["One note", "Another note"]')
    upkeep = workspace.memory.upkeep
    dry = upkeep.import_from(str(place), dry_run=True)
    assert workspace.memory.status().facts == workspace.memory.status().events == 0
    first = upkeep.import_from(str(place))
    assert (dry.facts, dry.events) == (first.facts, first.events)
    count = workspace.memory.status()
    again = upkeep.import_from(str(place))
    assert (again.facts, again.events) == (0, 0)
    assert workspace.memory.status().facts == count.facts
    assert workspace.memory.status().events == count.events


def test_twice_is_once_within_a_file_and_beside_what_was_said_before(
    workspace: Workspace, tmp_path: Path
) -> None:
    place = tmp_path / "notes.json"
    place.write_text('["One note", " One note ", "Another note", "A third note"]')
    said = workspace.memory.add("Another note", type="note").id
    upkeep = workspace.memory.upkeep
    for is_dry_run in (True, False):
        report = upkeep.import_from(str(place), dry_run=is_dry_run)
        assert (report.facts, report.skipped) == (2, 2)
    assert sorted(fact.text for fact in workspace.memory.list()) == [
        "A third note",
        "Another note",
        "One note",
    ]
    assert _facts(workspace)["Another note"].id == said
    workspace.memory.update(_facts(workspace)["A third note"].id, text="A changed note")
    for is_dry_run in (True, False):
        report = upkeep.import_from(str(place), dry_run=is_dry_run)
        assert (report.facts, report.skipped) == (0, 4)


def test_an_export_is_taken_in_once_by_each_project_that_takes_it_in(
    workspace: Workspace, repository: Repository
) -> None:
    workspace.memory.record(
        "s", "We decided to feed the heron because of the licence.", role="user"
    )
    workspace.memory.update(workspace.memory.add("The heron eats fish").id, text="It eats frogs")
    workspace.memory.add("I like herons", type="preference", scope="user")
    document = workspace.memory.export()
    with Workspace.open(repository.root) as other:
        first = other.memory.import_(document)
        # The user's own fact is there already, in all projects.
        assert (first.events, first.facts, first.skipped) == (1, 3, 1)
        again = other.memory.import_(document)
        assert (again.events, again.facts, again.skipped) == (0, 0, 5)
        assert len(other.memory.list()) == 3
        assert len(other.memory.events()) == 1
    back = workspace.memory.import_(document)
    assert (back.events, back.facts) == (0, 0)
    assert len(workspace.memory.list()) == 3


def test_what_was_forgotten_is_not_imported_anew(workspace: Workspace, tmp_path: Path) -> None:
    place = tmp_path / "notes.json"
    place.write_text('["A note that is wrong"]')
    workspace.memory.upkeep.import_from(str(place))
    (fact,) = workspace.memory.list()
    workspace.memory.forget(fact.id)
    workspace.memory.upkeep.import_from(str(place))
    assert workspace.memory.list() == ()


def test_secrets_and_private_parts_do_not_come_in(workspace: Workspace, tmp_path: Path) -> None:
    place = tmp_path / "notes.json"
    secret = "sk-ant-" + "a1B2c3" * 12
    place.write_text(
        json.dumps([f"The key is {secret}", "Known <private>only to me</private> so far"])
    )
    workspace.memory.upkeep.import_from(str(place))
    raw = b"".join(
        path.read_bytes() for path in workspace.memory.path.parent.iterdir() if path.is_file()
    )
    assert secret.encode() not in raw
    assert b"only to me" not in raw


def test_mistakes_are_named(workspace: Workspace, tmp_path: Path) -> None:
    upkeep = workspace.memory.upkeep
    workspace.memory.add("something")
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"SQLite format 3\x00" + b"\x10\x00" + b"\xff" * 500)
    (tmp_path / "empty").mkdir()
    (tmp_path / "x.json").write_text("{broken")
    (tmp_path / "y.json").write_text('{"a": 1}')
    for place, message in (
        (workspace.memory.path, "is a database of codecairn itself"),
        (tmp_path / "missing", "there is no"),
        (damaged, "can't read"),
        (tmp_path / "empty", "is not known to be any tool's memory"),
        (tmp_path / "x.json", "is no JSON"),
        (tmp_path / "y.json", "holds no list of records"),
    ):
        with pytest.raises((UsageError, FileAccessError), match=message):
            upkeep.import_from(str(place))
    with pytest.raises(FileAccessError, match="there is nothing of codexfi"):
        upkeep.import_from(source="codexfi")
    with pytest.raises(UsageError, match="say what to import"):
        upkeep.import_from()


def test_an_anonymised_export_can_be_taken_in_whole(
    workspace: Workspace, repository: Repository
) -> None:
    for at in range(3):
        workspace.memory.record("s", f"ann@example.com said {at}", role="user")
    text = workspace.memory.export(anonymise=True)
    assert "ann@" not in text
    with Workspace.open(repository.root) as other:
        assert other.memory.upkeep.import_from(text=text).events == 3
