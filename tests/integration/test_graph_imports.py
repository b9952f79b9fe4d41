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


def test_imported_function_of_php_is_no_method_of_its_name(folder: Repository) -> None:
    folder.write_all(
        {
            "src/Stream.php": "<?php\nnamespace Csv;\nclass Stream {\n  public function fputcsv() {}\n"
            "  public function seek() {}\n}\nfunction collect() {}\n",
            "src/Writer.php": "<?php\nnamespace Csv;\nuse function fputcsv;\nuse function Csv\\collect;\n"
            "class Writer {\n  public function __construct(private Stream|\\SplFileObject $document) {}\n"
            "  public function write() {\n    fputcsv(1);\n    collect();\n    $this->document->seek();\n  }\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callees("write", kinds=["call", "method_call"])
        assert [f"{use.name} {use.targets[0].path}:{use.targets[0].line}" for use in found] == [
            "collect src/Stream.php:7",
            "seek src/Stream.php:5",
        ]


def test_new_of_a_standard_type_of_rust_is_no_candidate(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shelf"\n',
            "src/lib.rs": "pub struct Shelf;\nimpl Shelf {\n    pub fn create_empty() -> Self { Shelf }\n}\n"
            "pub fn fill() {\n    let a = Vec::create_empty();\n    let b = Shelf::create_empty();\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.edges("src/lib.rs")
        assert [(edge.line, edge.how) for edge in found if edge.name == "create_empty"] == [
            (6, "outside"),
            (7, "receiver"),
        ]
