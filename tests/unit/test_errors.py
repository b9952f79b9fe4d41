"""The exception tree: documented, coded, and reached by every kind of the core."""

import pytest

from codecairn import errors
from codecairn.core import engine
from codecairn.errors import NATIVE_KINDS, CodecairnError, InternalError, UsageError, from_native


def _all_errors() -> list[type[CodecairnError]]:
    found: list[type[CodecairnError]] = [CodecairnError]
    for parent in found:
        found += parent.__subclasses__()
    return found


def test_every_kind_of_the_core_has_an_exception() -> None:
    assert sorted(engine.error_kinds()) == sorted(NATIVE_KINDS)


@pytest.mark.parametrize("kind", sorted(NATIVE_KINDS))
def test_native_failure_becomes_its_exception_with_the_message(kind: str) -> None:
    error = from_native(kind, "it broke")
    assert type(error) is NATIVE_KINDS[kind]
    assert str(error) == error.message == "it broke"


def test_unknown_native_kind_is_an_internal_error() -> None:
    assert isinstance(from_native("Surprise", "what"), InternalError)


def test_codes_are_distinct() -> None:
    codes = [error.code for error in _all_errors()]
    assert len(codes) == len(set(codes))


def test_tree_in_the_documentation_names_every_class() -> None:
    documented = errors.__doc__ or ""
    for error in _all_errors():
        assert f"{error.__name__}" in documented


def test_usage_errors_exit_with_two_and_others_with_one() -> None:
    expected = {
        UsageError: 2,
        errors.PathNotFound: 2,
        errors.ConfigError: 2,
        errors.UnsafeEndpoint: 2,
        errors.Cancelled: 130,
    }
    for error in _all_errors():
        assert error.exit_code == expected.get(error, 1)


def test_hint_is_the_default_unless_given() -> None:
    assert errors.NotIndexed("x").hint == "run `codecairn index`"
    assert errors.NotIndexed("x", hint="").hint == ""


def test_usage_error_is_a_value_error() -> None:
    assert issubclass(UsageError, ValueError)
