"""Excerpts: the passage that a question asks for, in bounded length."""

from hypothesis import given
from hypothesis import strategies as st

from codecairn.memory.excerpts import excerpt, one_line, shortened, tokens


def test_excerpts_are_the_passage_that_is_asked_for() -> None:
    text = "\n".join([f"Line {at} speaks of weather." for at in range(60)])
    text += "\nThe webhook secret is read from STRIPE_WEBHOOK_SECRET.\n" + "More text. " * 60
    found = excerpt(text, "where is the webhook secret", 40)
    assert "STRIPE_WEBHOOK_SECRET" in found
    assert tokens(found) <= 40
    assert shortened("短句子" * 50, 10).endswith("…")


@given(st.text(), st.integers(min_value=1, max_value=30))
def test_a_shortened_text_fits(text: str, max_tokens: int) -> None:
    left = shortened(text, max_tokens)
    assert len(left.encode()) <= 4 * max_tokens
    assert left == text or text.startswith(left[:-1].rstrip())


def test_line_breaks_and_runs_of_blanks_are_one_blank() -> None:
    assert one_line(" a\n b\t\tc ") == "a b c"
