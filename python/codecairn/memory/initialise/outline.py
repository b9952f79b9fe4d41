"""Facts from the code index: a project's layout, its entry points, its tests."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from codecairn.core.light_dataclass import dataclass
from codecairn.memory.extract.model_answer import Statement
from codecairn.memory.initialise.files import head_of
from codecairn.paths.workspace_files import require_without_links

ENTRY_POINTS = frozenset(
    [
        "main.py",
        "app.py",
        "manage.py",
        "__main__.py",
        "wsgi.py",
        "asgi.py",
        "main.rs",
        "lib.rs",
        "main.go",
        "index.ts",
        "index.js",
        "index.tsx",
        "main.ts",
        "main.js",
        "server.ts",
        "server.js",
        "app.ts",
        "app.js",
        "Main.java",
        "Program.cs",
        "main.cpp",
        "main.c",
        "cli.py",
        "main.kt",
        "main.swift",
    ]
)
CI_FILES = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci/config\.yml|azure-pipelines\.yml|Jenkinsfile|\.travis\.yml|\.ci/[^/]+"
)
_TEST = re.compile(
    r"(?:^|/)(?:tests?|spec|__tests__)/|(?:^|[/_.])test[_.]|[._]test\.|[._]spec\.", re.IGNORECASE
)
_MAX_CI_CHARS = 2000
_MAX_CI_FILES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The index at a glance: paths, and (language, files) with the commonest first."""

    paths: tuple[str, ...]
    languages: tuple[tuple[str, int], ...]


def statements(outline: Outline, root: Path) -> list[Statement]:
    """The outline as text."""
    found = [
        _about("languages", "tech-context", _languages(outline)),
        _about("layout", "architecture", _layout(outline.paths)),
        _about("entry points", "architecture", _entry_points(outline.paths)),
        _about("tests", "project-config", _tests(outline.paths)),
        _about("continuous integration", "project-config", _integration(root)),
    ]
    return [statement for statement in found if statement.text]


def _languages(outline: Outline) -> str:
    shares = [f"{name} ({count:,})" for name, count in outline.languages[:8]]
    return f"Languages by files: {', '.join(shares)}." if shares else ""


def _layout(paths: Sequence[str]) -> str:
    """Folders two deep, by how much lies in them."""
    counts = Counter("/".join(PurePosixPath(path).parts[:-1][:2]) for path in paths)
    counts.pop("", None)
    folders = [f"{folder}/ ({count:,})" for folder, count in counts.most_common(15)]
    return f"Folders by files: {', '.join(sorted(folders))}." if folders else ""


def _entry_points(paths: Sequence[str]) -> str:
    found = [
        path
        for path in paths
        if PurePosixPath(path).name in ENTRY_POINTS and not _TEST.search(path)
    ]
    found.sort(key=lambda path: (path.count("/"), path))
    return f"Likely entry points: {', '.join(found[:12])}." if found else ""


def _tests(paths: Sequence[str]) -> str:
    found = [path for path in paths if _TEST.search(path)]
    folders = Counter(PurePosixPath(path).parts[0] for path in found if "/" in path)
    places = ", ".join(f"{folder}/" for folder, _ in folders.most_common(4))
    where = f", most of them in {places}" if places else ""
    return f"{len(found):,} test files{where}." if found else ""


def _integration(root: Path) -> str:
    """What continuous integration runs."""
    commands: list[str] = []
    names: list[str] = []
    for path in _ci_files(root)[:_MAX_CI_FILES]:
        names.append(path.relative_to(root).as_posix())
        text = head_of(root, path, _MAX_CI_CHARS)
        commands += re.findall(r"^\s*-?\s*run:\s*(?!\|)(\S.*)$", text, re.MULTILINE)
    unique = list(dict.fromkeys(command.strip() for command in commands))
    said = f" runs {'; '.join(f'`{command}`' for command in unique[:10])}" if unique else ""
    return f"Continuous integration ({', '.join(names)}){said}." if names else ""


def _ci_files(root: Path) -> list[Path]:
    folders = (root, root / ".github" / "workflows", root / ".circleci", root / ".ci")
    real = [folder for folder in folders if folder.is_dir() and not _is_linked(root, folder)]
    found = [path for folder in real for path in sorted(folder.iterdir())]
    return [
        path
        for path in found
        if path.is_file() and CI_FILES.fullmatch(path.relative_to(root).as_posix())
    ]


def _is_linked(root: Path, folder: Path) -> bool:
    """Whether the folder, or one between it and the root, is a link: its content may be another user's."""
    try:
        require_without_links(root, folder)
    except OSError:
        return True
    return False


def _about(subject: str, kind: str, text: str) -> Statement:
    return Statement(
        text=text, type=kind, subject=f"index {subject}", predicate=kind, confidence=0.9
    )
