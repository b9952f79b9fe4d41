"""The project folders that hosts name: in their environment, as roots of the protocol, and by their working directory."""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

PROJECT_VARIABLES = ("CLAUDE_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS")
"""Variables with the project's folder, or several: of Claude Code and of Cursor."""

MAX_FOLDERS = 16
"""Folders of one source that are looked at."""

_PLACEHOLDER = re.compile(r"\$\{[^}]*\}|\$[A-Z_]+|%[A-Z_]+%")


def is_placeholder(path: str) -> bool:
    """Whether a path has a variable that the host did not fill in, such as `${workspaceFolder}`."""
    return _PLACEHOLDER.search(path) is not None


def folders_of_environment(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The folders that a host put into the environment, each once."""
    found = (
        path for name in PROJECT_VARIABLES for path in _listed_paths(environment.get(name, ""))
    )
    return _distinct(found)


def folders_of_uris(uris: Sequence[str]) -> tuple[Path, ...]:
    """The folders of roots; other addresses than `file://` name nothing on this machine.

    folders_of_uris(["file:///home/ann/shop%20one"]) == (Path("/home/ann/shop one"),)
    """
    return _distinct(path for path in map(_path_of_uri, uris[:MAX_FOLDERS]) if path)


def _path_of_uri(uri: str) -> str:
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
        return ""
    path = unquote(parts.path)
    return path.removeprefix("/") if sys.platform == "win32" else path


def _listed_paths(text: str) -> Sequence[str]:
    """The paths of a variable: one, a JSON array, or several joined by commas or as in `PATH`."""
    if not text.strip():
        return []
    if text.lstrip().startswith("["):
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            return []
        return [path for path in document if isinstance(path, str)]
    if _is_folder(text):
        return [text]
    return re.split(f"[,{os.pathsep}]", text)


def _distinct(paths: Iterable[str]) -> tuple[Path, ...]:
    found: dict[Path, None] = {}
    for path in paths:
        if path.strip() and not is_placeholder(path) and _is_folder(path):
            found.setdefault(Path(path).resolve())
    return tuple(found)[:MAX_FOLDERS]


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_absolute() and Path(path).is_dir()
    except (OSError, ValueError):
        return False
