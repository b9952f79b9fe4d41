"""Several processes, and processes that end in the middle."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from codecairn import IndexLocked, Workspace
from support.command import command, run
from support.corpus import write_modules
from support.repository import Repository
from support.stores import store_of

FILES = 300


@pytest.fixture
def many(folder: Repository) -> Repository:
    """A folder large enough that indexing it takes a while."""
    folder.write("pyproject.toml", "")
    write_modules(folder, files=FILES)
    return folder


def _start(*arguments: str, cwd: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command(*arguments), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _kill_after(process: "subprocess.Popen[str]", delay_s: float) -> None:
    try:
        process.wait(timeout=delay_s)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate()


def _assert_recovers(root: Path) -> None:
    """The store opens, the doctor is content or mends, the next index completes, search answers."""
    if (store_of(root) / "index.db").exists():
        outcome = run("doctor", "--repair", cwd=root)
        assert outcome.code == 0, outcome
    outcome = run("index", "--json", cwd=root)
    assert outcome.code == 0, outcome.err
    assert outcome.document["files"] == FILES + 1
    assert outcome.document["pending"] == 0
    assert run("doctor", cwd=root).code == 0
    with Workspace.open(root) as workspace:
        assert workspace.define("no_such_name").hits == ()
        assert len(workspace.search("check the token of a session")) == 10


def _duration_s(root: Path) -> float:
    """How long a full index takes here, the process included."""
    started = time.monotonic()
    assert run("index", cwd=root).code == 0
    return time.monotonic() - started


def _forget(root: Path) -> None:
    with Workspace.open(root, read_only=True) as workspace:
        store = workspace.store
    for path in sorted(store.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def test_killed_index_leaves_a_store_that_recovers(many: Repository) -> None:
    whole_s = _duration_s(many.root)
    for share in (0.3, 0.6, 0.9):
        _forget(many.root)
        _kill_after(_start("index", cwd=many.root), whole_s * share)
        _assert_recovers(many.root)


def test_second_writer_waits_or_is_told_who_is_writing(many: Repository) -> None:
    entered, leave = threading.Event(), threading.Event()

    def hold(phase: str, _done: int, _total: int) -> None:
        if phase != "scanning":
            entered.set()
            leave.wait(timeout=60)

    def write() -> None:
        with Workspace.open(many.root, writer="the first writer", progress=hold) as workspace:
            workspace.index()

    first = threading.Thread(target=write)
    first.start()
    try:
        assert entered.wait(timeout=60)
        outcome = run("index", "--no-wait", cwd=many.root)
        assert outcome.code == 1
        assert "the first writer" in outcome.err
        assert str(os.getpid()) in outcome.err
        with Workspace.open(many.root) as workspace, pytest.raises(IndexLocked):
            workspace.index(wait=False)
        with (
            Workspace.open(many.root, settings={"index.wait_s": 0}) as workspace,
            pytest.raises(IndexLocked),
        ):
            workspace.index()
        second = _start("index", "--json", cwd=many.root)
        assert second.stderr is not None
        told = second.stderr.readline()
        assert "the first writer" in told
        assert "waiting" in told
    finally:
        leave.set()
        first.join()
    out, _ = second.communicate(timeout=100)
    assert second.returncode == 0
    assert f'"unchanged": {FILES + 1}' in out


def test_processes_that_search_an_unindexed_folder_at_once_all_get_the_answer(
    many: Repository,
) -> None:
    searches = [
        _start("peek", "merge the ledger of an order", "--json", cwd=many.root) for _ in range(8)
    ]
    outputs = {search.communicate(timeout=100)[0] for search in searches}
    assert [search.returncode for search in searches] == [0] * 8
    assert len(outputs) == 1


def test_first_search_says_who_indexes_when_it_waited_in_vain(many: Repository) -> None:
    entered, leave = threading.Event(), threading.Event()

    def hold(phase: str, _done: int, _total: int) -> None:
        if phase != "scanning":
            entered.set()
            leave.wait(timeout=60)

    def write() -> None:
        with Workspace.open(many.root, writer="the first writer", progress=hold) as workspace:
            workspace.index()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert entered.wait(timeout=60)
        with (
            Workspace.open(many.root, settings={"index.wait_s": 0}) as workspace,
            pytest.raises(IndexLocked, match="the first writer") as raised,
        ):
            workspace.search("anything")
        assert "nothing to search" in raised.value.hint
    finally:
        leave.set()
        writer.join()


def test_search_while_another_process_indexes_answers_from_before(many: Repository) -> None:
    with Workspace.open(many.root) as workspace:
        workspace.index()
        wanted = workspace.peek("check the token of a session")
    many.write("late.py", "def late_addition():\n    pass\n")
    entered, leave = threading.Event(), threading.Event()

    def hold(phase: str, _done: int, _total: int) -> None:
        if phase != "scanning":
            entered.set()
            leave.wait(timeout=60)

    def write() -> None:
        with Workspace.open(many.root, progress=hold) as workspace:
            workspace.index(force=True)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert entered.wait(timeout=60)
        outcome = run("peek", "check the token of a session", "--json", cwd=many.root)
        assert outcome.code == 0
        assert "another process is indexing" in outcome.err
        assert [hit["path"] for hit in outcome.document["results"]] == [hit.path for hit in wanted]
    finally:
        leave.set()
        writer.join()


def test_several_readers_at_once_agree(many: Repository) -> None:
    assert run("index", cwd=many.root).code == 0
    readers = [
        _start("peek", "merge the ledger of an order", "--json", cwd=many.root) for _ in range(6)
    ]
    outputs = {reader.communicate(timeout=100)[0] for reader in readers}
    assert [reader.returncode for reader in readers] == [0] * 6
    assert len(outputs) == 1


def test_one_workspace_serves_several_threads(many: Repository) -> None:
    with Workspace.open(many.root) as workspace:
        expected = workspace.peek("save the record of a parcel")
        answers: list[object] = []
        threads = [
            threading.Thread(
                target=lambda: answers.append(workspace.peek("save the record of a parcel"))
            )
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [answer.hits for answer in answers] == [expected.hits] * 8  # type: ignore[attr-defined]


def test_command_ends_when_its_threads_have_ended() -> None:
    script = (
        "import sys, threading, time\n"
        "from codecairn.cli.main import command\n"
        "def late():\n"
        "    time.sleep(0.5)\n"
        "    print('late')\n"
        "threading.Thread(target=late).start()\n"
        "sys.argv[1:] = ['--version']\n"
        "command()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stdout.splitlines()[1:] == ["late"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_interrupt_ends_with_130_and_one_line(many: Repository) -> None:
    script = (
        "import os, signal, sys\n"
        "from codecairn.workspace import workspace as module\n"
        "from codecairn.cli.main import main\n"
        "real = module.Workspace.index\n"
        "def index(self, **options):\n"
        "    sent = []\n"
        "    def progress(phase, done, total):\n"
        "        if phase == 'indexing' and not sent:\n"
        "            sent.append(os.kill(os.getpid(), signal.SIGINT))\n"
        "    return real(self, **options | {'progress': progress})\n"
        "module.Workspace.index = index\n"
        "sys.exit(main(['index']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=many.root,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr.strip() == "interrupted; what was done before is kept"
    _assert_recovers(many.root)


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_termination_in_the_middle_leaves_a_store_that_recovers(many: Repository) -> None:
    process = _start("index", cwd=many.root)
    try:
        process.wait(timeout=0.3)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
    process.communicate()
    _assert_recovers(many.root)


def test_failure_inside_progress_leaves_a_store_that_recovers(many: Repository) -> None:
    class Surprise(Exception):
        pass

    def fail(phase: str, _done: int, _total: int) -> None:
        if phase == "indexing":
            raise Surprise

    with Workspace.open(many.root) as workspace, pytest.raises(Surprise):
        workspace.index(progress=fail)
    _assert_recovers(many.root)


def test_outside_vectors_are_used_once_they_are_there(many: Repository) -> None:
    import struct

    from codecairn.core.engine import Engine
    from codecairn.core.options import EngineOptions
    from codecairn.core.requests import SearchRequest
    from codecairn.core.types.embedding import NOTHING_SPENT, Delivery

    options = EngineOptions(
        root=many.root,
        store=store_of(many.root),
        embedder="static",
        outside=("test/constant@4", 4),
        include=(),
        exclude=(),
        read_only=False,
        writer="test",
        user_ignore=None,
    )
    engine = Engine(options)
    report = engine.index(force=False, progress=None)
    hashes = engine.waiting_hashes()
    assert report.pending == len(hashes) > 0
    assert not engine.uses_outside()
    vector = struct.pack("<4f", 1.0, 0.0, 0.0, 0.0)
    texts = engine.waiting_texts(hashes)
    assert [key for key, _ in texts] == hashes
    rows = [(key, vector) for key, _ in texts]
    kept = engine.deliver(Delivery(vectors=rows, spending=NOTHING_SPENT))
    assert kept == len(texts)
    engine.publish_vectors()
    assert engine.outside_state().pending == 0
    assert engine.uses_outside()
    hits = engine.search(
        SearchRequest("check the token of a session", limit=3, context_lines=0),
        ranking="model",
        fusion="rrf",
        text=False,
        vector=vector,
    )
    assert len(hits) == 3
    assert engine.verify() == ()
    engine.close()
