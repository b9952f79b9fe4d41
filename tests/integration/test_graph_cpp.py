"""Calls in C++ lead to their functions, through macros, namespaces, pointers and containers."""

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
