"""What a question asks in addition to its words."""

from datetime import datetime, timezone

import pytest

from codecairn.memory.question_analysis import profile_of, read_question

NOW = datetime(2026, 3, 11, 15, 30, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("text", "types", "about"),
    [
        ("list all decisions", ("decision",), ""),
        ("List all decisions about caching", ("decision",), "caching"),
        ("please show me every preference", ("preference",), ""),
        ("enumerate the rules", ("rule",), ""),
        ("give me all open tasks", ("task",), ""),
        ("all session summaries", ("session-summary",), ""),
        ("列出所有决定", ("decision",), ""),
        ("所有的规则", ("rule",), ""),
    ],
)
def test_complete_lists_are_told_by_their_words(
    text: str, types: tuple[str, ...], about: str
) -> None:
    asked = read_question(text, now=NOW)
    assert (asked.is_list, asked.types, asked.text) == (True, types, about)


@pytest.mark.parametrize("text", ["list the files", "what did we decide about lists", "show me"])
def test_other_questions_ask_for_no_list(text: str) -> None:
    assert not read_question(text, now=NOW).is_list


def test_a_list_may_be_of_a_time() -> None:
    asked = read_question("list all decisions since Monday", now=NOW)
    assert asked.types == ("decision",)
    assert asked.since is not None


def test_overviews_and_the_present_are_told_at_word_boundaries() -> None:
    assert read_question("how is Redis used across all features", now=NOW).is_overview
    assert not read_question("how are calls balled up", now=NOW).is_overview
    assert read_question("which port do we use now", now=NOW).is_about_now
    assert not read_question("what do we know", now=NOW).is_about_now
    assert read_question("目前用哪个端口", now=NOW).is_about_now


def test_only_an_overview_asks_for_what_belongs_to_its_matter() -> None:
    assert "Docker" in read_question("what is the complete deployment", now=NOW).belonging
    assert read_question("how long does a deployment take", now=NOW).belonging == ""
    assert read_question("what are all the colours", now=NOW).belonging == ""


def test_a_date_may_be_what_the_question_is_about() -> None:
    asked = read_question("what broke the login on March 5", now=NOW)
    assert asked.since is None
    assert asked.around is not None
    assert asked.text == "what broke the login on March 5"
    everything = read_question("what happened on March 5", now=NOW)
    assert everything.is_all
    assert everything.since is not None


@pytest.mark.parametrize(
    ("question", "profile"),
    [
        ("the latest prefix", "daily"),
        ("special relationship", "daily"),
        ("fix the crash in the parser", "bugs"),
        ("登录报错了", "bugs"),
        ("how is this project organized", "onboarding"),
        ("学习这个项目", "onboarding"),
        ("add a route for orders", "implementation"),
        ("实现一个缓存", "implementation"),
        ("which port does the api use", "daily"),
    ],
)
def test_profiles_are_told_by_whole_words(question: str, profile: str) -> None:
    assert profile_of(question) == profile
