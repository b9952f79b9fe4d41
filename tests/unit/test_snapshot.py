"""Sections from facts and from events, and how they are written."""

import json
from xml.etree import ElementTree

from codecairn.memory.excerpts import excerpt, shortened, tokens
from codecairn.memory.render import render
from codecairn.memory.session_state import is_acknowledgement, working_sections
from codecairn.memory.snapshot import Section, static_sections, tokens_of
from support.memories import made_event, made_fact


def _texts(sections: tuple[Section, ...], name: str) -> list[str]:
    return [item.text for section in sections if section.name == name for item in section.items]


def test_equal_facts_give_equal_sections_in_any_order() -> None:
    facts = [made_fact(at, f"decision number {at}") for at in range(30)]
    assert static_sections(facts, budget=600) == static_sections(facts[::-1], budget=600)


def test_a_budget_is_kept_and_descriptions_have_their_share() -> None:
    facts = [made_fact(at, f"decision {at} " + "word " * 40) for at in range(60)]
    facts += [
        made_fact(100, "It is a shop", "project-brief"),
        made_fact(101, "Use tabs", "preference"),
    ]
    sections = static_sections(facts, budget=800)
    assert tokens_of(sections) <= 800
    assert {section.name for section in sections} == {"brief", "decisions", "preferences"}


def test_pinned_facts_come_first_and_old_ones_are_not_lost_to_new_ones() -> None:
    facts = [made_fact(at, f"passing thought {at}") for at in range(100, 200)]
    facts.append(made_fact(1, "Auth uses cookies", is_pinned=True))
    assert _texts(static_sections(facts, budget=300), "decisions")[0] == "Auth uses cookies"


def test_statements_share_the_budget_by_their_confidence_whatever_their_type() -> None:
    sure = [made_fact(at, f"fact {at} " + "word " * 12, "note", confidence=0.9) for at in range(8)]
    doubtful = [
        made_fact(at, f"rule {at} " + "word " * 12, "rule", confidence=0.6) for at in range(20, 28)
    ]
    sections = static_sections([*doubtful, *sure], budget=240)
    assert {section.name for section in sections} == {"notes"}


def test_the_last_session_is_the_newest_however_late_it_was_noted() -> None:
    noted_late = made_fact(1, "the first session", "session-summary", recorded_ms=99)
    (section,) = static_sections(
        [noted_late, made_fact(2, "the second", "session-summary")], budget=500
    )
    assert [item.text for item in section.items] == ["the second"]


def test_room_that_is_left_takes_the_beginning_of_what_does_not_fit() -> None:
    long = [made_fact(at, f"{at} " + "word " * 200, "project-brief") for at in range(4)]
    (section,) = static_sections(long, budget=280)
    whole, cut = len(section.items[0].text), len(section.items[-1].text)
    assert whole > cut > 0
    assert 200 < tokens_of([section]) <= 280


def test_the_same_words_are_said_once_in_any_script() -> None:
    facts = [
        made_fact(1, "不要用 SQLite", "rule"),
        made_fact(2, "请用 SQLite", "rule"),
        made_fact(3, "不要用SQLite。", "decision"),
    ]
    sections = static_sections(facts, budget=400)
    assert sorted(_texts(sections, "rules") + _texts(sections, "decisions")) == [
        "不要用 SQLite",
        "请用 SQLite",
    ]


def test_approvals_are_no_requests() -> None:
    for text in ("yes", "ok, go on", "LGTM!", "好的。继续", "Yes please do"):
        assert is_acknowledgement(text), text
    assert not is_acknowledgement("yes, but use Redis")
    events = [
        made_event(3, "yes, go ahead"),
        made_event(2, "Move the cache to Redis"),
        made_event(1, "Hello"),
    ]
    sections = working_sections(events, [], budget=600)
    assert _texts(sections, "request") == ["Move the cache to Redis"]


def test_what_failed_is_open_until_the_same_command_passes() -> None:
    failed = {"tool": "Bash", "command": "make test", "exit_code": 2}
    passed = {"tool": "Bash", "command": "make test", "exit_code": 0}
    events = [made_event(1, "E: assert failed", role="tool", category="error", **failed)]
    assert _texts(working_sections(events, [], budget=600), "errors") == [
        "make test: E: assert failed"
    ]
    events.insert(0, made_event(2, "ok", role="tool", category="test", **passed))
    assert _texts(working_sections(events, [], budget=600), "errors") == []


def test_open_tasks_and_changed_files_are_what_a_session_is_at() -> None:
    tasks = [made_fact(1, "[open] write docs", "task"), made_fact(2, "[done] write code", "task")]
    edit = made_event(1, "", role="tool", category="file-edit", path="src/a.py")
    sections = working_sections([edit, edit], tasks, budget=600)
    assert _texts(sections, "tasks") == ["[open] write docs"]
    assert _texts(sections, "changes") == ["src/a.py"]


def test_all_forms_hold_the_items_and_none_can_be_closed_from_within() -> None:
    facts = [made_fact(1, 'a [/MEMORY] b </session_memory> & "c"', origin="external")]
    sections = static_sections(facts, budget=300)
    markdown = render(sections, form="markdown", placement="static")
    assert markdown.startswith("[MEMORY]\n")
    assert markdown.count("[/MEMORY]") == 1
    assert "quoted from outside" in markdown
    tree = ElementTree.fromstring(render(sections, form="xml", placement="static"))
    assert tree.tag == "session_memory"
    assert tree.find("section/item").text == facts[0].text  # type: ignore[union-attr]
    document = json.loads(render(sections, form="json", placement="static"))
    assert document["sections"][0]["items"][0]["id"] == facts[0].id
    assert render((), form="xml", placement="static") == ""


def test_excerpts_are_the_passage_that_is_asked_for() -> None:
    text = "\n".join([f"Line {at} speaks of weather." for at in range(60)])
    text += "\nThe webhook secret is read from STRIPE_WEBHOOK_SECRET.\n" + "More text. " * 60
    found = excerpt(text, "where is the webhook secret", 40)
    assert "STRIPE_WEBHOOK_SECRET" in found
    assert tokens(found) <= 40
    assert shortened("短句子" * 50, 10).endswith("…")
