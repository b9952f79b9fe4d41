"""Selects the files that describe a project, how much of each is read, and git's latest commits."""

import io
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from codecairn.core.git import git
from codecairn.core.light_dataclass import dataclass
from codecairn.core.memory_engine import redacted
from codecairn.errors import HistoryUnavailable
from codecairn.paths.workspace_files import open_inside

CAPS: Mapping[str, int] = MappingProxyType(
    {
        "README.md": 3000,
        "README.rst": 3000,
        "package.json": 2000,
        "Cargo.toml": 2000,
        "pyproject.toml": 2000,
        "Makefile": 2000,
        "AGENTS.md": 2000,
        "CLAUDE.md": 2000,
        "GEMINI.md": 2000,
        "CONTRIBUTING.md": 2000,
        "CONVENTIONS.md": 2000,
        "CODING_CONVENTIONS.md": 2000,
        "Justfile": 1500,
        "Taskfile.yml": 1500,
        "Dockerfile": 1500,
        "docker-compose.yml": 1500,
        "docker-compose.yaml": 1500,
        "go.mod": 1000,
        "deno.json": 1000,
        "deno.jsonc": 1000,
        "tsconfig.json": 1000,
        "biome.json": 1000,
        "biome.jsonc": 1000,
        "turbo.json": 1000,
        "nx.json": 1000,
        "pnpm-workspace.yaml": 500,
        "lerna.json": 500,
        ".env.example": 500,
        ".env.template": 500,
    }
)
"""The files, in the order in which they matter, and how many characters of each are read."""

MAX_CHARS = 15_000
"""Characters of all files together."""

MAX_LOG_CHARS = 2000
_VALUE = re.compile(r"^([^#\n=]*=).*$", re.MULTILINE)  # values of an example may be real ones
_LOG_ENTRIES = 20
_MAX_ENTRIES = 5000
_LOG_TIMEOUT_S = 3.0

_CODE = frozenset(
    [
        "c",
        "cc",
        "cpp",
        "cs",
        "dart",
        "ex",
        "exs",
        "go",
        "h",
        "hpp",
        "hs",
        "java",
        "jl",
        "js",
        "jsx",
        "kt",
        "lua",
        "m",
        "ml",
        "php",
        "pl",
        "py",
        "r",
        "rb",
        "rs",
        "scala",
        "sh",
        "sql",
        "swift",
        "ts",
        "tsx",
        "vue",
        "zig",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFile:
    """A file of the project, as far as it is read."""

    name: str
    text: str


def project_files(root: Path) -> tuple[ProjectFile, ...]:
    """The known files of a project's root, each within its cap and all within theirs; what can't be read is left out."""
    found: list[ProjectFile] = []
    room = MAX_CHARS
    for name, path in _present(root):
        text = head_of(root, path, min(CAPS[name], room))
        if name.startswith(".env"):
            text = _VALUE.sub(r"\1", text)
        if text:
            found.append(ProjectFile(name=name, text=text))
            room -= len(text)
    return tuple(found)


def is_known_project(root: Path) -> bool:
    """Whether there is anything to extract: one of the files, or code in the root or in a folder of it."""
    if _present(root):
        return True
    try:
        children = sorted(root.iterdir())
        folders = [child for child in children[:200] if _is_folder(child)]
        inner = [each for folder in folders for each in islice(folder.iterdir(), _MAX_ENTRIES)]
    except OSError:
        return False
    return any(path.suffix.lower().lstrip(".") in _CODE for path in (*children, *inner[:5000]))


def latest_commits(root: Path) -> str:
    """Git's latest commits, one a line; empty without git, or where it takes too long."""
    if not any((folder / ".git").exists() for folder in (root, *root.parents)):
        return ""
    arguments = ("log", "--oneline", "--no-decorate", f"-{_LOG_ENTRIES}")
    try:
        text = git(root, *arguments, may_fail=True, timeout_s=_LOG_TIMEOUT_S).decode(
            "utf-8", "replace"
        )
    except HistoryUnavailable:
        return ""
    return text[:MAX_LOG_CHARS]


def pieces(files: tuple[ProjectFile, ...], commits: str, *, max_chars: int) -> list[str]:
    """Files and commits as texts for a model, after privacy: all of them, in as many pieces as it takes."""
    sections = [f"=== {file.name} ===\n{redacted(file.text)[0]}" for file in files]
    if commits:
        sections.append(f"=== git log ===\n{redacted(commits)[0]}")
    found = [""]
    for section in sections:
        if found[-1] and len(found[-1]) + len(section) > max_chars:
            found.append("")
        while len(section) > max_chars:
            found[-1:] = [section[:max_chars], ""]
            section = section[max_chars:]  # noqa: PLW2901 - what is left of it
        found[-1] += section + "\n\n"
    return [each for each in found if each.strip()]


def _present(root: Path) -> list[tuple[str, Path]]:
    """Known files that are there, whatever their case."""
    try:
        children = {child.name.lower(): child for child in root.iterdir() if child.is_file()}
    except OSError:
        return []
    return [(name, children[name.lower()]) for name in CAPS if name.lower() in children]


def _is_folder(path: Path) -> bool:
    is_hidden = path.name.startswith(".") or path.name == "node_modules"
    return not is_hidden and not path.is_symlink() and path.is_dir()


def head_of(root: Path, path: Path, max_chars: int) -> str:
    """The beginning of a file, up to a line's end; empty if it is no regular file of the workspace or can't be read."""
    try:
        with io.TextIOWrapper(open_inside(root, path), encoding="utf-8", errors="replace") as file:
            text = file.read(max_chars + 1)
    except OSError:
        return ""
    if len(text) > max_chars:
        text = text[:max_chars].rpartition("\n")[0] or text[:max_chars]
    return re.sub(r"\x00+", "", text).strip()
