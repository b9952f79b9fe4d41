"""For whom a fact holds: the user, a project, a branch; and for nobody else."""

from collections.abc import Callable, Iterator

import pytest

from codecairn import Workspace
from codecairn.memory.memory import Memory
from support.repository import Repository

Reader = Callable[[Memory], object]


@pytest.fixture
def here(folder: Repository) -> Iterator[Workspace]:
    """A project in which everything is of herons."""
    with Workspace.open(folder.root) as workspace:
        workspace.memory.record("s", "We decided to feed the heron daily.", role="user")
        workspace.memory.add("The heron is a rule of the project", type="rule")
        workspace.memory.add("The heron holds in one session", scope="session", session="s")
        workspace.memory.add("The heron holds on one branch", scope="branch")
        workspace.memory.add("The ibis is what I like", type="preference")
        workspace.memory.add("The ibis is a rule of mine", type="rule", scope="user")
        yield workspace


@pytest.fixture
def elsewhere(here: Workspace, repository: Repository) -> Iterator[Workspace]:
    """Another project of the same user."""
    with Workspace.open(repository.root) as workspace:
        workspace.memory.record("s", "Where does the stork live?", role="user")
        yield workspace


READERS: dict[str, Reader] = {
    "a list": lambda memory: memory.list(),
    "a list of a type": lambda memory: memory.list(types=["rule", "note", "preference"]),
    "history": lambda memory: memory.list(with_history=True),
    "a moment": lambda memory: memory.list(as_of="2100-01-01"),
    "recall": lambda memory: memory.recall("heron ibis rule", evidence=0.0, limit=50),
    "a complete list": lambda memory: memory.recall("list all rules"),
    "the static part": lambda memory: memory.context("s", part="static").text,
    "an export": lambda memory: memory.export(),
    "activity": lambda memory: memory.upkeep.activity(),
}


@pytest.mark.parametrize("name", list(READERS))
def test_the_users_own_facts_are_read_in_all_projects_and_no_other(
    here: Workspace, elsewhere: Workspace, name: str
) -> None:
    assert "ibis" in str(READERS[name](elsewhere.memory))
    assert "heron" not in str(READERS[name](elsewhere.memory))
    own = str(READERS[name](here.memory))
    assert "ibis" in own
    assert "heron" in own


@pytest.mark.parametrize(
    "read",
    [
        lambda memory: memory.events(),
        lambda memory: memory.events(session="s"),
        lambda memory: memory.recall("heron stork", kinds=["event"], evidence=0.0),
        lambda memory: memory.recall("heron stork", kinds=["event"], evidence=0.0, since="1d"),
        lambda memory: memory.timeline(memory.events()[0].id),
        lambda memory: memory.sessions(),
        lambda memory: memory.session("s"),
    ],
)
def test_events_and_sessions_are_of_their_project_alone(
    here: Workspace, elsewhere: Workspace, read: Reader
) -> None:
    found = str(read(elsewhere.memory))
    assert "stork" in found
    assert "heron" not in found
    found = str(read(here.memory))
    assert "heron" in found
    assert "stork" not in found


def test_who_asks_for_all_projects_reads_all(here: Workspace, elsewhere: Workspace) -> None:
    assert "heron" in str(elsewhere.memory.list(all_projects=True))
    for kind in ("fact", "event"):
        found = elsewhere.memory.recall("heron", kinds=[kind], all_projects=True, evidence=0.0)
        assert "heron" in str(found)


@pytest.mark.parametrize("scope", ["user", "project", "branch", "session"])
def test_a_scope_that_is_asked_for_is_answered_by_itself(here: Workspace, scope: str) -> None:
    for found in (
        here.memory.list(scopes=[scope]),
        [each.fact for each in here.memory.recall("heron ibis", scopes=[scope], evidence=0.0)],
    ):
        assert {fact.scope for fact in found if fact is not None} == {scope}


VALUES = [
    {"text": "The lamp is lit at {0} sharp", "subject": "lamp", "predicate": "time"},
    {"text": "The API server listens on port 80{0}", "type": "project-config"},
    {"text": "The work is {0} percent done", "type": "progress"},
    {"text": "The same statement"},
]
"""What a newer one of its kind ends or says again: by its subject, its value, its type, its text."""

IDS = ["subject", "value", "singleton", "statement"]


def _add(memory: Memory, value: dict[str, str], number: int, **fields: object) -> str:
    told = value | {"text": value["text"].format(number)}
    return memory.add(**told, origin="agent", **fields).id  # type: ignore[arg-type]


@pytest.mark.parametrize("value", VALUES, ids=IDS)
def test_a_fact_ends_those_of_its_own_project_alone(
    folder: Repository, repository: Repository, value: dict[str, str]
) -> None:
    with Workspace.open(folder.root) as one, Workspace.open(repository.root) as other:
        theirs = _add(other.memory, value, 10)
        _add(one.memory, value, 20)
        newest = _add(one.memory, value, 30)
        assert [fact.id for fact in one.memory.list()] == [newest]
        assert [fact.id for fact in other.memory.list()] == [theirs]


@pytest.mark.parametrize("value", VALUES, ids=IDS)
def test_a_fact_ends_those_of_its_own_scope_alone(
    folder: Repository, value: dict[str, str]
) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        for scope in ("user", "project", "branch", "session"):
            _add(memory, value, 10, scope=scope)
            _add(memory, value, 20, scope=scope)
        assert sorted(fact.scope for fact in memory.list()) == [
            "branch",
            "project",
            "session",
            "user",
        ]


@pytest.mark.parametrize("value", VALUES, ids=IDS)
def test_a_fact_of_a_branch_ends_those_of_its_branch_alone(
    repository: Repository, value: dict[str, str]
) -> None:
    repository.commit("first")
    with Workspace.open(repository.root) as workspace:
        memory = workspace.memory
        of_main = _add(memory, value, 10, scope="branch")
        repository.git("checkout", "-q", "-b", "feature")
        _add(memory, value, 20, scope="branch")
        of_feature = _add(memory, value, 30, scope="branch")
        assert {fact.id: fact.branch for fact in memory.list()} == {
            of_main: "main",
            of_feature: "feature",
        }


@pytest.mark.parametrize("value", VALUES, ids=IDS)
def test_a_fact_of_the_project_ends_those_of_all_its_branches(
    repository: Repository, value: dict[str, str]
) -> None:
    repository.commit("first")
    with Workspace.open(repository.root) as workspace:
        _add(workspace.memory, value, 10)
        repository.git("checkout", "-q", "-b", "feature")
        newest = _add(workspace.memory, value, 20)
        assert [fact.id for fact in workspace.memory.list()] == [newest]


def test_of_two_equal_answers_the_one_of_a_foreign_branch_comes_last(
    repository: Repository,
) -> None:
    repository.commit("first")
    with Workspace.open(repository.root) as workspace:
        memory = workspace.memory
        here = memory.add("The harbour lamp is green").id
        repository.git("checkout", "-q", "-b", "feature")
        repository.commit("on the branch")
        there = memory.add("The harbour lamp is green", scope="session").id

        def found() -> list[tuple[str, str]]:
            answers = memory.recall("harbour lamp green", kinds=["fact"])
            return [(each.id, each.standing.branch) for each in answers]

        assert found() == [(there, "here"), (here, "merged")]
        repository.git("checkout", "-q", "main")
        assert found() == [(here, "here"), (there, "unmerged")]


@pytest.mark.parametrize(
    ("command", "state"),
    [
        (("branch", "feature", "{0}"), "unmerged"),
        (("update-ref", "refs/remotes/origin/feature", "{0}"), "unmerged"),
        (("tag", "feature", "{0}"), "gone"),
        (("tag", "origin/feature", "{0}"), "gone"),
        (("branch", "other/feature", "{0}"), "gone"),
        (("branch", "feature2", "{0}"), "gone"),
        (("branch", "my-feature", "{0}"), "gone"),
        (("update-ref", "refs/remotes/origin/other/feature", "{0}"), "gone"),
        (("update-ref", "refs/notes/feature", "{0}"), "gone"),
        (("update-ref", "refs/remotes/feature", "{0}"), "gone"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else None,
)
@pytest.mark.parametrize("is_packed", [False, True], ids=["loose", "packed"])
def test_a_branch_lives_as_long_as_a_branch_has_its_name(
    repository: Repository, command: tuple[str, ...], state: str, is_packed: bool
) -> None:
    repository.commit("first")
    repository.git("checkout", "-q", "-b", "feature")
    commit = repository.commit("on the branch")
    with Workspace.open(repository.root) as workspace:
        workspace.memory.add("The cache is retried three times")
        repository.git("checkout", "-q", "main")
        repository.git("branch", "-q", "-D", "feature")
        repository.git(*(part.format(commit) for part in command))
        if is_packed:
            repository.git("pack-refs", "--all")
        (found,) = workspace.memory.recall("cache", kinds=["fact"])
        assert found.standing.branch == state
