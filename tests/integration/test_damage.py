"""Damaged files: what is derived is made again, what is not is reported with a hint, and a repair keeps what it can read."""

import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from codecairn import Workspace
from codecairn.core.engine import Engine
from codecairn.core.options import EngineOptions
from codecairn.core.types.embedding import Delivery, Spending
from codecairn.errors import CodecairnError, StoreDamaged
from codecairn.paths.user import data_folder
from support.answers import answers, answers_of_full_index
from support.command import run
from support.corpus import module_text
from support.repository import Repository
from support.stores import store_of

MODULES = 30


@pytest.fixture
def project(repository: Repository) -> Repository:
    for seed in range(MODULES):
        repository.write(f"a/module{seed}.py", module_text(seed, functions=6))
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        workspace.index()
    return repository


def _halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _tear(path: Path) -> None:
    """The last page was never written."""
    content = path.read_bytes()
    path.write_bytes(content[:-100] + bytes(100))


def _lose_the_head(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(bytes(64) + content[64:])


def _lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"more")


def _remove(path: Path) -> None:
    path.unlink()


def _put_a_folder_there(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("something")


def _put_another_there(path: Path) -> None:
    path.write_bytes(b"something else of no particular length")


DAMAGES = (
    _halve, _empty, _tear, _lose_the_head, _lengthen, _remove, _put_a_folder_there,
    _put_another_there,
)  # fmt: skip


def _segments(root: Path, kind: str) -> list[Path]:
    return sorted((store_of(root) / "segments").glob(f"{kind}-*"))


@pytest.mark.parametrize("kind", ["lexical", "vectors"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_segment_is_found_by_the_doctor_and_built_again(
    project: Repository, kind: str, damage: Callable[[Path], None]
) -> None:
    expected = answers(project.root)
    for segment in _segments(project.root, kind):
        damage(segment)
    with Workspace.open(project.root) as workspace:
        found = workspace.doctor()
        assert found
        assert not any(problem.repaired for problem in found)
        assert all(problem.repaired for problem in workspace.doctor(repair=True))
        assert workspace.doctor() == ()
    assert answers(project.root) == expected


@pytest.mark.parametrize("kind", ["lexical", "vectors"])
@pytest.mark.parametrize("damage", [damage for damage in DAMAGES if damage is not _tear])
def test_search_builds_a_segment_again_that_can_not_be_opened(
    project: Repository, kind: str, damage: Callable[[Path], None]
) -> None:
    expected = answers(project.root)
    for segment in _segments(project.root, kind):
        damage(segment)
    assert answers(project.root) == expected
    with Workspace.open(project.root) as workspace:
        assert workspace.doctor() == ()


def _flip(path: Path, places: list[float], mask: int) -> None:
    content = bytearray(path.read_bytes())
    for offset in {int(place * len(content)) for place in places}:
        content[offset] ^= mask
    path.write_bytes(content)


flips = st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=8, unique=True)


def _story_settings(examples: int) -> settings:
    return settings(max_examples=examples, suppress_health_check=list(HealthCheck), database=None)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["lexical", "vectors"])
def test_flipped_bits_in_a_segment_are_found_and_mended(project: Repository, kind: str) -> None:
    expected = answers(project.root)

    @_story_settings(12)
    @given(places=flips, mask=st.integers(1, 255))
    def flip(places: list[float], mask: int) -> None:
        _flip(_segments(project.root, kind)[0], places, mask)
        with Workspace.open(project.root) as workspace:
            assert workspace.doctor()
            workspace.search("check the token of a session", refresh=False)
            assert all(problem.repaired for problem in workspace.doctor(repair=True))
            assert workspace.doctor() == ()
            # The old file goes after a while; here it must not be the first one.
            for segment in _segments(project.root, kind):
                live = workspace.status().generation
                if f"-{live:x}-" not in segment.name:
                    segment.unlink()
        assert answers(project.root) == expected

    flip()


def _restore(store: Path, saved: Path) -> None:
    shutil.rmtree(store)
    shutil.copytree(saved, store)


def _settle(root: Path) -> None:
    """Everything is in the database file itself; by another process, as two SQLite libraries must not share one."""
    empty = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA wal_checkpoint(TRUNCATE)')"
    database = store_of(root) / "index.db"
    subprocess.run([sys.executable, "-c", empty, str(database)], check=True)


@pytest.mark.timeout(600)
def test_damaged_database_is_told_and_a_repair_makes_it_sound(
    project: Repository, tmp_path: Path
) -> None:
    store, saved = store_of(project.root), tmp_path / "saved"
    _settle(project.root)
    shutil.copytree(store, saved)

    @_story_settings(30)
    @given(
        places=flips,
        mask=st.integers(1, 255),
        zeroed=st.none() | st.floats(0, 1, exclude_max=True),
        cut=st.none() | st.floats(0, 1, exclude_max=True),
    )
    @example(places=[0.25], mask=1, zeroed=None, cut=0.984375)
    def damage(places: list[float], mask: int, zeroed: float | None, cut: float | None) -> None:
        _restore(store, saved)
        database = store / "index.db"
        _flip(database, places, mask)
        content = database.read_bytes()
        if zeroed is not None:
            page = int(zeroed * len(content)) // 4096 * 4096
            content = content[:page] + bytes(4096) + content[page + 4096 :]
        database.write_bytes(content if cut is None else content[: int(cut * len(content))])
        _assert_told_and_mended(project.root)

    damage()


def _failure(use: Callable[[], object]) -> CodecairnError | None:
    try:
        use()
    except CodecairnError as err:
        return err
    return None


def _assert_told_and_mended(root: Path) -> None:
    with Workspace.open(root) as workspace:
        for use in (workspace.status, lambda: workspace.search("token"), workspace.index):
            told = _failure(use)
            assert told is None or told.code != "internal-error", told
            if isinstance(told, StoreDamaged):
                assert "doctor --repair" in told.hint
                assert str(store_of(root)) in told.message
    with Workspace.open(root) as workspace:
        problems = workspace.doctor(repair=True)
        assert all(problem.repaired for problem in problems), problems
        assert workspace.doctor() == ()
        workspace.index()
        for seed in range(0, MODULES, 7):
            line = next(
                line for line in module_text(seed, functions=6).splitlines() if "def " in line
            )
            name = line.removeprefix("def ").partition("(")[0]
            assert workspace.define(name)[0].path == f"a/module{seed}.py"


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE stat SET path = CAST(X'612f62ff' AS TEXT) WHERE path = 'a/module3.py'",
        "UPDATE meta SET value = 0 WHERE key IN ('next_blob', 'next_frame', 'next_run')",
    ],
    ids=["text that is not UTF-8", "numbers that are taken"],
)
def test_rows_that_sqlite_finds_sound_are_mended(project: Repository, sql: str) -> None:
    _settle(project.root)
    write = "import sqlite3, sys; sqlite3.connect(sys.argv[1], isolation_level=None).execute(sys.argv[2])"
    database = store_of(project.root) / "index.db"
    subprocess.run([sys.executable, "-c", write, str(database), sql], check=True)
    project.write("a/new.py", module_text(MODULES, functions=6))
    _assert_told_and_mended(project.root)
    assert answers(project.root) == answers_of_full_index(project.root)


@pytest.mark.parametrize(
    "damage", [damage for damage in DAMAGES if damage not in (_remove, _tear, _lengthen)]
)
def test_damaged_database_is_one_clear_line_and_doctor_mends_it(
    project: Repository, damage: Callable[[Path], None]
) -> None:
    _settle(project.root)
    damage(store_of(project.root) / "index.db")
    outcome = run("search", "token", cwd=project.root)
    if damage is not _empty:
        assert outcome.code == 1
        assert "is damaged" in outcome.err
        assert "run `codecairn doctor --repair`" in outcome.err
    assert run("doctor", "--repair", cwd=project.root).code == 0
    assert run("doctor", cwd=project.root).out == "the store is sound\n"
    assert answers(project.root) == answers_of_full_index(project.root)


@pytest.mark.parametrize(
    "name", ["index.db", "index.db-wal", "index.db-shm", "write.lock", "write.owner"]
)
def test_folder_in_the_place_of_a_file_is_told_and_set_aside(
    project: Repository, name: str
) -> None:
    path = store_of(project.root) / name
    path.unlink(missing_ok=True)
    path.mkdir()
    outcome = run("index", cwd=project.root)
    assert (outcome.code, "a folder is in a file's place" in outcome.err) == (1, True), outcome
    assert run("doctor", cwd=project.root).code == 1
    assert run("doctor", "--repair", cwd=project.root).code == 0
    assert run("doctor", cwd=project.root).code == 0
    assert answers(project.root) == answers_of_full_index(project.root)


def test_log_of_contents_that_ended_a_process_is_told_if_it_can_not_be_read(
    project: Repository,
) -> None:
    log = data_folder() / "crashes"
    log.mkdir()
    try:
        for arguments in ("doctor",), ("doctor", "--repair"):
            outcome = run(*arguments, cwd=project.root)
            assert (outcome.code, "crash-log" in outcome.out, str(log) in outcome.out) == (
                1,
                True,
                True,
            )
    finally:
        log.rmdir()
    assert run("doctor", cwd=project.root).out == "the store is sound\n"


def test_file_in_the_place_of_the_folder_of_segments_is_told_and_set_aside(
    project: Repository,
) -> None:
    segments = store_of(project.root) / "segments"
    shutil.rmtree(segments)
    segments.write_text("in the way")
    outcome = run("index", "--force", cwd=project.root)
    assert (outcome.code, "a file is in a folder's place" in outcome.err) == (1, True), outcome
    assert run("doctor", "--repair", cwd=project.root).code == 0
    assert run("doctor", cwd=project.root).code == 0
    assert answers(project.root) == answers_of_full_index(project.root)


@pytest.mark.parametrize("damage", [_halve, _empty, _tear, _lose_the_head, _lengthen, _remove])
def test_damaged_log_costs_the_last_runs_at_most(
    project: Repository, damage: Callable[[Path], None]
) -> None:
    log = store_of(project.root) / "index.db-wal"
    assert log.stat().st_size > 0
    damage(log)
    with Workspace.open(project.root) as workspace:
        try:
            workspace.index()
        except StoreDamaged:
            workspace.doctor(repair=True)
        assert workspace.doctor() == ()
    assert answers(project.root) == answers_of_full_index(project.root)


def _outside(root: Path) -> Engine:
    return Engine(
        EngineOptions(
            root=root, store=store_of(root), embedder="static", outside=("test/model@128", 128),
            include=(), exclude=(), read_only=False, writer="test", user_ignore=None,
        )
    )  # fmt: skip


@pytest.mark.timeout(300)
def test_repair_keeps_what_was_paid_for(project: Repository, tmp_path: Path) -> None:
    """A page is lost: most vectors from outside survive, and what they cost is known, unless it stood right there.

    One page in twenty is such a place: where a table begins, or the one that names the embedders.
    """
    for seed in range(MODULES, 3 * MODULES):
        project.write(f"b/module{seed}.py", module_text(seed, functions=24, statements=5))
    engine = _outside(project.root)
    engine.index(force=False, progress=None)
    vector = struct.pack("<128f", *[1.0] * 128)
    spending = Spending(requests=3, texts=9, tokens=1234, micro_usd=5)
    engine.deliver(
        Delivery(vectors=[(key, vector) for key in engine.waiting_hashes()], spending=spending)
    )
    engine.publish_vectors()
    texts = engine.outside_state().texts
    assert texts > 1400
    engine.close()
    _settle(project.root)
    store, saved = store_of(project.root), tmp_path / "saved"
    shutil.copytree(store, saved)
    expected = answers_of_full_index(project.root)
    costs, kept = [], 0
    for seed in range(8):
        _restore(store, saved)
        content = bytearray((store / "index.db").read_bytes())
        page = random.Random(seed).randrange(1, len(content) // 4096)
        content[page * 4096 : page * 4096 + 4096] = bytes(4096)
        (store / "index.db").write_bytes(content)
        with Workspace.open(project.root) as workspace:
            assert all(problem.repaired for problem in workspace.doctor(repair=True))
            assert workspace.doctor() == ()
        engine = _outside(project.root)
        engine.index(force=False, progress=None)
        state = engine.outside_state()
        costs += [(cost.requests, cost.tokens) for _, cost in engine.spending()]
        assert state.texts == texts
        kept += state.pending < texts // 2
        assert engine.verify() == ()
        engine.close()
        assert answers(project.root) == expected, page
    assert kept >= 7
    assert len(costs) >= 7
    assert set(costs) == {(3, 1234)}
