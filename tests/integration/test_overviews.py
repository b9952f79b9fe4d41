"""An overview is answered by what belongs to its matter, too."""

from codecairn import Workspace
from codecairn.memory.memory import Memory
from support.repository import Repository

_SAID = [
    ("s1", "The shop: its colours are to be bright, and the shop is to be small."),
    ("s2", "It keeps rows in PostgreSQL, the database of the shop, by an ORM."),
    ("s3", "The shop has chairs, and the shop is open late."),
]


def _sessions(memory: Memory, question: str, *, limit: int) -> list[str]:
    hits = memory.recall(question, limit=limit, kinds=["event"], evidence=0)
    return [hit.event.session for hit in hits if hit.event is not None]


def test_what_belongs_to_the_matter_comes_first_in_an_overview(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        for session, text in _SAID:
            workspace.memory.record(session, text, role="user")
        question = "What is the complete tech stack of the shop?"
        assert _sessions(workspace.memory, question, limit=3)[0] == "s2"
        assert _sessions(workspace.memory, question, limit=1) == ["s2"]
        about_one_thing = "What is the tech stack of the shop?"
        assert _sessions(workspace.memory, about_one_thing, limit=3)[0] != "s2"


def test_how_likely_it_answers_is_told_by_the_question_alone(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        workspace.memory.record("s", "The shop keeps rows in PostgreSQL, its database.")
        (alone,) = workspace.memory.recall("the shop's rows", kinds=["event"])
        (overview,) = workspace.memory.recall("the shop's rows, overall", kinds=["event"])
        (matter,) = workspace.memory.recall("the shop's rows, overall tests", kinds=["event"])
        assert overview.evidence == alone.evidence
        assert matter.evidence < alone.evidence
