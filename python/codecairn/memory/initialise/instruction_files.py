"""Finds the files that a project keeps for agents (`AGENTS.md`, `.cursor/rules/*.mdc`), and reads them whole."""

from pathlib import Path

from codecairn.core.memory_engine import hosts_loading
from codecairn.memory.initialise.files import ProjectFile, head_of
from codecairn.paths.workspace_files import require_without_links

INSTRUCTION_FILES = (
    "AGENTS.md",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    ".claude/rules/*.md",
    "GEMINI.md",
    ".cursorrules",
    ".cursor/rules/*.mdc",
    ".cursor/rules/*.md",
    ".github/copilot-instructions.md",
    ".github/instructions/*.instructions.md",
    ".windsurfrules",
    ".windsurf/rules/*.md",
    ".clinerules",
    ".clinerules/*.md",
    ".roo/rules/*.md",
    ".junie/guidelines.md",
    ".kiro/steering/*.md",
    ".rules",
    ".goosehints",
    "CONVENTIONS.md",
    "CODING_CONVENTIONS.md",
)
"""The files by their paths, the most common first. `*` stands for any name in that folder."""

MAX_FILE_CHARS = 100_000
"""Characters of one file: 100,000 are about 1,500 lines."""

MAX_FILES_CHARS = 400_000
"""Characters of all these files together."""

_OWN_FILE = "codecairn.mdc"
"""The rule that the installation writes for Cursor."""

_MAX_FILES_OF_FOLDER = 100
_MAX_ENTRIES = 2_000


def instruction_files(root: Path) -> tuple[ProjectFile, ...]:
    """The files that are there; a copy is left out if every host that loads it loads the original too."""
    found: list[ProjectFile] = []
    room = MAX_FILES_CHARS
    for pattern in INSTRUCTION_FILES:
        for name, path in _matching(root, pattern):
            text = head_of(root, path, min(MAX_FILE_CHARS, room))
            file = ProjectFile(name=name, text=text)
            if text and not any(_is_copy(file, other) for other in found):
                found.append(file)
                room -= len(text)
    return tuple(found)


def _is_copy(file: ProjectFile, original: ProjectFile) -> bool:
    is_same = file.text == original.text
    return is_same and hosts_loading(file.name) <= hosts_loading(original.name)


def _matching(root: Path, pattern: str) -> list[tuple[str, Path]]:
    """The files of a pattern by their names, whatever their case; folders are not read through links."""
    folder_name, _, file_pattern = pattern.rpartition("/")
    folder = root / folder_name
    head, is_any, tail = file_pattern.lower().partition("*")
    try:
        if folder_name:
            require_without_links(root, folder)
        entries = sorted(folder.iterdir())[:_MAX_ENTRIES]
        files = [path for path in entries if path.is_file()]
    except OSError:
        return []
    if not is_any:
        return [(pattern, path) for path in files if path.name.lower() == head][:1]
    matching = [
        path for path in files if path.name.lower().endswith(tail) and path.name != _OWN_FILE
    ]
    return [(f"{folder_name}/{path.name}", path) for path in matching[:_MAX_FILES_OF_FOLDER]]
