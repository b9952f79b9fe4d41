"""Excerpts: the passage that a question asks for, in bounded length."""

from codecairn.memory.excerpts import excerpt, shortened, tokens


def test_excerpts_are_the_passage_that_is_asked_for() -> None:
    text = "\n".join([f"Line {at} speaks of weather." for at in range(60)])
    text += "\nThe webhook secret is read from STRIPE_WEBHOOK_SECRET.\n" + "More text. " * 60
    found = excerpt(text, "where is the webhook secret", 40)
    assert "STRIPE_WEBHOOK_SECRET" in found
    assert tokens(found) <= 40
    assert shortened("短句子" * 50, 10).endswith("…")
