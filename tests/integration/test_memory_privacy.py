"""Private records are returned only to callers that ask for them."""

import time
from collections.abc import Callable, Iterator

import pytest

from codecairn import Workspace
from codecairn.memory.explanation import why
from codecairn.memory.memory import Memory
from support.repository import Repository

PRIVATE = ("private",)
PUBLIC_WORD, PRIVATE_WORD = "kestrel", "zanzibar"
TESTS = "pytest -q tests/test_lamp.py"

Reader = Callable[..., object]


@pytest.fixture
def workspace(folder: Repository) -> Iterator[Workspace]:
    """A memory in which everything occurs twice: for all, and private."""
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        _say(memory, "s", PRIVATE_WORD, privacy_tags=PRIVATE)
        _say(memory, "s", PUBLIC_WORD)
        _say(memory, "s", f"{PRIVATE_WORD} again", privacy_tags=PRIVATE)
        _say(memory, "p", PRIVATE_WORD, privacy_tags=PRIVATE)
        for word, tags in ((PUBLIC_WORD, ()), (PRIVATE_WORD, PRIVATE)):
            for kind in ("rule", "note"):
                memory.add(f"The lamp of the {word} is a {kind}", type=kind, privacy_tags=tags)
        yield workspace


def _say(memory: Memory, session: str, word: str, **fields: object) -> None:
    memory.record(session, f"Why is the lamp of the {word} out?", role="user", **fields)
    memory.record(session, f"We decided to mend the {word} lamp.", role="assistant", **fields)


def _middle(memory: Memory) -> str:
    """A public event between private ones."""
    return next(event.id for event in memory.events() if event.role == "user")


ASKED: dict[str, Reader] = {
    "facts by a question": lambda memory, **flags: memory.recall(
        "lamp", kinds=["fact"], evidence=0.0, limit=50, **flags
    ),
    "events by a question": lambda memory, **flags: memory.recall(
        "lamp", kinds=["event"], evidence=0.0, limit=50, **flags
    ),
    "what was today": lambda memory, **flags: memory.recall(
        "what lamp was out today", evidence=0.0, limit=50, **flags
    ),
    "of one session": lambda memory, **flags: memory.recall(
        "lamp", kinds=["event"], session="s", evidence=0.0, limit=50, **flags
    ),
    "in all projects": lambda memory, **flags: memory.recall(
        "lamp", all_projects=True, evidence=0.0, limit=50, **flags
    ),
    "a complete list": lambda memory, **flags: memory.recall("list all rules", **flags),
    "a list": lambda memory, **flags: memory.list(**flags),
    "a list of a type": lambda memory, **flags: memory.list(types=["rule"], **flags),
    "a list of all projects": lambda memory, **flags: memory.list(all_projects=True, **flags),
    "history": lambda memory, **flags: memory.list(with_history=True, **flags),
    "a moment": lambda memory, **flags: memory.list(as_of="2100-01-01", **flags),
    "the log": lambda memory, **flags: memory.events(**flags),
    "the log of a session": lambda memory, **flags: memory.events(session="s", **flags),
    "a timeline": lambda memory, **flags: memory.timeline(_middle(memory), **flags),
    "JSON": lambda memory, **flags: memory.export(**flags),
    "CSV": lambda memory, **flags: memory.export(format="csv", **flags),
    "Markdown": lambda memory, **flags: memory.export(format="markdown", **flags),
    "one session's file": lambda memory, **flags: memory.upkeep.export_session("s", **flags),
    "activity": lambda memory, **flags: memory.upkeep.activity(**flags),
}


@pytest.mark.parametrize("name", list(ASKED))
def test_private_records_are_read_by_those_who_ask_for_them_alone(
    workspace: Workspace, name: str
) -> None:
    usual = str(ASKED[name](workspace.memory))
    assert PUBLIC_WORD in usual
    assert PRIVATE_WORD not in usual
    asked = str(ASKED[name](workspace.memory, with_private=True))
    assert PUBLIC_WORD in asked
    assert PRIVATE_WORD in asked


def _why(memory: Memory) -> object:
    return why(memory, _middle(memory), query="lamp")


NEVER: dict[str, Reader] = {
    "the static part": lambda memory: memory.context("s", part="static").text,
    "an answer to a prompt": lambda memory: (
        memory.context("new", "What did we decide to mend?").text
    ),
    "what compaction leaves": lambda memory: memory.context("s", part="compaction").text,
    "titles of sessions": lambda memory: memory.sessions(),
    "a session's title": lambda memory: memory.session("s"),
    "a summary": lambda memory: memory.get(memory.upkeep.summarise("s") or ""),
    "why": _why,
}


@pytest.mark.parametrize("name", list(NEVER))
def test_private_records_are_never_put_before_an_agent(workspace: Workspace, name: str) -> None:
    text = str(NEVER[name](workspace.memory))
    assert PUBLIC_WORD in text
    assert PRIVATE_WORD not in text


def test_what_was_learned_since_a_session_began_leaves_out_what_is_private(
    workspace: Workspace,
) -> None:
    memory = workspace.memory
    memory.context("s", part="static")
    time.sleep(0.005)  # what is recorded within the same millisecond is no news
    memory.add("Fog horns of the zanzibar sound twice", type="rule", privacy_tags=PRIVATE)
    memory.add("Fog horns of the kestrel sound twice", type="rule")
    text = memory.context("s", "and now?").text
    assert "Fog horns of the kestrel" in text
    assert PRIVATE_WORD not in text


def test_a_timeline_counts_what_it_shows(workspace: Workspace) -> None:
    found = workspace.memory.timeline(_middle(workspace.memory), before=5, after=5)
    assert [event.is_private for event in (*found.before, *found.after)] == [False]
    whole = workspace.memory.timeline(
        _middle(workspace.memory), before=5, after=5, with_private=True
    )
    assert (len(whole.before), len(whole.after)) == (2, 5)


def test_a_fact_that_rests_on_a_private_event_is_private(folder: Repository) -> None:
    failure = {"tool": "Bash", "command": TESTS, "exit_code": 1}
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        for session, tags in (("private", PRIVATE), ("public", ())):
            word = PRIVATE_WORD if tags else PUBLIC_WORD
            memory.record(session, f"AssertionError: {word}", privacy_tags=tags, **failure)
            memory.record(session, "changed", tool="Edit", path="lamp.py")
            memory.record(session, "1 passed", **(failure | {"exit_code": 0}))
        # The public failure is reported in full, the private one only on request.
        solutions = [fact.text for fact in memory.list(types=["error-solution"])]
        assert any(PUBLIC_WORD in text for text in solutions)
        assert not any(PRIVATE_WORD in text for text in solutions)
        private = memory.list(types=["error-solution"], with_private=True)
        assert any(PRIVATE_WORD in fact.text for fact in private)


@pytest.mark.parametrize("is_first_private", [True, False])
def test_private_and_public_words_on_one_matter_stay_two_facts(
    folder: Repository, is_first_private: bool
) -> None:
    """Neither says the other again, nor is its next version, nor hides it."""
    texts = ("Auth uses JWT tokens in cookies", "Auth uses JWT tokens in httpOnly cookies")
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        for at, text in enumerate((*texts, texts[1])):
            is_private = (at == 0) == is_first_private
            tags = PRIVATE if is_private else ()
            memory.add(text, type="architecture", origin="agent", privacy_tags=tags)
        visible = {fact.text for fact in memory.list()}
        hidden = {fact.text for fact in memory.list(with_private=True) if fact.is_private}
        expected = ({texts[1]}, {texts[0]}) if is_first_private else ({texts[0]}, {texts[1]})
        assert (visible, hidden) == expected


def test_the_same_statement_is_held_for_all_beside_the_private_one(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        private = memory.add("The lamp is lit at dusk", privacy_tags=PRIVATE)
        public = memory.add("The lamp is lit at dusk")
        assert public.is_new
        assert [fact.id for fact in memory.list()] == [public.id]
        assert not memory.add("The lamp is lit at dusk", privacy_tags=PRIVATE).is_new
        assert {fact.id for fact in memory.list(with_private=True)} == {private.id, public.id}


def test_what_is_private_stays_so_when_it_is_changed(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        id_ = memory.add("The lamp cost a fortune", privacy_tags=PRIVATE).id
        assert memory.update(id_, text="The lamp cost two fortunes", is_pinned=True).is_private
        assert memory.list() == ()
        assert memory.list(with_history=True) == ()


def test_old_summaries_are_condensed_apart(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        for number in range(20):
            for word, tags in ((PUBLIC_WORD, ()), (PRIVATE_WORD, PRIVATE)):
                text = f"## Session\n- Worked on the {word}, part {number}"
                memory.add(text, type="session-summary", origin="agent", privacy_tags=tags)
        visible = memory.list(limit=100)
        private = memory.list(limit=100, with_private=True)
        (condensed,) = [fact for fact in visible if fact.subject]
        assert f"{PUBLIC_WORD}, part 3" in condensed.text
        assert not any(PRIVATE_WORD in fact.text for fact in visible)
        assert not any(PUBLIC_WORD in fact.text for fact in private if fact.is_private)


def test_what_is_private_stays_so_on_its_way_to_another_memory(
    workspace: Workspace, repository: Repository
) -> None:
    document = workspace.memory.export(with_private=True)
    with Workspace.open(repository.root) as other:
        other.memory.import_(document)
        shown = str((other.memory.list(limit=99), other.memory.events(limit=99)))
        assert PUBLIC_WORD in shown
        assert PRIVATE_WORD not in shown
        whole = str(other.memory.events(limit=99, with_private=True))
        assert PRIVATE_WORD in whole
