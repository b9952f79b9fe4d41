"""What a project's manifests say of it, by rules: its purpose, languages, tools, and how it is built, run and configured."""

import pytest

from codecairn.memory.initialise.files import ProjectFile
from codecairn.memory.initialise.manifests import statements


def _read(name: str, text: str) -> list[tuple[str, str]]:
    found = statements([ProjectFile(name=name, text=text)])
    assert all(each.file == name for each in found)
    return [(each.type, each.text) for each in found]


BRIEF, CONFIG, TECH, RULE = "project-brief", "project-config", "tech-context", "rule"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "README.md",
            "# Orchard\n\n[![a badge](b.svg)](c)\n\nIt sells apples of forty kinds,\nby post.\n",
            [(BRIEF, "Orchard: It sells apples of forty kinds, by post.")],
        ),
        (
            "README.rst",
            "Orchard\n=======\n\nOrchard sells apples of forty kinds by post.\n",
            [(BRIEF, "Orchard sells apples of forty kinds by post.")],
        ),
        ("README.md", "Too short.\n\n- a list, however long its first entry may be\n", []),
        (
            "package.json",
            '{"name": "orchard", "description": "sells apples", "scripts": {"test": "vitest"},'
            ' "dependencies": {"react": "19"}, "devDependencies": {"vite": "7"}, // a comment\n}',
            [
                (BRIEF, "orchard: sells apples"),
                (CONFIG, "Scripts of package.json: `npm run test` (vitest)."),
                (TECH, "JavaScript packages (package.json): react, vite."),
            ],
        ),
        ("package.json", '{"private": true, "scripts": {}, "dependencies": []}', []),
        (
            "pyproject.toml",
            '[project]\nname = "orchard"\ndescription = "sells apples"\nrequires-python = ">=3.11"\n'
            'dependencies = ["httpx>=0.27", "rich[all] ; extra", "attrs"]\n'
            '[project.scripts]\norchard = "orchard.cli:main"\n'
            '[build-system]\nbuild-backend = "hatchling.build"\n',
            [
                (BRIEF, "orchard: sells apples"),
                (
                    TECH,
                    "pyproject.toml: Python >=3.11; built by hatchling.build; depends on httpx, rich, attrs.",
                ),
                (CONFIG, "Commands that pyproject.toml installs: `orchard` (orchard.cli:main)."),
            ],
        ),
        (
            "pyproject.toml",
            '[tool.poetry]\ndescription = "sells apples"\n[tool.other]\nis_cut = "off he',
            [(BRIEF, "this package: sells apples")],
        ),
        ("pyproject.toml", "it is no TOML at all", []),
        (
            "Cargo.toml",
            '[package]\nname = "orchard"\ndescription = "sells apples"\nedition = "2024"\n'
            '[dependencies]\nserde = "1"\n',
            [
                (BRIEF, "orchard: sells apples"),
                (TECH, "Rust (Cargo.toml): edition 2024; depends on serde."),
            ],
        ),
        (
            "Cargo.toml",
            '[workspace]\nmembers = ["core", "cli"]\n[workspace.package]\nedition = "2021"\n'
            '[workspace.dependencies]\ntokio = "1"\n',
            [
                (
                    TECH,
                    "Rust (Cargo.toml): edition 2021; workspace of core, cli; depends on tokio.",
                )
            ],
        ),
        (
            "Cargo.toml",
            "[package]\nname = 'member'\nedition.workspace = true\ndescription.workspace = true\n",
            [],
        ),
        (
            "go.mod",
            "module example.com/orchard\n\ngo 1.24\n\nrequire (\n\tgithub.com/a/b v1.2.3\n"
            "\tgithub.com/c/d v0.1.0 // indirect\n)\nrequire golang.org/x/net v0.30.0\n",
            [
                (
                    TECH,
                    "Go 1.24 module example.com/orchard; depends on github.com/a/b, golang.org/x/net.",
                )
            ],
        ),
        ("go.mod", "module example.com/orchard\n", [(TECH, "Go module example.com/orchard.")]),
        ("go.mod", "// moved\n", []),
        (
            "Makefile",
            "CC := cc\nbuild: src\n\tcc\ntest: build\n\t./t\n.PHONY: test\nbuild: more\n",
            [(CONFIG, "Commands of the Makefile: `make build`, `make test`.")],
        ),
        ("Makefile", "# nothing yet\n", []),
        (
            "Justfile",
            "set shell := ['bash']\nport := '80'\nalias s := serve\nserve port='80' url='http://a':\n  ./serve\n"
            "@lint: serve\n  ruff check\n",
            [(CONFIG, "Commands of the Justfile: `just serve`, `just lint`.")],
        ),
        (
            "Taskfile.yml",
            "version: '3'\ntasks:\n  build:\n    cmds: [go build]\n  db:migrate:\n    cmds: [x]\n",
            [(CONFIG, "Commands of the Taskfile.yml: `task build`, `task db:migrate`.")],
        ),
        (
            "Dockerfile",
            "FROM --platform=linux/amd64 rust:1.90 AS build\nRUN cargo build\nfrom debian:13\nEXPOSE 8080\n",
            [(TECH, "The Dockerfile builds on rust:1.90, debian:13; ports 8080.")],
        ),
        (
            "Dockerfile",
            "FROM debian:13\n",
            [(TECH, "The Dockerfile builds on debian:13.")],
        ),
        ("Dockerfile", "# later\n", []),
        (
            "docker-compose.yml",
            "services:\n  web:\n    image: 'nginx:1'\n  cache:\n    build: .\nvolumes:\n  data:\n",
            [(CONFIG, "Services of docker-compose.yml: web, cache; images nginx:1.")],
        ),
        (
            "docker-compose.yaml",
            "services:\n  web:\n    build: .\n",
            [(CONFIG, "Services of docker-compose.yaml: web.")],
        ),
        ("docker-compose.yml", "volumes:\n  data:\n", []),
        (
            ".env.example",
            "# set these\nDATABASE_URL=postgres://ann:hunter2@db/orchard\nexport API_TOKEN=abc\nlower=1\n",
            [(CONFIG, "Environment variables (.env.example): DATABASE_URL, API_TOKEN.")],
        ),
        (".env.template", "", []),
        (
            "CONTRIBUTING.md",
            "# Rules\n\n- Tests must not use the network.\n- Tests must not use the network.\n"
            "1. Prefer   composition over inheritance.\n- Never.\n- Apples are red.\n",
            [
                (RULE, "Tests must not use the network. (CONTRIBUTING.md)"),
                (RULE, "Prefer composition over inheritance. (CONTRIBUTING.md)"),
            ],
        ),
        (
            "tsconfig.json",
            '{"compilerOptions": {"strict": true, /* ours */ "target": "ES2023", "paths": {}}}',
            [(TECH, "TypeScript (tsconfig.json): target ES2023, strict True.")],
        ),
        ("tsconfig.json", '{"compilerOptions": {"paths": {}}}', []),
        ("tsconfig.json", '{"extends": "./base.json"}', []),
        (
            "turbo.json",
            '{"tasks": {"build": {}, "lint": {}}}',
            [(CONFIG, "turbo.json names build, lint.")],
        ),
        ("lerna.json", '{"packages": ["a/*"]}', [(CONFIG, "lerna.json names a/*.")]),
        ("deno.json", '{"imports": {"@std/fs": "x"}}', [(CONFIG, "deno.json names @std/fs.")]),
        (
            "pnpm-workspace.yaml",
            "packages:\n  - 'apps/*'\n  - libs/core\n",
            [(CONFIG, "pnpm-workspace.yaml names apps/*, libs/core.")],
        ),
        ("nx.json", "{}", []),
        ("biome.json", '{"linter": {}}', []),
    ],
)
def test_manifest_states_what_it_says_of_the_project(
    name: str, text: str, expected: list[tuple[str, str]]
) -> None:
    assert _read(name, text) == expected


def test_values_of_an_environment_are_never_read() -> None:
    (statement,) = _read(".env.example", "DATABASE_URL=postgres://ann:hunter2@db/orchard\n")
    assert "hunter2" not in statement[1]


def test_long_lists_are_cut_and_counted() -> None:
    targets = "".join(f"target{number}:\n\ttrue\n" for number in range(40))
    ((_, text),) = _read("Makefile", targets)
    assert "`make target24`" in text
    assert "`make target25`" not in text
    assert text.endswith("and 15 more.")


def test_project_has_one_brief_that_of_its_first_file() -> None:
    files = [
        ProjectFile(
            name="README.md", text="# Orchard\n\nIt sells apples of forty kinds by post.\n"
        ),
        ProjectFile(name="package.json", text='{"name": "web", "description": "its page"}'),
    ]
    briefs = [each for each in statements(files) if each.type == "project-brief"]
    assert [(each.file, each.subject, each.predicate) for each in briefs] == [
        ("README.md", "project", "brief")
    ]


def test_a_later_look_ends_what_the_same_file_said() -> None:
    """Statements about one file have one subject and predicate, so a new one replaces the old."""
    before, after = (
        statements([ProjectFile(name="Makefile", text=text)]) for text in ("a:\n\tx\n", "b:\n\tx\n")
    )
    keys = {(each.subject, each.predicate) for each in [*before, *after]}
    assert keys == {("file Makefile", "project-config")}
