"""What another version of the extractor made of a file is not kept: the file is parsed again, once."""

from collections.abc import Callable

import pytest

from codecairn import Workspace
from support.repository import Repository
from support.stores import run_sql

OLDER = (
    "UPDATE blob SET extractor_version = extractor_version - 1, checksum = NULL",
    "UPDATE meta SET value = CAST(value - 1 AS TEXT) WHERE key = 'note:content-rules'",
)
"""What an index looks like that the version before made; its rows had no checksums."""

WAYS: dict[str, Callable[[Workspace], object]] = {
    "index": lambda workspace: workspace.index(),
    "index-of-one-path": lambda workspace: workspace.index(paths=["n000.py"]),
    "search": lambda workspace: workspace.search("name_1"),
}


def _index_of_the_version_before(folder: Repository, count: int) -> None:
    names = range(count)
    folder.write_all({f"n{at:03}.py": f"def name_{at}():\n    return {at}\n" for at in names})
    with Workspace.open(folder.root) as workspace:
        assert workspace.index().parsed == count
    run_sql(folder.root, *OLDER)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("count", [2, 255, 256, 257])
def test_every_file_is_parsed_again(
    folder: Repository, count: int, way: Callable[[Workspace], object]
) -> None:
    """However few or many they are, though none of them changed and one alone may be named."""
    _index_of_the_version_before(folder, count)
    with Workspace.open(folder.root) as workspace:
        way(workspace)
        assert workspace.index().parsed == 0, "nothing is left to parse"
        assert workspace.define("name_1")[0].path == "n001.py"
        assert workspace.gc(dry_run=True).blobs in (0, count), "collected, or ready to be"
        assert workspace.doctor() == ()
    versions = (
        "SELECT DISTINCT extractor_version FROM blob WHERE id IN (SELECT blob FROM layer_entry)"
    )
    assert len(run_sql(folder.root, versions)) == 1
    assert run_sql(folder.root, f"{versions} AND checksum IS NULL") == []


def test_the_report_counts_what_was_parsed_again(folder: Repository) -> None:
    _index_of_the_version_before(folder, 5)
    with Workspace.open(folder.root) as workspace:
        report = workspace.index()
        assert (report.parsed, report.files) == (5, 5)
        assert workspace.index().parsed == 0
