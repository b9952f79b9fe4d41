"""Calls in C++ lead to their functions, through macros, namespaces, pointers and containers."""

import pytest

from codecairn import Workspace
from support.repository import Repository


def _calls(workspace: Workspace, path: str) -> dict[tuple[int, str], list[str]]:
    edges = [edge for edge in workspace.graph.edges(path) if edge.is_resolved]
    return {
        (edge.line, edge.name): [f"{each.path}:{each.line}" for each in edge.targets]
        for edge in edges
        if edge.kind in {"call", "method_call", "construct"}
    }


_MACROS = {
    "check.h": """#define CHECK_DEF(base, name) name() {}
#define CHECK_OFF(number)
#define CHECK_API(type) type
#define CHECK(text) check::run(text)

CHECK_OFF(1) // a comment
CHECK_OFF(2)

namespace check {
class Failure {
  CHECK_DEF(Error, Failure)
  CHECK_DEF(const char *, Failure);
  void show();
};
CHECK_API(int) run(const char *text);
#ifdef CHECK_ALL
int first() {
#else
int second() {
#endif
  return 1;
}
} // namespace check
""",
    "main.cpp": """#include "check.h"

CHECK("it runs") {
  CHECK("inside") {
    check::run("a");
  }
  CHECK("without a semicolon")
  check::first();
}
""",
}


def test_macros_without_a_semicolon_hide_nothing_behind_them(folder: Repository) -> None:
    folder.write_all(_MACROS)
    with Workspace.open(folder.root) as workspace:
        names = {
            symbol.qualified_name
            for symbol in workspace.graph.engine(refresh=True).symbols_in("check.h")
        }
        assert {"check.Failure", "check.Failure.show", "check.run", "check.first"} <= names
        assert "check.Failure.CHECK_DEF" not in names
        assert _calls(workspace, "main.cpp") == {
            (3, "CHECK"): ["check.h:4"],
            (4, "CHECK"): ["check.h:4"],
            (5, "run"): ["check.h:15"],
            (7, "CHECK"): ["check.h:4"],
            (8, "first"): ["check.h:17"],
        }
        header = _calls(workspace, "check.h")
        assert header[6, "CHECK_OFF"] == ["check.h:2"]
        assert header[11, "CHECK_DEF"] == ["check.h:1"]
        assert header[12, "CHECK_DEF"] == ["check.h:1"]


def test_macros_are_found_where_the_grammar_is_lost(folder: Repository) -> None:
    folder.write_all(
        {
            "lost.h": "class A { int a = ((;\n#define LOST_ALL(x) keep(x)\n)};\nvoid keep(int x) {}\n",
            "sum.h": "int a = sum(1,\n#define LOST_SUM(x) ((x)\n2);\n",
            "main.cpp": '#include "lost.h"\n#include "sum.h"\nvoid run() {\n  LOST_ALL(1);\n  LOST_SUM(2);\n}\n',
        }
    )
    with Workspace.open(folder.root) as workspace:
        assert _calls(workspace, "main.cpp") == {
            (4, "LOST_ALL"): ["lost.h:2"],
            (5, "LOST_SUM"): ["sum.h:2"],
        }


def test_test_is_not_what_a_call_of_its_name_means(folder: Repository) -> None:
    folder.write_all(
        {
            "store.h": "namespace store {\nbool Append(int a);\n}\n",
            "store.cpp": '#include "store.h"\nnamespace store {\nbool Append(int a) { return a > 0; }\n}\n',
            "store_test.cpp": '#include "store.h"\nnamespace store {\nTEST(Store, Append) {\n'
            "  EXPECT_TRUE(Append(1));\n  store::Append(2);\n}\nTEST(store, Append) {\n}\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = _calls(workspace, "store_test.cpp")
        assert calls[4, "Append"] == ["store.cpp:3"]
        assert calls[5, "Append"] == ["store.cpp:3"]


_SCOPES = {
    "log.h": """void Warning(int a);
namespace a {
inline namespace v1 {
namespace b {
namespace c {
void deep();
}
}
void near();
}
}
class Printer {
  void Warning(int a);
  void print();
  class Impl;
  Impl *impl;
};
""",
    "log.cpp": """#include "log.h"
class Printer::Impl {
public:
  void flush();
  void flush_all();
};
void Printer::Impl::flush() { flush_all(); }
void Printer::Impl::flush_all() {}
void Printer::Warning(int a) { ::Warning(a); }
void Printer::print() {
  Warning(1);
  impl->flush();
  a::b::c::deep();
  ::a::near();
  a::v1::near();
}
""",
}


def test_scopes_of_namespaces_and_of_classes_in_classes(folder: Repository) -> None:
    folder.write_all(_SCOPES)
    with Workspace.open(folder.root) as workspace:
        assert _calls(workspace, "log.cpp") == {
            (7, "flush_all"): ["log.cpp:8"],
            (9, "Warning"): ["log.h:1"],
            (11, "Warning"): ["log.cpp:9"],
            (12, "flush"): ["log.cpp:7"],
            (13, "deep"): ["log.h:6"],
            (14, "near"): ["log.h:9"],
            (15, "near"): ["log.h:9"],
        }


_TYPES = """#include <map>
#include <memory>
#include <vector>
struct Foo {
  void go();
  void get();
  Foo *next() { return this; }
};
struct Ref {
  Foo *operator->() const { return foo; }
  Foo *foo;
};
struct Iterator {
  const Foo &operator*() const;
};
struct Table {
  Iterator begin() const;
  Foo &operator[](int at) { return rows[at]; }
  Foo rows[3];
};
typedef std::vector<Foo *> Foos;
void run(std::map<int, Foo> named, Foos foos, Table table, Ref ref, void *it, std::unique_ptr<Foo> own) {
  for (auto &entry : named) entry.second.go();
  for (auto *foo : foos) foo->go();
  for (const auto &row : table) row.go();
  Foos::iterator at = foos.begin();
  (*at)->go();
  named.find(1)->second.go();
  named[1].go();
  table[1].go();
  table.rows[2].go();
  ref->go();
  static_cast<Foo *>(it)->go();
  auto made = std::make_unique<Foo>();
  made->go();
  own->go();
  own->get();
  own.get();
  own.get()->go();
  if (auto *next = own->next()) next->go();
  foos.get();
}
"""


@pytest.mark.parametrize(
    ("line", "name", "targets"),
    [
        *((line, "go", ["run.cpp:5"]) for line in (23, 24, 25, 27, 28, 29, 30, 31, 32, 33, 35, 36)),
        (37, "get", ["run.cpp:6"]),
        (38, "get", None),
        (39, "go", ["run.cpp:5"]),
        (40, "go", ["run.cpp:5"]),
        (41, "get", None),
    ],
)
def test_receivers_of_the_standard_library_and_of_operators(
    folder: Repository, line: int, name: str, targets: list[str] | None
) -> None:
    folder.write("run.cpp", _TYPES)
    with Workspace.open(folder.root) as workspace:
        assert _calls(workspace, "run.cpp").get((line, name)) == targets


_POINTERS = """template <typename T> class Ptr {
public:
  T *operator->() const { return it; }
  T *get() const { return it; }
  void reset();
  T *it;
};
template <typename T, typename P> using Shared = Ptr<T>;
struct Foo {
  void go();
  void reset();
};
struct Outer {
  class Inner { public: static int make(int a); };
  int size API_GUARDED(lock);
  Ptr<Foo> foo API_GUARDED(lock);
};
void run(Ptr<Foo> foo, Shared<Foo> shared, Outer outer, void *it) {
  foo->go();
  foo->reset();
  foo.reset();
  foo.get()->go();
  shared->go();
  outer.foo->go();
  Foo *made(static_cast<Foo *>(it));
  made->go();
  Outer::Inner::make(1);
}
"""


def test_pointers_that_a_project_defines(folder: Repository) -> None:
    folder.write("run.cpp", _POINTERS)
    with Workspace.open(folder.root) as workspace:
        calls = _calls(workspace, "run.cpp")
        assert {place: calls.get(place) for place in calls if place[0] > 18} == {
            (19, "go"): ["run.cpp:10"],
            (20, "reset"): ["run.cpp:11"],
            (21, "reset"): ["run.cpp:5"],
            (22, "get"): ["run.cpp:4"],
            (22, "go"): ["run.cpp:10"],
            (23, "go"): ["run.cpp:10"],
            (24, "go"): ["run.cpp:10"],
            (26, "go"): ["run.cpp:10"],
            (27, "make"): ["run.cpp:14"],
        }


def test_alias_that_a_condition_chooses_has_no_type(folder: Repository) -> None:
    folder.write(
        "run.cpp",
        "#include <atomic>\nstruct Level { int load(); };\n#ifdef PLAIN\nusing level_t = Level;\n#else\n"
        "using level_t = std::atomic<int>;\n#endif\nusing same_t = Level;\n"
        "void run(level_t level, same_t same) {\n  level.load();\n  same.load();\n}\n",
    )
    with Workspace.open(folder.root) as workspace:
        assert _calls(workspace, "run.cpp") == {(11, "load"): ["run.cpp:2"]}


def test_call_of_a_renamed_function_means_its_definition_as_well(folder: Repository) -> None:
    folder.write_all(
        {
            "conf.h": "#ifdef PREFIX\n#define inflate_it z_inflate_it\n#endif\n",
            "lib.c": '#include "conf.h"\nint inflate_it(int a) {\n  return a;\n}\n',
            "main.c": '#include "conf.h"\nint main(void) {\n  return inflate_it(1);\n}\n',
        }
    )
    with Workspace.open(folder.root) as workspace:
        assert _calls(workspace, "main.c")[3, "inflate_it"] == ["conf.h:2", "lib.c:2"]
