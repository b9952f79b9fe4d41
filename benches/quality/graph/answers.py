"""Who tells where a called name is defined: a language server, or an index that an indexer wrote."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from benches.quality.graph.lsp import Client, ServerFailed
from benches.quality.graph.places import Place, byte_column, line_of, utf16_column
from benches.quality.graph.scip import ScipIndex
from benches.quality.graph.servers import Server

_HANDSHAKE_S = 120.0
_INDEXING_S = 1500.0
_ANSWER_S = 60.0


class Answers(Protocol):
    """Tells where names are defined."""

    version: str

    def definitions(self, place: Place) -> list[Place] | None:
        """Where the name there is defined: empty if outside the project, None if nothing is known."""

    def types(self, place: Place) -> list[Place]:
        """Where the type of the name there is defined, as far as that lies in the project and is known."""

    def is_declaration(self, place: Place) -> bool:
        """Whether the name there is declared, although the grammar takes it for a call."""


class IndexAnswers:
    """Answers from a SCIP index."""

    def __init__(self, index: Path, *, root: Path, version: str) -> None:
        self.version = version
        self._index = ScipIndex(index, root=root)

    def definitions(self, place: Place) -> list[Place] | None:
        """As `Answers`."""
        targets = self._index.definitions(place)
        # What is only defined where it is called, such as an anonymous class, explains nothing.
        if targets == [place]:
            return None
        return targets and [each for each in targets if each != place]

    def types(self, place: Place) -> list[Place]:  # noqa: ARG002
        """As `Answers`; an index tells constructors and types apart by itself."""
        return []

    def is_declaration(self, place: Place) -> bool:  # noqa: ARG002
        """As `Answers`; the indexed languages have no macros that mislead the grammar."""
        return False


class ServerAnswers:
    """Answers from a running language server."""

    def __init__(self, client: Client, server: Server, *, version: str) -> None:
        self.version = version
        self._client = client
        self._server = server
        self._open: set[str] = set()
        self._lines: dict[str, list[bytes]] = {}
        self._packages: frozenset[str] | None = None

    def open(self, path: str) -> None:
        """Show the server a file, once."""
        if path not in self._open:
            self._open.add(path)
            file = self._client.root / path
            self._client.open(file, self._server.language_ids[file.suffix])

    def definitions(self, place: Place) -> list[Place] | None:
        """As `Answers`."""
        locations = self._ask("textDocument/definition", place)
        if not locations or self._is_left_out(place) or any(map(self._is_own_copy, locations)):
            return None
        targets = {each for location in locations if (each := self._place(location)) is not None}
        if self._server.declares_apart:
            targets |= self._declared(place)
        # A name that only resolves to its own position is not explained.
        return None if targets == {place} else sorted(targets - {place})

    def types(self, place: Place) -> list[Place]:
        """As `Answers`."""
        found = map(self._place, self._ask("textDocument/typeDefinition", place))
        return sorted(each for each in found if each is not None)

    def is_declaration(self, place: Place) -> bool:
        """As `Answers`: a declaration leads to itself, or to a definition that leads back."""
        if not self._server.declares_apart:
            return False
        declared = self._declared(place)
        if declared == {place}:
            return True
        defined = map(self._place, self._ask("textDocument/definition", place))
        others = {each for each in defined if each is not None} | declared
        return any(
            self._place(location) == place
            for other in sorted(others - {place})
            if Path(other.path).suffix in self._server.language_ids
            for location in self._ask("textDocument/definition", other)
        )

    def _is_left_out(self, place: Place) -> bool:
        """Whether the preprocessor leaves the place out: there a server guesses by the name alone."""
        uri = (self._client.root / place.path).as_uri()
        regions = self._client.inactive.get(uri, ())
        return any(first <= place.line - 1 <= last for first, last in regions)

    def _declared(self, place: Place) -> set[Place]:
        found = map(self._place, self._ask("textDocument/declaration", place))
        return {each for each in found if each is not None}

    def _ask(self, method: str, place: Place) -> list[Mapping[str, Any]]:
        self.open(place.path)
        line = line_of(self._lines_of(place.path), place.line)
        position = {"line": place.line - 1, "character": utf16_column(line, place.column)}
        document = {"uri": (self._client.root / place.path).as_uri()}
        parameters = {"textDocument": document, "position": position}
        try:
            answer = self._client.request(method, parameters, timeout_s=_ANSWER_S)
        except ServerFailed:
            return []
        return answer if isinstance(answer, list) else [answer] if answer else []

    def _place(self, location: Mapping[str, Any]) -> Place | None:
        uri = location.get("targetUri") or location["uri"]
        start = (location.get("targetSelectionRange") or location["range"])["start"]
        parts = urlsplit(uri)
        file = Path(unquote(parts.path))
        if parts.scheme != "file" or not file.is_relative_to(self._client.root):
            return None
        path = file.relative_to(self._client.root).as_posix()
        if path.startswith("node_modules/") or "/node_modules/" in path:
            return None
        line = line_of(self._lines_of(path), start["line"] + 1)
        return Place(
            path=path, line=start["line"] + 1, column=byte_column(line, start["character"])
        )

    def _is_own_copy(self, location: Mapping[str, Any]) -> bool:
        """Whether it lies in a published copy of the project itself, which some of its tools need."""
        _, found, inside = unquote(location.get("targetUri") or location["uri"]).rpartition(
            "/node_modules/"
        )
        names = self._names()
        return bool(found) and any(inside.startswith(f"{name}/") for name in names)

    def _names(self) -> frozenset[str]:
        """The names of the project's own packages for Node."""
        if self._packages is None:
            names = set()
            for folder, folders, files in os.walk(self._client.root):
                folders[:] = [each for each in folders if each not in {"node_modules", ".git"}]
                if "package.json" in files:
                    text = (Path(folder) / "package.json").read_text(encoding="utf-8")
                    names.add(json.loads(text).get("name"))
            self._packages = frozenset(name for name in names if name)
        return self._packages

    def _lines_of(self, path: str) -> list[bytes]:
        if path not in self._lines:
            self._lines[path] = (self._client.root / path).read_bytes().split(b"\n")
        return self._lines[path]


@contextmanager
def ask_server(
    server: Server, *, root: Path, settings: Mapping[str, Any], first: Sequence[str], log: Path
) -> Iterator[ServerAnswers]:
    """Start a server, wait until it has indexed the project, and end it afterwards.

    Args:
        server: What to start.
        root: The project's top.
        settings: The project's own settings, over the server's.
        first: A file to open before waiting; some servers begin only then.
        log: Where the server's complaints go.
    """
    client = Client(
        server.command,
        root=root,
        options=server.options,
        settings=_merged(server.settings, settings),
        log=log,
    )
    with closing(client):
        client.initialize(timeout_s=_HANDSHAKE_S)
        answers = ServerAnswers(client, server, version=_version(server, client))
        for path in first:
            answers.open(path)
        if not client.wait_until_idle(quiet_s=server.quiet_s, timeout_s=_INDEXING_S):
            raise ServerFailed(f"`{server.command[0]}` was not done with indexing in time")
        yield answers


def _version(server: Server, client: Client) -> str:
    if not server.version:
        return f"{client.info.get('name', server.command[0])} {client.info.get('version', '')}"
    done = subprocess.run(server.version, capture_output=True, text=True, check=True)
    told = done.stdout.strip().partition("\n")[0]
    return f"{server.command[0]} {told}" if told[:1].isdigit() else told


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            merged[key] = _merged(below, value)
        else:
            merged[key] = value
    return merged
