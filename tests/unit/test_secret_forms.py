"""The forms of planted secrets: enough of them, in parts that share no family, and each with a secret that can be read."""

from support.secret_forms import forms


def test_forms_are_many_and_their_parts_share_no_family() -> None:
    found = forms()
    parts: dict[str, set[str]] = {}
    for form in found:
        parts.setdefault(form.part, set()).add(form.family)
    assert set(parts) == {"known", "fit", "choose", "judge"}
    assert sum(len(families) for families in parts.values()) == len(set().union(*parts.values()))
    assert sum(form.part == "known" for form in found) == 57
    assert sum(form.part != "known" for form in found) >= 300
    assert sum(form.part == "judge" for form in found) >= 100


def test_every_form_leaks_as_it_stands_and_nothing_leaks_when_its_secrets_are_gone() -> None:
    for form in forms():
        assert form.secrets, form
        assert form.leaks(form.text), form
        assert form.leaks(form.template) == [], form
