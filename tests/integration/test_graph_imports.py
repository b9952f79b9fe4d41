"""Imports: where each name of a statement is, and what one that leads to no file may mean."""

from codecairn import Workspace
from support.repository import Repository

_FILES = {
    "shop/__init__.py": "",
    "shop/price.py": "def total():\n    return 1\n\n\ndef net():\n    return 2\n",
    "shop/basket.py": "from shop.price import (\n    net,\n    total,\n)\nfrom elsewhere.deep import lonely_name\n",
    "other/tools.py": "def lonely_name():\n    return 3\n",
}


def test_import_of_many_lines_points_at_the_line_of_each_name(folder: Repository) -> None:
    folder.write_all(_FILES)
    with Workspace.open(folder.root) as workspace:
        lines = {
            name: [use.line for use in workspace.graph.callers(name, kinds=["import"])]
            for name in ("net", "total")
        }
        assert lines == {"net": [2], "total": [3]}


def test_import_that_leads_to_no_file_has_candidates(folder: Repository) -> None:
    folder.write_all({**_FILES, "shop/basket.py": "from .missing import lonely_name\n"})
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers("lonely_name")
        assert not found.uses
        assert [(use.path, use.kind, use.how) for use in found.possible] == [
            ("shop/basket.py", "import", "unique-name")
        ]
