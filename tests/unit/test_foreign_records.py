"""Files of other tools that are broken in some place: each mistake is named with where it is, and the rest is read."""

import json
import sqlite3  # noqa: TID251 - files of other tools
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from codecairn.errors import FileAccessError, UsageError
from codecairn.memory.importing import (
    claude_files,
    claude_mem,
    claude_transcripts,
    codex_mem,
    codex_memories,
    json_records,
)
from codecairn.memory.importing.foreign_database import foreign_database
from codecairn.memory.importing.records import ForeignEvent, ForeignFact, Problem, Scene
from codecairn.memory.importing.sources import detected, place_of
from support import foreign_stores

Record = ForeignEvent | ForeignFact | Problem


def _scene(root: Path, *of: str) -> Scene:
    return Scene(root=root, home=root / "home", of=of, now_ms=0)


def _problems(records: Iterable[Record]) -> list[tuple[str, str]]:
    return [(each.where, each.what) for each in records if isinstance(each, Problem)]


def test_lines_of_a_transcript_that_are_broken_are_named_and_the_others_read(
    tmp_path: Path,
) -> None:
    said = {"type": "user", "sessionId": "s", "message": {"content": "which port?"}}
    lines = [
        json.dumps(said),
        '{"type": "user", "mess',
        "[1]",
        json.dumps({"type": "user", "message": {"content": 7}}),
        json.dumps({"type": "summary", "message": {"content": "left out"}}),
        json.dumps({"type": "user", "isMeta": True, "message": {"content": "left out"}}),
        "",
    ]
    file = tmp_path / "talk.jsonl"
    file.write_text("\n".join(lines))
    found = list(claude_transcripts.read(file, _scene(tmp_path)))
    assert _problems(found) == [
        ("talk.jsonl line 2", "it is no JSON; the line may have been cut off"),
        ("talk.jsonl line 3", "it is no object"),
        ("talk.jsonl line 4", "its message has no content"),
    ]
    (event,) = [each for each in found if isinstance(each, ForeignEvent)]
    assert (event.body, event.role, event.session) == ("which port?", "user", "s")


Reader = Callable[[Path, Scene], Iterable[Record]]
FOLDERS: list[tuple[Reader, str, str]] = [
    (claude_transcripts.read, "jsonl", "no transcripts"),
    (claude_files.read, "md", "no memory files"),
    (codex_memories.read, "md", "no memories"),
]


@pytest.mark.parametrize(("read", "suffix", "message"), FOLDERS)
def test_folder_without_anything_of_the_tool_is_refused(
    tmp_path: Path, read: Reader, suffix: str, message: str
) -> None:
    with pytest.raises(FileAccessError, match=message):
        list(read(tmp_path, _scene(tmp_path)))


@pytest.mark.parametrize(("read", "suffix", "message"), FOLDERS)
def test_file_that_can_not_be_read_is_named_and_the_others_are_read(
    tmp_path: Path, read: Reader, suffix: str, message: str
) -> None:
    (tmp_path / f"gone.{suffix}").symlink_to(tmp_path / "nowhere")
    text = (
        '{"type": "user", "message": {"content": "hello"}}'
        if suffix == "jsonl"
        else f"- {tmp_path}"
    )
    (tmp_path / f"here.{suffix}").write_text(text)
    found = list(read(tmp_path, _scene(tmp_path)))
    assert _problems(found) == [(f"gone.{suffix}", "can't be read: No such file or directory")]
    assert len(found) == 2


def test_memory_file_of_a_head_alone_has_no_statement(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nname: port\ntype: project\n---\n\n")
    (tmp_path / "b.md").write_text("---\ndescription: The API listens on 8080\n---\n")
    first, second = claude_files.read(tmp_path, _scene(tmp_path))
    assert first == Problem(where="a.md", what="it has a head and no text")
    assert isinstance(second, ForeignFact)
    assert second.text == "The API listens on 8080"


def test_codex_s_memories_of_other_projects_are_counted_and_passed_over(tmp_path: Path) -> None:
    (tmp_path / "raw_memories.md").write_text("- what the others were made from")
    (tmp_path / "MEMORY.md").write_text(
        "# shop\n\n- in /home/ann/shop tokens are verified twice\n\n# other\n\n- in /home/ann/other they are not\n"
    )
    found = list(codex_memories.read(tmp_path, _scene(tmp_path, "/home/ann/shop")))
    facts = [each.text for each in found if isinstance(each, ForeignFact)]
    assert [("shop" in text, "other" in text) for text in facts] == [(True, False)]
    ((where, what),) = _problems(found)
    assert (where, what[:40]) == (str(tmp_path), "1 entries do not name this project and w")


def _database(file: Path, script: str) -> Path:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)
    return file


def test_rows_of_codex_mem_without_a_text_or_a_session_are_named(tmp_path: Path) -> None:
    file = _database(
        tmp_path / "m.db",
        "CREATE TABLE sessions (id);"
        "CREATE TABLE observations (id, project, title, body);"
        "CREATE TABLE events (id, project, session_id, role, content, metadata_json);"
        "INSERT INTO observations VALUES (1, 'shop', '', ' '), (2, 'shop', 'a title', '');"
        "INSERT INTO events VALUES (1, 'shop', '', 'user', 'x', ''), (2, 'shop', 's', 'robot', 'y', '[7'),"
        " (3, 'other', 's', 'user', 'z', '');",
    )
    assert detected(file) == "codex-mem"
    found = list(codex_mem.read(file, _scene(tmp_path, "shop")))
    assert _problems(found) == [
        ("observations row 1", "it has no text"),
        ("events row 1", "it names no session"),
    ]
    fact, event = (each for each in found if not isinstance(each, Problem))
    assert isinstance(fact, ForeignFact)
    assert isinstance(event, ForeignEvent)
    assert (fact.text, event.body, event.role, event.exit_code) == ("a title", "y", "system", None)


def test_rows_of_claude_mem_without_a_text_are_named(tmp_path: Path) -> None:
    file = _database(
        tmp_path / "m.db",
        "CREATE TABLE observations (project, title, type);"
        "CREATE TABLE session_summaries (project, request, notes);"
        "CREATE TABLE directives (scope, status, content);"
        "INSERT INTO observations VALUES ('shop', '', 'bugfix');"
        "INSERT INTO session_summaries VALUES ('shop', '', '');"
        "INSERT INTO directives VALUES ('global', 'active', ''), ('global', 'active', 'Answer shortly'),"
        " ('global', 'retired', 'Answer at length'), ('project', 'active', 'Of another project');",
    )
    assert detected(file) == "claude-mem"
    found = list(claude_mem.read(file, _scene(tmp_path, "shop")))
    assert _problems(found) == [
        ("observations row 1", "it has no text"),
        ("session_summaries row 1", "it has no text"),
        ("directives row 1", "it has no text"),
    ]
    (rule,) = [each for each in found if isinstance(each, ForeignFact)]
    assert (rule.text, rule.type, rule.scope) == ("Answer shortly", "rule", "user")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"SQLite format 3\x00" + b"\xff" * 4000, "can't read"),
        (b"no database at all", "is no SQLite database"),
    ],
)
def test_database_that_is_damaged_is_refused_by_its_name(
    tmp_path: Path, content: bytes, message: str
) -> None:
    file = tmp_path / "m.db"
    file.write_bytes(content)
    with pytest.raises(FileAccessError, match=message) as refused, foreign_database(file) as found:
        found.tables()
    assert str(file) in refused.value.message


def test_database_with_a_damaged_page_is_read_up_to_it(tmp_path: Path) -> None:
    rows = ", ".join(f"('{number:04} {'x' * 500}')" for number in range(200))
    file = _database(
        tmp_path / "m.db", f"CREATE TABLE notes (text); INSERT INTO notes VALUES {rows};"
    )
    with file.open("r+b") as opened:
        opened.seek(12 * 4096)
        opened.write(b"\xff" * 4096)
    with foreign_database(file) as found:
        reading = found.rows("notes")
        assert next(reading)["text"].startswith("0000 ")
        with pytest.raises(FileAccessError, match="can't read `notes`"):
            list(reading)


def test_missing_database_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(FileAccessError, match="No such file"),
        foreign_database(tmp_path / "gone.db"),
    ):
        pass


@pytest.mark.parametrize(
    ("files", "source"),
    [
        ({"memory_summary.md": ""}, "codex"),
        ({"rollout_summaries/a.md": ""}, "codex"),
        ({"note.md": ""}, "claude"),
        ({"deep/talk.jsonl": ""}, "claude-transcripts"),
        ({"note.txt": ""}, None),
    ],
)
def test_folder_is_known_by_its_files(
    tmp_path: Path, files: dict[str, str], source: str | None
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    if source is None:
        with pytest.raises(UsageError):
            detected(tmp_path)
    else:
        assert detected(tmp_path) == source


def test_database_of_an_unknown_tool_is_refused(tmp_path: Path) -> None:
    file = _database(tmp_path / "m.db", "CREATE TABLE unknown (text);")
    with pytest.raises(UsageError):
        detected(file)


def test_tool_without_a_usual_place_needs_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="`--from json` needs a file"):
        place_of("json", _scene(tmp_path))
    with pytest.raises(FileAccessError, match="there is nothing of claude at"):
        place_of("claude", _scene(tmp_path))
    usual = tmp_path / ".codex_mem" / "codex_mem.sqlite3"
    usual.parent.mkdir()
    foreign_stores.codex_mem(usual)
    assert place_of("codex-mem", _scene(tmp_path)) == usual


def test_file_by_its_name_or_its_first_lines(tmp_path: Path) -> None:
    texts = {
        "a.md": ("- a note", "claude"),
        "a.jsonl": ('\n{"type": "user", "sessionId": "s", "message": {}}', "claude-transcripts"),
        "b.jsonl": ('{"text": "a note"}\nno JSON', "json"),
    }
    for name, (text, source) in texts.items():
        (tmp_path / name).write_text(text)
        assert detected(tmp_path / name) == source
    with pytest.raises(FileAccessError, match="there is no"):
        detected(tmp_path / "gone")


def test_records_that_are_no_facts_are_named(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('[7, {"n": 1}, "a note", {"text": "x"}]')
    found = list(json_records.read(file, _scene(tmp_path)))
    assert [where for where, _ in _problems(found)] == ["a.json record 1", "a.json record 2"]
    file.write_text('{"text": "one"}\n{"text": \n"two"\n')
    found = list(json_records.read(file, _scene(tmp_path)))
    assert [where for where, _ in _problems(found)] == ["a.json line 2"]
    for raw, message in (
        (b"\xff\xfe", "is not UTF-8"),
        (b"{}", "no list of records"),
        (b"{", "no JSON"),
    ):
        file.write_bytes(raw)
        with pytest.raises(UsageError, match=message):
            list(json_records.read(file, _scene(tmp_path)))
    with pytest.raises(FileAccessError, match="can't read"):
        list(json_records.read(tmp_path / "gone.json", _scene(tmp_path)))
