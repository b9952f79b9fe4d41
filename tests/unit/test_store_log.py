"""The log of a store, and the figures made from it."""

import json
import os
import threading
from pathlib import Path

import pytest

from codecairn import IndexLocked, UsageError
from codecairn.core.store_log import FILE_BYTES, Entry, Logbook, forget, make_older, read_entries
from codecairn.workspace.metrics import measure
from support.clock import FakeClock


def test_entries_come_back_in_order_with_their_numbers(tmp_path: Path) -> None:
    clock = FakeClock()
    book = Logbook(tmp_path, level="info", clock=clock)
    book.add("search", "define", numbers={"hits": 3})
    clock.time_s = 2
    book.add("index", "index everything", level="warn", detail="slow")
    first, second = read_entries(tmp_path)
    assert (first.category, first.message, first.numbers) == ("search", "define", {"hits": 3})
    assert (second.time_ns, second.level, second.detail) == (2_000_000_000, "warn", "slow")


def test_levels_are_minima_for_writing_and_for_reading(tmp_path: Path) -> None:
    book = Logbook(tmp_path, level="info")
    for level in ("debug", "info", "warn", "error"):
        book.add("store", level, level=level)
    Logbook(tmp_path, level="off").add("store", "nothing", level="error")
    assert [entry.message for entry in read_entries(tmp_path)] == ["info", "warn", "error"]
    assert [entry.message for entry in read_entries(tmp_path, level="warn")] == ["warn", "error"]
    assert [entry.message for entry in read_entries(tmp_path, limit=1)] == ["error"]
    assert read_entries(tmp_path, categories=("gc",)) == []


def test_ring_is_bounded_and_keeps_the_latest(tmp_path: Path) -> None:
    book = Logbook(tmp_path, level="info")
    for number in range(3000):
        book.add("search", "define", numbers={"number": number}, detail="x" * 200)
    sizes = [file.stat().st_size for file in tmp_path.glob("log*")]
    assert len(sizes) == 2
    assert sum(sizes) <= 2 * FILE_BYTES + 1000
    numbers = [entry.numbers["number"] for entry in read_entries(tmp_path)]
    assert numbers == list(range(3000 - len(numbers), 3000))


def test_lines_of_several_writers_never_mix(tmp_path: Path) -> None:
    def write() -> None:
        for _ in range(200):
            Logbook(tmp_path, level="info").add("search", "define", detail="é" * 100)

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(read_entries(tmp_path)) == 800


def test_who_finds_the_file_full_too_late_takes_nothing_away(tmp_path: Path) -> None:
    book = Logbook(tmp_path, level="info")
    book.add("search", "define")
    handle = os.open(tmp_path / "log.jsonl", os.O_WRONLY)
    make_older(tmp_path, handle)
    book.add("search", "peek")
    make_older(tmp_path, handle)
    os.close(handle)
    assert [entry.message for entry in read_entries(tmp_path)] == ["define", "peek"]


def test_torn_lines_are_passed_over(tmp_path: Path) -> None:
    book = Logbook(tmp_path, level="info")
    book.add("search", "define")
    with (tmp_path / "log.jsonl").open("ab") as file:
        file.write(b'{"time_ns": 1, "lev\n[]\n{}\n\xff\xfe\n')
    book.add("search", "peek")
    assert [entry.message for entry in read_entries(tmp_path)] == ["define", "peek"]


def test_failure_is_written_and_goes_on(tmp_path: Path) -> None:
    book = Logbook(tmp_path, level="info", clock=FakeClock())
    with pytest.raises(IndexLocked), book.timed("index", "index everything"):
        raise IndexLocked("somebody writes")
    with pytest.raises(UsageError), book.timed("search", "define"):
        raise UsageError("nonsense")
    levels = [(entry.level, entry.detail) for entry in read_entries(tmp_path)]
    assert levels == [("warn", "index-locked: somebody writes"), ("error", "usage: nonsense")]


def test_log_that_can_not_be_written_is_no_failure(tmp_path: Path) -> None:
    Logbook(tmp_path / "gone", level="info").add("search", "define")
    assert read_entries(tmp_path / "gone") == []
    forget(tmp_path / "gone")


def test_figures_are_exact_quantiles() -> None:
    entries = [
        Entry(
            time_ns=number, level="error" if number == 7 else "info", category="search",
            message="define", process=1, numbers={"total_s": number},
        )
        for number in range(1, 101)
    ]  # fmt: skip
    found = measure(entries)
    assert (found.since_ns, found.entries, found.problems) == (1, 100, 1)
    (row,) = found.measures
    assert (row.count, row.total, row.median, row.p95, row.greatest) == (100, 5050, 50, 95, 100)
    assert measure([]).measures == ()


def test_entry_is_one_line_of_json(tmp_path: Path) -> None:
    Logbook(tmp_path, level="info").add("search", "define", detail="two\nlines")
    (line,) = (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["detail"] == "two\nlines"
