"""The tools as functions: schemas as the providers' own clients take them, and calls."""

import importlib
import json
from pathlib import Path
from typing import Any, get_args

import pytest

from codecairn.errors import UsageError
from codecairn.integrations.functions import STYLES, Functions, Style, call, schemas
from codecairn.mcp.tool_sets import SETS
from codecairn.mcp.tool_table import tools_of
from support.command import run
from support.repository import Repository


@pytest.fixture
def project(repository: Repository) -> Repository:
    repository.write(
        "tokens.py",
        'def verify_token(token):\n    """Check a session token."""\n    return bool(token)\n',
    )
    repository.commit()
    return repository


def _name(style: str, schema: dict[str, Any]) -> str:
    return str((schema["function"] if style == "openai" else schema)["name"])


@pytest.mark.parametrize("chosen", SETS)
@pytest.mark.parametrize("style", STYLES)
def test_every_style_has_the_tools_of_the_server(style: Style, chosen: Any) -> None:
    made = schemas(style, chosen=chosen)
    texts = {tool.name: tool.text for tool in tools_of((chosen,)) if not tool.changes_bases}
    assert [_name(style, schema) for schema in made] == [*texts]
    assert all(
        json.dumps(texts[_name(style, schema)], ensure_ascii=False)
        in json.dumps(schema, ensure_ascii=False)
        for schema in made
    )


def test_styles_are_those_of_the_type_and_schemas_can_be_changed() -> None:
    assert get_args(Style) == tuple(STYLES)
    schemas("anthropic")[0]["input_schema"]["properties"].clear()
    assert schemas("anthropic")[0]["input_schema"]["properties"]
    with pytest.raises(UsageError, match="no style"):
        schemas("cobol")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("style", "module", "name"),
    [
        ("openai", "openai.types.chat", "ChatCompletionFunctionToolParam"),
        ("openai-responses", "openai.types.responses", "FunctionToolParam"),
        ("anthropic", "anthropic.types", "ToolParam"),
        ("gemini", "google.genai.types", "FunctionDeclaration"),
    ],
)
def test_clients_of_the_providers_take_the_schemas(style: Style, module: str, name: str) -> None:
    pytest.importorskip(
        module.partition(".types")[0], reason="in the dependency group `integrations`"
    )
    wanted = getattr(importlib.import_module(module), name)
    reader = importlib.import_module("pydantic").TypeAdapter(wanted)
    for schema in schemas(style, chosen="all"):
        read = reader.validate_python(schema)
        assert (read.name if style == "gemini" else _name(style, read)) == _name(style, schema)


def test_calls_with_arguments_as_a_model_writes_them(project: Repository) -> None:
    with Functions.open(project.root) as functions:
        assert "tokens.py:1-3" in functions.call(
            "codebase_search", '{"query": "who checks tokens", "limit": "3"}'
        )
        functions.call("memory_add", {"text": "Tokens expire after one hour", "type": "decision"})
        answer = functions.answer("memory_search", {"query": "when do tokens expire"})
    assert "one hour" in answer.text
    results: Any = answer.document["results"]
    assert results[0]["type"] == "decision"
    assert results[0]["origin"] == "agent"
    assert "1 facts" in call("memory_admin", path=project.root)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("nothing", {}, "no tool `nothing`"),
        ("memory_list", {}, "no tool `memory_list`"),  # not in the compact set
        ("codebase_search", "{", "no JSON"),
        ("codebase_search", "[]", "no JSON object"),
        ("codebase_search", "", "`query` is missing"),
        ("codebase_search", {"question": "x"}, "no argument `question`"),
    ],
)
def test_wrong_calls_are_told(tmp_path: Path, name: str, arguments: Any, said: str) -> None:
    with Functions.open(tmp_path) as functions, pytest.raises(UsageError, match=said):
        functions.call(name, arguments)


def test_command_calls_tools_and_prints_schemas(project: Repository) -> None:
    found = run(
        "call",
        "codebase_search",
        "-",
        "--json",
        cwd=project.root,
        stdin='{"query": "verify_token"}',
    )
    assert found.code == 0
    assert "tokens.py" in found.document["text"]
    assert found.document["result"]["results"][0]["path"] == "tokens.py"
    printed = run("call", "--schemas", "anthropic", "--tools", "memory", cwd=project.root)
    assert printed.document["tools"] == schemas("anthropic", chosen="memory")
    assert run("call", cwd=project.root).code == 2
    wrong = run("call", "nothing", cwd=project.root)
    assert (wrong.code, wrong.out) == (2, "")
    assert "there is no tool `nothing`" in wrong.err
