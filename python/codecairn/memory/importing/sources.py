"""The table of import sources, the default locations of their files, and the detection of a file's format."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import FileAccessError, UsageError
from codecairn.memory.importing import (
    claude_files,
    claude_mem,
    claude_transcripts,
    codex_mem,
    codex_memories,
    codexfi,
    json_records,
)
from codecairn.memory.importing.foreign_database import foreign_database
from codecairn.memory.importing.records import Records, Scene
from codecairn.paths.named_entry import require_no_device


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One tool: how its memories are read, and where they usually lie (by home folder and workspace)."""

    read: Callable[[Path, Scene], Records]
    usual_place: Callable[[Path, Path], Path] | None


SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        "codexfi": Source(
            read=codexfi.read, usual_place=lambda home, _root: codexfi.usual_place(home)
        ),
        "codex-mem": Source(
            read=codex_mem.read, usual_place=lambda _home, root: codex_mem.usual_place(root)
        ),
        "claude-mem": Source(
            read=claude_mem.read, usual_place=lambda home, _root: claude_mem.usual_place(home)
        ),
        "claude": Source(read=claude_files.read, usual_place=claude_files.usual_place),
        "claude-transcripts": Source(
            read=claude_transcripts.read, usual_place=claude_transcripts.usual_place
        ),
        "codex": Source(
            read=codex_memories.read,
            usual_place=lambda home, _root: codex_memories.usual_place(home),
        ),
        "json": Source(read=json_records.read, usual_place=None),
    }
)
"""Every tool by the name that users give it."""


def place_of(source: str, scene: Scene) -> Path:
    """Where a tool usually keeps what it knows of a project.

    Raises:
        UsageError: If it has no usual place.
        FileAccessError: If nothing is there.
    """
    usual = SOURCES[source].usual_place
    if usual is None:
        raise UsageError(
            f"`--from {source}` needs a file", hint="name it, or `-` for standard input"
        )
    place = usual(scene.home, scene.root)
    if not place.exists():
        raise FileAccessError(
            f"there is nothing of {source} at `{place}`", hint="name its file or folder"
        )
    return place


def detected(place: Path) -> str:
    """The tool that made this file or folder.

    Raises:
        FileAccessError: If it can't be read.
        UsageError: If no tool is known by it.
    """
    if not place.exists():
        raise FileAccessError(f"there is no `{place}`")
    require_no_device(place)
    if place.is_dir():
        return _of_folder(place)
    try:
        with place.open("rb") as file:
            head = file.read(1 << 16)
    except OSError as err:
        raise FileAccessError(f"can't read `{place}`: {err.strerror or err}") from err
    if head.startswith(b"SQLite format 3\x00"):
        return _of_database(place)
    if place.suffix.lower() == ".md":
        return "claude"
    return "claude-transcripts" if _is_transcript(head) else "json"


def _of_folder(place: Path) -> str:
    if (place / "memory_summary.md").exists() or (place / "rollout_summaries").exists():
        return "codex"
    if any(place.glob("*.md")):
        return "claude"
    if any(place.rglob("*.jsonl")):
        return "claude-transcripts"
    raise _unknown(place)


def _of_database(place: Path) -> str:
    with foreign_database(place) as database:
        tables = database.tables()
    for name, module_tables in (
        ("claude-mem", claude_mem.TABLES),
        ("codex-mem", codex_mem.TABLES),
        ("codexfi", codexfi.TABLES),
    ):
        if module_tables <= tables:
            return name
    raise _unknown(place)


def _is_transcript(head: bytes) -> bool:
    for line in head.splitlines()[:20]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and "sessionId" in row and "type" in row:
            return True
    return False


def _unknown(place: Path) -> UsageError:
    return UsageError(
        f"`{place}` is not known to be any tool's memory",
        hint=f"say whose with `--from`: {', '.join(SOURCES)}",
    )
