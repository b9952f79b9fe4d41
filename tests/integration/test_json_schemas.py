"""What every command prints with `--json` is as its published schema says."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

from codecairn import Workspace
from codecairn.cli.app import app
from codecairn.cli.json_documents import ERROR, SHAPES, all_schemas, schema_of
from codecairn.cli.main import main
from codecairn.operations.json_schema import SchemaBuilder
from support.repository import SMALL_PROJECT, Repository

PUBLISHED = Path(__file__).parents[2] / "docs/reference/json.schema.json"

COMMANDS: dict[str, tuple[list[str], ...]] = {
    "search": (
        ["verify a token", "--explain", "--blame"],
        ["verify a token", "--tokens", "400"],
        ["nothing like this", "--lang", "rust"],
    ),
    "ask": (["how are tokens verified"],),
    "peek": (["verify a token"],),
    "similar": (["shop/tokens.py:5"],),
    "define": (["verify_token"],),
    "context": (["how are tokens verified"], ["verify_token", "--token-budget", "128"]),
    "edit-context": (["verify_token"],),
    "graph callers": (["sign", "--depth", "2"],),
    "graph callees": (["verify_token"],),
    "graph path": (["verify_token", "sign"],),
    "graph hierarchy": (["Special"],),
    "graph communities": (["--min-size", "1"],),
    "graph unused": ([],),
    "graph cycles": ([],),
    "graph hubs": ([],),
    "uses": (["sign"],),
    "impact": (["--symbol", "sign"], ["HEAD~1", "--conflicts"]),
    "visualize": (["--output", "page.html"],),
    "remote init": (["../shared", "--name", "shop"],),
    "remote grant": (["../reader.grant"],),
    "remote accept": (["../reader.grant"],),
    "index": ([], ["--verbose", "--force"], ["--estimate"], ["--dry-run"], ["--publish", "shop"]),
    "remote status": ([], ["--branch", "other"]),
    "pull": ([],),
    "remote remove": ([],),
    "status": ([], ["--verbose"]),
    "knowledge add": (["../handbook"],),
    "knowledge list": ([],),
    "knowledge remove": (["handbook"],),
    "doctor": ([],),
    "gc": (["--dry-run"],),
    "metrics": ([],),
    "savings": ([],),
    "logs": ([],),
    "eval run": (["questions.json", "-o", "one.json"], ["questions.json", "-o", "two.json"]),
    "eval compare": (["one.json", "two.json"],),
    "eval diff": (["one.json", "two.json"],),
    "eval sweep": (["questions.json", "--vary", "fusion=rrf,weighted"],),
    "memory add": (["Tokens are signed in `verify_token`", "--type", "decision"],),
    "memory search": (
        ["how are tokens signed"],
        ["how are tokens signed", "--detail", "titles"],
        ["a first prompt", "--kind", "event"],
    ),
    "memory list": ([],),
    "memory get": (["FACT"], ["E1"]),
    "memory why": (["FACT"], ["E1"]),
    "memory update": (["FACT", "--text", "Tokens are signed twice"],),
    "memory review": ([],),
    "memory context": (["a-session", "--prompt", "how are tokens signed"],),
    "memory notes": (["write", "plan", "first the parser"], []),
    "memory session": ([],),
    "memory events": ([],),
    "memory timeline": (["E1"],),
    "memory activity": ([],),
    "memory record": (["a-session", "a second prompt", "--role", "user"],),
    "memory end": (["a-session"],),
    "memory summarise": (["a-session", "--no-models"],),
    "memory promote": (["FACT"],),
    "memory team": ([],),
    "memory demote": (["FACT"],),
    "memory import": (["records.json"],),
    "memory init": (["--no-models"],),
    "memory work": (["--no-models"], ["--dry-run"]),
    "memory costs": ([],),
    "memory status": ([],),
    "memory doctor": ([],),
    "memory backend": (["status"], ["retry"], ["drop"]),
    "memory project": (["show"], ["list"]),
    "memory forget": (["FACT"],),
    "memory restore": (["FACT"],),
    "memory purge": (["FACT"],),
    "install": (["zed", "--dry-run"], ["zed", "--check"]),
    "uninstall": (["zed", "--dry-run"], ["--all", "--dry-run"]),
    "call": (["index_status"],),
    "config get": (["search.limit"],),
    "config list": ([],),
    "config path": ([],),
    "config import": (["settings.json", "--dry-run"],),
    "trust": ([], ["--list"]),
}
"""Arguments by command; FACT is the id of a fact. They run in this order."""

WITHOUT_END = {"watch": "tests/integration/test_watch.py compares its lines"}

OF_TEAMS = "team "
"""What needs a database: `tests/team/test_commands.py` compares these documents."""

OWN_FORMAT = {"memory export"}
"""What prints a format that is chosen by an option of its own, which `memory import` reads."""

MAY_FAIL = {"install", "memory doctor", "eval run"}
"""What reports with an exit code that something is not in order."""


@pytest.fixture
def shop(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    repository.write_all(SMALL_PROJECT)
    repository.write(
        "shop/special.py", "from shop.basket import Basket\n\n\nclass Special(Basket):\n    pass\n"
    )
    repository.write(
        "questions.json", '[{"query": "verify tokens", "expected": ["shop/tokens.py"]}]'
    )
    repository.write("records.json", '[{"text": "The port of the api is 8080"}]')
    repository.write("settings.json", '{"search": {"maxResults": 7}}')
    repository.commit()
    repository.write("shop/tokens.py", SMALL_PROJECT["shop/tokens.py"] + "\n\nLIMIT = 3\n")
    repository.commit()
    Repository(tmp_path / "handbook").write("index.md", "# Handbook\n")
    monkeypatch.chdir(repository.root)
    monkeypatch.setattr("sys.argv", ["codecairn"])
    with Workspace.open(repository.root) as workspace:
        workspace.memory.record("a-session", "a first prompt", role="user")
    return repository


def _strict(schema: Any) -> Any:
    """The schema without keys that it does not name: nothing is printed that it leaves out."""
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _strict(each) for key, each in schema.items()}
    if isinstance(made.get("properties"), dict) and made.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made


def _runs() -> Iterator[tuple[str, list[str]]]:
    for name, calls in COMMANDS.items():
        for arguments in calls:
            yield name, arguments


@pytest.mark.timeout(300)
def test_every_document_is_as_its_schema_says(
    shop: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    with Workspace.open(shop.root) as workspace:
        fact = workspace.memory.add("Tokens have three parts", type="decision").id
    wrong = []
    for name, arguments in _runs():
        given = [fact if each == "FACT" else each for each in arguments]
        code = main([*name.split(), *given, "--json"])
        printed = capsys.readouterr()
        assert code == 0 or name in MAY_FAIL, (name, given, printed.err)
        schema = _strict(schema_of(name))
        for error in jsonschema.Draft202012Validator(schema).iter_errors(json.loads(printed.out)):
            best = jsonschema.exceptions.best_match([error])
            wrong.append(f"{name} {given}: {best.json_path}: {best.message:.300}")
    assert not wrong, "\n".join(wrong)


def test_every_command_with_json_has_a_schema_and_is_run() -> None:
    with_json = {
        words
        for words, each in _walk(app, "")
        if any("--json" in param.opts for param in each.params)
    }
    of_teams = {name for name in SHAPES if name.startswith(OF_TEAMS)}
    known = set(COMMANDS) | set(WITHOUT_END) | of_teams
    assert known == set(SHAPES) == with_json - OWN_FORMAT


def _walk(command: click.Command, words: str) -> Iterator[tuple[str, click.Command]]:
    yield words, command
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            assert inner is not None
            yield from _walk(inner, f"{words} {name}".strip())


def test_schemas_are_valid_and_published() -> None:
    jsonschema.Draft202012Validator.check_schema(all_schemas())
    for name in SHAPES:
        jsonschema.Draft202012Validator.check_schema(schema_of(name))
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == all_schemas(), (
        "run `codecairn schema > docs/reference/json.schema.json`"
    )


def test_error_is_as_its_schema_says(shop: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "x", "--dir", "nowhere", "--json"]) == 2
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, _strict(SchemaBuilder().schema(ERROR)))
    assert document["error"]["kind"] == "path-not-found"


def test_no_document_has_lists_of_pairs() -> None:
    """A schema of a list whose items are lists of scalars: the reader would have to know what each one is."""

    def lists(schema: Any) -> Iterator[Any]:
        if isinstance(schema, dict):
            items = schema.get("items")
            if isinstance(items, dict) and isinstance(items.get("items"), dict):
                yield items
            for each in schema.values():
                yield from lists(each)
        elif isinstance(schema, list):
            for each in schema:
                yield from lists(each)

    assert [each for each in lists(all_schemas()) if "type" in each["items"]] == []


def test_unknown_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "memory", "serach"]) == 2
    assert "did you mean `memory search`?" in capsys.readouterr().err
