"""A purge leaves no byte of what was to go, says where one is left, and takes nothing else."""

import sqlite3  # noqa: TID251 - what a purge left in the store's tables
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.errors import IndexLocked, UsageError
from codecairn.memory.memory import Memory
from support.repository import Repository

WORD = "zanzibar"
WRITTEN = "the Zanzibar plan"
"""Written in another case than it is looked for."""


def _bytes_below(folder: Path) -> bytes:
    return b"\0".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def _rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    """Rows of a memory that no process has open."""
    with closing(sqlite3.connect(path)) as database:
        return database.execute(sql).fetchall()


PLACES: dict[str, Callable[[Memory], object]] = {
    **{
        f"event's {field}": lambda memory, field=field: memory.record(
            "s", **({"body": "a body", "role": "user"} | {field: WRITTEN})
        )
        for field in ("body", "title", "command", "path", "tool", "hook", "branch", "key")
    },
    "event's tags": lambda memory: memory.record("s", "a body", tags=["x", WRITTEN]),
    "event's meta": lambda memory: memory.record("s", "a body", meta={"note": WRITTEN}),
    "event's name of meta": lambda memory: memory.record("s", "a body", meta={WRITTEN: "x"}),
    "fact's text": lambda memory: memory.add(WRITTEN),
    "fact's title": lambda memory: memory.add("a text", title=WRITTEN),
    "fact's tags": lambda memory: memory.add("a text", tags=["x", WRITTEN]),
    "fact's subject": lambda memory: memory.add("a text", subject=WRITTEN),
    "fact's predicate": lambda memory: memory.add("a text", subject="x", predicate=WRITTEN),
    "fact's meta": lambda memory: memory.add("a text", meta={"note": WRITTEN}),
    "fact's older version": lambda memory: memory.update(memory.add(WRITTEN).id, text="new"),
    "reason of a change": lambda memory: memory.update(
        memory.add("a text").id, text="new", reason=WRITTEN
    ),
    "reason to forget": lambda memory: memory.forget(memory.add("a text").id, reason=WRITTEN),
    "private event": lambda memory: memory.record("s", WRITTEN, privacy_tags=["private"]),
    "private fact": lambda memory: memory.add(WRITTEN, privacy_tags=["private"]),
    "the user's own fact": lambda memory: memory.add(WRITTEN, scope="user"),
}


@pytest.mark.parametrize("place", list(PLACES))
def test_a_text_is_removed_wherever_it_stands(folder: Repository, home: Path, place: str) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        PLACES[place](memory)
        kept = memory.add("The lamp is green").id
        memory.record("kept", "The lamp is red", role="user")
        assert WORD.encode() in _bytes_below(home).lower()
        purged = memory.purge(containing=WORD)
        assert (purged.events + purged.facts, purged.left_in) == (1, ())
        assert WORD.encode() not in _bytes_below(home).lower()
        assert [fact.id for fact in memory.list()] == [kept]
        assert [event.body for event in memory.events(limit=1)] == ["The lamp is red"]


def test_a_purge_says_where_a_text_is_left(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.record(f"session-{WORD}", "The lamp is red", role="user")
        # A session's name is no event and no fact: it goes with the session.
        assert memory.purge(containing=WORD).left_in == (str(memory.path),)
        assert memory.purge(containing="nowhere").left_in == ()


WRITER = """
import itertools, sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
database.execute("PRAGMA synchronous = OFF")
database.execute("CREATE TABLE filler AS SELECT zeroblob(8000000)")
print("ready", flush=True)
for number in itertools.count():
    time.sleep(0.005)
    try:
        database.execute("UPDATE session SET title = ?", (f"{sys.argv[2]} {number}",))
    except sqlite3.OperationalError:
        pass
"""
"""Another process, which writes the text again and again with pauses for others; the filler gives it time to do so.

Each title is another one: SQLite writes nothing to its log for a value that is there already.
"""


def _left_in(memory: Memory) -> tuple[str, ...]:
    try:
        return memory.purge(containing=WORD).left_in
    except IndexLocked:
        # The other process was writing when the log was to be emptied.
        return ()


@pytest.mark.parametrize(
    ("session", "text", "is_left"),
    [("Größe-7", "Größe-7", True), ("größe-7", "Größe-7", True), ("breite", "Größe-7", False)],
)
def test_a_purge_finds_letters_of_every_script(
    folder: Repository, session: str, text: str, *, is_left: bool
) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.record(session, "The lamp is red", role="user")
        assert memory.purge(containing=text).left_in == ((str(memory.path),) if is_left else ())


def test_a_purge_looks_into_the_log_of_the_database(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.record("s", "The lamp is red", role="user")
        command = [sys.executable, "-c", WRITER, str(memory.path), WRITTEN]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            try:
                assert writer.stdout is not None
                writer.stdout.readline()
                # It writes between the removal and the proof of some of these.
                until = time.monotonic() + 30
                proofs = iter(lambda: time.monotonic() < until and _left_in(memory), False)
                assert any(f"{memory.path}-wal" in left_in for left_in in proofs)
            finally:
                writer.kill()


def test_a_purge_looks_into_what_waits(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.add("The lamp is green")
        spool = memory.path.with_name(memory.path.name + ".spool")
        waiting = spool / "1-1-1.log"
        spool.mkdir(exist_ok=True)
        waiting.write_text(f"half a record of the {WRITTEN}", encoding="utf-8")
        assert memory.purge(containing=WORD).left_in == (str(waiting),)


TEXTS = "SELECT text_hash FROM event UNION SELECT text_hash FROM fact"
WITHOUT_TEXT = f"SELECT count(*) FROM vector WHERE text_hash NOT IN ({TEXTS})"
WITHOUT_VECTOR = f"SELECT count(*) FROM ({TEXTS} EXCEPT SELECT text_hash FROM vector)"

CHOICES: dict[str, Callable[[Memory], object]] = {
    "items": lambda memory: memory.purge(
        *(fact.id for fact in memory.list()), *(event.id for event in memory.events())
    ),
    "a text": lambda memory: memory.purge(containing=WORD),
    "a session": lambda memory: memory.purge(session="s"),
    "the project": lambda memory: memory.purge(whole_project=True),
}


@pytest.mark.parametrize("choice", list(CHOICES))
def test_vectors_go_with_the_last_text_that_they_were_made_of(
    folder: Repository, repository: Repository, choice: str
) -> None:
    with Workspace.open(repository.root) as other:
        other.memory.record("s", "The lamp is red", role="user")
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.record("s", WRITTEN, role="user")
        memory.record("s", f"It is {WRITTEN}", role="assistant")
        memory.record("s", "The lamp is red", role="user")
        memory.update(memory.add(f"Nobody knows {WRITTEN}").id, text="Nobody knows the plan")
        CHOICES[choice](memory)
        path = memory.path
        workspace.memory.close()
        assert _rows(path, WITHOUT_TEXT) == [(0,)]
        assert _rows(path, WITHOUT_VECTOR) == [(0,)]
        assert _rows(path, TEXTS) != []


COPIES = {
    "injection": "items",
    "snapshot": "items",
    "job": "payload || key",
    "outbox": "item",
    "anchor": "item",
    "fact_use": "id",
}
"""Tables that name items, by the columns which do."""

OF_ITEMS = """
INSERT INTO job (kind, key, payload, state, run_after_ms, attempts, owner, lease_ms, error)
VALUES ('extract', '{0}', '{{}}', 'waiting', 0, 0, '', 0, ''),
       ('extract', 'of {0}', '{{"item": "{0}"}}', 'waiting', 0, 0, '', 0, '');
INSERT INTO outbox (sink, project, item, key, place, remote, state, sends, sent_ms, failures, due_ms, error)
VALUES ('x', 1, '{0}', 'k', '', '', 'waiting', 0, 0, 0, 0, '');
"""


@pytest.mark.parametrize("kind", ["fact", "event"])
def test_no_ledger_keeps_what_is_purged_and_each_keeps_the_rest(
    folder: Repository, kind: str
) -> None:
    folder.write("lamp.py", "def light():\n    return 1\n\n\ndef dim():\n    return 2\n")
    with Workspace.open(folder.root) as workspace:
        memory, engine = workspace.memory, workspace.memory.engine()
        items = []
        for at, name in enumerate(("light", "dim")):
            if kind == "fact":
                symbols = [f"lamp.py::{name}"]
                items.append(memory.add(f"{name} is a function", type="rule", symbols=symbols).id)
            else:
                seq = memory.record("s", f"{name} is a function", role="user").seq
                items.append(f"E{seq}")
                engine.anchor(items[-1], [engine.definitions_in("lamp.py")[at].anchor])
            for placement in ("static", "volatile"):
                engine.note_injection(
                    {
                        "session": f"{name}-{placement}",
                        "placement": placement,
                        "form": "markdown",
                        "body": f"{name} is a function",
                        "items": [{"id": items[-1], "version": 1}],
                        "tokens": 1,
                        "seq": 0,
                        "is_kept": placement == "static",
                    }
                )
            memory.history(items[-1]) if kind == "fact" else None
        path, (gone, kept) = memory.path, items
        memory.close()
        with closing(sqlite3.connect(path)) as database:
            for item in items:
                database.executescript(OF_ITEMS.format(item))
        memory.purge(gone)
        memory.close()
    tables = [name for name in COPIES if kind == "fact" or name != "fact_use"]
    named = {
        table: str(_rows(path, f"SELECT group_concat({COPIES[table]}, ' ') FROM {table}"))
        for table in tables
    }
    assert [table for table in tables if gone in named[table]] == []
    assert [table for table in tables if kept not in named[table]] == []


def test_a_fact_goes_with_the_event_that_it_was_drawn_from(
    folder: Repository,
) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.record("s", "We decided to keep the heron because of the licence.", role="user")
        added = memory.add("The heron nests in the old repository")
        assert {fact.sources for fact in memory.list()} == {(1,), ()}
        memory.purge("E1")
        assert [fact.id for fact in memory.list()] == [added.id]


def test_a_project_goes_whole_and_alone(folder: Repository, repository: Repository) -> None:
    shop = folder.root / "quetzal-shop"
    shop.mkdir()
    with Workspace.open(repository.root) as other:
        other.memory.record(
            "s", "We decided to keep the heron because of the licence.", role="user"
        )
        other.memory.add("I like herons", scope="user")
    with Workspace.open(shop) as workspace:
        memory = workspace.memory
        for path in ("quetzal-1.py", "quetzal-2.py"):
            memory.record("quetzal-session", "changed", tool="Edit", path=path)
        memory.record("s", "We decided to keep the quetzal because of the licence.", role="user")
        memory.context("s", part="static")
        memory.context("quetzal-session", part="compaction")
        memory.purge(whole_project=True)
        path = memory.path
        memory.close()
        assert b"quetzal" not in _bytes_below(path.parent)
        for table in ("session", "file_pair", "project_alias", "injection", "snapshot"):
            column = "session" if table in {"injection", "snapshot"} else "project"
            source = "SELECT number FROM " + ("session" if column == "session" else "project")
            lost = f"SELECT count(*) FROM {table} WHERE {column} NOT IN ({source})"
            assert _rows(path, lost) == [(0,)], table
        assert [fact.text for fact in memory.list()] == ["I like herons"]
    with Workspace.open(repository.root) as other:
        assert {fact.text for fact in other.memory.list(types=["decision"])}
        assert [event.body for event in other.memory.events()] == [
            "We decided to keep the heron because of the licence."
        ]
        assert [session.id for session in other.memory.sessions()] == ["s"]


def test_a_session_goes_alone(folder: Repository, repository: Repository) -> None:
    with Workspace.open(repository.root) as other, Workspace.open(folder.root) as workspace:
        other.memory.record(
            "s", "We decided to keep the heron because of the licence.", role="user"
        )
        memory = workspace.memory
        memory.record("s", "We decided to sell the quetzal because of the licence.", role="user")
        memory.record("s2", "We decided to feed the stork because of the licence.", role="user")
        own = memory.add("The quetzal is mine", session="s").id
        purged = memory.purge(session="s")
        assert (purged.events, purged.facts) == (1, 1)
        assert [event.session for event in memory.events()] == ["s2"]
        texts = {fact.text for fact in memory.list()}
        assert not any("sell the quetzal" in text for text in texts)
        assert any("feed the stork" in text for text in texts)
        assert own in {fact.id for fact in memory.list()}
        assert [session.title for session in memory.sessions()] == [
            "We decided to feed the stork because of the licence.",
            "",
        ]
        assert len(other.memory.events()) == 1


def test_a_project_without_a_memory_takes_none_of_another(
    folder: Repository, repository: Repository
) -> None:
    with Workspace.open(repository.root) as other, Workspace.open(folder.root) as empty:
        other.memory.record(
            "s", "We decided to keep the heron because of the licence.", role="user"
        )
        other.memory.add("The heron is mine", session="s")
        purged = empty.memory.purge(whole_project=True)
        assert (purged.events, purged.facts) == (0, 0)
        with pytest.raises(UsageError, match="there is no session `s`"):
            empty.memory.purge(session="s")
        assert len(other.memory.events()) == 1
        assert "The heron is mine" in {fact.text for fact in other.memory.list()}


@pytest.mark.parametrize(
    ("ids", "choices"),
    [
        ((), {}),
        ((), {"containing": "s3cret", "session": "s"}),
        (("F1",), {"containing": "s3cret"}),
        ((), {"session": "s", "whole_project": True}),
        (("F1",), {"whole_project": True}),
    ],
)
def test_a_purge_of_nothing_or_of_several_things_is_refused(
    folder: Repository, ids: tuple[str, ...], choices: dict[str, object]
) -> None:
    with Workspace.open(folder.root) as workspace:
        workspace.memory.add("the key of the shop is s3cret")
        before = workspace.memory.list()
        with pytest.raises(UsageError, match="say what to purge") as caught:
            workspace.memory.purge(*ids, **choices)  # type: ignore[arg-type]
        assert caught.value.hint == "ids, or a text, or a session, or the whole project"
        assert workspace.memory.list() == before
        assert len(before) == 1
