"""What is recorded of a tool's use: names of paths and commands by host, patches, outputs and exit codes."""

import pytest

from codecairn.hooks.tool_use import bounded, output_of, patch_of, path_of, tool_records

PATCH = "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"


@pytest.mark.parametrize(
    "name", ["file_path", "filePath", "absolute_path", "notebook_path", "target_file", "path"]
)
def test_path_is_found_by_each_name(name: str) -> None:
    assert path_of({name: "a.py", "other": "b.py"}) == "a.py"


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({name: "x"}, "x")
        for name in ("command", "cmd", "pattern", "query", "url", "prompt", "description")
    ]
    + [({"cmd": ["git", "log", 1]}, "git log"), ({"command": ["a", "b"]}, "a b")],
)
def test_command_is_found_by_each_name(given: dict[str, object], command: str) -> None:
    (record,) = tool_records("Shell", given, "", hook="h")
    assert record["command"] == command


@pytest.mark.parametrize(
    "tool",
    ["Read", "view", "read_file", "read_many_files", "NotebookRead", "LS", "list_directory"],
)
def test_text_that_is_read_is_not_recorded(tool: str) -> None:
    (record,) = tool_records(tool, {"path": "a.py"}, "its text", hook="h")
    assert record == {"hook": "h", "role": "tool", "tool": tool, "path": "a.py"}


@pytest.mark.parametrize("tool", ["", "WaitForMcpServers", "ToolSearch", "mcp__codecairn__search"])
def test_tools_that_do_nothing_to_the_project_are_not_recorded(tool: str) -> None:
    assert tool_records(tool, {"path": "a.py"}, "text", hook="h") == []


@pytest.mark.parametrize(
    "given",
    [
        PATCH,
        f"apply_patch <<E\n{PATCH}",
        {"command": PATCH},
        {"command": ["apply_patch", PATCH]},
        {"input": PATCH},
        {"patch": PATCH},
    ],
)
def test_patch_is_recorded_file_by_file(given: object) -> None:
    assert patch_of(given) == PATCH
    assert path_of(given) == "a.py"
    edit = {"hook": "h", "role": "tool", "tool": "patch", "category": "file-edit"}
    assert tool_records("patch", given, "Done", hook="h") == [
        {**edit, "path": "a.py", "body": "-x\n+y"},
        {**edit, "path": "b.py", "body": "+z"},
    ]
    failed = tool_records("patch", given, "", hook="h", error="no such line")
    assert [record["category"] for record in failed] == ["error", "error"]
    assert failed[1]["body"] == "no such line\n+z"


@pytest.mark.parametrize("given", [None, [PATCH], "*** Begin Patch\n", "*** Add File: a.py\n+x"])
def test_what_names_no_file_to_change_is_no_patch(given: object) -> None:
    assert patch_of(given) == ""


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"stdout": "a", "stderr": "b"}, "a\nb"),
        ({"stdout": "", "stderr": "b", "output": "c"}, "b"),
        ({"stdout": "a", "output": "c"}, "a"),
        ({"content": [{"text": "a"}, {"text": ""}, "b", 1]}, "a\nb"),
        ({"result": {"message": "a"}}, "a"),
        ({"llmContent": "", "returnDisplay": "a"}, "a"),
        (None, ""),
    ],
)
def test_output_is_found_in_what_a_host_wraps_it(result: object, text: str) -> None:
    assert output_of(result) == text


def test_middle_of_a_long_text_is_left_out() -> None:
    assert bounded("x" * 120_000) == "x" * 120_000
    assert bounded("a" * 60_000 + "b" + "c" * 60_000) == (
        "a" * 60_000 + "\n[... 1 characters ...]\n" + "c" * 60_000
    )


@pytest.mark.parametrize(
    ("result", "error", "code"),
    [
        ({"exit_code": 3}, "", 3),
        ({"exitCode": 3}, "", 3),
        ({"exit": 3}, "", 3),
        ({"metadata": {"exit": 3}}, "", 3),
        ("Exit code: 3", "", 3),
        ("Exit code 3\nno such file", "", 3),
        ("no such file\nExit code: 3\n", "", 3),
        ("the server exited with code 3", "", None),
        ("Exit code 3 means that nothing was found.", "", None),
        ("passed\nexit code 3 was expected\npassed", "", None),
        ("", "it exited with code 3", 3),
        ("fine", "Exit code 4\ntrace", 4),
        ("exit code none", "", None),
    ],
)
def test_exit_code_is_found(result: object, error: str, code: int | None) -> None:
    (record,) = tool_records("Bash", {"command": "x"}, result, hook="h", error=error)
    assert record.get("exit_code") == code
