"""Resources: files of the workspaces in their indexed state, and facts of the memory."""

import io
from urllib.parse import quote, unquote, urlsplit

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import FileAccessError, UsageError
from codecairn.mcp.answers import MAX_CHARACTERS
from codecairn.mcp.dispatcher import ToolDispatcher
from codecairn.mcp.memory_answers import records_answer
from codecairn.paths.relative import inner_name
from codecairn.paths.workspace_files import open_inside

SCHEME = "codecairn"
FILES = f"{SCHEME}://file/{{path}}"
FACTS = f"{SCHEME}://memory/{{id}}"

_MAX_FACTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A resource that can be read."""

    uri: str
    name: str
    text: str
    mime_type: str = "text/plain"


def listed(dispatcher: ToolDispatcher) -> list[Listed]:
    """The facts that hold, the newest first. Files are too many to list: they are read by their template."""
    facts = dispatcher.workspace().memory.list(limit=_MAX_FACTS)
    return [
        Listed(
            uri=f"{SCHEME}://memory/{quote(fact.id)}",
            name=fact.title or fact.text[:60],
            text=f"{fact.type}, from {fact.origin}",
        )
        for fact in facts
    ]


def read(dispatcher: ToolDispatcher, uri: str) -> str:
    """The content of a resource.

    What the ignore rules keep out of the index is not shown either.

    Raises:
        UsageError: If the address names nothing here, or leads out of the workspace.
        FileAccessError: If the file can't be read.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        parts = urlsplit("")
    name = unquote(parts.path.lstrip("/"))
    if parts.scheme == SCHEME and parts.netloc == "memory" and name:
        return records_answer(dispatcher.workspace().memory.get(name)).text
    if parts.scheme != SCHEME or parts.netloc != "file" or not name:
        raise UsageError(f"nothing is at {uri!r:.200}", hint=f"there are {FILES} and {FACTS}")
    workspace = dispatcher.workspace()
    path = inner_name(name, root=workspace.root)
    if path not in dispatcher.paths():
        raise UsageError(f"`{path}` is not indexed", hint="`index_skips` tells why, if it exists")
    try:
        file = open_inside(workspace.root, workspace.root / path, follow_links=False)
        with io.TextIOWrapper(file, encoding="utf-8", errors="replace") as opened:
            text = opened.read(MAX_CHARACTERS + 1)
    except OSError as err:
        raise FileAccessError(f"can't read `{name}`: {err.strerror or err}") from err
    if len(text) > MAX_CHARACTERS:
        return f"{text[:MAX_CHARACTERS]}\n… cut: search in it, or read a part of it"
    return text
