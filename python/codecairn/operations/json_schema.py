"""JSON schemas (draft 2020-12) of documents, made from the types of results and the descriptions in their docs."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from codecairn.core.light_dataclass import dataclass
from codecairn.operations.json_output import PAIRS

Schema: TypeAlias = dict[str, Any]
Shape: TypeAlias = Any
"""A type (`int`, `tuple[Hit, ...]`, a class of data), `Object`, `Many`, `ByName` or `Either`."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


@dataclass(frozen=True, slots=True)
class Object:
    """An object with keys of its own.

        Object({"problems": tuple[Problem, ...]})
        Object({"id": str}, of=Event)  # the fields of an event, and an id

    Attributes:
        always: The shapes of keys that are always there.
        sometimes: Those of keys that are there if they were asked for, or if there is something to show.
        of: A class of data whose fields it has, too.
        name: The name of its definition; empty for none of its own.
    """

    always: Mapping[str, Shape] = dataclasses.field(default_factory=dict)
    sometimes: Mapping[str, Shape] = dataclasses.field(default_factory=dict)
    of: type | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Either:
    """One of several shapes."""

    shapes: Sequence[Shape]


@dataclass(frozen=True, slots=True)
class Many:
    """A list of things of one shape."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class ByName:
    """An object with any keys, whose values have one shape."""

    shape: Shape


class SchemaBuilder:
    """Builds schemas that share the definitions of classes. Equal shapes give equal schemas."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}
        self._classes: dict[str, type] = {}

    def schema(self, shape: Shape) -> Schema:
        """The schema of a shape; its classes are added to the definitions.

        Raises:
            TypeError: If JSON has nothing of this type.
        """
        if isinstance(shape, Object):
            return self._object(shape)
        if isinstance(shape, Either | Many | ByName):
            return self._combined(shape)
        if shape in _SCALARS:
            return {"type": _SCALARS[shape]}
        if dataclasses.is_dataclass(shape):
            return {"$ref": f"#/$defs/{self._define(typing.cast('type', shape))}"}
        return {} if shape in (object, Any) else self._generic(shape)

    def _combined(self, shape: Either | Many | ByName) -> Schema:
        if isinstance(shape, Either):
            return {"anyOf": [self.schema(each) for each in shape.shapes]}
        if isinstance(shape, Many):
            return {"type": "array", "items": self.schema(shape.shape)}
        return {"type": "object", "additionalProperties": self.schema(shape.shape)}

    def _generic(self, shape: Shape) -> Schema:
        origin: Any = typing.get_origin(shape)
        arguments = typing.get_args(shape)
        if origin in (types.UnionType, typing.Union):
            return _union([self.schema(each) for each in arguments])
        if origin is typing.Literal:
            return {"enum": [*arguments]}
        if origin in (list, tuple, Sequence):
            return {"type": "array", "items": self.schema(arguments[0])}
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.schema(arguments[1])}
        message = f"no schema for {shape!r}"
        raise TypeError(message)

    def _object(self, shape: Object) -> Schema:
        if shape.name and shape.name in self.definitions:
            return {"$ref": f"#/$defs/{shape.name}"}
        fields = self._fields(shape.of) if shape.of is not None else {}
        own = {**shape.always, **shape.sometimes}
        schema: Schema = {
            "type": "object",
            "properties": {**fields, **{name: self.schema(each) for name, each in own.items()}},
            "required": [*dict.fromkeys((*fields, *shape.always))],
        }
        if not shape.name:
            return schema
        self.definitions[shape.name] = schema
        return {"$ref": f"#/$defs/{shape.name}"}

    def _define(self, of: type) -> str:
        name = of.__name__
        if self._classes.get(name, of) is not of:  # two classes have the same name
            name = f"{of.__module__.rpartition('.')[2]}.{name}"
        if name not in self._classes:
            self._classes[name] = of
            fields = self._fields(of)
            self.definitions[name] = {
                "description": (inspect.getdoc(of) or "").partition("\n")[0],
                "type": "object",
                "properties": fields,
                "required": [*fields],
            }
        return name

    def _fields(self, of: type) -> dict[str, Schema]:
        hints = typing.get_type_hints(of, localns=_result_types())
        described = dict(_attribute_docs(of))
        found = {}
        for field in dataclasses.fields(of):
            keys = PAIRS.get(f"{of.__name__}.{field.name}")
            hint = hints[field.name]
            schema = self.schema(hint) if keys is None else self._pairs(keys, hint)
            text = described.get(field.name)
            found[field.name] = {"description": text, **schema} if text else schema
        return found

    def _pairs(self, keys: tuple[str, str], hint: Shape) -> Schema:
        pair = typing.get_args(typing.get_args(hint)[0])
        return {"type": "array", "items": self.schema(Object(dict(zip(keys, pair, strict=True))))}


def _union(schemas: list[Schema]) -> Schema:
    if all(set(each) == {"type"} for each in schemas):
        return {"type": [each["type"] for each in schemas]}
    return {"anyOf": schemas}


def _attribute_docs(of: type) -> Iterator[tuple[str, str]]:
    """The attributes that the documentation of a class describes."""
    text = (inspect.getdoc(of) or "").partition("\nAttributes:\n")[2]
    for match in re.finditer(r"^    (\w+): (.*(?:\n {8}.*)*)", text, re.MULTILINE):
        yield match[1], " ".join(match[2].split())


@cache
def _result_types() -> dict[str, Any]:
    """The types of results by name, which annotations may name without importing them."""
    from codecairn.core import types as package

    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(package.__path__):
        loaded = importlib.import_module(f"{package.__name__}.{module.name}")
        found |= {name: each for name, each in vars(loaded).items() if isinstance(each, type)}
    return found
