"""Functions that are handed on, kept or returned are used as values; locals of the same name are not."""

import pytest

from codecairn import Workspace
from support.repository import Repository

_PYTHON = {
    "parsing.py": """def parse(text):
    return text


class Reader:
    def read(self):
        return map(self.decode, [])

    def decode(self, line):
        return line
""",
    "app.py": """import parsing
from parsing import parse

HANDLERS = {"text": parse, "other": parsing.parse}


def run(lines, on_error=parse):
    return list(map(parse, lines))


def shadowed(parse):
    return list(map(parse, []))
""",
}
_SCRIPT = {
    "table.ts": "export function parseTable(text: string) {\n  return text;\n}\n",
    "page.ts": """import { parseTable } from "./table";

export class Page {
  open = parseTable;

  show(lines: string[]) {
    window.addEventListener("load", this.ready);
    return lines.map(parseTable);
  }

  ready() {}
}

export function other(lines: string[], parseTable: (line: string) => string) {
  return lines.map(parseTable);
}
""",
}
_GO = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "handlers.go": """package shop

type route struct {
	path    string
	handler func(string) string
}

func greet(name string) string { return name }
""",
    "routes.go": """package shop

var routes = []route{{path: "/", handler: greet}}

func register(add func(func(string) string)) {
	add(greet)
}

func local(greet func(string) string, add func(func(string) string)) {
	add(greet)
}
""",
}
_C = {
    "jobs.c": "int clean_up(int code) {\n  return code;\n}\n",
    "main.c": """struct job { int (*run)(int); };
static struct job jobs[] = { { .run = clean_up } };

int start(void) {
  return atexit_with(&clean_up);
}

int other(int (*clean_up)(int)) {
  return atexit_with(clean_up);
}
""",
}
_RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
    "src/lib.rs": """pub struct Line;

impl Line {
    fn parse(text: &str) -> Line {
        Line
    }

    pub fn all(texts: Vec<&str>) -> Vec<Line> {
        texts.into_iter().map(Self::parse).collect()
    }
}

fn trim(text: &str) -> &str {
    text
}

pub fn clean(texts: Vec<&str>) -> Vec<&str> {
    texts.into_iter().map(trim).collect()
}

pub fn other(trim: fn(&str) -> &str, texts: Vec<&str>) -> Vec<&str> {
    texts.into_iter().map(trim).collect()
}
""",
}


@pytest.mark.parametrize(
    ("files", "name", "uses"),
    [
        (_PYTHON, "parse", [("app.py", 4), ("app.py", 4), ("app.py", 7), ("app.py", 8)]),
        (_PYTHON, "Reader.decode", [("parsing.py", 7)]),
        (_SCRIPT, "parseTable", [("page.ts", 4), ("page.ts", 8)]),
        (_SCRIPT, "Page.ready", [("page.ts", 7)]),
        (_GO, "greet", [("routes.go", 3), ("routes.go", 6)]),
        (_C, "clean_up", [("main.c", 2), ("main.c", 5)]),
        (_RUST, "Line.parse", [("src/lib.rs", 9)]),
        (_RUST, "trim", [("src/lib.rs", 18)]),
    ],
)
def test_functions_are_used_as_values(
    folder: Repository, files: dict[str, str], name: str, uses: list[tuple[str, int]]
) -> None:
    folder.write_all(files)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers(name, kinds=["reference"])
        assert [(use.path, use.line) for use in found] == uses
        assert not found.possible
