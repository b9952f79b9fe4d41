"""Every tool takes every parameter that its schema lists, and returns what its output schema says: the calls are made from the schemas.

A text has its example in `EXAMPLES`; a parameter without one fails here, so none is left out. Everything else comes from the
schema: each choice, both booleans, the least number.
"""

import itertools
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from codecairn import Workspace
from codecairn.errors import CodecairnError
from codecairn.mcp.answers import MAX_CHARACTERS
from codecairn.mcp.dispatcher import ToolDispatcher
from codecairn.mcp.output_schema import output_schema
from codecairn.mcp.tool_sets import SETS
from codecairn.mcp.tool_table import Tool, tools_of
from codecairn.memory.importing.sources import SOURCES
from codecairn.paths.user import home_folder
from support.repository import Repository

SESSION = "session-one"

_NUMBERS = itertools.count(2)

EXAMPLES: dict[str, object] = {
    "anchor": "shop/tokens.py",
    "as_of": "2w",
    "author": "Test",
    "center_node_uuid": "3f2b",
    "command": "ls shop",
    "commit": "HEAD",
    "content": "We keep tokens for an hour",
    "custom_extraction_instructions": "only decisions",
    "dir": "shop",
    "edge_name": "uses",
    "edge_types": "uses",
    "entity_types": "decision",
    "episode_body": "Alice decided that tokens live for an hour.",
    "episode_uuids": "{episode}",
    "exclude": "docs/**",
    "excluded_entity_types": "decision",
    "fact": "Alice uses tokens",
    "file": "shop/tokens.py",
    "file_path": "shop/tokens.py",
    "folder": "{folder}",
    "from": "verify_token",
    "from_file": "shop/tokens.py",
    "glob": "*.py",
    "group_id": "main",
    "group_ids": "main",
    "hook": "user-prompt",
    "id": "{fact}",
    "ids": "{fact}",
    "in": "workspace",
    "invalid_at_after": "2026-01-01T00:00:00Z",
    "invalid_at_before": "2026-01-01T00:00:00Z",
    "key": "plan",
    "lang": "python",
    "memoryId": "{fact}",
    "name": "sign",
    "output_path": "export.json",
    "parent": "session-zero",
    "place": "shop/tokens.py:4",
    "predicate": "lifetime",
    "previous_episode_uuids": "{episode}",
    "privacy_tag": "private",
    "privacy_tags": "private",
    "project": "shop",
    "prompt": "How long do tokens live?",
    "query": "who verifies tokens",
    "question": "who verifies tokens",
    "reason": "it was measured",
    "ref": "HEAD~1",
    "reference_time": "2026-01-01T00:00:00Z",
    "repo_index_dir": ".",
    "saga": "tokens",
    "saga_name": "tokens",
    "saga_previous_episode_uuid": "{episode}",
    "session": SESSION,
    "session_id": SESSION,
    "since": "2 weeks ago",
    "source_description": "a test",
    "source_node_name": "Alice",
    "source_node_uuid": "3f2b",
    "subject": "tokens",
    "supersedes": "{fact}",
    "symbol": "sign",
    "tag": "tokens",
    "tags": "tokens",
    "target": "verify_token",
    "target_node_name": "tokens",
    "target_node_uuid": "3f2b",
    "text": "Tokens live for two hours",
    "title": "Lifetime of tokens",
    "to": "sign",
    "to_file": "shop/tokens.py",
    "tool": "Bash",
    "tool_name": "Bash",
    "until": "2026-12-31",
    "uuid": "{edge}",
    "valid_at_after": "2026-01-01T00:00:00Z",
    "valid_at_before": "2026-01-01T00:00:00Z",
    "value": "500",
    "workspace": ".",
    # Where a tool means something else by the word.
    "add_memory.uuid": "3f2b6f0e-0000-4000-8000-000000000000",
    "delete_episode.uuid": "{episode}",
    "list_knowledge_bases.name": "documents",
    "add_knowledge_base.name": "further",
    "remove_knowledge_base.name": "documents",
    "mem_get_observations.ids": "{event}",
    "mem_timeline.id": "{event}",
    "memory_admin.key": "memory.context_tokens",
    "memory_notes.key": "plan",
    "memory_session.id": SESSION,
    "memory_timeline.id": "{event}",
}
"""A value for each parameter that is a text. `{fact}` and the like stand for what was made before."""

ALICE_USES_TOKENS = {
    "source_node_name": "Alice",
    "edge_name": "uses",
    "target_node_name": "tokens",
    "fact": "Alice uses tokens",
}

COMPANIONS: dict[str, Mapping[str, object]] = {
    "add_triplet": ALICE_USES_TOKENS,
    "clear_graph": {"group_ids": ["main"]},
    "codebase_context.from": {"to": "sign"},
    "codebase_context.to": {"from": "verify_token"},
    "find_similar": {"text": "def verify_token(token):\n    return token\n"},
    "find_similar.place": {},
    "memory.mode=add": {"content": "Tokens live for an hour"},
    "memory.mode=search": {"query": "tokens"},
    "memory.mode=forget": {"memoryId": "{fact}"},
    "memory_admin.action=config_set": {"key": "memory.context_tokens", "value": "500"},
    "memory_admin.action=import": {"source": "claude"},
    "memory_admin.value": {"action": "config_set", "key": "memory.context_tokens"},
    "memory_admin.key": {"action": "config_get"},
    "memory_admin.session": {"action": "activity"},
    "memory_get": {"id": "{fact}"},
    "memory_notes.action=write": {"key": "plan", "text": "Measure first"},
    "memory_notes.action=delete": {"key": "plan"},
    "memory_session.action=summarise": {"id": SESSION},
    "memory_session.action=end": {"id": SESSION},
    "memory_update": {"text": "Tokens live for two hours"},
}
"""What a call needs besides the parameter, where the schema can't say so."""

ANSWERS_OF_ACTIONS = frozenset({"memory_admin"})
"""Tools whose schema lists only the fields that matter: each of their actions has an answer of its own."""

TOOLS = {tool.name: tool for tool in tools_of(SETS)}


@pytest.fixture
def dispatcher(
    project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ToolDispatcher]:
    """Every tool of every set, on a project with a history and a memory."""
    for number in range(3):
        project.write(
            "shop/tokens.py", (project.root / "shop/tokens.py").read_text() + f"\n# {number}\n"
        )
        project.commit(f"change {number}")
    project.write("../documents/refunds.md", "# Refunds\n\nPaid by transfer.\n")
    _put_pull_request(project, tmp_path, monkeypatch)
    usual_place = SOURCES["claude"].usual_place
    assert usual_place is not None
    remembered = usual_place(home_folder(), project.root) / "MEMORY.md"
    remembered.parent.mkdir(parents=True)
    remembered.write_text("- Tokens live for an hour\n", encoding="utf-8")
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher(
            [workspace], chosen=SETS, in_background=False, allowed=[project.root.parent]
        ) as dispatcher,
    ):
        workspace.index()
        yield dispatcher


def _put_pull_request(project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `gh` that knows one pull request, of the last commit."""
    project.git("remote", "add", "origin", "git@github.com:ann/shop.git")
    ids = project.git("rev-parse", "HEAD~1"), project.git("rev-parse", "HEAD")
    view = {"number": 1, "title": "Add", "headRefName": "main"}
    view |= {"baseRefOid": ids[0], "headRefOid": ids[1]}
    program = tmp_path / "programs" / "gh"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nprint({json.dumps(view)!r})\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def _made(dispatcher: ToolDispatcher, project: Repository) -> dict[str, str]:
    """What calls refer to, made by other tools; of what was forgotten no tool says the same again."""
    call, number = dispatcher.call, next(_NUMBERS)
    fact = call("memory_add", {"text": f"Tokens live for {number} hours", "subject": "tokens"})
    said = call("memory_record", {"session": SESSION, "text": "Tokens are signed", "role": "user"})
    call("memory_notes", {"key": "plan", "text": "Measure first"})
    call("add_memory", {"name": "talk", "episode_body": "Tokens live for an hour"})
    for group in ("repository", "main"):
        about = {"saga": "tokens", "group_id": group}
        call("add_memory", {"name": "talk", "episode_body": "Tokens expire", **about})
    about_alice = ALICE_USES_TOKENS | {"fact": f"Alice uses {number} tokens"}
    edge = call("add_triplet", about_alice).document["edges"]
    bases = call("list_knowledge_bases", {}).document["results"]
    assert isinstance(edge, list)
    assert isinstance(bases, list)
    if not bases:
        call("add_knowledge_base", {"folder": "../documents"})
    episodes = call("get_episodes", {}).document["episodes"]
    assert isinstance(episodes, list)
    return {
        "fact": str(fact.document["id"]),
        "event": said.text.partition(";")[0],
        "episode": episodes[0]["uuid"],
        "edge": edge[0]["uuid"],
        "folder": str(Path(tempfile.mkdtemp(dir=project.root.parent))),
    }


def _values(tool: Tool, name: str, schema: Mapping[str, Any]) -> list[object]:
    """Valid values of a parameter."""
    if schema["type"] == "array":
        return [[each] for each in _values(tool, name, schema["items"])]
    if "enum" in schema:
        return list(schema["enum"])
    if schema["type"] == "boolean":
        return [True, False]
    if schema["type"] in {"integer", "number"}:
        least, most = schema.get("minimum", 1), schema.get("maximum")
        return [least, *([most] if most is not None and most != least else [])]
    return [
        EXAMPLES[f"{tool.name}.{name}"] if f"{tool.name}.{name}" in EXAMPLES else EXAMPLES[name]
    ]


def _calls(tool: Tool, properties: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    """One call without options, and one for each value of each parameter."""
    required = {
        name: _values(tool, name, properties[name])[0]
        for name in tool.schema.get("required", ())  # type: ignore[attr-defined]
    }
    yield required | COMPANIONS.get(tool.name, {})
    for name, schema in properties.items():
        for value in _values(tool, name, schema):
            keys = (f"{tool.name}.{name}={value}", f"{tool.name}.{name}", tool.name)
            beside = next((COMPANIONS[key] for key in keys if key in COMPANIONS), {})
            yield required | dict(beside) | {name: value}


def _filled(value: object, made: Mapping[str, str]) -> object:
    if isinstance(value, list):
        return [_filled(each, made) for each in value]
    return made.get(value[1:-1], value) if isinstance(value, str) and value[:1] == "{" else value


@pytest.mark.parametrize("name", TOOLS)
def test_tool_takes_each_of_its_parameters(
    name: str, dispatcher: ToolDispatcher, project: Repository
) -> None:
    wrong, output = [], output_schema(name)
    assert isinstance(output["properties"], dict)
    properties: Any = dispatcher.schema(TOOLS[name])["properties"]
    for arguments in _calls(TOOLS[name], properties):
        made = _made(dispatcher, project)
        given = {key: _filled(value, made) for key, value in arguments.items()}
        try:
            answer = dispatcher.call(name, given)
        except CodecairnError as err:
            wrong.append((given, err.message, err.hint))
            continue
        if answer.is_error or not answer.text or len(answer.text) > MAX_CHARACTERS + 1_000:
            wrong.append((given, answer.text[:300], ""))
        document = json.loads(json.dumps(answer.document))
        jsonschema.validate(document, output)
        if name not in ANSWERS_OF_ACTIONS:
            assert document.keys() <= output["properties"].keys(), given
    assert not wrong


def test_sources_that_an_agent_may_import_from_have_a_usual_place() -> None:
    """An agent can't name a file, so a source without a place could only fail."""
    (source,) = (each for each in TOOLS["memory_admin"].parameters if each.field == "source")
    assert source.doc.choices
    assert all(SOURCES[name].usual_place is not None for name in source.doc.choices)
