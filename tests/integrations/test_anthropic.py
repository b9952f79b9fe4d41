"""The memory tool of Anthropic's SDK, with the SDK itself: its own tool on files tells what is right."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from codecairn import Workspace
from codecairn.memory.memory import Memory

tools = pytest.importorskip("anthropic.lib.tools", reason="in the dependency group `integrations`")

SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"

OUTSIDE = [
    "/etc/passwd",
    "memories/a",
    "",
    "/",
    "/memoriesX/a",
    "/memories/../secret",
    "/memories/a/../../secret",
    "/memories/./a",
    "/memories/..",
    "/memories/%2e%2e/secret",
    "/memories/%252e%252e/secret",
    "/memories/..%2fsecret",
    "/memories\\..\\secret",
    "/memories/%5c..%5csecret",
    "/memories/a\0b",
    "/memories/a\nb",
]


def _tool(memory: Memory, **options: Any) -> Any:
    from codecairn.integrations.anthropic import CodecairnMemoryTool

    return CodecairnMemoryTool(memory, **options)


def _do(tool: Any, name: str, path: str, **more: Any) -> str:
    return str(tool.call({"command": name, "path": path, **more}))


def _created(memory: Memory) -> Any:
    tool = _tool(memory)
    _do(tool, "create", "/memories/notes/plan.md", file_text="one\ntwo\nthree\n")
    _do(tool, "create", "/memories/notes/deep/er/far.md", file_text="far")
    _do(tool, "create", "/memories/top.md", file_text="top")
    return tool


def test_it_is_the_sdks_tool(memory: Memory) -> None:
    tool = _tool(memory, cache_control={"type": "ephemeral"})
    assert isinstance(tool, tools.BetaAbstractMemoryTool)
    assert tool.to_dict() == {
        "type": "memory_20250818",
        "name": "memory",
        "cache_control": {"type": "ephemeral"},
    }


def test_files_are_there_for_every_tool_on_the_memory(memory: Memory) -> None:
    _created(memory)
    shown = _do(_tool(memory), "view", "/memories")
    assert [line.split("\t")[1] for line in shown.splitlines()[1:]] == [
        "/memories", "/memories/notes/", "/memories/notes/deep/", "/memories/notes/plan.md", "/memories/top.md",
    ]  # fmt: skip
    assert _do(_tool(memory), "view", "/memories/notes/plan.md", view_range=[2, 3]).splitlines()[1:] == [
        "     2\ttwo", "     3\tthree",
    ]  # fmt: skip
    assert "far" not in _do(_tool(memory, name="another"), "view", "/memories")


def test_edits(memory: Memory) -> None:
    tool = _created(memory)
    assert "     2\tzwei" in _do(
        tool, "str_replace", "/memories/notes/plan.md", old_str="two", new_str="zwei"
    )
    _do(tool, "insert", "/memories/notes/plan.md", insert_line=0, insert_text="zero\n")
    _do(tool, "insert", "/memories/notes/plan.md", insert_line=4, insert_text="four")
    shown = _do(tool, "view", "/memories/notes/plan.md").splitlines()[1:]
    assert [line.split("\t")[1] for line in shown] == ["zero", "one", "zwei", "three", "four", ""]
    tool.call({"command": "rename", "old_path": "/memories/notes", "new_path": "/memories/later"})
    assert "/memories/later/deep/" in _do(tool, "view", "/memories")
    _do(tool, "delete", "/memories/later/deep")
    _do(tool, "delete", "/memories/top.md")
    assert _do(tool, "view", "/memories").splitlines()[-1].endswith("/memories/later/plan.md")
    tool.clear_all_memory()
    assert len(_do(tool, "view", "/memories").splitlines()) == 2


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"command": "view", "path": "/memories/none"}, "does not exist"),
        ({"command": "create", "path": "/memories/top.md", "file_text": "x"}, "already exists"),
        ({"command": "create", "path": "/memories/notes", "file_text": "x"}, "is a directory"),
        ({"command": "create", "path": "/memories/top.md/x", "file_text": "x"}, "is a file"),
        ({"command": "create", "path": "/memories", "file_text": "x"}, "is a directory"),
        ({"command": "str_replace", "path": "/memories/top.md", "old_str": "zz", "new_str": "x"}, "verbatim"),
        ({"command": "str_replace", "path": "/memories/notes/plan.md", "old_str": "e", "new_str": "x"}, "3 places"),
        ({"command": "str_replace", "path": "/memories/notes", "old_str": "e", "new_str": "x"}, "not a file"),
        ({"command": "insert", "path": "/memories/top.md", "insert_line": 9, "insert_text": "x"}, r"\[0, 1\]"),
        ({"command": "delete", "path": "/memories"}, "itself"),
        ({"command": "delete", "path": "/memories/none"}, "does not exist"),
        ({"command": "rename", "old_path": "/memories/top.md", "new_path": "/memories/notes"}, "already exists"),
        ({"command": "rename", "old_path": "/memories/notes", "new_path": "/memories/notes/in"}, "into itself"),
        ({"command": "create", "path": f"/memories/{SECRET}", "file_text": "x"}, "name for a secret"),
    ],
)  # fmt: skip
def test_what_can_not_be_done_is_told_to_the_model(
    memory: Memory, call: dict[str, Any], said: str
) -> None:
    with pytest.raises(tools.ToolError, match=said):
        _created(memory).call(call)


@pytest.mark.parametrize("path", OUTSIDE)
def test_paths_that_lead_elsewhere_are_refused(memory: Memory, path: str) -> None:
    tool = _created(memory)
    calls: list[dict[str, Any]] = [
        {"command": "view", "path": path},
        {"command": "create", "path": path, "file_text": "x"},
        {"command": "delete", "path": path},
        {"command": "rename", "old_path": path, "new_path": "/memories/new"},
        {"command": "rename", "old_path": "/memories/top.md", "new_path": path},
    ]
    for call in calls:
        with pytest.raises(tools.ToolError):
            tool.call(call)


def test_nothing_of_the_disk_is_touched_not_even_through_links(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file lies in the memory's database, wherever links of these names lead to."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("not yours")
    work = tmp_path / "work"
    work.mkdir()
    for place in (work, memory.path.parent):
        place.mkdir(parents=True, exist_ok=True)
        (place / "memories").symlink_to(outside)
    monkeypatch.chdir(work)
    tool = _tool(memory)
    with pytest.raises(tools.ToolError):
        _do(tool, "view", "/memories/secret.md")
    _do(tool, "create", "/memories/secret.md", file_text="mine")
    _do(tool, "delete", "/memories/secret.md")
    tool.clear_all_memory()
    assert [(file.name, file.read_text()) for file in outside.iterdir()] == [
        ("secret.md", "not yours")
    ]


def test_what_the_model_writes_is_remembered_without_secrets(memory: Memory) -> None:
    told = _do(
        _tool(memory),
        "create",
        "/memories/a.md",
        file_text=f"The staging key is {SECRET}, use it on Fridays.",
    )
    assert "left out" in told
    assert "[REDACTED:api-key]" in _do(_tool(memory), "view", "/memories/a.md")
    (found, *_) = memory.recall("staging key on Fridays", evidence=0.0)
    assert "on Fridays" in found.text
    assert SECRET not in found.text


def test_files_hold_what_those_of_the_sdks_own_tool_hold(tmp_path: Path) -> None:
    """Random edits, on both."""
    from anthropic.tools import BetaLocalFilesystemMemoryTool

    chance = random.Random(7)
    names = [f"/memories/{folder}{name}.md" for folder in ("", "x/", "x/y/") for name in "ab"]
    with Workspace.open(tmp_path) as workspace:
        ours, theirs = (
            _tool(workspace.memory),
            BetaLocalFilesystemMemoryTool(str(tmp_path / "theirs")),
        )
        for _ in range(120):
            path = chance.choice(names)
            call = chance.choice(
                [
                    {"command": "create", "path": path, "file_text": chance.choice(["", "a\n", "a\nb", "b\n\nc\n"])},
                    {"command": "str_replace", "path": path, "old_str": chance.choice("abc"), "new_str": chance.choice(["", "a\nb", "c"])},
                    {"command": "insert", "path": path, "insert_line": chance.randrange(4), "insert_text": chance.choice(["a", "b\n"])},
                    {"command": "delete", "path": path},
                    {"command": "rename", "old_path": path, "new_path": chance.choice(names)},
                ]
            )  # fmt: skip
            assert _outcome(ours, call) == _outcome(theirs, call), call
            for name in names:
                view = {"command": "view", "path": name}
                assert _outcome(ours, view, is_whole=True) == _outcome(
                    theirs, view, is_whole=True
                ), call


def _outcome(tool: Any, call: dict[str, Any], *, is_whole: bool = False) -> str:
    try:
        said = str(tool.call(call))
    except tools.ToolError:
        return "refused"
    return said if is_whole else "done"


def test_the_sdks_runner_calls_it(memory: Memory) -> None:
    """The SDK's own loop, against a service that is played."""
    import anthropic
    import httpx2

    asked: list[Any] = []
    command = {"command": "create", "path": "/memories/day.md", "file_text": "we deploy on Fridays"}

    def answer(request: Any) -> Any:
        asked.append(json.loads(request.content))
        content = (
            [{"type": "tool_use", "id": "toolu_1", "name": "memory", "input": command}]
            if len(asked) == 1
            else [{"type": "text", "text": "noted"}]
        )
        return httpx2.Response(
            200,
            json={
                "id": f"msg_{len(asked)}", "type": "message", "role": "assistant", "model": "m", "content": content,
                "stop_reason": "tool_use" if len(asked) == 1 else "end_turn", "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            },
        )  # fmt: skip

    with httpx2.Client(transport=httpx2.MockTransport(answer)) as http:
        client = anthropic.Anthropic(api_key="k", http_client=http)
        runner = client.beta.messages.tool_runner(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "remember it"}], tools=[_tool(memory)]
        )  # fmt: skip
        assert runner.until_done().content[0].text == "noted"
    assert asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert "created successfully" in json.dumps(asked[1]["messages"][-1])
    assert "Fridays" in _do(_tool(memory), "view", "/memories/day.md")
