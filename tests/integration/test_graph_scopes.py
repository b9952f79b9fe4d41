"""Small methods that share a chunk keep the scopes of their own."""

import pytest

from codecairn import Workspace
from support.repository import Repository

_GO = {
    "go.mod": "module example.com/x\n\ngo 1.22\n",
    "types.go": "package x\n\ntype Circle struct{ R float64 }\ntype Square struct{ S float64 }\n",
    "methods.go": """package x

func (c Circle) Area() float64 { return c.R }
func (s Square) Area() float64 { return s.S }
func (s *Square) Draw()        {}
""",
    "use.go": """package x

func Sum(c Circle, s Square) float64 { s.Draw(); return c.Area() + s.Area() }
""",
}
_RUST = {
    "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n',
    "src/types.rs": "pub struct Circle { pub r: f64 }\npub struct Square { pub s: f64 }\n",
    "src/methods.rs": """use crate::types::{Circle, Square};
impl Circle { pub fn area(&self) -> f64 { self.r } }
impl Square { pub fn area(&self) -> f64 { self.s } pub fn unit() -> Square { Square { s: 1.0 } } }
""",
    "src/lib.rs": """pub mod types;
mod methods;
use types::{Circle, Square};
pub fn sum(c: Circle, s: Square) -> f64 { c.area() + s.area() + Square::unit().s }
""",
}
_KOTLIN = {
    "Types.kt": "package x\nclass Circle(val r: Double)\nclass Square(val s: Double)\n",
    "Methods.kt": "package x\nfun Circle.area(): Double = r\nfun Square.area(): Double = s\n",
    "Use.kt": "package x\nfun sum(c: Circle, s: Square): Double = c.area() + s.area()\n",
}
_CSHARP = {
    "Types.cs": "namespace N; public partial class Circle { } public partial class Square { }\n",
    "Methods.cs": "namespace N; public partial class Circle { public int Area() => 1; } "
    "public partial class Square { public int Area() => 2; public int Side() => 3; }\n",
    "Use.cs": "namespace N; public class Use { "
    "public int Sum(Circle c, Square s) => c.Area() + s.Area() + s.Side(); }\n",
}
_CPP = {
    "log.hpp": """class Logger { public: void write(int x); };
class Metrics { public: void write(int x); };
""",
    "log.cpp": """#include "log.hpp"
void Logger::write(int x) {}
void Metrics::write(int x) {}
""",
    "use.cpp": '#include "log.hpp"\nvoid b(Metrics& m) { m.write(1); }\n',
}
_CPP_NAMESPACE = {
    "grid.h": """#pragma once
namespace App::Draw {
class Grid {
    int w;
public:
    int width() const;
    int height() const;
};
}
""",
    "grid.cpp": """#include "grid.h"
namespace App::Draw
{
    int Grid::width() const
    {
        return w;
    }

    int Grid::height() const
    {
        return w;
    }
}
""",
    "use.cpp": """#include "grid.h"
using namespace App::Draw;
int f(Grid& g) { return g.width() + g.height(); }
""",
}
_RUBY = {
    "types.rb": "class Circle; end\nclass Square; end\n",
    "methods.rb": """class Circle; def area; 1; end; end
class Square; def area; 2; end; def side; 3; end; end
""",
    "use.rb": "def sum_all\n  Circle.new.area + Square.new.area + Square.new.side\nend\n",
}
_GO_GENERIC = {
    "go.mod": "module example.com/x\n\ngo 1.22\n",
    "types.go": "package x\n\ntype L[T any] struct{}\ntype M[T any] struct{}\n",
    "methods.go": """package x

func (l *L[T]) Len() int { return 0 }
func (m *M[T]) Len() int { return 1 }
""",
    "use.go": "package x\n\nfunc U(l *L[int], m *M[int]) int { return l.Len() + m.Len() }\n",
}
_RUST_NEW = {
    "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n',
    "src/types.rs": "pub struct A;\npub struct B;\n",
    "src/new.rs": """use crate::types::*;
impl A { pub fn new() -> A { A } }
impl B { pub fn new() -> B { B } }
""",
    "src/lib.rs": """pub mod types;
mod new;
use types::{A, B};
pub fn two() { A::new(); B::new(); }
""",
}
_CPP_MIXED = {
    "g.h": """#pragma once
namespace A {
struct S { int m() const; int n() const; };
struct T { int m() const; };
}
""",
    "g.cpp": """#include "g.h"
namespace A {
int S::m() const { return 1; }
int T::m() const { return 2; }
int S::n() const { return 1; }
}
""",
    "use.cpp": '#include "g.h"\nint f(A::S& s, A::T& t) { return s.m() + s.n() + t.m(); }\n',
}


@pytest.mark.parametrize(
    ("files", "name", "user"),
    [
        pytest.param(_GO, "Circle.Area", "Sum", id="go-first"),
        pytest.param(_GO, "Square.Area", "Sum", id="go-second"),
        pytest.param(_GO, "Square.Draw", "Sum", id="go-third"),
        pytest.param(_RUST, "Square.area", "sum", id="rust-second-impl"),
        pytest.param(_RUST, "Square.unit", "sum", id="rust-third"),
        pytest.param(_KOTLIN, "Square.area", "sum", id="kotlin-extension"),
        pytest.param(_CSHARP, "Square.Area", "Use.Sum", id="csharp-partial"),
        pytest.param(_CSHARP, "Square.Side", "Use.Sum", id="csharp-partial-third"),
        pytest.param(_CPP, "Metrics.write", "b", id="cpp"),
        pytest.param(_CPP_NAMESPACE, "Grid.width", "f", id="cpp-namespace-first"),
        pytest.param(_CPP_NAMESPACE, "Grid.height", "f", id="cpp-namespace-second"),
        pytest.param(_RUBY, "Square.area", "sum_all", id="ruby-reopened"),
        pytest.param(_RUBY, "Square.side", "sum_all", id="ruby-reopened-third"),
        pytest.param(_GO_GENERIC, "M.Len", "U", id="go-generic"),
        pytest.param(_RUST_NEW, "B.new", "two", id="rust-new"),
        pytest.param(_CPP_MIXED, "T.m", "f", id="cpp-types-in-turns"),
        pytest.param(_CPP_MIXED, "S.n", "f", id="cpp-types-in-turns-last"),
    ],
)
def test_the_members_of_a_shared_chunk_have_their_callers(
    folder: Repository, files: dict[str, str], name: str, user: str
) -> None:
    folder.write_all(files)
    with Workspace.open(folder.root) as workspace:
        uses = workspace.graph.callers(name).uses
        assert {use.source.qualified_name for use in uses if use.source} == {user}
