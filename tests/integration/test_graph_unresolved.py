"""No use is denied: wherever the name of a symbol stands in code, that is counted and shown; and where it stands nowhere, that is said."""

import json

import pytest

from codecairn import Workspace
from codecairn.core.graph_engine import MAX_PLACES
from codecairn.graph.neighbours import MAX_UNRESOLVED
from codecairn.graph.render import neighbours_lines
from support.command import run
from support.repository import Repository

NO_USE = "no use is known"

NOTEBOOK = json.dumps(
    {"cells": [{"cell_type": "code", "source": ["import shop\n", "shop.net_total(cart)\n"]}]},
    indent=1,
)

USED = {
    "ruby in erb": (
        {
            "app/helpers/cart_helper.rb": "module CartHelper\n  def net_total(cart)\n    cart\n  end\nend\n",
            "app/views/cart.html.erb": "<p>\n<%= net_total(@cart) %>\n</p>\n",
        },
        "net_total",
        "app/views/cart.html.erb:2",
    ),
    "elixir in heex": (
        {
            "lib/cart.ex": "defmodule Cart do\n  @spec net_total(map) :: map\n  def net_total(cart) do\n    cart\n  end\nend\n",
            "lib/cart.html.heex": "<p>\n  <%= Cart.net_total(@cart) %>\n</p>\n",
        },
        "net_total",
        "lib/cart.html.heex:2",
    ),
    "c# in razor": (
        {
            "Cart.cs": "public class Cart\n{\n    public int NetTotal()\n    {\n        return 1;\n    }\n}\n",
            "Cart.cshtml": "@model Cart\n<p>@Model.NetTotal()</p>\n",
        },
        "Cart.NetTotal",
        "Cart.cshtml:2",
    ),
    "python in a notebook": (
        {"shop.py": "def net_total(cart):\n    return cart\n", "report.ipynb": NOTEBOOK},
        "net_total",
        "report.ipynb:7",
    ),
    "python in jinja": (
        {
            "shop.py": "def net_total(cart):\n    return cart\n",
            "templates/cart.j2": "<p>\n{{ net_total(cart) }}</p>\n",
        },
        "net_total",
        "templates/cart.j2:2",
    ),
    "go in a template": (
        {
            "cart.go": "package cart\n\nfunc NetTotal(a int) int {\n\treturn a\n}\n",
            "cart.gohtml": "<p>\n{{ NetTotal .Cart }}</p>\n",
        },
        "NetTotal",
        "cart.gohtml:2",
    ),
    "a property that is read": (
        {
            "shop.py": "class Cart:\n    @property\n    def net_total(self):\n        return 1\n",
            "page.py": "def show(cart):\n    return cart.net_total\n",
        },
        "Cart.net_total",
        "page.py:2",
    ),
    "a getter that is read": (
        {
            "cart.ts": "export class Cart {\n  get netTotal() {\n    return 1;\n  }\n}\n",
            "page.ts": "export const show = (cart: any) => cart.netTotal;\n",
        },
        "Cart.netTotal",
        "page.ts:1",
    ),
    "a symbol of ruby": (
        {
            "cart.rb": "class Cart\n  before_action :check_total\n\n  def check_total\n    1\n  end\nend\n",
            "other.rb": "cart.send(:check_total)\n",
        },
        "Cart.check_total",
        "cart.rb:2",
    ),
    "a route in settings": (
        {
            "shop.py": "def net_total(cart):\n    return cart\n",
            "pyproject.toml": '[project.scripts]\ntotal = "shop:net_total"\n',
        },
        "net_total",
        "pyproject.toml:2",
    ),
    "a method of a library's type": (
        {
            "Ext.cs": "public static class Ext\n{\n    public static bool IsBlank(this string text)\n    {\n"
            "        return text == null;\n    }\n}\n",
            "Use.cs": "public class Use\n{\n    public bool Run(string text)\n    {\n        return text.IsBlank();\n    }\n}\n",
        },
        "Ext.IsBlank",
        "Use.cs:5",
    ),
    "a method that an assignment calls": (
        {
            "cart.rb": "class Cart\n  def discount=(value)\n    value\n  end\nend\n",
            "use.rb": "def run(cart)\n  cart.discount = 3\nend\n",
        },
        "cart.rb:2",
        "use.rb:2",
    ),
    "another language": (
        {
            "native.c": "int net_total(int a)\n{\n    return a;\n}\n",
            "use.py": "from ctypes import CDLL\n\nlibrary = CDLL('x')\nlibrary.net_total(1)\n",
        },
        "net_total",
        "use.py:4",
    ),
}


@pytest.mark.parametrize(("files", "name", "place"), USED.values(), ids=USED)
def test_place_where_a_name_stands_is_shown_and_no_use_is_denied(
    repository: Repository, files: dict[str, str], name: str, place: str
) -> None:
    repository.write_all(files)
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callers(name)
        lines = list(neighbours_lines(found))
        pack = workspace.packs.edit_context(name)
        impact = workspace.graph.impact(symbol=name)
        unused = {each.definition.place for each in workspace.graph.unused().found}
    known = (*found.uses, *found.possible, *found.unresolved)
    assert NO_USE not in lines
    assert place in [f"{use.path}:{use.line}" for use in known]
    if not found.uses and not found.possible:
        assert found.unresolved_count >= 1
        assert pack.unresolved_count == found.unresolved_count
        assert impact.unresolved_count == found.unresolved_count
        assert impact.risk != "LOW"
        shown = next(use for use in found.unresolved if f"{use.path}:{use.line}" == place)
        assert shown.code in (repository.root / shown.path).read_text().splitlines()[shown.line - 1]
        assert shown.code
    assert found.symbols[0].place not in unused


UNUSED = {
    "nothing": {"shop.py": "def net_total(cart):\n    return cart\n"},
    "a comment": {
        "shop.py": "def net_total(cart):\n    return cart\n",
        "page.py": "def show():\n    # net_total is shown here\n    return 1\n",
    },
    "a docstring": {
        "shop.py": "def net_total(cart):\n    return cart\n",
        "page.py": 'def show():\n    """Like net_total."""\n    return 1\n',
    },
    "prose": {
        "shop.py": "def net_total(cart):\n    return cart\n",
        "README.md": "Call `net_total` first.\n",
        "CHANGELOG": "net_total is new\n",
        "docs/shop.rst": "net_total\n",
        "fix.patch": "+net_total\n",
    },
    "its own body": {"shop.py": "def net_total(cart):\n    return print('net_total', cart)\n"},
    "another definition": {
        "shop.py": "def net_total(cart):\n    return cart\n",
        "other.py": "class Cart:\n    def net_total(self):\n        return 1\n",
    },
    "a longer name": {
        "shop.py": "def net_total(cart):\n    return cart\n",
        "page.py": "net_totals = net_total_of = _net_total = 1\n",
    },
}


@pytest.mark.parametrize("files", UNUSED.values(), ids=UNUSED)
def test_no_use_is_known_where_the_name_stands_nowhere_in_code(
    repository: Repository, files: dict[str, str]
) -> None:
    repository.write_all(files)
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callers("shop.py::net_total")
        impact = workspace.graph.impact(symbol="shop.py::net_total")
    assert (found.unresolved, found.unresolved_count, impact.unresolved_count) == ((), 0, 0)
    assert list(neighbours_lines(found))[-1] == NO_USE


def test_sign_of_a_variable_is_no_use_of_a_method(repository: Repository) -> None:
    repository.write_all(
        {
            "cart.rb": "class Cart\n  def total\n    1\n  end\nend\n",
            "other.rb": "class Other\n  def run\n    @total || total?\n  end\nend\n",
            "cart.php": "<?php\nfunction sum() {\n  return 1;\n}\n",
            "other.php": "<?php\necho $sum;\n",
        }
    )
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        assert workspace.graph.callers("Cart.total").unresolved_count == 0
        assert workspace.graph.callers("sum").unresolved_count == 0


def test_likeliest_places_come_first_and_strings_last(repository: Repository) -> None:
    repository.write_all(
        {
            "a.py": "NAMES = ['net_total', 'x']\n",
            "b.j2": "{{ net_total }}\n",
            "c.py": "value = cart.net_total\n",
            "d.py": "def run(cart):\n    return cart.net_total()\n",
            "e.yaml": "handler: net_total\n",
            "shop.py": "class Cart:\n    def net_total(self):\n        return 1\n",
        }
    )
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callers("Cart.net_total")
        lines = list(neighbours_lines(found))
    assert [use.path for use in found.unresolved] == ["d.py", "c.py", "b.j2", "a.py", "e.yaml"]
    assert lines[-6:] == [
        "5 places of `net_total` could not be resolved (`codecairn uses net_total`):",
        "  d.py:2  in run  method_call  return cart.net_total()",
        "  c.py:1  mention  value = cart.net_total",
        "  b.j2:1  mention  {{ net_total }}",
        "  a.py:1  mention  NAMES = ['net_total', 'x']",
        "  e.yaml:1  mention  handler: net_total",
    ]


def test_filter_by_kind_keeps_places_of_an_unknown_kind(repository: Repository) -> None:
    repository.write_all(
        {
            "shop.py": "def net_total(cart):\n    return cart\n",
            "cart.j2": "{{ net_total(cart) }}\n" * (MAX_UNRESOLVED + 1),
        }
    )
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callers("net_total", kinds=["call"])
    assert (len(found.unresolved), found.unresolved_count) == (MAX_UNRESOLVED, MAX_UNRESOLVED + 1)


def test_many_places_are_counted_up_to_a_bound(repository: Repository) -> None:
    repository.write("shop.py", "def net_total(cart):\n    return cart\n")
    repository.write("cart.j2", "{{ net_total }} " * (MAX_PLACES + 1))
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callers("net_total")
        lines = list(neighbours_lines(found))
    assert found.unresolved_count == MAX_PLACES
    assert "10,000 or more places of `net_total` could not be resolved (`codecairn uses net_total`):" in lines  # fmt: skip
    assert "  at least 9,995 more" in lines


def test_symbol_is_listed_once(repository: Repository) -> None:
    repository.write("cart.rb", USED["a symbol of ruby"][0]["cart.rb"])
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callers("Cart.check_total")
    assert [use.line for use in (*found.possible, *found.unresolved)] == [2]


def test_command_and_its_document_show_the_places(repository: Repository) -> None:
    repository.write_all(USED["ruby in erb"][0])
    repository.commit()
    shown = run("graph", "callers", "net_total", cwd=repository.root)
    assert shown.code == 0
    assert "1 place of `net_total` could not be resolved (`codecairn uses net_total`):" in shown.out
    assert "  app/views/cart.html.erb:2  mention  <%= net_total(@cart) %>" in shown.out
    document = run("graph", "callers", "net_total", "--json", cwd=repository.root).document
    assert document["unresolved_count"] == 1
    assert document["unresolved"][0]["code"] == "<%= net_total(@cart) %>"


OUTSIDE = {
    "python": {
        "shop.py": "class Cart:\n    def append(self, item):\n        return item\n",
        "page.py": "def show():\n    items = []\n    items.append(1)\n    return len(items)\n",
    },
    "c#": {
        "Cart.cs": "public class Cart\n{\n    public string Trim()\n    {\n        return null;\n    }\n}\n",
        "Page.cs": "public class Page\n{\n    public string show(string text)\n    {\n"
        "        return text.Trim().Substring(1);\n    }\n}\n",
    },
    "go": {
        "cart.go": "package cart\n\ntype Cart struct{}\n\nfunc (c Cart) Sprint(a int) int {\n\treturn a\n}\n",
        "page.go": 'package cart\n\nimport "fmt"\n\nfunc show() string {\n\treturn fmt.Sprint(fmt.Sprintf("1"))\n}\n',
    },
}


@pytest.mark.parametrize("files", OUTSIDE.values(), ids=OUTSIDE)
def test_callees_never_list_a_name_that_the_index_defines_as_undefined(
    repository: Repository, files: dict[str, str]
) -> None:
    repository.write_all(files)
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callees("show")
        defined = [name for name in found.outside if workspace.graph.engine().symbols(name)]
    assert defined == []
    assert found.outside
    assert found.unresolved_count == 1


def test_long_line_is_cut_around_the_name(repository: Repository) -> None:
    repository.write("shop.py", "def net_total(cart):\n    return cart\n")
    repository.write("page.j2", f"{'x ' * 200}{{{{ net_total }}}}{' y' * 200}\n")
    repository.write("pages.j2", f"{'x ' * 9000}{{{{ net_total }}}}\n")
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        place, far = workspace.graph.callers("net_total").unresolved
    assert "{{ net_total }}" in place.code
    assert len(place.code) <= 120
    assert (far.path, far.code) == ("pages.j2", "")


@pytest.mark.parametrize("place", ["ride.cpp:1", "ride.cpp:9", "ride.h:1"])
def test_uses_of_a_definition_are_found_from_its_declaration(
    repository: Repository, place: str
) -> None:
    repository.write_all(
        {
            "ride.h": "void open_gate(int a);\n",
            "ride.cpp": 'static void close_gate(int a);\n#include "ride.h"\n\nvoid run()\n{\n    close_gate(1);\n'
            "    open_gate(2);\n}\nstatic void close_gate(int a)\n{\n    a++;\n}\n\nvoid open_gate(int a)\n{\n    a--;\n}\n",
        }
    )
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callers(place)
    assert [use.line for use in found.uses] == [7 if place == "ride.h:1" else 6]
