"""No file, module, type, function or constant has a name that was replaced by the field's word."""

import ast
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

RUST_NAMES = {
    "background_drain": {"beside"},
    "chunk_postings": {"gathering", "places", "Places", "PlacesIn"},
    "contention": {"storm", "Storm"},
    "full_graph": {"Survey", "Surveyed", "survey", "whole", "Whole"},
    "max_score": {"WordIn"},
    "posting_cache": {"known_places", "KnownPlaces"},
    "remote_vectors": {"outside", "OutsideSpace", "OutsideState"},
    "scip_resolution": {"said", "Said"},
    "spool_drain": {"taking", "Intake"},
    "top_k_threshold": {"floor", "Floor"},
    "graph_statistics": {"standing", "Standing"},
    "overlapping_symbols": {"touched", "touching", "Touched"},
    "injected_items": {"held", "Held"},
    "caches": {"kept", "Kept"},
}
"""What a name of the core became, and the names that nothing has any more."""

PYTHON_NAMES = {
    "ContextBuilder": {"injecting.py", "Injector"},
    "GitAndSettingsFiles": {"Aside"},
    "HookEvent": {"heard.py", "Heard"},
    "MAINTENANCE_TOOLS": {"UPKEEP_TOOLS"},
    "Preview": {"Glimpse"},
    "ToolDispatcher": {"desk.py", "Desk", "LateDesk"},
    "_conditions": {"_narrowing"},
    "_with_context": {"_of_matter"},
    "anchor_status": {"standing.py", "Standing"},
    "call_path": {"ways.py", "Way"},
    "changed_symbols": {"touching.py"},
    "concurrent.futures": {"beside.py"},
    "core.types": {"shown.py"},
    "detail": {"levels.py"},
    "fast_json": {"notation.py"},
    "find_occurrences": {"everywhere.py"},
    "fork_safe": {"held.py"},
    "format": {"showing.py"},
    "injection_format": {"lines.py"},
    "json_output": {"documents.py"},
    "key_value_log": {"kept.py"},
    "lock_retry": {"patience.py"},
    "maintenance": {"upkeep.py"},
    "may_have_facts": {"may_be_spoken"},
    "opt_out": {"quiet.py"},
    "project_config": {"places.py"},
    "remote_clients": {"helpers.py"},
    "remote_embedding": {"draining.py", "outside.py"},
    "removal_note": {"told"},
    "render": {"telling.py", "telling_shapes.py"},
    "save_anchored_paths": {"note_spoken"},
    "session_state": {"working.py"},
    "timestamps": {"moments.py"},
    "topic_expansion": {"matters.py"},
    "translate": {"hear"},
}
"""The same for the Python package; with `.py`, a module's name alone."""

BINDING = "native/crates/python/"
"""The crate whose names Python sees, which change with Python's."""

RUST_ITEM = re.compile(
    r"^\s*(?:pub(?:\([a-z]+\))? )?(?:(?:const|unsafe|async) )*"
    r"(?:fn|struct|enum|trait|type|mod|const|static) +(\w+)",
    re.MULTILINE,
)

Items = Callable[[], Iterator[tuple[str, str]]]
"""Lists the paths of a language with the names in them."""

OLD_BOUNDS = {
    ("native/crates/memory/src/privacy/secrets/entropy.rs", "LEAST_BITS"),
    ("native/crates/memory/src/privacy/secrets/entropy.rs", "LEAST_BITS_STRICT"),
}
"""Bounds that still have an old prefix."""

BOUND = re.compile(r"_?(?:MOST|LEAST)(?:_|$)")


def _files(suffix: str, *folders: str) -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = (ROOT / line for line in listed.stdout.splitlines())
    return sorted(path for path in paths if path.suffix == suffix and path.is_file())


def _rust() -> Iterator[tuple[str, str]]:
    for path in _files(".rs", "native/crates"):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(BINDING) or "corpus" in path.parts:
            continue
        yield name, path.stem
        for item in RUST_ITEM.findall(path.read_text(encoding="utf-8")):
            yield name, item


def _python() -> Iterator[tuple[str, str]]:
    for path in _files(".py", "python"):
        name = path.relative_to(ROOT).as_posix()
        yield name, f"{path.parent.name if path.stem == '__init__' else path.stem}.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield name, node.name
            elif isinstance(node, ast.Name) and node.id.isupper():
                yield name, node.id


LANGUAGES = [
    pytest.param(_rust, RUST_NAMES, id="rust"),
    pytest.param(_python, PYTHON_NAMES, id="python"),
]


@pytest.mark.parametrize(("items", "names"), LANGUAGES)
def test_replaced_names_are_gone(items: Items, names: dict[str, set[str]]) -> None:
    became = {old: new for new, olds in names.items() for old in olds}
    found = {(path, item, became[item]) for path, item in items() if item in became}
    assert found == set()


@pytest.mark.parametrize(("items", "_names"), LANGUAGES)
def test_bounds_are_called_max_and_min(items: Items, _names: dict[str, set[str]]) -> None:
    assert {(path, item) for path, item in items() if BOUND.match(item)} <= OLD_BOUNDS
