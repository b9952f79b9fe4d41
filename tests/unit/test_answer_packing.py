"""What an answer's pieces say of themselves, and which of them fit."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from codecairn.context.answer import Piece
from codecairn.context.answer_packing import code_piece, fitting, header_pieces, memory_piece
from codecairn.core.types.memory import Anchor, AnchorStatus, Looked
from codecairn.memory.excerpts import tokens, words
from support.memories import made_event, made_fact, made_hit, recalled

_DAY_MS = 86_400_000


@pytest.mark.parametrize(
    ("fields", "status", "about"),
    [
        ({}, AnchorStatus(), "decision, 1970-01-02, user"),
        ({"origin": "agent"}, AnchorStatus(), "decision, 1970-01-02, agent"),
        ({"branch": "x"}, AnchorStatus(branch="merged"), "decision, 1970-01-02, user"),
        (
            {"branch": "x"},
            AnchorStatus(branch="unmerged"),
            "decision, 1970-01-02, user, branch x not merged yet",
        ),
        (
            {"origin": "external"},
            AnchorStatus(),
            "decision, 1970-01-02, external, quoted from outside",
        ),
    ],
)
def test_a_fact_says_what_it_is_and_where_it_comes_from(
    fields: dict[str, object], status: AnchorStatus, about: str
) -> None:
    fact = made_fact(1, "We use Heron", valid_from_ms=_DAY_MS, **fields)
    piece = memory_piece(recalled(fact, standing=status), "heron")
    text = "> We use Heron" if fact.origin == "external" else "We use Heron"
    assert (piece.part, piece.source, piece.about, piece.text) == ("memory", fact.id, about, text)
    assert piece.tokens == tokens(text) + tokens(fact.id) + tokens(about) + 2


def test_a_fact_whose_code_changed_says_so() -> None:
    was = Anchor(path="a.py", name="f", kind="function", body_hash="", signature_hash="", body="")
    looked = Looked(state="changed", was=was, now=was, place="a.py::f", is_signature_changed=False)
    found = recalled(made_fact(1, "x"), standing=AnchorStatus(looked=(looked,)))
    about = memory_piece(found, "x").about
    assert about.startswith("decision, 1970-01-01, user, ")
    assert "a.py" in about


def test_an_event_says_who_when_and_in_which_session() -> None:
    piece = memory_piece(recalled(made_event(7, "run the tests", ts_ms=_DAY_MS)), "tests")
    assert (piece.source, piece.about, piece.text) == (
        "E7",
        "user, 1970-01-02, session s",
        "run the tests",
    )
    quoted = memory_piece(recalled(made_event(7, "run the tests", origin="external")), "tests")
    assert quoted.text == "> run the tests"


def test_a_header_has_what_the_project_is_before_its_rules() -> None:
    types = ["rule", "tech-context", "project-config", "project-brief"]
    facts = [
        (made_fact(at, f"number {at}", type_), AnchorStatus()) for at, type_ in enumerate(types)
    ]
    pieces = header_pieces(facts, max_tokens=1000)
    assert [piece.text for piece in pieces] == ["number 3", "number 2", "number 1", "number 0"]
    assert {piece.part for piece in pieces} == {"header"}
    (outside,) = header_pieces(
        [(made_fact(1, "x", "rule", origin="external"), AnchorStatus())], max_tokens=1000
    )
    assert outside.text == "> x"


def _cost(count: int) -> str:
    """A text of so many tokens."""
    return next("x" * length for length in range(1, 9999) if tokens("x" * length) == count)


@pytest.mark.parametrize(("count", "is_whole"), [(80, True), (81, False)])
def test_a_header_shows_eighty_tokens_of_a_rule(count: int, is_whole: bool) -> None:
    text = _cost(count)
    (piece,) = header_pieces([(made_fact(1, text, "rule"), AnchorStatus())], max_tokens=1000)
    assert (piece.text == text) is is_whole
    assert tokens(piece.text) <= 80


@pytest.mark.parametrize(("count", "is_whole"), [(140, True), (141, False)])
def test_a_hundred_and_forty_tokens_of_a_memory_are_shown(count: int, is_whole: bool) -> None:
    text = _cost(count)
    piece = memory_piece(recalled(made_fact(1, text)), "x")
    assert (piece.text == text) is is_whole
    assert tokens(piece.text) <= 140


def test_a_long_memory_is_cut_to_what_is_asked() -> None:
    text = ". ".join([*["Nothing of it"] * 90, "Heron is the queue", *["Nothing more"] * 90])
    piece = memory_piece(recalled(made_fact(1, text)), "which queue is Heron")
    assert "Heron is the queue" in piece.text
    with pytest.raises(ValueError, match="neither"):
        memory_piece(recalled(made_fact(1, "x"), fact=None), "x")


def _piece(cost: int) -> Piece:
    return Piece(part="code", source="", about="", text=str(cost), tokens=cost)


@pytest.mark.parametrize(
    ("costs", "limit", "taken"),
    [
        ([50, 50], 100, [50, 50]),
        ([50, 51], 100, [50]),
        # What does not fit is passed over while forty tokens are left.
        ([60, 50, 40], 100, [60, 40]),
        ([61, 50, 39], 100, [61]),
        ([], 100, []),
    ],
)
def test_pieces_that_fit_are_taken_in_order(costs: list[int], limit: int, taken: list[int]) -> None:
    assert [piece.tokens for piece in fitting(map(_piece, costs), limit)] == taken


def test_code_is_shown_with_its_lines() -> None:
    piece = code_piece(made_hit("def f():\n    return 1"), "what")
    assert (piece.part, piece.source, piece.about) == ("code", "a.py:10-11", "function f")
    assert piece.text == "   10 def f():\n   11     return 1"
    around = made_hit("# before\ndef f():", start_line=11, context_start_line=10, name="")
    assert code_piece(around, "what").source == "a.py:10-11"
    assert code_piece(around, "what").about == "function"
    assert code_piece(made_hit(""), "what").source == "a.py:10-10"


@example(lines=["heron " * 300])
@example(lines=["heron " * 300, "queue", "heron " * 300])
@example(lines=["x"] * 100 + ["heron"] * 73)
@example(lines=["x"] * 100 + ["heron"] * 74)
@example(lines=["x"] * 100 + ["heron", "heron heron"] * 36)
@given(
    lines=st.lists(
        st.lists(
            st.sampled_from(["heron", "queue", "alpha", "beta", "x"]), min_size=1, max_size=60
        ).map(" ".join),
        min_size=1,
        max_size=14,
    )
)
def test_the_shown_lines_have_the_most_words_of_the_question(lines: list[str]) -> None:
    asked = words("heron queue")
    costs = [tokens(line) + 2 for line in lines]
    worths = [len(words(line) & asked) for line in lines]

    def fits(first: int, last: int) -> bool:
        return first == last or sum(costs[first : last + 1]) <= 220

    # Of the longest runs that fit and end at each line.
    runs = [
        (next(first for first in range(last + 1) if fits(first, last)), last)
        for last in range(len(lines))
    ]
    most = max(sum(worths[first : last + 1]) for first, last in runs)
    best = [run for run in runs if sum(worths[run[0] : run[1] + 1]) == most]
    # The first of the best, with the lines behind it that cost no line before it.
    first, last = best[0]
    for before, after in pairwise(best):
        if after[0] != first or before[1] + 1 != after[1]:
            break
        last = after[1]
    piece = code_piece(made_hit("\n".join(lines), context_start_line=1), "heron queue")
    shown = [f"{at + 1:>5} {lines[at]}" for at in range(first, last + 1)]
    assert piece.text == "\n".join(shown)
    assert piece.source == f"a.py:{first + 1}-{last + 1}"
