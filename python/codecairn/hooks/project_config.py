"""The project of a folder and its settings for hooks: resolved once by `project_resolution`, then cached and validated by `stat`.

A cached entry is valid as long as its sources are unchanged: the project markers in the folder and above it, the files of
settings, and the environment. A few `stat` calls check that.
"""

from codecairn.hooks import state
from codecairn.hooks.fast_json import dumps, loads
from codecairn.hooks.os_subset import dirname, environment, join, os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ANCHORED_PATHS = "spoken"
"""Where it is kept of which files a memory speaks, under the hooks' folder."""

_FORM = "5"
_MARKERS = (".codecairn", ".git")
_VARIABLES = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


class ProjectConfig:
    """A folder's project, and what the settings say about hooks there.

    Attributes:
        root: The workspace's root.
        memory: The memory's file.
        options: How the core opens it, as JSON.
        asks_every: Prompts after which an agent is asked for what is worth remembering; 0 for never.
        captures: Whether events are recorded.
        has_models: Whether the settings name models that read sessions.
        works: Whether background processes may be started.
        injects: Whether anything is put before the agent.
        trusts: Whether the user trusts the workspace, so that what its repository says is put before the agent.
        routes: Whether a prompt is accompanied by a line on the tool that serves it best.
        total_tokens: How many tokens a context may have in all.
        static_tokens: How many of them the part that opens a session may have.
    """

    __slots__ = (
        "asks_every",
        "captures",
        "has_models",
        "injects",
        "memory",
        "options",
        "root",
        "routes",
        "static_tokens",
        "total_tokens",
        "trusts",
        "works",
    )

    def __init__(
        self,
        *,
        root: str,
        memory: str,
        options: str,
        asks_every: int,
        captures: bool,
        has_models: bool,
        works: bool,
        injects: bool,
        trusts: bool,
        routes: bool,
        total_tokens: int,
        static_tokens: int,
    ) -> None:
        self.root = root
        self.memory = memory
        self.options = options
        self.asks_every = asks_every
        self.captures = captures
        self.has_models = has_models
        self.works = works
        self.injects = injects
        self.trusts = trusts
        self.routes = routes
        self.total_tokens = total_tokens
        self.static_tokens = static_tokens


def find(folder: str) -> ProjectConfig:
    """The project of a folder and its settings."""
    name = _name(folder)
    text = state.read("places", name)
    if text is not None:
        known = loads(text)
        if known["signature"] == _signature(folder, known["files"]):
            return ProjectConfig(**known["place"])
    from codecairn.hooks.project_resolution import resolved

    project, files = resolved(folder)
    known = {
        "files": files,
        "signature": _signature(folder, files),
        "place": {field: getattr(project, field) for field in ProjectConfig.__slots__},
    }
    state.write(dumps(known), "places", name)
    return project


def save_anchored_paths(project: ProjectConfig, paths: "Iterable[str]") -> None:
    """Store the paths of the files that have anchored facts."""
    state.write("\n".join(["", *paths, ""]), ANCHORED_PATHS, _memory_name(project))


def may_have_facts(project: ProjectConfig, path: str) -> bool:
    """Whether the memory may have facts about a file, by the stored paths alone; true if none are stored."""
    paths = state.read(ANCHORED_PATHS, _memory_name(project))
    return paths is None or f"\n{path}\n" in paths


def _memory_name(project: ProjectConfig) -> str:
    return state.name_of(_FORM, project.memory, project.root, project.options)


def _name(folder: str) -> str:
    given = [
        f"{name}={value}"
        for name, value in sorted(environment().items())
        if name.startswith("CODECAIRN_") or name in _VARIABLES
    ]
    return state.name_of(_FORM, folder, *given)


def _signature(folder: str, files: "list[str]") -> str:
    """What can be seen of everything that the entry depends on."""
    seen: list[str] = []
    above = folder
    while True:
        seen.extend(_kind(join(above, marker)) for marker in _MARKERS)
        parent = dirname(above)
        if parent == above:
            break
        above = parent
    for path in [folder, *files]:
        try:
            found = os.stat(path)
        except OSError:
            seen.append("-")
            continue
        is_folder = path == folder
        seen.append(str(found.st_ino) if is_folder else f"{found.st_mtime_ns}:{found.st_size}")
    return " ".join(seen)


def _kind(path: str) -> str:
    try:
        return "d" if os.stat(path).st_mode & 0o040000 else "f"
    except OSError:
        return "-"
