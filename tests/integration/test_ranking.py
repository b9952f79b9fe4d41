"""Which of several files that all fit comes first, and what the explanation says of it."""

from codecairn import Hit, Workspace
from support.repository import Repository

QUEUE = '''"""The queue of jobs."""


def enqueue(job: str) -> str:
    """Put a job into the queue of jobs."""
    return job
'''


def ranked(repository: Repository, query: str) -> dict[str, Hit]:
    """The hits by path, best first."""
    with Workspace.open(repository.root) as workspace:
        return {hit.path: hit for hit in workspace.search(query, explain=True)}


def value(hit: Hit, feature: str) -> float:
    (part,) = (part for part in hit.contributions if part.feature == feature)
    return part.value


def test_of_equal_files_the_one_that_others_speak_of_is_first(repository: Repository) -> None:
    repository.write_all({"jobs/conveyor.py": QUEUE, "jobs/backlog.py": QUEUE})
    uses = {
        f"app/part_{at}.py": f"import conveyor\n\n\ndef part_{at}():\n    return conveyor\n"
        for at in range(6)
    }
    repository.write_all(uses)
    hits = ranked(repository, "put a job into the queue")
    assert next(iter(hits)) == "jobs/conveyor.py"
    assert value(hits["jobs/conveyor.py"], "mentions") > value(hits["jobs/backlog.py"], "mentions")


def test_namesakes_share_what_is_said_of_them(repository: Repository) -> None:
    repository.write_all(
        {
            "a/conveyor.py": QUEUE,
            "b/conveyor.py": QUEUE,
            "jobs/backlog.py": QUEUE,
            "app/one.py": "import conveyor, backlog\n",
        }
    )
    hits = ranked(repository, "put a job into the queue")
    assert value(hits["a/conveyor.py"], "mentions") == value(hits["b/conveyor.py"], "mentions")
    assert value(hits["jobs/backlog.py"], "mentions") > value(hits["a/conveyor.py"], "mentions")


def test_copies_tests_and_other_platforms_come_after_the_source(repository: Repository) -> None:
    others = ("tests/test_queue.py", "dist/queue.py", "jobs/deprecated/queue.py", "jobs/queue.py")
    repository.write_all(dict.fromkeys(others, QUEUE))
    hits = ranked(repository, "put a job into the queue")
    assert next(iter(hits)) == "jobs/queue.py"
    for feature, path in (
        ("test", "tests/test_queue.py"),
        ("copied", "dist/queue.py"),
        ("legacy", "jobs/deprecated/queue.py"),
    ):
        assert value(hits[path], feature) == 1
        assert value(hits["jobs/queue.py"], feature) == 0


def test_every_part_is_its_value_times_the_weight_and_they_add_up(repository: Repository) -> None:
    repository.write_all({"jobs/queue.py": QUEUE, "jobs/other.py": "def other():\n    return 1\n"})
    hit = next(iter(ranked(repository, "put a job into the queue").values()))
    assert abs(sum(part.part for part in hit.contributions) - hit.score) < 1e-4


RUST = """/// Opens the valve a little.
pub fn open_valve(turns: u32) -> u32 {
    turns + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_valve_opens_the_valve_a_little_and_the_valve_stays_open() {
        // opens the valve a little: the valve is open
        assert_eq!(open_valve(1), 2, "open the valve a little");
    }
}
"""


def test_a_test_comes_after_what_it_tests_in_the_same_file(repository: Repository) -> None:
    repository.write_all({"valve.rs": RUST})
    assert ranked(repository, "open the valve a little")["valve.rs"].name == "open_valve"
    named = ranked(repository, "open_valve_opens_the_valve_a_little_and_the_valve_stays_open")
    assert named["valve.rs"].name.startswith("tests.open_valve_opens")
