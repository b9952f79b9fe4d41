"""Which form each piece of a pack gets within a token budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn.context.pack import Pack
from codecairn.context.pack_assembly import MIN_BUDGET, packed
from codecairn.context.pack_pieces import Numbered, Piece
from codecairn.errors import UsageError
from codecairn.memory.excerpts import tokens

_MARK = 8


def _piece(name: str, lines: int, *, title: str = "Target", **fields: object) -> Piece:
    body: Numbered = tuple((number, f"    {name}_{number} = 1") for number in range(1, lines + 1))
    plain = {"title": title, "path": f"{name}.py", "about": f"function {name}", "body": body, "head": body[:1]}  # fmt: skip
    return Piece(**(plain | fields))  # type: ignore[arg-type]


def _packed(pieces: list[Piece], budget: int, notes: tuple[str, ...] = ()) -> Pack:
    return packed("verify", pieces, route="edit", token_budget=budget, notes=notes)


def _forms(pack: Pack) -> list[str]:
    return [section.form for section in pack.sections]


def test_least_budget_is_allowed_and_less_is_not() -> None:
    pack = _packed([], MIN_BUDGET)
    assert (pack.text, pack.token_budget, pack.is_exact) == ("# verify\n", MIN_BUDGET, False)
    with pytest.raises(UsageError, match="127") as caught:
        _packed([], MIN_BUDGET - 1)
    assert caught.value.hint == f"give {MIN_BUDGET} or more"


@pytest.mark.parametrize("notes", [(), ("risk: the name is ambiguous",)])
def test_body_is_shown_as_soon_as_the_whole_text_fits(notes: tuple[str, ...]) -> None:
    """The budget is that of the text with its subject and notes, and the line about what is left out."""
    pieces = [_piece("first", 20), _piece("second", 20, title="Callers")]
    whole = _packed(pieces, 4_000, notes)
    assert _forms(whole) == ["body", "body"]
    needed = tokens(whole.text)
    assert _packed(pieces, needed, notes) == Pack(
        **{field: getattr(whole, field) for field in Pack.__slots__} | {"token_budget": needed}
    )
    assert _forms(_packed(pieces, needed - 1, notes)) == ["body", "signature"]


def test_first_body_is_cut_after_the_last_line_that_fits_in_its_share() -> None:
    for lines in range(20, 60):
        piece = _piece("first", lines, max_share=0.5)
        (section,) = _packed([piece], 400).sections
        texts = [f"{number:>5} {line}" for number, line in piece.body]
        if tokens("\n".join(texts)) <= 200:
            assert (section.form, section.text.splitlines()) == ("body", texts)
            continue
        assert section.form == "cut"
        *shown, mark = section.text.splitlines()
        assert shown == texts[: len(shown)]
        assert mark == f"      ⋮ {lines - len(shown)} more lines"
        room = 200 - _MARK
        assert tokens("\n".join(shown)) <= room < tokens("\n".join(texts[: len(shown) + 1]))
        assert (section.start_line, section.end_line) == (1, lines)


def test_body_may_fill_its_share_to_the_last_token() -> None:
    piece = _piece("first", 10)
    texts = "\n".join(f"{number:>5} {line}" for number, line in piece.body)
    for spare, form in ((0, "body"), (-1, "cut")):
        share = (tokens(texts) + spare) / 1_000 + 1e-9
        piece = _piece("first", 10, max_share=share)
        assert _forms(_packed([piece], 1_000)) == [form]


def test_only_the_first_body_is_cut() -> None:
    pieces = [_piece("first", 3), _piece("second", 60, title="Callers", max_share=0.3)]
    assert _forms(_packed(pieces, 600)) == ["body", "signature"]


def test_body_without_room_for_a_line_leaves_the_signature() -> None:
    piece = _piece("first", 3, max_share=0.01)
    assert _forms(_packed([piece], 400)) == ["signature"]


def test_place_has_no_text_and_a_memory_no_lines() -> None:
    place = _piece("first", 20, is_place=True)
    memory = _piece("F1", 0, title="Memory", path="F1", is_place=True)
    pack = _packed([place, memory], 400)
    assert _forms(pack) == ["place", "place"]
    assert [section.text for section in pack.sections] == ["", ""]
    assert [section.source for section in pack.sections] == ["first.py:1-20", "F1"]
    assert (pack.sections[1].start_line, pack.sections[1].end_line) == (0, 0)


def test_what_is_left_out_is_counted_by_title() -> None:
    pieces = [_piece("first", 2)]
    pieces += [_piece(f"caller_{number}", 2, title="Callers") for number in range(30)]
    pack = _packed(pieces, 300)
    shown = len(pack.sections) - 1
    assert 0 < shown < 30
    assert pack.left_out == (("callers", 30 - shown),)
    assert pack.text.endswith(f"\nLeft out: {30 - shown} of callers.\n")


def test_long_subject_and_notes_are_shortened_to_one_line_each() -> None:
    notes = ("risk: " + "many names " * 80, "short\nnote")
    pack = packed("how\n# is " * 200, [], route="search", token_budget=400, notes=notes)
    title, first, second = pack.text.splitlines()
    assert title.startswith("# how # is how")
    assert title.endswith("…")
    assert tokens(title) <= 50 + 1
    assert first.startswith("Note: risk: many names")
    assert first.endswith("…")
    assert second == "Note: short note"
    assert tokens(first) <= 25 + 3


_SIZES = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from([0.1, 0.3, 0.6, 1.0]), st.booleans()), max_size=12
)


@given(
    sizes=_SIZES,
    budget=st.integers(MIN_BUDGET, 1_500),
    subject=st.text(max_size=2_000),
    notes=st.lists(st.text(max_size=500), max_size=3),
)
def test_no_pack_is_longer_than_its_budget(
    sizes: list[tuple[int, float, bool]], budget: int, subject: str, notes: list[str]
) -> None:
    titles = ("Target", "Callers", "Memory")
    pieces = [
        _piece(f"n{at}", lines, title=titles[at % 3], max_share=share, is_place=is_place)
        for at, (lines, share, is_place) in enumerate(sizes)
    ]
    pack = packed(subject, pieces, route="edit", token_budget=budget, notes=notes)
    assert pack.tokens == tokens(pack.text) <= budget
