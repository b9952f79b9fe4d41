"""A project's own files become its first facts; an empty folder gets a hint; a model reads all there is, once."""

import json

import pytest

from codecairn import Workspace
from codecairn.memory.initialise.files import CAPS, MAX_CHARS, pieces, project_files
from codecairn.memory.initialise.outline import Outline
from codecairn.operations.maintenance_operations import outline_of
from codecairn.trust.registry import trust
from support.model_server import KEY, ModelServer, Question, Said, facts
from support.repository import Repository

PACKAGE = {
    "name": "ferry",
    "description": "Timetables of ferries",
    "scripts": {"test": "vitest run", "build": "tsc -b"},
    "dependencies": {"fastify": "^5"},
    "devDependencies": {"vitest": "^3"},
}


def _project(folder: Repository) -> Repository:
    folder.write(
        "README.md",
        "# Ferry\n\n![badge](x.svg)\n\nFerry tells when the next boat leaves, on every coast.\n\n## Use\n",
    )
    folder.write("package.json", json.dumps(PACKAGE))
    folder.write("Makefile", "VERSION := 1\n\nall: build\n\ntest:\n\tvitest\n")
    folder.write(
        "AGENTS.md",
        "# Rules\n\n- Never edit generated files.\n- Some remark.\n- You must run `make test` first.\n",
    )
    folder.write(".env.example", "DATABASE_URL=postgres://me:hunter2@localhost/x\nPORT=8080\n")
    folder.write("Dockerfile", "FROM node:22 AS build\nEXPOSE 8080\n")
    folder.write(
        "docker-compose.yml", "services:\n  api:\n    image: ferry\n  db:\n    image: postgres:17\n"
    )
    folder.write("src/index.ts", "export const port = 8080\n")
    return folder


def _texts(workspace: Workspace) -> dict[str, str]:
    return {fact.text: fact.type for fact in workspace.memory.list(limit=100)}


def test_files_become_facts_and_a_second_look_adds_nothing(folder: Repository) -> None:
    with Workspace.open(_project(folder).root) as workspace:
        report = workspace.memory.upkeep.initialise()
        found = _texts(workspace)
        assert found == {
            "Ferry tells when the next boat leaves, on every coast.": "project-brief",
            "Scripts of package.json: `npm run test` (vitest run), `npm run build` (tsc -b).": "project-config",
            "JavaScript packages (package.json): fastify, vitest.": "tech-context",
            "Commands of the Makefile: `make all`, `make test`.": "project-config",
            "Never edit generated files. (AGENTS.md)": "rule",
            "Some remark. (AGENTS.md)": "rule",
            "You must run `make test` first. (AGENTS.md)": "rule",
            "The Dockerfile builds on node:22; ports 8080.": "tech-context",
            "Services of docker-compose.yml: api, db; images ferry, postgres:17.": "project-config",
            "Environment variables (.env.example): DATABASE_URL, PORT.": "project-config",
        }
        assert report.facts == len(found)
        assert workspace.memory.upkeep.initialise().facts == 0
        assert all(fact.origin == "repository" for fact in workspace.memory.list(limit=100))


def test_a_changed_file_ends_what_it_said_before(folder: Repository) -> None:
    with Workspace.open(_project(folder).root) as workspace:
        workspace.memory.upkeep.initialise()
        folder.write("Makefile", "release:\n\techo\n")
        assert workspace.memory.upkeep.initialise().facts == 1
        found = _texts(workspace)
        assert "Commands of the Makefile: `make release`." in found
        assert "Commands of the Makefile: `make all`, `make test`." not in found


def _long_instructions() -> tuple[str, list[str]]:
    """Instructions of 229 lines, and what must be found of them: few rules say `must` or `never`."""
    lines, rules = ["# Working on the ferry", ""], []
    areas = ("Berths", "Tides", "Tickets", "Crew", "Engines", "Weather", "Radio", "Cargo", "Maps")
    for n, area in enumerate(areas):
        rules += [f"The {area.lower()} table number {n} lives in one file per harbour."]
        lines += [f"## {area}", "", rules[-1], ""]
        for k in range(13):
            rules.append(f"{area} step {k}: run check {n}{k:02} before the next one")
            lines.append(f"- {rules[-1]}")
        rules += [f"| {area.lower()} | {n} |", f"make {area.lower()}-{n}"]
        lines += ["", "| name | value |", "|---|---|", rules[-2]]
        lines += ["", "```sh", rules[-1], "```"] if n else ["```sh", rules[-1], "```"]
    lines += [""] * (228 - len(lines)) + ["- The last line is a rule as well"]
    return "\n".join(lines[:229]) + "\n", [*rules, "The last line is a rule as well"]


def test_every_rule_of_a_long_file_for_agents_is_found(folder: Repository) -> None:
    text, rules = _long_instructions()
    assert len(text.splitlines()) == 229
    assert len(rules) == 145
    folder.write("AGENTS.md", text)
    with Workspace.open(folder.root) as workspace:
        workspace.memory.upkeep.initialise()
        held = [fact.text for fact in workspace.memory.list(limit=1000)]
        assert [rule for rule in rules if not any(rule in fact for fact in held)] == []
        found = workspace.memory.recall("which radio check runs at step 7")
        assert "Radio: Radio step 7: run check 607" in found[0].text


def test_a_rule_that_left_its_file_is_forgotten(folder: Repository) -> None:
    with Workspace.open(_project(folder).root) as workspace:
        workspace.memory.upkeep.initialise()
        folder.write("AGENTS.md", "# Rules\n\n- Never edit generated files.\n- Ask Ann first.\n")
        assert workspace.memory.upkeep.initialise().facts == 1
        rules = {text for text, kind in _texts(workspace).items() if kind == "rule"}
        assert rules == {"Never edit generated files. (AGENTS.md)", "Ask Ann first. (AGENTS.md)"}


@pytest.mark.parametrize(
    "name",
    [
        "GEMINI.md",
        ".cursorrules",
        ".cursor/rules/web.mdc",
        ".github/copilot-instructions.md",
        ".github/instructions/web.instructions.md",
        ".clinerules",
        ".clinerules/web.md",
        "CONVENTIONS.md",
    ],
)
def test_each_file_for_agents_is_read_and_named(folder: Repository, name: str) -> None:
    folder.write(name, "Harbours are listed from north to south.\n")
    folder.write(".cursor/rules/codecairn.mdc", "Call the tools of the server first.\n")
    folder.write("web.py", "PORT = 1\n")
    with Workspace.open(folder.root) as workspace:
        assert name in workspace.memory.upkeep.initialise().files
        (fact,) = workspace.memory.list(types=["rule"])
        assert fact.text == f"Harbours are listed from north to south. ({name})"
        assert (fact.origin, fact.meta["file"]) == ("repository", name)


def test_a_copy_for_the_same_hosts_is_read_once(folder: Repository) -> None:
    for name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md"):
        folder.write(name, "- Ask Ann first.\n")
    with Workspace.open(folder.root) as workspace:
        workspace.memory.upkeep.initialise()
        rules = {fact.meta["file"] for fact in workspace.memory.list(types=["rule"])}
    assert rules == {"AGENTS.md", "GEMINI.md"}, "only Gemini CLI loads the second"


def test_a_person_s_rules_are_not_crowded_out_by_a_file(folder: Repository) -> None:
    folder.write("AGENTS.md", "".join(f"- Rule number {n} of this file.\n" for n in range(120)))
    with Workspace.open(folder.root) as workspace:
        workspace.memory.add("Releases are cut on Fridays", type="rule")
        trust(folder.root)
        workspace.memory.upkeep.initialise()
        text = workspace.memory.context("s", part="static").text
    assert "Releases are cut on Fridays" in text
    assert "of this file" in text


def test_a_persons_brief_is_left_alone(folder: Repository) -> None:
    with Workspace.open(_project(folder).root) as workspace:
        workspace.memory.add("Ferry is for tourists", type="project-brief")
        workspace.memory.upkeep.initialise()
        briefs = workspace.memory.list(types=["project-brief"])
        assert [fact.text for fact in briefs] == ["Ferry is for tourists"]


def test_work_learns_a_project_of_which_nothing_is_known(folder: Repository) -> None:
    with Workspace.open(_project(folder).root) as workspace:
        assert workspace.memory.upkeep.work().learned == 10
        assert workspace.memory.upkeep.work().learned == 0


def test_an_empty_folder_gets_a_hint(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        report = workspace.memory.upkeep.initialise()
        assert report.is_new_project
        assert "memory add" in report.hint
        assert _texts(workspace) == {}


def test_files_keep_their_caps_and_no_character_within_them_is_lost(folder: Repository) -> None:
    assert len(CAPS) == 29
    for name in CAPS:
        folder.write(name, "".join(f"{name} line {n}\n" for n in range(400)))
    files = project_files(folder.root)
    assert sum(len(file.text) for file in files) <= MAX_CHARS
    assert all(len(file.text) <= CAPS[file.name] for file in files)
    joined = "".join(pieces(files, "abc commit", max_chars=2000))
    assert len(pieces(files, "abc commit", max_chars=2000)) > 5
    for file in files:
        assert file.text.replace("\n", "") in joined.replace("\n", "")


def test_broken_files_are_no_obstacle(folder: Repository) -> None:
    folder.write(
        "package.json", '{"name": "x", "scripts": {"test": "vitest", // yes\n "build": "ts'
    )
    folder.write("pyproject.toml", '[project]\nname = "y"\nrequires-python = ">=3.10"\nbroken = [')
    (folder.root / "README.md").write_bytes(b"\xff\xfe\x00binary")
    folder.write("tsconfig.json", "not json")
    with Workspace.open(folder.root) as workspace:
        workspace.memory.upkeep.initialise()
        assert set(_texts(workspace)) == {
            "Scripts of package.json: `npm run test` (vitest).",
            "pyproject.toml: Python >=3.10.",
        }


def test_the_index_adds_layout_languages_entry_points_and_checks(repository: Repository) -> None:
    repository.write("src/app/main.py", "def main() -> None:\n    pass\n")
    repository.write("src/app/web.py", "PORT = 1\n")
    repository.write("tests/test_web.py", "def test_it() -> None:\n    pass\n")
    repository.write(
        ".github/workflows/ci.yml", "jobs:\n  t:\n    steps:\n      - run: make test\n"
    )
    repository.commit("first")
    with Workspace.open(repository.root) as workspace:
        assert outline_of(workspace) is None
        workspace.index()
        outline = outline_of(workspace)
        assert isinstance(outline, Outline)
        workspace.memory.upkeep.initialise(outline=outline)
        found = _texts(workspace)
    assert "Likely entry points: src/app/main.py." in found
    assert "Folders by files: .github/workflows/ (1), src/app/ (2), tests/ (1)." in found
    assert "1 test files, most of them in tests/." in found
    assert "Continuous integration (.github/workflows/ci.yml) runs `make test`." in found
    assert any(text.startswith("Languages by files: python (3)") for text in found)


def test_a_model_reads_each_piece_once_and_gives_one_brief(
    folder: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)

    def answer(question: Question) -> Said:
        return facts(
            {"type": "project-brief", "text": f"A brief that is number {question.number} of many"},
            {"type": "architecture", "text": "One process answers all requests"},
        )

    with ModelServer().running() as server:
        server.answer = answer
        settings = {
            "extraction.providers": [f"anthropic@{server.url}/v1"],
            "extraction.window_chars": 2000,
        }
        for name in ("CONTRIBUTING.md", "CLAUDE.md"):
            folder.write(name, "word " * 380)
        with Workspace.open(_project(folder).root, settings=settings) as workspace:
            report = workspace.memory.upkeep.initialise()
            assert report.asked == len(server.of("init")) >= 3
            briefs = workspace.memory.list(types=["project-brief"])
            assert [fact.text for fact in briefs] == ["A brief that is number 0 of many"]
            assert "hunter2" not in "".join(question.text for question in server.asked)
            asked = len(server.asked)
            assert workspace.memory.upkeep.initialise().facts == 0
            assert len(server.asked) == asked
