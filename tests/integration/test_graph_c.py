"""Calls in C lead to the function that the linker would find."""

import pytest

from codecairn import Workspace
from support.repository import Repository

_FILES = {
    "include/api.h": """#define API extern
typedef long api_Integer;
typedef struct api_State api_State;

API api_Integer (api_length) (api_State *state, int index);
API void (api_push) (api_State *state, int value);
API const char *(api_name) (api_State *state);
API int api_top (api_State *state);
""",
    "src/api.c": """#include "missing.h"

API api_Integer (api_length) (api_State *state, int index) {
  return measure_all(state, index);
}

API void api_push (api_State *state, int value) {
  store_value(state, value);
}

static int local_only (api_State *state) {
  return 1;
}

int (store_value) (api_State *state, int value) {
  return local_only(state);
}
""",
    "src/measure.c": """int measure_all (api_State *state, int index) {
  return index;
}

static int hidden_helper (int value) {
  return value;
}

int run_hook (int (*store_value)(int), int value) {
  return store_value(value);
}
""",
    "src/user.c": """static int local_only (int value) {
  return value + 1;
}

int use_all (api_State *state) {
  int (*measure_all)(int) = local_only;
  hidden_helper(3);
  return measure_all(1) + local_only(2) + (int) api_length(state, 2);
}
""",
}


@pytest.mark.parametrize(
    ("name", "callers"),
    [
        ("src/measure.c::measure_all", ["api_length"]),
        ("store_value", ["api_push"]),
        ("src/api.c::api_length", ["use_all"]),
        ("src/api.c::local_only", ["store_value"]),
        ("src/user.c::local_only", ["use_all"]),
        ("hidden_helper", []),
    ],
)
def test_one_external_definition_is_a_fact_unless_something_nearer_has_the_name(
    folder: Repository, name: str, callers: list[str]
) -> None:
    folder.write_all(_FILES)
    with Workspace.open(folder.root) as workspace:
        calls = workspace.graph.callers(name, kinds=["call"])
        assert [use.source.qualified_name for use in calls if use.source] == callers


def test_declarations_behind_macros_have_their_own_names(folder: Repository) -> None:
    folder.write_all(_FILES)
    with Workspace.open(folder.root) as workspace:
        engine = workspace.graph.engine(refresh=True)
        names = {symbol.name for symbol in engine.symbols_in("include/api.h")}
        assert {"api_length", "api_push", "api_name", "api_top"} <= names
        assert not {"void", "char", "int"} & names
        definitions = [symbol.name for symbol in engine.symbols_in("src/api.c")]
        assert definitions == ["api_length", "api_push", "local_only", "store_value"]
