"""Importing the package does no work; its public names are pinned."""

import subprocess
import sys
from pathlib import Path

import pytest

import codecairn

HEAVY = (
    "numpy", "httpx", "click", "rich", "mcp", "tomlkit", "subprocess", "starlette", "uvicorn", "jinja2",
)  # fmt: skip
"""Modules that `import codecairn` must not load."""

HEAVY_FOR_THE_LIBRARY = ("numpy", "httpx", "click", "rich", "mcp", "tomlkit", "subprocess")
"""Modules that even opening a workspace must not load."""


def _modules_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_import_loads_nothing_heavy_and_not_the_core() -> None:
    loaded = _modules_after("import codecairn")
    assert not loaded & {
        *HEAVY,
        "codecairn._native",
        "codecairn.workspace.workspace",
        "dataclasses",
    }


def test_workspace_loads_no_surface_and_no_client() -> None:
    loaded = _modules_after("from codecairn import Workspace")
    assert not loaded & set(HEAVY_FOR_THE_LIBRARY)
    assert not [name for name in loaded if name.startswith("codecairn.cli")]


def test_plain_search_command_loads_no_rich() -> None:
    code = "from codecairn.cli.main import main\nmain(['search', '--help'])"
    loaded = _modules_after(code)
    assert not loaded & {"rich", "numpy", "httpx", "mcp", "tomlkit", "subprocess"}


def test_server_answers_its_host_before_it_loads_what_it_serves() -> None:
    loaded = _modules_after("import codecairn.cli.mcp, codecairn.mcp.server")
    assert "mcp.server.lowlevel" in loaded
    assert not loaded & {
        "codecairn.workspace.workspace",
        "codecairn.mcp.tool_table",
        "codecairn.core.types.hits",
        "rich",
    }


def test_compact_set_loads_nothing_that_others_need() -> None:
    loaded = _modules_after("from codecairn.mcp.tool_table import tools_of\ntools_of(['compact'])")
    assert not loaded & {*HEAVY_FOR_THE_LIBRARY, "codecairn.memory.maintenance"}
    assert not [name for name in loaded if name.startswith("codecairn.mcp.compatibility")]


def test_index_command_loads_nothing_of_the_memory() -> None:
    loaded = _modules_after("from codecairn.cli.main import main\nmain(['index', '--help'])")
    assert not [name for name in loaded if name.startswith("codecairn.memory.")]
    assert not loaded & {"codecairn.core.types.memory", "codecairn.core.memory_engine"}


def test_index_command_loads_no_more_than_it_does(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("value = 1\n")
    code = f"from codecairn.cli.main import main\nmain(['index', {str(tmp_path)!r}, '--quiet'])"
    loaded = _modules_after(code)
    results = {name for name in loaded if name.startswith("codecairn.core.types.")}
    assert results == {"codecairn.core.types.freshness", "codecairn.core.types.indexing"}
    assert not loaded & {
        "codecairn.context.answer", "codecairn.workspace.metrics", "codecairn.core.types.provenance", "hashlib", "shutil",
    }  # fmt: skip


def test_memory_loads_no_client_no_model_and_no_database_of_others(tmp_path: Path) -> None:
    code = (
        "from codecairn import Workspace\n"
        f"with Workspace.open({str(tmp_path)!r}) as workspace:\n"
        "    workspace.memory.add('a fact to keep')\n"
        "    workspace.memory.recall('a fact')\n"
    )
    loaded = _modules_after(code)
    assert not loaded & {*HEAVY_FOR_THE_LIBRARY, "sqlite3", "codecairn.memory.maintenance"}
    assert not [name for name in loaded if name.startswith("codecairn.remote")]


MODULES = {
    "--version": 5,
    "search": 79,
    "define": 79,
    "status": 86,
    "memory search": 110,
    "ask": 116,
}
"""The most modules of ours that a command may load."""

HEAVY_FOR_COMMANDS = {
    *HEAVY, "asyncio", "email", "hashlib", "pydantic", "shutil", "socket", "sqlite3", "ssl", "tempfile",
}  # fmt: skip
"""Modules that take a millisecond or more, and that none of these commands needs."""


def _loaded_by(command: str, folder: Path) -> set[str]:
    """The modules that a command loads in a folder that has one file, and was not indexed before."""
    (folder / "one.py").write_text("def value():\n    return 1\n")
    arguments = command.split()
    if command != "--version":
        asked = [] if command == "status" else ["value"]
        arguments += [*asked, "--path", str(folder)]
    code = (
        "import os, sys\n"
        f"sys.argv = ['codecairn', *{arguments!r}]\n"
        "os._exit = lambda _code: None\n"
        "from codecairn.program import command\n"
        "try:\n    command()\nexcept SystemExit:\n    pass\n"
        "sys.stdout = sys.stderr = sys.__stdout__"
    )
    return _modules_after(code)


@pytest.mark.parametrize("command", MODULES)
def test_command_loads_no_more_modules_than_it_did(command: str, tmp_path: Path) -> None:
    loaded = _loaded_by(command, tmp_path)
    own = {name for name in loaded if name.split(".")[0] == "codecairn"}
    assert len(own) <= MODULES[command], sorted(own)
    assert not loaded & (HEAVY_FOR_COMMANDS - {"click"})
    assert command != "--version" or not loaded & {"click", "typing", "dataclasses", "inspect"}


def test_event_of_a_host_loads_built_in_modules_and_the_core_alone() -> None:
    bare = _modules_after("pass")
    code = "import codecairn.program, codecairn.cli.main, codecairn.hooks.call"
    loaded = _modules_after(code) - bare
    assert {name for name in loaded if name.split(".")[0] == "codecairn"} == {
        "codecairn", "codecairn.program", "codecairn.version", "codecairn.core", "codecairn.core.isolation",
        "codecairn.cli", "codecairn.cli.main", "codecairn.hooks", "codecairn.hooks.call",
    }  # fmt: skip
    assert not loaded & {"collections", "contextlib", "re", "threading", "typing"}


def test_public_names_are_pinned() -> None:
    assert sorted(codecairn.__all__) == sorted(
        [
            "BadWorkspace",
            "BaseState",
            "Blame",
            "BudgetExhausted",
            "Cancelled",
            "CodecairnError",
            "ConfigError",
            "Contribution",
            "DiskFull",
            "EmbeddingEstimate",
            "EmbeddingReport",
            "EmbeddingStatus",
            "FileAccessError",
            "Freshness",
            "GarbageReport",
            "HistoryUnavailable",
            "Hit",
            "IndexLocked",
            "IndexPreview",
            "IndexReport",
            "InternalError",
            "KnowledgeBase",
            "NotIndexed",
            "ObjectMissing",
            "Organization",
            "OutsideState",
            "PathNotFound",
            "Problem",
            "ProviderBroken",
            "ProviderDeclined",
            "ProviderError",
            "ProviderRateLimited",
            "ProviderRefused",
            "ProviderUnauthorized",
            "ProviderUnavailable",
            "PullRequestUnavailable",
            "RemoteConflict",
            "RemoteError",
            "RemoteIncompatible",
            "RemoteRefused",
            "RemoteUnavailable",
            "RemoteUntrusted",
            "SearchFilters",
            "SearchResult",
            "Skip",
            "Span",
            "Spending",
            "Status",
            "StoreDamaged",
            "StoreError",
            "StoreReadOnly",
            "StoreTooNew",
            "SymbolAmbiguous",
            "SymbolNotFound",
            "UnsafeEndpoint",
            "UsageError",
            "Workspace",
            "WorkspaceError",
            "Workspaces",
            "__version__",
        ]
    )


@pytest.mark.parametrize("name", codecairn.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(codecairn, name) is not None
    assert name in dir(codecairn)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = codecairn.Nonsense
