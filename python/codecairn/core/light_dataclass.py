"""The standard `dataclass` for frozen classes, made in a quarter of the time.

The standard decorator compiles the source of six methods for each class: .4 ms, and a command loads some forty classes before
it begins. Here only `__init__` is compiled, for the first instance or signature: most classes of a command have neither. The
other methods are closures over one `attrgetter`, so that equality and hashing compare tuples in C, as the generated ones do.
Fields, `replace`, `asdict`, matching and type checkers see what the standard decorator makes.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Span:
        start_line: int
        end_line: int
"""

import dataclasses
from operator import attrgetter

__all__ = ["dataclass"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass
    from typing import Any, TypeVar

    _Class = TypeVar("_Class", bound=type)
else:

    def dataclass(
        *, frozen: bool, slots: bool = False, kw_only: bool = False
    ) -> "Callable[[type], type]":
        """Make a class a frozen data class; the standard decorator serves for all others."""
        assert frozen
        standard = dataclasses.dataclass(
            init=False, repr=False, eq=False, slots=slots, kw_only=kw_only
        )

        def decorate(cls: type) -> type:
            return _completed(standard(cls), slots=slots)

        return decorate


class _Factory:
    """The default of a parameter whose value a factory makes, as signatures show it."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _completed(cls: "_Class", *, slots: bool) -> "_Class":
    """The class with the methods that the standard decorator would have generated; those it defines itself stay."""
    fields = dataclasses.fields(cls)
    own = {
        "__repr__": _repr_of(tuple(field.name for field in fields if field.repr)),
        **_comparison(fields),
    }
    for name, method in own.items():
        method.__qualname__ = f"{cls.__qualname__}.{name}"
    state = _STATE if slots else {}
    members: dict[str, object] = {"__init__": _Init(cls), **own, **_FROZEN, **state}
    for name, member in members.items():
        if name not in cls.__dict__ or (name == "__hash__" and cls.__hash__ is None):
            setattr(cls, name, member)
    return cls


class _Init:
    """Stands for the `__init__` of a class, and gives way to it when that is looked up."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def __get__(self, instance: object, owner: "type | None" = None) -> "Callable[..., None]":
        init = _init(self._cls)
        setattr(self._cls, "__init__", init)  # noqa: B010 - a type checker refuses the assignment
        return init.__get__(instance, owner)  # type: ignore[no-any-return]


def _init(cls: type) -> "Callable[..., None]":
    """`__init__`, compiled: keyword arguments after positional ones, defaults, factories and `__post_init__`."""
    scope: dict[str, Any] = {"_set": object.__setattr__, "_factory": _FACTORY}
    positional: list[str] = ["self"]
    keyword: list[str] = []
    body: list[str] = []
    passed: list[str] = []
    annotations: dict[str, object] = {}
    every: dict[str, dataclasses.Field[Any]] = getattr(cls, "__dataclass_fields__")  # noqa: B009 - no type checker knows it
    own = {field.name for field in dataclasses.fields(cls)}
    for name, field in every.items():
        is_passed = isinstance(field.type, dataclasses.InitVar)
        if name not in own and not is_passed:
            continue
        annotations[name] = field.type
        parameter, value = name, name
        if field.default is not dataclasses.MISSING:
            scope[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            scope[f"_factory_{name}"] = field.default_factory
            parameter = f"{name}=_factory"
            value = f"_factory_{name}() if {name} is _factory else {name}"
        (keyword if field.kw_only else positional).append(parameter)
        if is_passed:
            passed.append(name)
        else:
            body.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(f"self.__post_init__({', '.join(passed)})")
    parameters = ", ".join([*positional, *(["*", *keyword] if keyword else [])])
    source = f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"])
    exec(source, scope)  # noqa: S102 - names of fields alone, as the standard decorator does
    init: Callable[..., None] = scope["__init__"]
    init.__annotations__ = {**annotations, "return": None}
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _comparison(fields: "tuple[dataclasses.Field[Any], ...]") -> "dict[str, Callable[..., Any]]":
    """`__eq__` and `__hash__` over the fields that count for them."""
    compared = _values([each.name for each in fields if each.compare])
    hashed = _values([each.name for each in fields if (each.compare if each.hash is None else each.hash)])  # fmt: skip

    def __eq__(self: object, other: object) -> bool:  # noqa: N807 - it becomes the method
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compared(self) == compared(other)

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(hashed(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _values(names: list[str]) -> "Callable[[object], object]":
    """Reads these fields of an instance, as a tuple if they are several."""
    return attrgetter(*names) if names else lambda _self: ()


def _repr_of(names: tuple[str, ...]) -> "Callable[[object], str]":
    def __repr__(self: object) -> str:  # noqa: N807
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({values})"

    return __repr__


def _refuse_assignment(_self: object, name: str, _value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(_self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: object) -> "list[object]":
    return [getattr(self, field.name) for field in dataclasses.fields(self)]  # type: ignore[arg-type]


def _set_state(self: object, state: "list[object]") -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):  # type: ignore[arg-type]
        object.__setattr__(self, field.name, value)


_FROZEN = {"__setattr__": _refuse_assignment, "__delattr__": _refuse_deletion}
_STATE = {"__getstate__": _state, "__setstate__": _set_state}
"""How instances with slots are copied and pickled, which otherwise assigns to them."""
