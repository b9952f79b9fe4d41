"""A function that is defined clause by clause is one symbol, and its arity tells it from others of its name."""

import pytest

from codecairn import Workspace
from support.repository import Repository

ELIXIR = """defmodule M do
  def run(:a), do: helper_a()
  def run(:b), do: helper_b()

  @doc false
  # the last one
  def run(:c) when true do
    helper_c()
  end

  def run(x, y), do: helper_d(x + y)

  def other(1), do: run(:a)

  defp helper_a(), do: 1
  defp helper_b(), do: 2
  defp helper_c(), do: 3
  defp helper_d(z), do: z
end
"""
ERLANG = """-module(b).
-export([run/1]).
run(#state{}) -> helper_a();
run(b) -> helper_b();
run(c) ->
    helper_c().
run(X, Y) -> helper_d(X + Y).
helper_a() -> 1.
helper_b() -> 2.
helper_c() -> 3.
helper_d(Z) -> Z.
"""
HASKELL = """module Run where

run :: Int -> Int
run 1 = helper_a 1
run 2 = helper_b 2

run n = helper_c n

helper_a x = x
helper_b x = x
helper_c x = x
"""


@pytest.mark.parametrize(
    ("path", "text", "spans"),
    [
        ("a.ex", ELIXIR, [(2, 9), (11, 11)]),
        ("b.erl", ERLANG, [(3, 6), (7, 7)]),
        ("Run.hs", HASKELL, [(4, 7)]),
    ],
)
def test_the_clauses_of_a_function_are_one_symbol(
    folder: Repository, path: str, text: str, spans: list[tuple[int, int]]
) -> None:
    folder.write(path, text)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callees(f"{path}::run")
        assert [(each.start_line, each.end_line) for each in found.symbols] == spans
        called = ["helper_a", "helper_b", "helper_c", "helper_d"][: 2 + len(spans)]
        assert [use.name for use in found if use.name.startswith("helper")] == called


@pytest.mark.parametrize(
    ("path", "text", "line"), [("a.ex", ELIXIR, 8), ("b.erl", ERLANG, 6), ("Run.hs", HASKELL, 5)]
)
def test_a_later_clause_is_a_place_in_its_function_and_uses_from_there(
    folder: Repository, path: str, text: str, line: int
) -> None:
    folder.write(path, text)
    with Workspace.open(folder.root) as workspace:
        assert workspace.graph.callees(f"{path}:{line}").symbols[0].name == "run"
        users = [use.source.name for use in workspace.graph.callers("helper_b") if use.source]
        assert users == ["run"]


def test_functions_of_one_name_and_other_arity_between_clauses_stay_apart(
    folder: Repository,
) -> None:
    folder.write(
        "a.ex",
        "defmodule M do\n  def run(:a), do: 1\n  def run(a, b), do: a + b\n  def run(:b), do: 2\nend\n",
    )
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callees("a.ex::M.run").symbols
        assert [(each.start_line, each.end_line) for each in found] == [(2, 2), (3, 3), (4, 4)]
