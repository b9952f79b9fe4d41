"""Which files of an index git does not track."""

from codecairn.graph.untracked import untracked
from support.repository import Repository


def test_files_of_deep_folders_are_found_and_those_of_inner_repositories_are_not(
    repository: Repository,
) -> None:
    repository.write("tracked.py", "a = 1\n")
    repository.commit()
    (repository.root / "inner" / ".git").mkdir(parents=True)
    deep = "/".join("d" * 3_000) + "/a.py"
    indexed = ["tracked.py", "new.py", "inner/a.py", "inner/sub/a.py", deep]
    assert untracked(repository.root, indexed) == ["new.py", deep]
