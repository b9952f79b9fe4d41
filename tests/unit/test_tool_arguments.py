"""Arguments of tools: exactly what a tool lists is taken, and whatever else a model writes is refused in words."""

import math
from typing import Any

import pytest

from codecairn.errors import UsageError
from codecairn.mcp.schema import argument_name
from codecairn.mcp.tool_table import Tool, tools_of

SETS = ("all", "codexfi", "codex-mem", "graphiti")

TOOLS: dict[str, Tool] = {
    f"{name}/{tool.name}": tool for name in SETS for tool in tools_of((name,))
}

RANGES: dict[str, tuple[int | None, int | None]] = {
    "all/codebase_search.limit": (1, None),
    "all/codebase_search.context": (0, None),
    "all/codebase_search.tokens": (100, None),
    "all/codebase_peek.limit": (1, None),
    "all/implementation_lookup.limit": (1, None),
    "all/find_similar.limit": (1, None),
    "all/codebase_context.limit": (1, None),
    "all/codebase_context.max_depth": (1, None),
    "all/codebase_context.token_budget": (128, None),
    "all/codebase_edit_context.token_budget": (128, None),
    "all/call_graph.depth": (1, None),
    "all/call_graph.limit": (1, None),
    "all/call_graph_path.max_depth": (1, None),
    "all/code_communities.min_size": (1, None),
    "all/code_communities.limit": (1, None),
    "all/code_communities.hub_threshold": (1, None),
    "all/code_communities.min_coupling": (1, None),
    "all/code_communities.coupling_limit": (1, None),
    "all/code_uses.limit": (1, None),
    "all/pr_impact.pr": (1, None),
    "all/pr_impact.max_depth": (1, None),
    "all/pr_impact.hub_threshold": (1, None),
    "all/index_visualize.max_nodes": (1, None),
    "all/index_logs.limit": (1, None),
    "all/ask.token_budget": (200, None),
    "all/memory_search.limit": (1, None),
    "all/memory_timeline.before": (0, None),
    "all/memory_timeline.after": (0, None),
    "all/memory_list.limit": (1, None),
    "all/memory_context.budget": (100, None),
    "all/memory_record.exit_code": (None, None),
    "all/memory_record.compact_chars": (128, None),
    "all/memory_session.limit": (1, None),
    "all/memory_session.max_events": (1, None),
    "all/memory_session.max_facts": (1, None),
    "all/memory_admin.limit": (1, None),
    "codexfi/memory.limit": (1, 1_000),
    "codex-mem/mem_search.limit": (1, 200),
    "codex-mem/mem_search.alpha": (0, 1),
    "codex-mem/mem_nl_search.limit": (1, 200),
    "codex-mem/mem_nl_search.alpha": (0, 1),
    "codex-mem/mem_nl_search.snippet_chars": (32, 8_000),
    "codex-mem/mem_timeline.before": (0, 200),
    "codex-mem/mem_timeline.after": (0, 200),
    "codex-mem/mem_timeline.snippet_chars": (32, 4_000),
    "codex-mem/mem_get_observations.snippet_chars": (32, 8_000),
    "codex-mem/mem_ask.search_limit": (1, 200),
    "codex-mem/mem_ask.detail_limit": (1, 100),
    "codex-mem/mem_ask.code_top_k": (1, 200),
    "codex-mem/mem_ask.code_module_limit": (1, 100),
    "codex-mem/mem_ask.alpha": (0, 1),
    "codex-mem/mem_ask.snippet_chars": (32, 8_000),
    "codex-mem/mem_config_set.viewer_refresh_sec": (1, 60),
    "codex-mem/mem_post_tool_use.exit_code": (None, None),
    "codex-mem/mem_post_tool_use.compact_chars": (128, 20_000),
    "codex-mem/mem_export_session.max_events": (1, 5_000),
    "codex-mem/mem_export_session.max_observations": (1, 5_000),
    "codex-mem/mem_export_session.indent": (0, 8),
    "graphiti/search_nodes.max_nodes": (1, None),
    "graphiti/search_memory_facts.max_facts": (1, None),
    "graphiti/get_episodes.max_episodes": (1, None),
    "graphiti/get_episodes.last_n": (1, None),
}  # fmt: skip
"""Every number that a tool takes, with the least and the greatest that it may be."""

_NO_NUMBERS: list[object] = [
    True, False, "x", "", " ", "-", "--5", "5-", "1e", "0x10", "five", "9" * 5_000, [1], {"a": 1}, b"1",
    math.nan, math.inf, -math.inf, "nan", "inf",
]  # fmt: skip

WRONG: dict[str, list[object]] = {
    "integer": [*_NO_NUMBERS, 1.5, "1.5", "1e3", "1_0"],
    "number": [*_NO_NUMBERS, 10**400],
    "boolean": [1, 0, 2, 1.0, "1", "0", "yes", "no", "", [True], {}],
    "string": [1, 0, 1.5, True, False, {"a": "b"}, b"a", [["a"]], [1]],
}
"""Values that an argument of this type can't have."""

TAKEN: dict[str, list[tuple[object, object]]] = {
    "integer": [(700, 700), (700.0, 700), ("700", 700), (" 700 ", 700)],
    "number": [(1, 1.0), ("0.5", 0.5), (0.5, 0.5)],
    "boolean": [(True, True), (False, False), ("true", True), ("False", False)],
    "string": [("a", "a"), ("", ""), ("7", "7")],
}
"""Values in the forms in which models write them, and what they count as."""


def _properties(tool: Tool) -> dict[str, dict[str, Any]]:
    properties = tool.schema["properties"]
    assert isinstance(properties, dict)
    return properties


ARGUMENTS = [
    (place, name, listed)
    for place, tool in TOOLS.items()
    for name, listed in _properties(tool).items()
]
each_argument = pytest.mark.parametrize(
    ("place", "name", "listed"), ARGUMENTS, ids=[f"{place}.{name}" for place, name, _ in ARGUMENTS]
)
each_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=[*TOOLS])


def _items(listed: dict[str, Any]) -> dict[str, Any]:
    """What one value of an argument must be, also where several may be given."""
    found: dict[str, Any] = listed.get("items", listed)
    return found


def _sample(listed: dict[str, Any]) -> object:
    items = _items(listed)
    samples = {"string": "a", "integer": items.get("minimum", 1), "number": 1, "boolean": True}
    return items.get("enum", [samples[items["type"]]])[0]


def _needed(tool: Tool) -> dict[str, object]:
    """The arguments that a tool can't do without, each with a value that it may have."""
    properties, names = _properties(tool), tool.schema.get("required", [])
    assert isinstance(names, list)
    return {name: _sample(properties[name]) for name in names}


def _value(tool: Tool, name: str, value: object) -> object:
    """What the operation is given for one argument."""
    values = tool.values({**_needed(tool), name: value})
    (field,) = (each.field for each in tool.parameters if argument_name(each) == name)
    return values[field]


def test_every_number_has_its_range() -> None:
    listed = {
        f"{place}.{name}": (row.get("minimum"), row.get("maximum"))
        for place, name, row in ARGUMENTS
        if row["type"] in {"integer", "number"}
    }
    assert listed == RANGES


@pytest.mark.parametrize("key", RANGES)
def test_numbers_are_taken_up_to_their_bounds_and_no_further(key: str) -> None:
    place, _, name = key.rpartition(".")
    tool, (least, most) = TOOLS[place], RANGES[key]
    inside = [-1, 0, 1] if least is None else [least, least + 1]
    for number in [*inside, 10**6] if most is None else [*inside, most - 1, most]:
        for written in (number, float(number), str(number)):
            assert _value(tool, name, written) == number
    outside = [] if least is None else [(least - 1, f"give {least} or more")]
    outside += [] if most is None else [(most + 1, f"give {most} or less")]
    for number, hint in outside:
        far = number + (10**30 if hint.endswith("less") else -(10**30))
        for written in (number, float(number), str(number), far):
            with pytest.raises(UsageError, match=f"`{name}` is ") as caught:
                _value(tool, name, written)
            assert caught.value.hint == hint


@each_argument
def test_arguments_have_the_type_that_is_listed(
    place: str, name: str, listed: dict[str, Any]
) -> None:
    wanted = _items(listed)["type"]
    for wrong in WRONG[wanted]:
        for value in (wrong, [wrong]):
            with pytest.raises(UsageError) as caught:
                _value(TOOLS[place], name, value)
            assert f"`{name}` must be of type {wanted}" in caught.value.message


@each_argument
def test_arguments_are_taken_as_models_write_them(
    place: str, name: str, listed: dict[str, Any]
) -> None:
    tool, items = TOOLS[place], _items(listed)
    if "enum" in items:
        taken = [(choice, choice) for choice in items["enum"]]
        with pytest.raises(UsageError, match=f"`{name}` can't be 'x-{items['enum'][0]}'"):
            _value(tool, name, f"x-{items['enum'][0]}")
    elif f"{place}.{name}" in RANGES and RANGES[f"{place}.{name}"][1] is not None:
        return  # its bounds are taken
    else:
        taken = TAKEN[items["type"]]
    for written, meant in taken:
        if items is listed:
            found = _value(tool, name, written)
            assert (found, type(found)) == (meant, type(meant))
        else:
            assert _value(tool, name, written) == (meant,), "one value stands for a list of one"
            assert _value(tool, name, [written, written]) == (meant, meant)
    if items is not listed:
        assert _value(tool, name, []) == ()


@each_tool
def test_arguments_that_are_not_known_or_missing_are_refused(tool: Tool) -> None:
    needed = _needed(tool)
    assert tool.values(needed).keys() == {
        each.field for each in tool.parameters if argument_name(each) in needed
    }
    for unknown in ("zebra", "", "Workspace", *(f"{name}_" for name in _properties(tool))):
        with pytest.raises(UsageError, match=f"there is no argument `{unknown}`"):
            tool.values({**needed, unknown: 1})
    for name in needed:
        others = {other: value for other, value in needed.items() if other != name}
        for given in (others, {**others, name: None}):
            with pytest.raises(UsageError, match=f"the argument `{name}` is missing"):
                tool.values(given)
    optional = set(_properties(tool)) - set(needed)
    assert tool.values({**needed, **dict.fromkeys(optional)}) == tool.values(needed)


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("limt", "did you mean `limit`?"),
        ("xyzzy", "there are: query, "),
    ],
)
def test_unknown_argument_is_told_what_it_may_be(given: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        TOOLS["all/codebase_search"].values({"query": "a", given: 1})
    assert refused.value.hint.startswith(hint)


MEANT = dict(pair.split("=") for pair in ["blameAuthor=author", "blameSha=commit", "blameSince=since", "blameUntil=until", "branch=ref", "checkConflicts=conflicts", "chunkType=kind", "code=text", "contextLines=context", "couplingLimit=coupling_limit", "dirs=dir", "directory=dir", "estimateOnly=estimate", "filePath=file", "fileType=lang", "format=style", "fromFilePath=from_file", "glob_pattern=glob", "hubThreshold=hub_threshold", "include_private=private", "language=lang", "maxDepth=max_depth", "maxResults=limit", "max_results=limit", "minCoupling=min_coupling", "minSize=min_size", "pinned=pin", "relationshipType=kind", "session_id=session", "symbol=name", "toFilePath=to_file", "tokenBudget=token_budget"])  # fmt: skip


@pytest.mark.parametrize("given", MEANT)
def test_names_that_other_tools_use_are_understood(given: str) -> None:
    """Wherever a tool has the one argument and not the other."""
    meant, tried = MEANT[given], 0
    for tool in TOOLS.values():
        rows = _properties(tool)
        if meant in rows and given not in rows:
            value = _sample(rows[meant])
            needed = _needed(tool)
            needed.pop(meant, None)
            assert tool.values({**needed, given: value}) == tool.values({**needed, meant: value})
            tried += 1
    assert tried


def test_large_numbers_stay_whole() -> None:
    assert (
        TOOLS["all/codebase_search"].values({"query": "a", "limit": 2**53 + 1})["limit"]
        == 2**53 + 1
    )
