"""Files of a workspace and of a store in it are opened in one module; whoever opens others says which.

The same is held for Rust by `clippy.toml`, which bans the functions of `std::fs` outside `private_files.rs`.
"""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python/codecairn"

OPENERS = {
    "the one way to files of a workspace": {"paths/workspace_files.py"},
    "the package's own files": {
        "graph/visual/html_page.py",
        "hosts/hook_events.py",
        "team/migrations.py",
        "web/app.py",
    },
    "the user's data and cache folders, which `paths/user.py` makes for the user alone": {
        "embedding/local.py",
        "embedding/plan.py",
        "embedding/query_cache.py",
        "indexing/store_copies.py",
        "node/mirror.py",
        "node/prepared_commit.py",
        "team/membership.py",
        "workspace/knowledge/registry.py",
        "workspace/organization/summaries.py",
        "memory/backends/graph_recall.py",
        "memory/health.py",
        "paths/file_lock.py",
        "llm/cost_log.py",
        "trust/registry.py",
        "trust/store_list.py",
    },
    "a store's folder, after `trust` has looked at it": {
        "indexing/store_location.py",
        "core/store_log.py",
    },
    "settings of other programs in the user's home folder": {
        "hosts/installation_check.py",
        "hosts/installation.py",
        "llm/agent_program.py",
        "remote/credentials.py",
    },
    "files that the user named": {
        "evaluation/questions.py",
        "evaluation/reports.py",
        "memory/importing/claude_files.py",
        "memory/importing/claude_transcripts.py",
        "memory/importing/codex_memories.py",
        "memory/importing/codexfi.py",
        "memory/importing/json_records.py",
        "memory/importing/foreign_database.py",
        "memory/importing/sources.py",
    },
    "files of git, regular ones and without waiting": {"core/git_waits.py"},
    "the system's own": {"cli/main.py", "hooks/processes.py", "mcp/transports.py"},
}
"""What modules open files for, and which do."""

METHODS = {"read_text", "read_bytes", "write_text", "write_bytes"}
FUNCTIONS = {"os.open", "io.open", "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.move"}


def _opens(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "open"
    if not isinstance(function, ast.Attribute):
        return False
    if ast.unparse(function) in FUNCTIONS or function.attr in METHODS:
        return True
    # `path.open("rb")` or `path.open(encoding=...)`; stores and workspaces are opened otherwise.
    mode = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else ""
    is_mode = isinstance(mode, str) and 0 < len(mode) <= 3 and set(mode) <= set("rwxabt+")
    has_text_options = {"encoding", "errors"} & {option.arg for option in call.keywords}
    return function.attr == "open" and (is_mode or bool(has_text_options))


def test_files_are_opened_where_that_was_thought_about() -> None:
    texts = {module: module.read_text(encoding="utf-8") for module in PACKAGE.rglob("*.py")}
    words = ("open(", *METHODS, *(name.partition(".")[2] for name in FUNCTIONS))
    found = {
        module.relative_to(PACKAGE).as_posix()
        for module, text in texts.items()
        if any(word in text for word in words)
        and any(isinstance(node, ast.Call) and _opens(node) for node in ast.walk(ast.parse(text)))
    }
    known = {module for modules in OPENERS.values() for module in modules}
    assert not found - known, (
        "open files by `codecairn.paths.workspace_files`, or say what they are"
    )
    assert not known - found, "these open no file: take them out of the table"
