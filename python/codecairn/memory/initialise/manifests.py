"""Facts from a project's files by rules: its purpose, languages and tools, and how it is built, run and tested."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from codecairn.memory.extract.model_answer import Statement
from codecairn.memory.initialise.files import ProjectFile

_MAX_NAMES = 25
_MAX_CHARS = 600


def statements(files: Iterable[ProjectFile]) -> list[Statement]:
    """What the files say; one statement for one thing, so that a later look at a changed file ends the older one."""
    found: list[Statement] = []
    for file in files:
        reader = _READERS.get(file.name)
        if reader is not None:
            read = (statement for statement in reader(file) if statement.text)
            found += [replace(statement, file=file.name) for statement in read]
    briefs = [each for each in found if each.type == "project-brief"]
    return [each for each in found if each.type != "project-brief" or each is briefs[0]]


def _of_readme(file: ProjectFile) -> Iterator[Statement]:
    title = re.search(r"^#\s+(.+)$|^(.+)\n[=~]{3,}$", file.text, re.MULTILINE)
    name = next(filter(None, title.groups()), "").strip() if title else ""
    paragraph = _first_paragraph(file.text)
    if paragraph:
        is_named = name and not paragraph.lower().startswith(name.lower())
        yield _brief(f"{name}: {paragraph}" if is_named else paragraph)


def _first_paragraph(text: str) -> str:
    for part in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in part.strip().splitlines()]
        is_prose = lines and not re.match(r"[#=<!\[|>`~*+-]|\d+\.|\.\. ", lines[0])
        plain = " ".join(lines)
        if is_prose and len(plain) >= 30 and not re.fullmatch(r"[=~-]+", lines[-1]):
            return plain[:_MAX_CHARS]
    return ""


def _of_package(file: ProjectFile) -> Iterator[Statement]:
    document = _json(file.text)
    if document.get("description"):
        yield _brief(f"{document.get('name', 'this package')}: {document['description']}")
    scripts = document.get("scripts")
    if isinstance(scripts, dict) and scripts:
        commands = [f"`npm run {name}` ({body})" for name, body in scripts.items()]
        yield _config(file, f"Scripts of package.json: {_some(commands)}.")
    names = [
        name
        for table in ("dependencies", "devDependencies")
        if isinstance(document.get(table), dict)
        for name in document[table]
    ]
    if names:
        yield _tech(file, f"JavaScript packages (package.json): {_some(names)}.")


def _of_pyproject(file: ProjectFile) -> Iterator[Statement]:
    document = _toml(file.text)
    project = document.get("project") or document.get("tool", {}).get("poetry", {})
    if project.get("description"):
        yield _brief(f"{project.get('name', 'this package')}: {project['description']}")
    given = project.get("dependencies") or []
    names = [re.split(r"[\s<>=!~;\[(]", str(each))[0] for each in given]
    python = project.get("requires-python")
    backend = document.get("build-system", {}).get("build-backend", "")
    parts = [f"Python {python}" if python else "", f"built by {backend}" if backend else ""]
    parts.append(f"depends on {_some(names)}" if names else "")
    if any(parts):
        yield _tech(file, f"pyproject.toml: {'; '.join(filter(None, parts))}.")
    scripts = project.get("scripts")
    if isinstance(scripts, dict) and scripts:
        commands = [f"`{name}` ({target})" for name, target in scripts.items()]
        yield _config(file, f"Commands that pyproject.toml installs: {_some(commands)}.")


def _of_cargo(file: ProjectFile) -> Iterator[Statement]:
    document = _toml(file.text)
    package = document.get("package") or document.get("workspace", {}).get("package", {})
    if isinstance(package.get("description"), str):
        yield _brief(f"{package.get('name', 'this crate')}: {package['description']}")
    members = document.get("workspace", {}).get("members")
    crates = document.get("dependencies") or document.get("workspace", {}).get("dependencies") or {}
    parts = [f"edition {package['edition']}" if isinstance(package.get("edition"), str) else ""]
    parts.append(f"workspace of {_some(members)}" if members else "")
    parts.append(f"depends on {_some(crates)}" if crates else "")
    if any(parts):
        yield _tech(file, f"Rust (Cargo.toml): {'; '.join(filter(None, parts))}.")


def _of_go(file: ProjectFile) -> Iterator[Statement]:
    module = re.search(r"^module\s+(\S+)", file.text, re.MULTILINE)
    version = re.search(r"^go\s+(\S+)", file.text, re.MULTILINE)
    names = re.findall(
        r"^\s*(?:require\s+)?([\w.-]+\.[\w./-]+)\s+v\d\S*(?!.*// indirect)", file.text, re.MULTILINE
    )
    if module:
        about = f"Go {version[1]}" if version else "Go"
        rest = f"; depends on {_some(names)}" if names else ""
        yield _tech(file, f"{about} module {module[1]}{rest}.")


def _targets(pattern: str, runner: str) -> Callable[[ProjectFile], Iterator[Statement]]:
    def read(file: ProjectFile) -> Iterator[Statement]:
        names = list(dict.fromkeys(re.findall(pattern, file.text, re.MULTILINE)))
        if names:
            commands = [f"`{runner} {name}`" for name in names]
            yield _config(file, f"Commands of the {file.name}: {_some(commands)}.")

    return read


def _of_docker(file: ProjectFile) -> Iterator[Statement]:
    images = re.findall(r"^FROM\s+(?:--\S+\s+)?(\S+)", file.text, re.MULTILINE | re.IGNORECASE)
    ports = re.findall(r"^EXPOSE\s+(.+)$", file.text, re.MULTILINE | re.IGNORECASE)
    if images:
        rest = f"; ports {_some(ports)}" if ports else ""
        yield _tech(file, f"The Dockerfile builds on {_some(images)}{rest}.")


def _of_compose(file: ProjectFile) -> Iterator[Statement]:
    block = re.search(r"^services:\s*\n((?:[ \t].*\n?|\s*\n)+)", file.text, re.MULTILINE)
    names = re.findall(r"^(?:  |\t)([\w.-]+):\s*$", block[1], re.MULTILINE) if block else []
    images = re.findall(r"^\s+image:\s*[\"']?([^\s\"']+)", file.text, re.MULTILINE)
    if names:
        rest = f"; images {_some(images)}" if images else ""
        yield _config(file, f"Services of {file.name}: {_some(names)}{rest}.")


def _of_environment(file: ProjectFile) -> Iterator[Statement]:
    """Names only: values of an example may be real ones."""
    names = re.findall(r"^\s*(?:export\s+)?([A-Z][A-Z0-9_]{2,})\s*=", file.text, re.MULTILINE)
    if names:
        yield _config(file, f"Environment variables ({file.name}): {_some(names)}.")


def _of_rules(file: ProjectFile) -> Iterator[Statement]:
    """Entries that say what must or must not be done."""
    pattern = re.compile(
        r"^\s*(?:[-*+]|\d+\.)\s+(.*\b(?:must(?: not)?|never|always|don't|do not|avoid|prefer|required?|only)\b.*)$",
        re.MULTILINE | re.IGNORECASE,
    )
    for line in list(dict.fromkeys(pattern.findall(file.text)))[:12]:
        text = " ".join(line.split())
        if 15 <= len(text) <= 400:
            yield Statement(text=f"{text} ({file.name})", type="rule", confidence=0.7)


def _of_tsconfig(file: ProjectFile) -> Iterator[Statement]:
    options = _json(file.text).get("compilerOptions")
    if isinstance(options, dict):
        known = ("target", "module", "moduleResolution", "strict", "jsx", "outDir", "rootDir")
        parts = [f"{name} {options[name]}" for name in known if name in options]
        if parts:
            yield _tech(file, f"TypeScript (tsconfig.json): {', '.join(parts)}.")


def _of_workspaces(file: ProjectFile) -> Iterator[Statement]:
    document = _json(file.text)
    given = (
        document.get("packages")
        or document.get("tasks")
        or document.get("pipeline")
        or document.get("imports")
    )
    names = (
        list(given)
        if isinstance(given, dict | list)
        else re.findall(r"^\s*-\s*[\"']?([^\"'\s]+)", file.text, re.MULTILINE)
    )
    if names:
        yield _config(file, f"{file.name} names {_some(names)}.")


_TASK = r"^([A-Za-z][\w-]*)\s*(?:[^:=\n]*)?:(?!=)"
_RECIPE = r"^@?([A-Za-z][\w-]*)(?:[ \t]+[^:\n]*)?:(?!=)"  # parameters may have defaults
_READERS: Mapping[str, Callable[[ProjectFile], Iterator[Statement]]] = {
    "README.md": _of_readme,
    "README.rst": _of_readme,
    "package.json": _of_package,
    "Cargo.toml": _of_cargo,
    "pyproject.toml": _of_pyproject,
    "Makefile": _targets(_TASK, "make"),
    "CONTRIBUTING.md": _of_rules,
    "Justfile": _targets(_RECIPE, "just"),
    "Taskfile.yml": _targets(r"^  ([A-Za-z][\w:-]*):\s*$", "task"),
    "Dockerfile": _of_docker,
    "docker-compose.yml": _of_compose,
    "docker-compose.yaml": _of_compose,
    "go.mod": _of_go,
    "deno.json": _of_workspaces,
    "deno.jsonc": _of_workspaces,
    "tsconfig.json": _of_tsconfig,
    "turbo.json": _of_workspaces,
    "nx.json": _of_workspaces,
    "pnpm-workspace.yaml": _of_workspaces,
    "lerna.json": _of_workspaces,
    ".env.example": _of_environment,
    ".env.template": _of_environment,
}


def _brief(text: str) -> Statement:
    return Statement(
        text=" ".join(text.split())[:_MAX_CHARS],
        type="project-brief",
        subject="project",
        predicate="brief",
        confidence=0.8,
    )


def _config(file: ProjectFile, text: str) -> Statement:
    return _about(file, text, "project-config")


def _tech(file: ProjectFile, text: str) -> Statement:
    return _about(file, text, "tech-context")


def _about(file: ProjectFile, text: str, kind: str) -> Statement:
    return Statement(
        text=text[: 3 * _MAX_CHARS],
        type=kind,
        subject=f"file {file.name}",
        predicate=kind,
        confidence=0.9,
    )


def _some(names: Iterable[object]) -> str:
    listed = [str(name).strip() for name in names]
    more = f" and {len(listed) - _MAX_NAMES} more" if len(listed) > _MAX_NAMES else ""
    return ", ".join(listed[:_MAX_NAMES]) + more


def _json(text: str) -> dict[str, Any]:
    """A JSON document, with comments and cut off if need be: the beginning of a long file is informative."""
    from codecairn.memory.extract.tolerant_json import complete_parts

    return complete_parts(text)


def _toml(text: str) -> dict[str, Any]:
    """A TOML document; of one that was cut, or is wrong somewhere, what comes before."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    lines = text.splitlines()
    while lines:
        try:
            return tomllib.loads("\n".join(lines))
        except tomllib.TOMLDecodeError:
            lines.pop()
    return {}
