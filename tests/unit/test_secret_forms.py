"""The forms of planted secrets: enough of them, in parts that share no family, and each with a secret that can be read."""

import pytest

from support.secret_forms import RECENT, Form, benign_lines, forms, recent_forms


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


def test_recent_forms_are_many_and_use_every_kind() -> None:
    found = recent_forms()
    assert sum(form.part == "recent" for form in found) >= 200
    assert sum(form.part == "listed" for form in found) >= 25
    assert len({form.text for form in found}) == len(found)
    templates = str([RECENT["listed"], RECENT["family"]])
    assert [kind for kind in RECENT["kinds"] if f"⟦{kind}⟧" not in templates] == []


def test_lines_without_a_secret_are_many() -> None:
    found = benign_lines()
    assert len(found) >= 2000
    assert found == benign_lines()


@pytest.mark.parametrize("found", [forms(), recent_forms()], ids=["forms", "recent"])
def test_every_form_leaks_as_it_stands_and_nothing_leaks_when_its_secrets_are_gone(
    found: list[Form],
) -> None:
    for form in found:
        assert form.secrets, form
        assert form.leaks(form.text), form
        assert form.leaks(form.template) == [], form
