"""Team memory: lines that travel with commits, merge by taking both sides, and never carry what is private."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.core.types.memory import Fact
from codecairn.errors import UsageError
from codecairn.memory.team import record_file
from support.repository import Repository


@pytest.fixture
def ann(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workspace in a repository with a first commit."""
    repository.write("a.py", "x = 1\n")
    repository.commit("first")
    with Workspace.open(repository.root) as workspace:
        yield workspace


def _clone(source: Path, target: Path, memory: Path) -> Workspace:
    """Somebody else's clone, with a memory of their own."""
    Repository(source).git("clone", "-q", str(source), str(target))
    return Workspace.open(target, settings={"memory.path": str(memory)})


def _folder(workspace: Workspace) -> Path:
    return workspace.root / ".codecairn" / "memory"


def _texts(workspace: Workspace) -> set[str]:
    return {fact.text for fact in workspace.memory.list()}


def test_what_is_promoted_is_seen_by_git_and_reaches_others(
    ann: Workspace, repository: Repository, tmp_path: Path
) -> None:
    id_ = ann.memory.add("Releases are cut on Fridays", type="rule", tags=["release"]).id
    report = ann.memory.upkeep.team.promote([id_])
    assert (report.shared, report.promoted) == (1, (id_,))
    ann.index()
    status = repository.git("status", "--porcelain", "--untracked-files=all")
    assert sorted(line[3:] for line in status.splitlines()) == [
        ".codecairn/memory/.gitattributes",
        ".codecairn/memory/rule.jsonl",
    ]
    repository.commit("share")
    with _clone(repository.root, tmp_path / "bob", tmp_path / "bob.db") as bob:
        assert bob.memory.upkeep.team.take_in(dry_run=True).added == 1
        assert _texts(bob) == set()
        assert bob.memory.upkeep.team.take_in().added == 1
        (fact,) = bob.memory.list()
        assert (fact.text, fact.type, fact.scope) == (
            "Releases are cut on Fridays",
            "rule",
            "project",
        )
        assert "release" in fact.tags
        assert bob.memory.upkeep.team.take_in().added == 0


def test_trust_does_not_grow_on_the_way(
    ann: Workspace, repository: Repository, tmp_path: Path
) -> None:
    id_ = ann.memory.add("Keys live in the vault", type="rule", origin="user", is_pinned=True).id
    ann.memory.upkeep.team.promote([id_])
    repository.commit("share")
    with _clone(repository.root, tmp_path / "bob", tmp_path / "bob.db") as bob:
        bob.memory.upkeep.team.take_in()
        (fact,) = bob.memory.list()
        assert (fact.origin, fact.is_pinned) == ("repository", False)


def test_what_is_demoted_is_hidden_by_others_and_kept_by_who_said_it(
    ann: Workspace, repository: Repository, tmp_path: Path
) -> None:
    id_ = ann.memory.add("Releases are cut on Fridays", type="rule").id
    team = ann.memory.upkeep.team
    team.promote([id_])
    repository.commit("share")
    with _clone(repository.root, tmp_path / "bob", tmp_path / "bob.db") as bob:
        bob.memory.upkeep.team.take_in()
        assert ann.memory.upkeep.team.demote([id_]).shared == 0
        repository.commit("take back")
        Repository(bob.root).git("pull", "-q")
        assert bob.memory.upkeep.team.take_in().ended == 1
        assert _texts(bob) == set()
        assert _texts(ann) == {"Releases are cut on Fridays"}
        ann.memory.upkeep.team.promote([id_])
        repository.commit("share again")
        Repository(bob.root).git("pull", "-q")
        bob.memory.upkeep.team.take_in()
        assert _texts(bob) == {"Releases are cut on Fridays"}


@pytest.mark.parametrize("ending", ["demoted", "replaced"])
def test_what_the_team_takes_back_is_ended_unless_it_is_pinned_here(
    ann: Workspace, repository: Repository, tmp_path: Path, ending: str
) -> None:
    texts = ("Releases are cut on Fridays", "Keys live in the vault", "Logs are kept for a week")
    ids = [ann.memory.add(text, type="rule").id for text in texts]
    ann.memory.upkeep.team.promote(ids)
    repository.commit("share")
    with _clone(repository.root, tmp_path / "bob", tmp_path / "bob.db") as bob:
        bob.memory.upkeep.team.take_in()
        own = bob.memory.add("Tests run twice", type="rule").id
        pinned = next(fact.id for fact in bob.memory.list() if fact.text == texts[0])
        bob.memory.update(pinned, is_pinned=True)
        if ending == "demoted":
            ann.memory.upkeep.team.demote(ids[:2])
        else:
            for id_, text in zip(ids[:2], texts[:2], strict=True):
                ann.memory.update(id_, text=f"{text} no more")
            ann.memory.upkeep.team.promote(ids[:2])
        repository.commit("take back")
        Repository(bob.root).git("pull", "-q")
        assert bob.memory.upkeep.team.take_in(dry_run=True).ended == 1
        assert bob.memory.upkeep.team.take_in().ended == 1
        assert {pinned, own} <= {fact.id for fact in bob.memory.list()}
        assert texts[0] in _texts(bob)
        assert texts[1] not in _texts(bob)
        assert texts[2] in _texts(bob)
        assert bob.memory.upkeep.team.take_in().ended == 0


def test_a_changed_fact_takes_the_place_of_the_older_one(
    ann: Workspace, repository: Repository, tmp_path: Path
) -> None:
    id_ = ann.memory.add("The API listens on 8080", type="project-config").id
    ann.memory.upkeep.team.promote([id_])
    repository.commit("share")
    with _clone(repository.root, tmp_path / "bob", tmp_path / "bob.db") as bob:
        bob.memory.upkeep.team.take_in()
        ann.memory.update(id_, text="The API listens on 9090")
        assert ann.memory.upkeep.team.promote([id_]).shared == 1
        repository.commit("change")
        Repository(bob.root).git("pull", "-q")
        bob.memory.upkeep.team.take_in()
        assert _texts(bob) == {"The API listens on 9090"}


def test_two_branches_that_both_share_merge_without_a_conflict(
    ann: Workspace, repository: Repository
) -> None:
    def share(text: str) -> None:
        ann.memory.upkeep.team.promote([ann.memory.add(text, type="rule").id])
        repository.commit(text)

    share("Common ground for both")
    repository.git("checkout", "-qb", "left")
    share("Left says tabs")
    repository.git("checkout", "-q", "-b", "right", "left~1")
    share("Right says spaces")
    repository.git("merge", "-q", "-m", "merge", "left")
    state = record_file.read(_folder(ann))
    assert {record.text for record in state.shared.values()} == {
        "Common ground for both",
        "Left says tabs",
        "Right says spaces",
    }
    assert state.problems == ()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"privacy_tags": ["private"]}, "it is private"),
        ({"scope": "user"}, "it is yours, in all projects"),
        ({"scope": "session", "session": "s"}, "it holds in one session only"),
        ({"scope": "branch"}, "it holds in one branch only"),
        ({"origin": "external"}, "it was said by outsiders"),
        *(
            ({"type": kind}, "says what happened")
            for kind in ("session-summary", "conversation", "file-activity", "active-context")
        ),
    ],
)
def test_what_is_not_for_others_is_refused(
    ann: Workspace, fields: dict[str, object], reason: str
) -> None:
    id_ = ann.memory.add("A statement of some kind", **fields).id  # type: ignore[arg-type]
    good = ann.memory.add("For everybody", type="rule").id
    with pytest.raises(UsageError, match=reason):
        ann.memory.upkeep.team.promote([good, id_])
    assert not _folder(ann).exists()


def test_persons_and_their_folders_do_not_travel(ann: Workspace) -> None:
    id_ = ann.memory.add("Ask ann@example.com; logs lie in /home/ann/logs", type="note").id
    ann.memory.upkeep.team.promote([id_])
    text = (_folder(ann) / "note.jsonl").read_text(encoding="utf-8")
    assert "ann" not in text
    assert ann.memory.upkeep.team.take_in().added == 0
    assert ann.memory.upkeep.team.demote([id_]).shared == 0


def test_lines_that_are_none_are_named_and_the_rest_is_read(ann: Workspace) -> None:
    id_ = ann.memory.add("A good line of some length", type="rule").id
    ann.memory.upkeep.team.promote([id_])
    path = _folder(ann) / "rule.jsonl"
    good = path.read_text(encoding="utf-8")
    changed = json.loads(good) | {"text": "A line that somebody changed"}
    path.write_text(
        f'<<<<<<< HEAD\n{good}=======\n{{broken\n[1]\n{json.dumps(changed)}\n{{"type": "rule"}}\n{good}',
        encoding="utf-8",
    )
    report = ann.memory.upkeep.team.take_in()
    assert report.shared == 1
    assert [
        (problem.where, problem.what.partition(":")[0].partition(",")[0])
        for problem in report.problems
    ] == [
        ("rule.jsonl line 1", "a mark of a merge that was not finished"),
        ("rule.jsonl line 3", "a mark of a merge that was not finished"),
        ("rule.jsonl line 4", "it is no JSON"),
        ("rule.jsonl line 5", "it is no object"),
        ("rule.jsonl line 6", "its id is not the hash of what it says"),
        ("rule.jsonl line 7", "it has no text"),
    ]


def test_the_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    record = record_file.Shared(text="Once more", type="rule", at_ms=2)
    rows = [
        {"id": record.id, "type": "rule", "text": "Once more", "at_ms": 1},
        {"tombstone": record.id, "at_ms": 2},
        {"id": record.id, "type": "rule", "text": "Once more", "at_ms": 2},
    ]
    for at, order in enumerate(((0, 1, 2), (2, 1, 0), (1, 2, 0))):
        folder = tmp_path / str(at)
        folder.mkdir()
        (folder / "rule.jsonl").write_text("\n".join(json.dumps(rows[row]) for row in order))
        state = record_file.read(folder)
        assert (set(state.shared), state.withdrawn) == (set(), {record.id})


def test_what_one_forgot_stays_forgotten(
    ann: Workspace, repository: Repository, tmp_path: Path
) -> None:
    ann.memory.upkeep.team.promote([ann.memory.add("Not my opinion at all", type="rule").id])
    repository.commit("share")
    with _clone(repository.root, tmp_path / "bob", tmp_path / "bob.db") as bob:
        bob.memory.upkeep.team.take_in()
        (fact,) = bob.memory.list()
        assert isinstance(fact, Fact)
        bob.memory.forget(fact.id)
        assert bob.memory.upkeep.team.take_in().added == 0
        assert _texts(bob) == set()
