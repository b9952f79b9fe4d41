"""The server as an official client sees it: lists, calls, errors, progress, cancellation, many calls at once."""

import asyncio
from typing import Any

import pytest
from mcp import ClientSession, MCPError

from agents.conftest import Talker
from codecairn.mcp.answers import MAX_CHARACTERS
from codecairn.mcp.tool_sets import SETS
from codecairn.mcp.tool_table import own_tools, tools_of
from support.repository import Repository

ARGUMENTS: dict[str, dict[str, object]] = {
    "codebase_search": {"query": "who verifies tokens"},
    "codebase_peek": {"query": "who verifies tokens"},
    "implementation_lookup": {"name": "verify_token"},
    "find_similar": {"text": "def verify_token(token):\n    return token\n"},
    "codebase_context": {"query": "verify_token"},
    "codebase_edit_context": {"target": "verify_token"},
    "call_graph": {"name": "sign"},
    "call_graph_path": {"from": "verify_token", "to": "sign"},
    "code_uses": {"name": "sign"},
    "pr_impact": {"symbol": "sign"},
    "ask": {"question": "how are tokens verified"},
    "add_knowledge_base": {"folder": "../documents"},
    "remove_knowledge_base": {"name": "documents"},
    "memory_search": {"query": "tokens"},
    "memory_context": {"session": "one", "part": "static"},
    "memory_add": {"text": "Tokens live for an hour", "type": "decision"},
    "memory_record": {"session": "one", "text": "we use tokens", "role": "user"},
}


def _text(result: Any) -> str:
    return str(result.content[0].text)


@pytest.mark.parametrize("chosen", SETS)
def test_set_lists_its_tools(talk: Talker, project: Repository, chosen: Any) -> None:
    allowed = ["--allow", str(project.root)]
    listed = talk(
        lambda session: session.list_tools(), str(project.root), "--tools", chosen, *allowed
    )
    assert [tool.name for tool in listed.tools] == [tool.name for tool in tools_of((chosen,))]
    assert all(tool.description and tool.input_schema["type"] == "object" for tool in listed.tools)


def test_every_tool_answers(talk: Talker, project: Repository) -> None:
    async def say(session: ClientSession) -> dict[str, Any]:
        fact = await session.call_tool("memory_add", ARGUMENTS["memory_add"])
        known = {
            **ARGUMENTS,
            "memory_get": {"id": _text(fact)},
            "memory_update": {"id": _text(fact), "text": "Tokens live for two hours"},
            "memory_why": {"id": _text(fact), "query": "how long do tokens live"},
            "memory_forget": {"id": _text(fact), "reason": "a test"},
        }
        project.write("../documents/refunds.md", "# Refunds\n\nPaid by transfer.\n")
        names = [name for name in own_tools() if name != "memory_timeline"]
        return {name: await session.call_tool(name, known.get(name, {})) for name in names}

    allowed = ["--allow", str(project.root.parent)]
    answers = talk(say, str(project.root), "--tools", "all", *allowed)
    for name, answer in answers.items():
        assert not answer.is_error, (name, _text(answer))
        assert _text(answer)
        assert isinstance(answer.structured_content, dict), name
    found = answers["codebase_search"]
    assert "shop/tokens.py:" in _text(found)
    assert "def verify_token" in _text(found)
    assert found.structured_content["results"][0]["path"] == "shop/tokens.py"
    assert "def verify_token" not in _text(answers["codebase_peek"])
    assert "shop/tokens.py:10  in verify_token  call sign  [same-file]" in _text(
        answers["call_graph"]
    )
    assert "## Callees" in _text(answers["codebase_edit_context"])
    assert answers["code_uses"].structured_content["total"] == 2
    assert "risk: " in _text(answers["pr_impact"])
    assert answers["memory_search"].structured_content["results"][0]["origin"] == "agent"


def test_index_can_be_estimated_before_it_is_made(talk: Talker, project: Repository) -> None:
    answer = talk(
        lambda session: session.call_tool("index_codebase", {"estimate": True}),
        str(project.root),
        "--tools",
        "all",
    )
    assert not answer.is_error, _text(answer)
    assert _text(answer).startswith("would take in ")
    assert {"added", "modified", "removed", "chunks", "tokens"} <= set(answer.structured_content)


def test_what_is_wrong_with_a_call_is_an_answer_that_a_model_can_act_on(
    talk: Talker, project: Repository
) -> None:
    calls: list[tuple[str, dict[str, object], str]] = [
        ("codebase_search", {}, "the argument `query` is missing"),
        ("codebase_search", {"query": "x", "kinde": "function"}, "did you mean `kind`?"),
        ("codebase_search", {"query": "x", "kind": "functio"}, "did you mean `function`?"),
        ("codebase_search", {"query": "x", "limit": "many"}, "`limit` must be of type integer"),
        ("codebase_search", {"query": "x", "limit": 0}, "give 1 or more"),
        ("codebase_search", {"query": "x", "limit": True}, "must be of type integer, not True"),
        ("codebase_search", {"query": "x", "limit": "--5"}, "must be of type integer, not '--5'"),
        ("memory_list", {"limit": "9" * 5_000}, "must be of type integer, not '999"),
        ("codebase_search", {"query": "x", "dir": "../../etc"}, "outside"),
        ("find_similar", {}, "nothing to compare with"),
        ("find_similar", {"place": "shop/tokens.py"}, "FILE:LINE"),
        ("call_graph", {"name": "zebra"}, "nothing is defined as `zebra`"),
        ("call_graph", {"name": "sign", "direction": "up"}, "there are: callers, callees"),
        ("call_graph", {"name": "sign", "relationshipType": "Call"}, "did you mean `call`?"),
        ("pr_impact", {"branch": "no-such"}, "git knows no commit"),
        ("memory_get", {"id": "nothing"}, "nothing"),
    ]

    async def say(session: ClientSession) -> list[Any]:
        return [await session.call_tool(name, arguments) for name, arguments, _ in calls]

    answers = talk(say, str(project.root), "--tools", "all")
    for answer, (name, arguments, expected) in zip(answers, calls, strict=True):
        assert answer.is_error, (name, arguments)
        assert expected in _text(answer)
        assert "Traceback" not in _text(answer)


def test_arguments_as_models_write_them_are_taken(talk: Talker, project: Repository) -> None:
    arguments = {
        "query": "verify",
        "limit": "2",
        "fileType": "python",
        "kind": "function",
        "dir": None,
    }
    answer = talk(
        lambda session: session.call_tool("codebase_search", arguments), str(project.root)
    )
    assert not answer.is_error, _text(answer)
    assert answer.structured_content["results"]


def test_unknown_tool_prompt_and_resource_are_errors_of_the_protocol(
    talk: Talker, project: Repository
) -> None:
    async def say(session: ClientSession) -> list[str]:
        said = []
        for wrong in (
            session.call_tool("grep", {}),
            session.call_tool("index_codebase", {}),
            session.get_prompt("dance"),
            session.get_prompt("search"),
            session.read_resource("codecairn://file/../outside.py"),
            session.read_resource("codecairn://file/.env"),
            session.read_resource("file:///etc/passwd"),
        ):
            with pytest.raises(MCPError) as caught:
                await wrong
            said.append(str(caught.value))
        return said

    project.write(".env", "SECRET=1\n")
    project.write(".gitignore", ".env\n")
    said = talk(say, str(project.root))
    assert "there is no tool 'grep'" in said[0]
    assert "`index_codebase` is not offered here" in said[1], "it is not in the compact set"
    assert "`query` is missing" in said[3]
    assert "outside the workspace" in said[4]
    assert "not indexed" in said[5]
    assert "nothing is at" in said[6]


def test_files_and_facts_are_resources(talk: Talker, project: Repository) -> None:
    async def say(session: ClientSession) -> tuple[Any, Any, Any]:
        await session.call_tool("memory_add", {"text": "Tokens live for an hour"})
        listed = (await session.list_resources()).resources
        fact = await session.read_resource(str(listed[0].uri))
        file = await session.read_resource("codecairn://file/shop/tokens.py")
        return (await session.list_resource_templates()).resource_templates, fact, file

    templates, fact, file = talk(say, str(project.root))
    assert [template.name for template in templates] == ["file", "memory"]
    assert "Tokens live for an hour" in fact.contents[0].text
    assert file.contents[0].text == (project.root / "shop/tokens.py").read_text()


def test_prompts_are_filled_in(talk: Talker, project: Repository) -> None:
    async def say(session: ClientSession) -> tuple[list[str], str]:
        prompts = [prompt.name for prompt in (await session.list_prompts()).prompts]
        filled = await session.get_prompt("search", {"query": "who verifies tokens"})
        return prompts, str(filled.messages[0].content.text)  # type: ignore[union-attr]

    prompts, text = talk(say, str(project.root))
    assert prompts == ["search", "find", "definition", "index", "status"]
    assert "who verifies tokens" in text


def test_fifty_calls_at_once_are_all_answered(talk: Talker, project: Repository) -> None:
    async def say(session: ClientSession) -> list[Any]:
        calls = [
            session.call_tool("codebase_search", {"query": f"token number {at}"})
            for at in range(40)
        ]
        calls += [session.call_tool("memory_add", {"text": f"Fact {at}"}) for at in range(10)]
        return list(await asyncio.gather(*calls))

    answers = talk(say, str(project.root))
    assert len(answers) == 50
    assert not [_text(answer) for answer in answers if answer.is_error]


def test_huge_answer_is_cut_where_a_result_ends_and_says_so(
    talk: Talker, project: Repository
) -> None:
    line = "    total = total + 'a rather long line of text that fills the answer' * 3\n"
    for number in range(60):
        project.write(f"big{number}.py", f"def fill_{number}(total):\n" + line * 40)
    question = {"query": "fill total with a long line of text", "limit": 60, "tokens": 50_000}
    answer = talk(lambda session: session.call_tool("codebase_search", question), str(project.root))
    text = _text(answer)
    assert MAX_CHARACTERS / 2 < len(text) < MAX_CHARACTERS + 1_000
    assert "more left out" in text.splitlines()[-1]
    assert len(answer.structured_content["results"]) < 60


def test_progress_of_indexing_is_told(talk: Talker, project: Repository) -> None:
    for number in range(400):
        project.write(f"many/part{number}.py", f"def part_{number}():\n    return {number}\n")
    told: list[tuple[float, float | None, str | None]] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async def say(session: ClientSession) -> Any:
        await session.call_tool("index_status", {})
        return await session.call_tool("index_codebase", {"force": True}, progress_callback=note)

    answer = talk(say, str(project.root), "--tools", "code")
    assert not answer.is_error, _text(answer)
    assert told
    assert {message for _, _, message in told} <= {"scanning", "indexing", "finishing"}


def test_cancelled_call_leaves_the_server_at_work(talk: Talker, project: Repository) -> None:
    for number in range(400):
        project.write(f"many/part{number}.py", f"def part_{number}():\n    return {number}\n")
    begun = asyncio.Event()

    async def note(_done: float, _total: float | None, _message: str | None) -> None:
        begun.set()

    async def say(session: ClientSession) -> Any:
        arguments = {"force": True}
        call = asyncio.create_task(
            session.call_tool("index_codebase", arguments, progress_callback=note)
        )
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return await session.call_tool("implementation_lookup", {"name": "verify_token"})

    answer = talk(say, str(project.root), "--tools", "code")
    assert "shop/tokens.py" in _text(answer)


def test_several_workspaces_are_told_apart_and_no_other_is_reached(
    talk: Talker,
    project: Repository,
    folder: Repository,
    tmp_path: Any,
) -> None:
    folder.write("orchard.py", "def pick_apples():\n    return 12\n")

    async def say(session: ClientSession) -> list[Any]:
        asked = {"name": "pick_apples"}
        inside = {"workspace": str(project.root)}
        return [
            await session.list_tools(),
            await session.call_tool("implementation_lookup", asked | inside),
            await session.call_tool("implementation_lookup", asked | {"workspace": "folder"}),
            await session.call_tool("implementation_lookup", asked | {"workspace": str(tmp_path)}),
        ]

    listed, first, second, third = talk(say, str(project.root), str(folder.root))
    assert "workspace" in listed.tools[0].input_schema["properties"]
    assert "orchard.py" not in _text(first)
    assert "orchard.py" in _text(second)
    assert third.is_error
    assert "is no workspace of this server" in _text(third)
