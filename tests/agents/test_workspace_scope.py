"""Which workspaces calls may name, and which are meant when they name none."""

import asyncio
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ListRootsResult, Root

from agents.conftest import PATIENCE_S
from codecairn import Workspace
from codecairn.errors import BadWorkspace, UsageError
from codecairn.mcp.client_roots import HostRoots
from codecairn.mcp.dispatcher import ToolDispatcher
from codecairn.mcp.host_folders import folders_of_environment, folders_of_uris, is_placeholder
from codecairn.mcp.workspace_scope import WorkspaceScope
from codecairn.paths.user import home_folder
from support.command import command
from support.repository import Repository


def _project(folder: Path, *, name: str = "orchard") -> Path:
    """A project with one function, and no index."""
    made = Repository.make(folder)
    made.write(f"{name}.py", f"def pick_{name}():\n    return 12\n")
    return made.root


def _indexed(folder: Path, *, name: str = "orchard") -> Path:
    root = _project(folder, name=name)
    with Workspace.open(root) as workspace:
        workspace.index()
    return root


def _roots(*folders: Path) -> HostRoots:
    roots = HostRoots()
    roots.put([folder.as_uri() for folder in folders])
    return roots


def _defaults(scope: WorkspaceScope) -> list[Path]:
    return [workspace.root for workspace in scope.defaults()]


def test_first_source_that_has_a_workspace_decides(tmp_path: Path) -> None:
    given, root, environment, here = (_project(tmp_path / name) for name in "abcd")
    sources: dict[str, Any] = {
        "given": [given],
        "roots": _roots(root),
        "environment": [environment],
        "working_directory": here,
    }
    for name, expected in zip(tuple(sources), (given, root, environment, here), strict=True):
        with WorkspaceScope(**sources) as scope:
            assert _defaults(scope) == [expected]
        del sources[name]


def test_several_roots_are_searched_together(tmp_path: Path) -> None:
    api, web = _project(tmp_path / "api", name="api"), _project(tmp_path / "web", name="web")
    scope = WorkspaceScope(roots=_roots(api, web))
    with ToolDispatcher(scope, wait_s=60) as dispatcher:
        dispatcher.start()
        found = dispatcher.call("implementation_lookup", {"name": "pick_web"})
        assert "web.py" in found.text
        alone = dispatcher.call("implementation_lookup", {"name": "pick_web", "workspace": "api"})
        assert "web.py" not in alone.text


def test_working_directory_counts_only_if_it_is_a_project(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    with WorkspaceScope(working_directory=plain) as scope:
        with pytest.raises(BadWorkspace, match="without a project marker") as caught:
            scope.defaults()
        assert "codecairn mcp FOLDER" in str(caught.value.hint)
    (plain / "pyproject.toml").touch()
    with WorkspaceScope(working_directory=plain) as scope:
        assert _defaults(scope) == [plain]


@pytest.mark.parametrize("source", ["given", "roots", "environment", "working_directory"])
@pytest.mark.parametrize("broad", ["home", "root"])
def test_home_folder_and_root_are_neither_indexed_nor_advised(source: str, broad: str) -> None:
    folder = home_folder() if broad == "home" else Path(home_folder().anchor)
    (home_folder() / ".git").mkdir(parents=True, exist_ok=True)  # as people keep their settings
    value: Any = {"roots": _roots(folder), "working_directory": folder}.get(source, [folder])
    scope = WorkspaceScope(**{source: value})
    with ToolDispatcher(scope, wait_s=0) as dispatcher:
        for arguments in ({}, {"workspace": str(folder)}, {"workspace": "~"}):
            with pytest.raises((BadWorkspace, UsageError)) as caught:
                dispatcher.call("codebase_search", {"query": "x", **arguments})
            assert f"codecairn index {folder}" not in f"{caught.value.hint}"
            assert f'codecairn index "{folder}"' not in f"{caught.value.hint}"
            assert "FOLDER" in f"{caught.value.hint}"


def test_folder_that_the_user_indexes_meanwhile_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "notes.py").write_text("def pick_notes():\n    return 1\n")
    monkeypatch.setattr("codecairn.paths.root.MANY_FILES", 1)
    with WorkspaceScope(given=[plain]) as scope:
        with pytest.raises(BadWorkspace):
            scope.defaults()
        with Workspace.open(plain) as workspace:
            workspace.index()
        assert _defaults(scope) == [plain]


def test_indexed_workspace_is_named_by_path_or_folder_and_only_read(tmp_path: Path) -> None:
    here, other = _project(tmp_path / "here"), _indexed(tmp_path / "far/other", name="other")
    with ToolDispatcher(WorkspaceScope(given=[here]), wait_s=60) as dispatcher:
        dispatcher.start()
        for name in ("other", str(other), f"{other}/", "../far/other"):
            asked = {"name": "pick_other", "workspace": name}
            assert "other.py" in dispatcher.call("implementation_lookup", asked).text
        with pytest.raises(UsageError, match="not changed"):
            dispatcher.call("memory_add", {"text": "Apples are red", "workspace": "other"})


def test_folder_without_an_index_is_refused_whether_it_exists_or_not(tmp_path: Path) -> None:
    here, foreign = _project(tmp_path / "here"), _project(tmp_path / "foreign")
    messages = set()
    with ToolDispatcher(WorkspaceScope(given=[here]), wait_s=60) as dispatcher:
        for name in (
            str(foreign),
            "foreign",
            str(tmp_path / "nothing"),
            "../foreign",
            "/etc/passwd",
        ):
            with pytest.raises(UsageError) as caught:
                dispatcher.call("codebase_search", {"query": "x", "workspace": name})
            messages.add(caught.value.message.replace(repr(name), "NAME"))
            assert "codecairn index FOLDER" in str(caught.value.hint)
    assert messages == {"NAME is no workspace of this server"}
    assert not (foreign / ".codecairn").exists()


@pytest.mark.parametrize("place", ["workspace", "environment"])
def test_setting_keeps_an_indexed_workspace_from_others(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, other = _project(tmp_path / "here"), _indexed(tmp_path / "other")
    if place == "environment":
        monkeypatch.setenv("CODECAIRN_MCP_OTHER_WORKSPACES", "false")
    else:
        (other / ".codecairn.toml").write_text("[mcp]\nother_workspaces = false\n")
    with WorkspaceScope(given=[here]) as scope:
        assert scope.named("here", is_changed=True).root == here
        with pytest.raises(UsageError, match="not open to other workspaces"):
            scope.named("other", is_changed=False)


def test_link_out_of_the_workspace_leads_to_no_other(tmp_path: Path) -> None:
    here, foreign = _project(tmp_path / "here"), _project(tmp_path / "foreign")
    (here / "link").symlink_to(foreign)
    with (
        ToolDispatcher(WorkspaceScope(given=[here]), wait_s=60) as dispatcher,
        pytest.raises(UsageError, match="no workspace of this server"),
    ):
        dispatcher.call("codebase_search", {"query": "x", "workspace": "link"})


def test_nested_repository_and_plain_folder_of_a_served_folder(tmp_path: Path) -> None:
    here = _project(tmp_path / "here")
    inner = _project(here / "vendor/inner", name="inner")
    (here / "docs").mkdir()
    with WorkspaceScope(given=[here]) as scope:
        assert scope.named("vendor/inner", is_changed=True).root == inner
        assert scope.named("docs", is_changed=True).root == here
        assert scope.named(".", is_changed=True).root == here


def test_name_of_two_indexed_workspaces_is_asked_back(tmp_path: Path) -> None:
    one, two = _indexed(tmp_path / "a/shop"), _indexed(tmp_path / "b/shop")
    with (
        WorkspaceScope(given=[_project(tmp_path / "here")]) as scope,
        pytest.raises(UsageError, match="several workspaces are called `shop`") as caught,
    ):
        scope.named("shop", is_changed=False)
    assert str(one) in str(caught.value.hint)
    assert str(two) in str(caught.value.hint)


def test_store_of_another_name_names_no_workspace(tmp_path: Path) -> None:
    """A store that was copied, or whose record was changed, leads nowhere."""
    other = _indexed(tmp_path / "other")
    with Workspace.open(other) as workspace:
        record = workspace.store / "workspace"
    assert record.read_text(encoding="utf-8") == str(other)
    record.write_text(str(_project(tmp_path / "foreign")), encoding="utf-8")
    with (
        WorkspaceScope(given=[_project(tmp_path / "here")]) as scope,
        pytest.raises(UsageError),
    ):
        scope.named("foreign", is_changed=False)


@pytest.mark.parametrize("form", ["one", "commas", "separator", "json"])
def test_folders_of_the_environment(form: str, tmp_path: Path) -> None:
    folders = [tmp_path / "a b", tmp_path / "c"]
    for folder in folders:
        folder.mkdir()
    names = [str(folder) for folder in folders]
    text = {
        "one": names[0],
        "commas": ",".join(names),
        "separator": os.pathsep.join(names),
        "json": json.dumps(names),
    }[form]
    expected = tuple(folders[:1] if form == "one" else folders)
    assert folders_of_environment({"WORKSPACE_FOLDER_PATHS": text}) == expected


@pytest.mark.parametrize(
    "uri", ["https://example.com/x", "file://elsewhere/tmp", "file:///no/such", "file:relative", "", "\0", "file:///%00", "[", "file://["]
)  # fmt: skip
def test_root_that_is_no_folder_here_counts_for_nothing(uri: str) -> None:
    assert folders_of_uris([uri]) == ()


def test_placeholder_that_the_host_did_not_fill_in_is_known() -> None:
    assert is_placeholder("${workspaceFolder}")
    assert is_placeholder("${workspaceFolder}/src")
    assert not is_placeholder("/home/ann/$hop")


def _talk(say: Any, roots: Sequence[Path], *arguments: str, cwd: Path, **environment: str) -> Any:
    """Let a client with roots talk to a server that runs in a folder."""
    cwd.mkdir(parents=True, exist_ok=True)
    program, *rest = command("mcp", *arguments)
    parameters = StdioServerParameters(
        command=program, args=rest, env={**os.environ, **environment}, cwd=cwd
    )

    async def run() -> Any:
        shown = list(roots)

        async def list_roots(_context: object) -> ListRootsResult:
            return ListRootsResult(roots=[Root(uri=root.as_uri()) for root in shown])  # type: ignore[arg-type]

        async with (
            stdio_client(parameters) as (reading, writing),
            ClientSession(reading, writing, list_roots_callback=list_roots) as session,
        ):
            await session.initialize()
            return await say(session, shown)

    return asyncio.run(asyncio.wait_for(run(), PATIENCE_S))


@pytest.mark.filterwarnings(
    "ignore:The roots capability:mcp.shared.exceptions.MCPDeprecationWarning"
)
def test_server_that_runs_in_the_home_folder_serves_the_roots(tmp_path: Path) -> None:
    root, other = _project(tmp_path / "one"), _project(tmp_path / "two", name="other")

    async def say(session: ClientSession, shown: list[Path]) -> list[str]:
        asked = {"name": "pick_orchard"}
        first = await session.call_tool("implementation_lookup", asked)
        shown[:] = [other]
        await session.send_roots_list_changed()
        asked = {"name": "pick_other"}
        for _ in range(50):
            second = await session.call_tool("implementation_lookup", asked)
            if "other.py" in second.content[0].text:  # type: ignore[union-attr]
                break
        return [answer.content[0].text for answer in (first, second)]  # type: ignore[union-attr]

    first, second = _talk(say, [root], cwd=home_folder())
    assert "orchard.py" in first
    assert "other.py" in second


def test_environment_and_unfilled_placeholder(tmp_path: Path) -> None:
    root = _project(tmp_path / "one")

    async def say(session: ClientSession, _shown: list[Path]) -> Any:
        return await session.call_tool("implementation_lookup", {"name": "pick_orchard"})

    answer = _talk(say, [], "${workspaceFolder}", cwd=home_folder(), CLAUDE_PROJECT_DIR=str(root))
    assert "orchard.py" in answer.content[0].text


def test_host_that_never_answers_is_not_waited_for_twice(project: Repository) -> None:
    """A call goes on with the working directory after `ROOTS_TIMEOUT_S`; a late answer is kept from the server."""
    client = {"name": "a test", "version": "1"}
    capabilities = {"roots": {"listChanged": True}}
    start = {"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client}
    call = {"name": "implementation_lookup", "arguments": {"name": "sign"}}
    messages = [
        {"id": 1, "method": "initialize", "params": start},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
        {"id": 3, "method": "tools/call", "params": call},
        {"id": "codecairn-roots-1", "result": {"roots": []}},
        {"id": 4, "method": "ping"},
    ]
    process = subprocess.Popen(
        command("mcp"), cwd=project.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for message in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
        written = [json.loads(process.stdout.readline()) for _ in range(5)]
        rest, _ = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
    assert rest == ""
    answers = {answer["id"]: answer for answer in written}
    assert answers["codecairn-roots-1"]["method"] == "roots/list"
    assert "shop/tokens.py" in answers[2]["result"]["content"][0]["text"]
    assert "shop/tokens.py" in answers[3]["result"]["content"][0]["text"]
    assert answers[4]["result"] == {}
