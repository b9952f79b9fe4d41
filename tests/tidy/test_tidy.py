"""The rules of the house that no linter knows."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]

MAX_LINES = 600
MAX_BINDING_LINES = 300

UNSAFE_FILES = {
    "native/crates/base/src/mapped_file.rs",
    "native/crates/base/src/crash_signals.rs",
    "native/crates/syntax/src/arena.rs",
    "native/crates/syntax/src/parse_sandbox.rs",
    "native/crates/syntax/src/parse.rs",
    "native/crates/model/src/vector/simd.rs",
    "native/crates/grammars/src/bounded_scanner.rs",
}
"""The only Rust files that may hold `unsafe`: mapping, signals, SIMD, scanners kept to their room, parses kept to their memory."""

MACHINE_PATHS = tuple(f"{path}/" for path in (ROOT, Path.home()) if len(path.parts) > 2)
"""Where this checkout and this user's files lie: nobody else's business."""


def _files(*suffixes: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = (ROOT / line for line in listed.stdout.splitlines())
    return sorted(path for path in paths if path.suffix in suffixes and path.is_file())


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _code_lines(path: Path) -> list[str]:
    """The lines of a Rust file without comments and strings on one line."""
    return [re.sub(r'"(?:[^"\\]|\\.)*"', '""', line).split("//")[0] for line in _lines(path)]


def _is_corpus(path: Path) -> bool:
    return "corpus" in path.parts or "fuzz" in path.parts


SOURCES = [path for path in _files(".py", ".pyi", ".rs") if not _is_corpus(path)]


def test_files_are_short() -> None:
    lengths = {_name(path): len(_lines(path)) for path in SOURCES}
    assert {name: count for name, count in lengths.items() if count > MAX_LINES} == {}


def test_binding_files_are_thin() -> None:
    bindings = (path for path in SOURCES if _name(path).startswith("native/crates/python/"))
    assert {
        _name(path): len(_lines(path)) for path in bindings if len(_lines(path)) > MAX_BINDING_LINES
    } == {}


def test_unsafe_stays_in_its_listed_files() -> None:
    word = re.compile(r"\bunsafe\b(?!_code)")
    found = {
        _name(path)
        for path in SOURCES
        if path.suffix == ".rs" and any(word.search(line) for line in _code_lines(path))
    }
    assert found <= UNSAFE_FILES


def _calls(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


FOREIGN_DATABASES = "python/codecairn/memory/importing/foreign_database.py"
"""The only Python file that opens a database: other tools' files, which the core never opens."""


def test_python_opens_no_database_of_ours_and_prints_on_surfaces_only() -> None:
    for path in SOURCES:
        if _name(path).startswith("python/codecairn/") and path.suffix == ".py":
            text = path.read_text(encoding="utf-8")
            opens_databases = re.search(r"^\s*(import|from) sqlite3", text, re.MULTILINE)
            assert not opens_databases or _name(path) == FOREIGN_DATABASES, path
            assert "print" not in _calls(path) or "cli" in path.parts, path


def test_core_is_imported_by_its_typed_faces_only() -> None:
    importing = re.compile(r"codecairn\._native|from codecairn import .*_native")
    package = (
        path for path in SOURCES if _name(path).startswith("python/") and path.suffix == ".py"
    )
    found = {
        _name(path)
        for path in package
        if any(importing.search(line) for line in _lines(path) if "import" in line)
    }
    assert found <= {
        "python/codecairn/core/contained.py",
        "python/codecairn/core/engine.py",
        "python/codecairn/core/graph_engine.py",
        "python/codecairn/hooks/background.py",
        "python/codecairn/hooks/call.py",
        "python/codecairn/hooks/processes.py",  # typed faces take longer to load than an event may
        "python/codecairn/core/index_transfer.py",
        "python/codecairn/core/memory_engine.py",
        "python/codecairn/core/trust_engine.py",
        "python/codecairn/core/results.py",
    }


STARTING_PROGRAMS = {
    "python/codecairn/cli/pager.py",
    "python/codecairn/core/git.py",
    "python/codecairn/core/group_leader.py",
    "python/codecairn/core/process_group.py",
    "python/codecairn/graph/pull_requests.py",
    "python/codecairn/hosts/start_check.py",
    "python/codecairn/hooks/processes.py",
    "python/codecairn/llm/agent_program.py",
    "python/codecairn/integrations/hermes.py",
}
"""The only modules that start programs: each does it by an absolute path, and with an environment of its choice."""


def test_programs_are_started_in_listed_modules_only() -> None:
    starting = re.compile(
        r"\b(?:import subprocess|posix_spawn|multiprocessing|pty)\b|\bos\.(?:exec|fork|popen|spawn|startfile|system)"
    )
    by_module = re.compile(r'"-m", "codecairn')
    found = set()
    for path in SOURCES:
        if _name(path).startswith("python/") and path.suffix == ".py":
            text = path.read_text(encoding="utf-8")
            assert not by_module.search(text), path
            if starting.search(text):
                found.add(_name(path))
    assert found == STARTING_PROGRAMS


CRATES = [
    "base",
    "grammars",
    "syntax",
    "walk",
    "trust",
    "model",
    "lexical",
    "store",
    "index",
    "search",
    "graph",
    "memory",
    "hooks",
    "engine",
    "python",
]
"""The crates of the core, from the bottom up: each depends on earlier ones alone."""


def _manifest(crate: str) -> dict[str, Any]:
    path = ROOT / "native" / "crates" / crate / "Cargo.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_crates_depend_downward_only() -> None:
    folders = {path.parent.name for path in (ROOT / "native" / "crates").glob("*/Cargo.toml")}
    assert folders == set(CRATES)
    for number, crate in enumerate(CRATES):
        own = {name for name in _manifest(crate)["dependencies"] if name.startswith("codecairn-")}
        assert own <= {f"codecairn-{below}" for below in CRATES[:number]}, crate


def test_core_knows_no_python_and_no_network() -> None:
    for crate in CRATES[:-1]:
        manifest = _manifest(crate)
        names = {*manifest["dependencies"], *manifest.get("dev-dependencies", {})}
        assert not names & {"pyo3", "reqwest", "hyper", "ureq", "tokio"}, crate


def test_no_file_names_a_path_of_this_machine() -> None:
    for path in _files(".py", ".pyi", ".rs", ".toml", ".md", ".yml", ".sql", ".scm"):
        if not _is_corpus(path):
            text = path.read_text(encoding="utf-8")
            assert not [found for found in MACHINE_PATHS if found in text], path


def test_python_files_have_a_purpose_in_their_first_line() -> None:
    for path in SOURCES:
        lines = _lines(path)
        if path.suffix == ".py" and lines:
            assert lines[0].startswith(('"""', "#!", 'r"""')), path
