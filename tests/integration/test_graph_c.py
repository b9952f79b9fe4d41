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


_VARIANTS = {
    "include/port.h": """#define CHECK_ALL(value) check_value(value)
#if defined(HAVE_FAST)
#define port_fast(value) ((value) + 1)
#else
int port_fast(int value);
#endif
int port_open(int value);
static int port_only_here(int value);
""",
    "src/unix/port.c": """#include "port.h"

int port_open(int value) {
  return value;
}

int port_undeclared(int value) {
  return value;
}

static int hidden(int value) {
  return value;
}
""",
    "src/win/port.c": """#include "port.h"

int port_open(int value) {
  return value + 1;
}

int port_undeclared(int value) {
  return value + 2;
}

int use_near(int value) {
  return port_open(value);
}

char *strdup(const char *text) {
  return 0;
}
""",
    "src/fast.c": """int port_fast(int value) {
  return value;
}
""",
    "test/main.c": """#include "port.h"

#define CHECK_ALL(value) first(value)

int use_first(int value) {
  return CHECK_ALL(value);
}

#undef CHECK_ALL
#define CHECK_ALL(value) second(value)

int use_variants(int value) {
  return port_open(value) + port_undeclared(value) + hidden(value);
}

int use_macro(struct handle *handle, int value) {
#define INNER(value) ((value) + 2)
  strdup("a");
  handle->port_open(handle);
  return INNER(value) + port_fast(value);
}
""",
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("use_near", ["src/win/port.c:3"]),
        ("use_first", ["test/main.c:3"]),
        (
            "use_variants",
            ["src/unix/port.c:3", "src/win/port.c:3", "src/unix/port.c:7", "src/win/port.c:7"],
        ),
        ("use_macro", ["test/main.c:17", "include/port.h:3", "src/fast.c:1"]),
    ],
)
def test_variants_of_one_function_are_facts_and_names_of_the_standard_library_are_none(
    folder: Repository, name: str, expected: list[str]
) -> None:
    folder.write_all(_VARIANTS)
    with Workspace.open(folder.root) as workspace:
        calls = workspace.graph.callees(name, kinds=["call", "method_call"])
        found = [f"{target.path}:{target.line}" for use in calls for target in use.targets]
        assert found == expected


def test_static_function_of_cpp_is_called_in_its_own_file(folder: Repository) -> None:
    folder.write_all(
        {
            "a.cpp": "static int twice(int value) { return value * 2; }\nint a() { return twice(1); }\n",
            "b.cpp": "static int twice(int value) { return value * 3; }\nint b() { return twice(1); }\n",
            "c.cpp": "int c() { return twice(1); }\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        for name in ("a", "b"):
            calls = workspace.graph.callers(f"{name}.cpp::twice", kinds=["call"])
            assert [use.source.qualified_name for use in calls if use.source] == [name]
            assert not calls.possible


_EXPORTED_CLASS = {
    "iterator.h": """class EXPORT Iterator {
 public:
  Iterator();
  virtual bool Valid() const = 0;
  virtual Value* value() = 0;
  int Count();
};

class Value {
 public:
  Value(int size);
  int Size() { return 1; }
  Value Twice();
};

typedef Iterator* Cursor;
""",
    "iterator.cc": """#include "iterator.h"

int Iterator::Count() { return 1; }

inline Value::Value(int size) {}

Value Value::Twice() { return Value(2); }

int use_all(Iterator* it, Cursor cursor) {
  it->Valid();
  cursor->Valid();
  return it->Count() + it->value()->Size();
}
""",
}


def test_members_of_a_class_behind_a_macro_are_facts(folder: Repository) -> None:
    folder.write_all(_EXPORTED_CLASS)
    with Workspace.open(folder.root) as workspace:
        calls = workspace.graph.callees("use_all", kinds=["method_call"])
        found = [f"{target.path}:{target.line}" for use in calls for target in use.targets]
        assert found == [
            "iterator.h:4",
            "iterator.h:4",
            "iterator.cc:3",
            "iterator.h:5",
            "iterator.h:12",
        ]
        made = workspace.graph.callees("Twice", kinds=["construct"])
        assert [f"{target.path}:{target.line}" for use in made for target in use.targets] == [
            "iterator.h:9"
        ]
        engine = workspace.graph.engine(refresh=True)
        assert [
            symbol.line for symbol in engine.symbols_in("iterator.h") if symbol.name == "Iterator"
        ] == [1, 3]


def test_overloads_of_several_headers_are_all_targets(folder: Repository) -> None:
    folder.write_all(
        {
            "a/text.hpp": "struct A;\nint show(A* a);\n",
            "b/text.hpp": "struct B;\nint show(B* b);\ninline int show(int number) { return 3; }\n",
            "a/show.cpp": '#include "a/text.hpp"\nint show(A* a) { return 1; }\n',
            "b/show.cpp": '#include "b/text.hpp"\nint show(B* b) { return 2; }\n',
            "b/use.cpp": '#include "a/text.hpp"\n#include "b/text.hpp"\nint use(A* a) { return show(a); }\n',
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = workspace.graph.callees("use", kinds=["call"])
        found = [f"{target.path}:{target.line}" for use in calls for target in use.targets]
        assert found == ["b/text.hpp:3", "a/show.cpp:2", "b/show.cpp:2"]


def test_own_definition_of_a_standard_macro_is_no_fact(folder: Repository) -> None:
    folder.write_all(
        {
            "check.c": "#include <assert.h>\n#ifdef NDEBUG\n#undef assert\n#define assert(e) (void)(e)\n#endif\n"
            "#ifndef isnan\nstatic int isnan(double x) { return x != x; }\n#endif\n"
            "int check(double x) { assert(x); return isnan(x); }\n",
            "compat/assert.h": "#define verify(e) (void)(e)\n",
            "other.c": "#include <assert.h>\nint other(int x) { return verify(x); }\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        assert not [edge for edge in workspace.graph.edges("check.c") if edge.is_resolved]
        assert not [edge for edge in workspace.graph.edges("other.c") if edge.is_resolved]


def test_own_header_with_a_standard_name_gives_candidates(folder: Repository) -> None:
    folder.write_all(
        {
            "compat/math.h": "#define isless(a, b) ((a) < (b))\n#define half(a) ((a) / 2)\n"
            "static inline int third(int a) { return a / 3; }\nint fourth(int a) { return a / 4; }\n",
            "use.c": "#include <math.h>\nint use(int a) { return isless(a, half(a)) + third(a) + fourth(a); }\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        edges = [edge for edge in workspace.graph.edges("use.c") if edge.kind == "call"]
        assert [(edge.name, edge.is_resolved, edge.targets[0].path) for edge in edges] == [
            (name, False, "compat/math.h") for name in ("isless", "half", "third", "fourth")
        ]


def test_comparison_of_floats_is_a_macro_of_the_standard_library(folder: Repository) -> None:
    folder.write_all(
        {
            "less.c": "#include <math.h>\n#ifndef isless\n#define isless(a, b) ((a) < (b))\n#endif\n"
            "int less(double a) { return isless(a, 1.0); }\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        assert not [edge for edge in workspace.graph.edges("less.c") if edge.is_resolved]


def test_own_header_with_a_standard_name_is_included_by_its_path(folder: Repository) -> None:
    folder.write_all(
        {
            "include/compat/math.h": "#define half(a) ((a) / 2)\n",
            "src/use.c": '#include "compat/math.h"\nint use(int a) { return half(a); }\n',
        }
    )
    with Workspace.open(folder.root) as workspace:
        (call,) = [edge for edge in workspace.graph.edges("src/use.c") if edge.kind == "call"]
        assert (call.how, call.targets[0].path) == ("import", "include/compat/math.h")


def test_function_is_called_through_a_macro_that_may_rename_it(folder: Repository) -> None:
    folder.write_all(
        {
            "names.h": "#ifdef PREFIX\n#  define push api_push\n#endif\n",
            "api.h": '#include "names.h"\nint push(int value);\n',
            "api.c": '#include "api.h"\nint push(int value) { return value; }\n',
            "use.c": '#include "api.h"\nint run(void) { return push(1); }\n',
        }
    )
    with Workspace.open(folder.root) as workspace:
        (call,) = workspace.graph.callees("run", kinds=["call"])
        assert [f"{each.path}:{each.line}" for each in call.targets] == ["names.h:2", "api.c:2"]
        assert call.is_resolved


def test_class_behind_macros_is_read_as_any_class(folder: Repository) -> None:
    folder.write_all(
        {
            "node.h": """namespace tree {
class API_EXPORT Base {
 public:
  virtual Base* ToBase() { return this; }
};

class API_EXPORT API_FINAL Node : public Base {
  friend class Reader;

 public:
  template <typename T>
  void Define(T value) { value(); }
  virtual bool IsEqual(const Node* other) const = 0;
  Base* Next() const { return 0; }

 private:
  Base* next_;
};
}
""",
            "use.cpp": """#include "node.h"

void run(tree::Node* node) {
  node->Define(1);
  node->ToBase();
  node->Next()->ToBase();
  node->IsEqual(node);
}
""",
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = workspace.graph.callees("run", kinds=["method_call"])
        found = [(call.line, f"{each.path}:{each.line}") for call in calls for each in call.targets]
        assert found == [
            (4, "node.h:12"),
            (5, "node.h:4"),
            (6, "node.h:14"),
            (6, "node.h:4"),
            (7, "node.h:13"),
        ]


def test_what_a_project_declares_in_the_standard_namespace_is_not_its_own(
    folder: Repository,
) -> None:
    folder.write_all(
        {
            "test.hpp": "namespace std {\nclass string;\nvoid swap(int& a, int& b);\n}\n"
            "namespace own {\nvoid swap(int& a, int& b) {}\n}\n",
            "run.cpp": '#include "test.hpp"\nvoid run() {\n  std::string("a");\n  int a, b;\n  std::swap(a, b);\n'
            "  own::swap(a, b);\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callees("run")
        targets = [(call.name, [each.line for each in call.targets]) for call in found]
        assert [(name, lines) for name, lines in targets if lines] == [("swap", [6])]


def test_a_variable_hides_no_namespace_before_two_colons(folder: Repository) -> None:
    folder.write_all(
        {
            "include/lib/lib.hpp": "namespace lib {\nclass Parser {\n public:\n  void parse(int a) {}\n};\n}\n",
            "run.cpp": "#ifdef WITH_MODULES\nimport lib;\n#else\n#include <lib/lib.hpp>\n#endif\n"
            "void run() {\n  lib::Parser parser;\n  parser.parse(1);\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = workspace.graph.callees("run", kinds=["method_call"])
        assert [[each.line for each in call.targets] for call in calls] == [[4]]
