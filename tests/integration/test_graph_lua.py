"""Functions of Lua's modules, which are tables."""

import pytest

from codecairn import Workspace
from support.repository import Repository

_FILES = {
    "shop/price.lua": """local M = {}

local function round(value)
  return value
end

function M.total(values)
  return M.sum(values) + round(1)
end

function M.sum(values)
  return #values
end

M.nearest = round

return M
""",
    "shop/tax.lua": """local function rate(country)
  return 0.2
end

return { rate = rate }
""",
    "shop/basket.lua": """local price = require("shop.price")
local tax = require "shop.tax"
local sum = require("shop.price").sum
local total = price.total

local Basket = {}
Basket.__index = Basket

function Basket.new()
  return setmetatable({}, Basket)
end

function Basket:pay()
  self:check()
  return total({}) + sum({}) + tax.rate("de") + price.nearest(2)
end

function Basket:check()
end

local function shop(price)
  local basket = Basket.new()
  basket:pay()
  return price.total({})
end

return Basket
""",
}


@pytest.mark.parametrize(
    ("name", "callers"),
    [
        ("M.sum", ["Basket.pay", "M.total"]),
        ("M.total", ["Basket.pay"]),
        ("round", ["Basket.pay", "M.total"]),
        ("rate", ["Basket.pay"]),
        ("Basket.check", ["Basket.pay"]),
        ("Basket.new", ["shop"]),
        ("Basket.pay", ["shop"]),
    ],
)
def test_members_of_module_tables_are_facts(
    folder: Repository, name: str, callers: list[str]
) -> None:
    folder.write_all(_FILES)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers(name, kinds=["call", "method_call"])
        assert [use.source.qualified_name for use in found if use.source] == callers


def test_function_that_is_kept_under_another_name_is_a_callee(folder: Repository) -> None:
    folder.write_all(_FILES)
    with Workspace.open(folder.root) as workspace:
        callees = workspace.graph.callees("Basket.pay")
        assert [use.targets[0].qualified_name for use in callees if use.name == "nearest"] == [
            "round"
        ]


def test_instance_of_a_module_has_no_plain_functions_of_it(folder: Repository) -> None:
    folder.write_all(
        {
            "xml.lua": """local M = {}
local Document = {}

function M.new()
  return setmetatable({}, Document)
end

function M.describe(document)
  return document
end

return M
""",
            "use.lua": """local xml = require("xml")

local function show()
  local document = xml.new()
  return document:describe()
end

return show
""",
        }
    )
    with Workspace.open(folder.root) as workspace:
        assert [use.name for use in workspace.graph.callees("show")] == ["new"]
