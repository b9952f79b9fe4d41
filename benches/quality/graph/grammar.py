"""What a call looks like in each language, in the words of its tree-sitter grammar.

The grammars are those of the package `tree-sitter-language-pack`: the sites must not depend on our own extraction.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from benches.quality.graph.places import Place

Kind = Literal["call", "method_call", "construct"]


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Site:
    """The name in a call."""

    place: Place
    name: str
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How to find the names that are called.

    Attributes:
        parsers: Grammar to parse with, by the end of a file's name.
        calls: Node that is a call, to where its callee is and what kind of call it is.
        steps: Node inside a callee, to where the called name is in it: a field, or the place among named children.
        members: Nodes of `steps` with which a plain call becomes a method call.
        receiver: Field with which a plain call becomes a method call.
        maker: Method with which a receiver that is a constant is constructed: then it is the receiver that is called by name.
    """

    parsers: Mapping[str, str]
    calls: Mapping[str, tuple[str | int, Kind]]
    steps: Mapping[str, str | int] = field(default_factory=dict)
    members: frozenset[str] = frozenset()
    receiver: str = ""
    maker: str = ""


_ECMASCRIPT_CALLS: Mapping[str, tuple[str | int, Kind]] = {
    "call_expression": ("function", "call"),
    "new_expression": ("constructor", "construct"),
}

# How names of C++ sources and headers end, besides `.h`.
CPP_ENDS = (
    *(".cc", ".cpp", ".cxx", ".c++"),
    *(".hh", ".hpp", ".hxx", ".h++"),
    *(".inl", ".ipp", ".tcc", ".tpp", ".txx"),
)

GRAMMARS: Mapping[str, Grammar] = {
    "python": Grammar(
        parsers={".py": "python"},
        calls={"call": ("function", "call")},
        steps={"attribute": "attribute"},
        members=frozenset({"attribute"}),
    ),
    "typescript": Grammar(
        parsers={".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx"},
        calls=_ECMASCRIPT_CALLS,
        steps={"member_expression": "property", "non_null_expression": 0},
        members=frozenset({"member_expression"}),
    ),
    "javascript": Grammar(
        parsers={".js": "javascript", ".mjs": "javascript", ".cjs": "javascript"},
        calls=_ECMASCRIPT_CALLS,
        steps={"member_expression": "property"},
        members=frozenset({"member_expression"}),
    ),
    "go": Grammar(
        parsers={".go": "go"},
        calls={
            "call_expression": ("function", "call"),
            "composite_literal": ("type", "construct"),
        },
        steps={
            "selector_expression": "field",
            "qualified_type": "name",
            "generic_type": "type",
            "type_instantiation_expression": 0,
            "index_expression": "operand",
        },
        members=frozenset({"selector_expression"}),
    ),
    "rust": Grammar(
        parsers={".rs": "rust"},
        calls={
            "call_expression": ("function", "call"),
            "struct_expression": ("name", "construct"),
        },
        steps={
            "field_expression": "field",
            "scoped_identifier": "name",
            "scoped_type_identifier": "name",
            "generic_function": "function",
            "generic_type": "type",
            "generic_type_with_turbofish": "type",
        },
        members=frozenset({"field_expression"}),
    ),
    "java": Grammar(
        parsers={".java": "java"},
        calls={
            "method_invocation": ("name", "method_call"),
            "object_creation_expression": ("type", "construct"),
        },
        steps={"generic_type": 0, "scoped_type_identifier": -1},
    ),
    "c": Grammar(
        parsers={".c": "c", ".h": "c"},
        calls={"call_expression": ("function", "call")},
        steps={"field_expression": "field"},
        members=frozenset({"field_expression"}),
    ),
    "cpp": Grammar(
        parsers=dict.fromkeys((*CPP_ENDS, ".h"), "cpp"),
        calls={
            "call_expression": ("function", "call"),
            "new_expression": ("type", "construct"),
            "compound_literal_expression": ("type", "construct"),
        },
        steps={
            "field_expression": "field",
            "qualified_identifier": "name",
            "template_function": "name",
            "template_method": "name",
            "template_type": "name",
        },
        members=frozenset({"field_expression"}),
    ),
    "php": Grammar(
        parsers={".php": "php"},
        calls={
            "function_call_expression": ("function", "call"),
            "member_call_expression": ("name", "method_call"),
            "nullsafe_member_call_expression": ("name", "method_call"),
            "scoped_call_expression": ("name", "method_call"),
            "object_creation_expression": (0, "construct"),
        },
        steps={"qualified_name": -1},
    ),
    "kotlin": Grammar(
        parsers={".kt": "kotlin"},
        calls={"call_expression": (0, "call")},
        steps={"navigation_expression": -1, "navigation_suffix": -1},
        members=frozenset({"navigation_expression"}),
    ),
    "scala": Grammar(
        parsers={".scala": "scala"},
        calls={
            "call_expression": ("function", "call"),
            "instance_expression": (0, "construct"),
        },
        steps={
            "field_expression": "field",
            "generic_function": "function",
            "generic_type": "type",
            "stable_type_identifier": -1,
        },
        members=frozenset({"field_expression"}),
    ),
    "ruby": Grammar(
        parsers={".rb": "ruby"},
        calls={"call": ("method", "call")},
        receiver="receiver",
        maker="new",
        steps={"scope_resolution": "name"},
    ),
    "csharp": Grammar(
        parsers={".cs": "csharp"},
        calls={
            "invocation_expression": ("function", "call"),
            "object_creation_expression": ("type", "construct"),
        },
        steps={
            "member_access_expression": "name",
            "conditional_access_expression": -1,
            "member_binding_expression": "name",
            "generic_name": 0,
            "qualified_name": "name",
        },
        members=frozenset({"member_access_expression", "member_binding_expression"}),
    ),
    "lua": Grammar(
        parsers={".lua": "lua"},
        calls={"function_call": ("name", "call")},
        steps={"dot_index_expression": "field", "method_index_expression": "method"},
        members=frozenset({"dot_index_expression", "method_index_expression"}),
    ),
}
