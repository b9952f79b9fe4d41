"""Light data classes behave as those of the standard library."""

import copy
import dataclasses
import inspect
import pickle
import sys
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, InitVar, field
from typing import Any, ClassVar

import pytest

from codecairn.core.light_dataclass import dataclass as light

Decorator = Callable[..., Any]


def _classes(dataclass: Decorator) -> tuple[type, ...]:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Empty:
        """Nothing."""

    @dataclass(frozen=True, slots=True, kw_only=True)
    class One:
        """One field."""

        name: str

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Several(One):
        """Defaults, factories, and fields that count for nothing."""

        kind: ClassVar[str] = "several"
        number: int = 3
        parts: list[int] = field(default_factory=list, hash=False)
        note: str = field(default="", repr=False, compare=False)

        @property
        def double(self) -> int:
            """A property."""
            return self.number * 2

    @dataclass(frozen=True, slots=True)
    class Positional:
        """A parameter that is no field, and a class that completes itself."""

        first: int
        second: int = 2
        _: KW_ONLY
        extra: InitVar[Sequence[int]] = ()
        total: int = 0

        def __post_init__(self, extra: Sequence[int]) -> None:
            object.__setattr__(self, "total", self.total + sum(extra))

    @dataclass(frozen=True, kw_only=True)
    class Open(One):
        """Without slots."""

        other: int = 1

    @dataclass(frozen=True, slots=True)
    class Special:  # noqa: PLW1641 - the decorator makes `__hash__`
        """Methods of its own."""

        value: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Special)

        def __repr__(self) -> str:
            return "special"

    return Empty, One, Several, Positional, Open, Special


LIGHT = dict(
    zip(("Empty", "One", "Several", "Positional", "Open", "Special"), _classes(light), strict=True)
)
STANDARD = dict(zip(LIGHT, _classes(dataclasses.dataclass), strict=True))
for _name, _class in LIGHT.items():  # where `pickle` looks for it
    _class.__qualname__ = f"Light{_name}"
    _class.__module__ = __name__
    setattr(sys.modules[__name__], f"Light{_name}", _class)

CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Empty", (), {}),
    ("Empty", (1,), {}),
    ("One", (), {}),
    ("One", ("a",), {}),
    ("One", (), {"name": "a"}),
    ("One", (), {"name": "a", "other": 1}),
    ("Several", (), {"name": "a"}),
    ("Several", (), {"name": "a", "number": 5, "parts": [1], "note": "x"}),
    ("Positional", (1,), {}),
    ("Positional", (1, 5), {"extra": (1, 2)}),
    ("Positional", (1, 5, 6), {}),
    ("Open", (), {"name": "a"}),
    ("Special", (1,), {}),
]


def _outcome(classes: dict[str, type], name: str, args: Any, kwargs: Any) -> object:
    """All that can be seen of a call of a constructor."""
    try:
        made: Any = classes[name](*args, **kwargs)
    except TypeError as err:
        return str(err).rpartition("__init__")[2]
    again = classes[name](*args, **copy.deepcopy(kwargs))
    try:
        hashes = hash(made) == hash(again)
    except TypeError as err:
        hashes = str(err)  # type: ignore[assignment]
    errors = []
    for each in dataclasses.fields(made):
        for change in (lambda: setattr(made, each.name, 1), lambda: delattr(made, each.name)):  # noqa: B023
            with pytest.raises(dataclasses.FrozenInstanceError) as caught:
                change()
            errors.append(str(caught.value))
    return (
        repr(made).partition("(")[2],
        made == again, made == 1, made != again, hashes, errors,
        dataclasses.asdict(made), dataclasses.astuple(made), made.__match_args__, getattr(made, "__slots__", None),
        [(each.name, each.type, each.default, each.kw_only) for each in dataclasses.fields(made)],
        repr(dataclasses.replace(made, **{key: value for key, value in kwargs.items() if key == "number"})).partition("(")[2]
        if name != "Positional" else None,
    )  # fmt: skip


@pytest.mark.parametrize(("name", "args", "kwargs"), CALLS)
def test_instances_are_those_of_the_standard_library(name: str, args: Any, kwargs: Any) -> None:
    assert _outcome(LIGHT, name, args, kwargs) == _outcome(STANDARD, name, args, kwargs)


@pytest.mark.parametrize("name", LIGHT)
def test_signatures_are_those_of_the_standard_library(name: str) -> None:
    def parameters(found: type) -> Any:
        return [
            (each.name, each.kind, str(each.annotation), str(each.default))
            for each in inspect.signature(found).parameters.values()
        ]

    assert parameters(LIGHT[name]) == parameters(STANDARD[name])
    assert dataclasses.is_dataclass(LIGHT[name])


@pytest.mark.parametrize("name", ["One", "Several", "Open"])
def test_copies_equal_the_original(name: str) -> None:
    made = LIGHT[name](name="a")
    for copied in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert copied == made
        assert type(copied) is type(made)


def test_each_instance_has_its_own_default() -> None:
    one, other = LIGHT["Several"](name="a"), LIGHT["Several"](name="a")
    one.parts.append(1)
    assert other.parts == []
    assert one != other


def test_fields_that_do_not_count_are_not_compared() -> None:
    made = LIGHT["Several"]
    assert made(name="a", note="x") == made(name="a", note="y")
    assert "note" not in repr(made(name="a", note="x"))


def test_first_instance_of_a_derived_class_compiles_the_parameters_of_its_base() -> None:
    one = _classes(light)[1]
    derived = type("Derived", (one,), {})
    assert not inspect.isfunction(one.__dict__["__init__"])
    assert derived(name="x").name == "x"
    assert inspect.isfunction(one.__dict__["__init__"])
    with pytest.raises(TypeError, match="name"):
        derived()
