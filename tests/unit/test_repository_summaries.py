"""Summaries of repositories: what they keep of an index, and what becomes of other files in their place."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn.paths import user
from codecairn.workspace.organization import summaries
from codecairn.workspace.organization.summaries import MIN_TEXTS, Summary

STATE = b"0123456789abcdef"


def _file() -> Path:
    (file,) = (user.data_folder() / "summaries").iterdir()
    return file


@given(st.dictionaries(st.text(max_size=8), st.integers(1, 2**32), max_size=40))
def test_stems_in_several_texts_are_kept_with_their_counts(counts: dict[str, int]) -> None:
    summary = Summary.of(counts.items(), state=STATE)
    found = summary.stem_counts([*counts, "never a stem"])
    assert found.total == sum(counts.values())
    assert found.counts == {
        stem: min(count, 2**32 - 1) for stem, count in counts.items() if count >= MIN_TEXTS
    }


def test_a_summary_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert summaries.read(tmp_path) is None
    summaries.write(tmp_path, Summary.of([("token", 3), ("größe", 2)], state=STATE))
    found = summaries.read(tmp_path)
    assert found is not None
    assert (found.state, found.total) == (STATE, 5)
    assert found.stem_counts(["größe", "token", "other"]).counts == {"größe": 2, "token": 3}
    assert _file().stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", ["", "x", "CAIRNSUM", "y" * 40, "y" * 100])
def test_a_file_that_is_no_summary_counts_as_none(tmp_path: Path, damage: str) -> None:
    summaries.write(tmp_path, Summary.of([("token", 3)], state=STATE))
    content = _file().read_bytes()
    for bytes_ in (damage.encode(), content[:-1], content + b"\0", damage.encode() + content):
        if bytes_ != content:
            _file().write_bytes(bytes_)
            assert summaries.read(tmp_path) is None


def test_a_summary_is_counted_again_once_the_index_has_changed(tmp_path: Path) -> None:
    counted = []

    def count() -> list[tuple[str, int]]:
        counted.append(len(counted))
        return [("token", 2 + len(counted))]

    def current() -> int:
        stores = summaries.usual_stores(tmp_path)
        return summaries.current(tmp_path, stores, count).stem_counts(["token"]).counts["token"]

    store = tmp_path / ".codecairn"
    store.mkdir()
    assert (current(), current()) == (3, 3)
    (store / "index.db").write_bytes(b"one")
    assert (current(), current()) == (4, 4)
    (store / "index.db-wal").write_bytes(b"two")
    assert (current(), current()) == (5, 5)


def test_summaries_of_other_repositories_are_removed(tmp_path: Path) -> None:
    summaries.remove_others([tmp_path])
    for name in ("one", "two"):
        summaries.write(tmp_path / name, Summary.of([], state=STATE))
    summaries.remove_others([tmp_path / "one"])
    assert summaries.read(tmp_path / "one") is not None
    assert summaries.read(tmp_path / "two") is None
