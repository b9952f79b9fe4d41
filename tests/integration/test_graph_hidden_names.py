"""Names that look like calls and are none: types of a specification, members that are assigned, variables that patterns bind."""

import pytest

from codecairn import Workspace
from support.repository import Repository

ELIXIR = """defmodule Cart do
  @type t :: item()
  @spec total(t) :: v when v: item
  @spec total(list(item()), %{a: item()}) :: (item() -> item()) when v: item
  def total(a), do: item()
  def total(a, b), do: a
  def item(), do: 1
  @callback ready(v) :: v when v: item
end
"""
RUBY_ASSIGNED = """class Cart
  def price
    1
  end
  def price=(value)
    @price = value
  end
  def run(other)
    self.price = 3
    self.price += 4
    self.price ||= 5
    self.price, rest = 1, 2
    price = 9
    self.price == price
  end
end
"""
RUBY_MODULE = """module Tools
  class << self
    def helper
      1
    end
  end
  def self.other
  end
  def own
  end
end
class Base
  def self.made
  end
end
class Cart < Base
  include Tools
  def run
    helper
    other
    own
  end
  def self.go
    made
  end
end
"""
RUBY_BODY = """class Cart
  check
  made
  on { check }
  def check
  end
  def self.made
  end
end
"""
RUBY_GROUPS = """class Cart
  def status
  end
  def run(line)
    status
    if /(?<status>\\d+)(?<!x)/ =~ line
      status
    end
    status if /(?<status>#{x})/ =~ line
  end
  def go(line)
    status if /(?<status>#{x})/ =~ line
  end
end
"""
HASKELL = """module Cart where

item :: Int
item = 1

list xs = [item | item <- xs]

pair xs = [item | Just (item, _) <- xs, even item]

plain xs = [item | x <- xs]

class Shape a where
  area, side :: a -> Int
"""
PYTHON = """class Cart:
    @property
    def size(self):
        return 1

    @property
    def wide(self):
        return 1

    @wide.setter
    def wide(self, value):
        pass

    def clear(self):
        self.size = 3
        self.size, rest = 1, 2
        for self.size in []:
            pass
        del self.size
        self.size += self.size
        self.wide = 3
"""
FACTS = {
    "elixir": ("cart.ex", ELIXIR, {"item": {(5, 7)}, "total": set()}),
    "members that ruby assigns": (
        "cart.rb",
        RUBY_ASSIGNED,
        {
            "price": {(10, 2), (11, 2), (14, 2)},
            "price=": {(9, 5), (10, 5), (11, 5), (12, 5)},
        },
    ),
    "modules of ruby": (
        "cart.rb",
        RUBY_MODULE,
        {"helper": set(), "other": set(), "own": {(21, 9)}, "made": {(24, 13)}},
    ),
    "the body of a class of ruby": (
        "cart.rb",
        RUBY_BODY,
        {"check": {(4, 5)}, "made": {(3, 7)}},
    ),
    "named groups of ruby": ("cart.rb", RUBY_GROUPS, {"status": {(5, 2), (12, 2)}}),
    "comprehensions of haskell": ("Cart.hs", HASKELL, {"item": {(10, 4)}}),
    "members that python assigns": ("cart.py", PYTHON, {"size": {(20, 3)}, "wide": {(21, 11)}}),
}


@pytest.mark.parametrize(("path", "text", "expected"), FACTS.values(), ids=FACTS)
def test_facts_are_of_what_is_called_alone(
    folder: Repository, path: str, text: str, expected: dict[str, set[tuple[int, int]]]
) -> None:
    folder.write(path, text)
    with Workspace.open(folder.root) as workspace:
        edges = [edge for edge in workspace.graph.edges(path) if edge.is_resolved]
    for name, lines in expected.items():
        found = {(edge.line, each.line) for edge in edges for each in edge.targets if edge.name == name}  # fmt: skip
        assert found == lines, name


def test_callback_of_elixir_with_conditions_is_declared(folder: Repository) -> None:
    folder.write("cart.ex", ELIXIR)
    with Workspace.open(folder.root) as workspace:
        assert workspace.graph.callers("Cart.ready").symbols[0].line == 8


def test_each_name_of_a_signature_is_declared(folder: Repository) -> None:
    folder.write("Cart.hs", HASKELL)
    with Workspace.open(folder.root) as workspace:
        places = [workspace.graph.callers(name).symbols[0].line for name in ("area", "side")]
    assert places == [13, 13]


DECLARED = {
    "a specification of elixir": (
        "cart.ex",
        "defmodule Cart do\n  @spec total(t) :: t when t: var\n  def total(a), do: a\n"
        "  @spec other(list(total())) :: total()\n  def other(a), do: a\nend\n",
        "Cart.total",
    ),
    "a signature of haskell": (
        "Cart.hs",
        "module Cart where\n\nfirst, total :: Int\nfirst = 1\ntotal = 2\n",
        "total",
    ),
    "variables of ruby": (
        "cart.rb",
        "class Cart\n  def total\n  end\nend\n\nclass Other\n  def run(a)\n    total = a\n    a.each { |total| p total }\n"
        "    p total\n  end\n  def go\n    total()\n  end\n  def self.total\n  end\nend\n",
        "Cart.total",
    ),
    "variables of python": (
        "cart.py",
        "def total():\n    pass\n\n\ndef run(total, others):\n    total = others.find()\n    return [total]\n",
        "total",
    ),
    "the setter of ruby": (
        "cart.rb",
        "class Cart\n  def total\n  end\n  def total=(value)\n  end\n  def run\n    self.total = 1\n  end\nend\n",
        "cart.rb:2",
    ),
}


@pytest.mark.parametrize(("path", "text", "name"), DECLARED.values(), ids=DECLARED)
def test_declarations_and_variables_are_no_places_of_a_function(
    folder: Repository, path: str, text: str, name: str
) -> None:
    folder.write(path, text)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers(name)
        impact = workspace.graph.impact(symbol=name)
    assert [(use.line, use.code) for use in found.unresolved] == []
    assert (found.uses, found.unresolved_count, impact.unresolved_count) == ((), 0, 0)
