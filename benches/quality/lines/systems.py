"""The systems that are asked: codecairn as its server answers, and bounds that are made from its answers."""

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from benches.quality.lines import peers
from benches.quality.lines.answers import Reply, Row, Shown, parse, render
from benches.quality.lines.bm25 import WINDOW, Bm25, terms, windows
from benches.quality.lines.checkouts import texts
from benches.quality.lines.questions import Target
from codecairn.config.layers import load
from codecairn.errors import UsageError
from codecairn.mcp.answers import code_answer
from codecairn.mcp.tool_table import DEFAULT_TOKENS
from codecairn.workspace.workspace import Workspace

SPREAD_TOKENS = 4_000
_RRF = 60
_MAX_LINES = 5_000


class System(Protocol):
    """Answers questions about a folder. `refresh` is called after the folder's files have changed."""

    def ask(self, query: str) -> Reply:
        """The answer."""

    def refresh(self) -> None:
        """Take in what changed."""

    def close(self) -> None:
        """Let go of everything."""


class Codecairn:
    """The answer of the tool `codebase_search` with default settings; the store lies in a temporary folder."""

    token_budget: int | None = DEFAULT_TOKENS

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._folder = Path(tempfile.mkdtemp(prefix="codecairn-lines-"))
        nowhere = self._folder / "no-config.toml"
        config = load(None, arguments={}, environment={}, user_file=nowhere)
        self.workspace = Workspace(self.root, config.settings, store=self._folder / "store")
        self.refresh()

    def refresh(self) -> None:
        """Index what changed."""
        self.workspace.index()
        self.texts = texts(self.root)

    def ask(self, query: str) -> Reply:
        """The rendered hits; notes below them belong to the last."""
        result = self.workspace.search(query, token_budget=self.token_budget, refresh=False)
        paths = [hit.path for hit in result.hits]
        starts = [hit.context_start_line for hit in result.hits]
        reply = parse(code_answer(result).text, paths, starts, self.texts)
        places = tuple(
            Shown(
                path=hit.path,
                start_line=hit.start_line,
                end_line=hit.end_line,
                score=hit.score,
                kind=hit.kind,
                name=hit.name,
            )
            for hit in result.hits
        )
        return Reply(rows=reply.rows, places=places)

    def close(self) -> None:
        """Remove the index."""
        self.workspace.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class OnePlace(Codecairn):
    """The same without a token budget: the best place of each file."""

    token_budget = None


class Spread(OnePlace):
    """The floor: chunks of the files that codecairn finds, as many as 4,000 tokens hold.

    The rank of a chunk by BM25 among all chunks of these files, and that of its file, are fused by reciprocal ranks;
    ties go to the better file, then to the first line.
    """

    def refresh(self) -> None:
        """Index what changed, and count words."""
        super().refresh()
        self._chunks: dict[str, list[tuple[int, int]]] = {}
        self._lines: dict[str, list[str]] = {}
        self._bm25 = Bm25.of_windows(self.texts)

    def ask(self, query: str) -> Reply:
        """The fused chunks, best first."""
        found = self.workspace.search(query, refresh=False)
        files = list(dict.fromkeys(hit.path for hit in found))
        chunks = [
            (rank, path, first, last)
            for rank, path in enumerate(files, start=1)
            for first, last in self._chunks_of(path)
        ]
        wanted = terms(query)
        scores = [self._bm25.score(wanted, self._text(*chunk[1:])) for chunk in chunks]
        order = sorted(range(len(chunks)), key=lambda at: -scores[at])
        fused = {
            at: 1 / (_RRF + chunks[at][0]) + 1 / (_RRF + place)
            for place, at in enumerate(order, start=1)
        }
        places: list[Shown] = []
        size = 0
        for at in sorted(fused, key=lambda at: (-fused[at], chunks[at])):
            _, path, first, last = chunks[at]
            size += len(self._text(path, first, last))
            places.append(Shown(path=path, start_line=first, end_line=last, score=fused[at]))
            if size > SPREAD_TOKENS * 4:
                break
        return render(places, self.texts)

    def _text(self, path: str, first: int, last: int) -> str:
        if path not in self._lines:
            self._lines[path] = self.texts.get(path, "").split("\n")
        return "\n".join(self._lines[path][first - 1 : last])

    def _chunks_of(self, path: str) -> list[tuple[int, int]]:
        """First and last lines of a file's chunks; of a very long file, as data and generated code are, its windows.

        A chunk begins at the first line with text after the one before it. A line that is in no chunk is passed over.
        """
        if path not in self._chunks:
            text = self.texts.get(path, "")
            lines = text.split("\n")
            if len(lines) > _MAX_LINES:
                self._chunks[path] = [each[1:] for each in windows({path: text}, WINDOW)]
                return self._chunks[path]
            found: list[tuple[int, int]] = []
            for line, content in enumerate(lines, start=1):
                if content.strip() and (not found or line > found[-1][1]):
                    with suppress(UsageError):
                        chunk = self.workspace.code_at(path, line, refresh=False)
                        found.append((line, line + chunk.count("\n")))
            self._chunks[path] = found
        return self._chunks[path]


def bound(reply: Reply, targets: Sequence[Target], texts: dict[str, str]) -> list[Row]:
    """The rows of an answer with the same files in the same order and the perfect place in each.

    A file with needed lines shows nothing but these below its header; any other file what it showed first.
    """
    by_rank: defaultdict[int, list[Row]] = defaultdict(list)
    for row in reply.rows:
        by_rank[row.rank].append(row)
    rows: list[Row] = []
    seen: set[str] = set()
    for rank in sorted(by_rank):
        path = by_rank[rank][0].path
        if path in seen:
            continue
        seen.add(path)
        own = [target for target in targets if target.path == path]
        if not own:
            rows += by_rank[rank]
            continue
        lines = texts.get(path, "").split("\n")
        fewest = min(
            (_cheapest(target, lines) for target in own), key=lambda each: sum(each.values())
        )
        header = [row for row in by_rank[rank][:2] if not row.line]
        rows += [
            *header,
            *(Row(rank=rank, path=path, line=at, size=size) for at, size in fewest.items()),
        ]
    return rows


def open_system(name: str, root: Path) -> System:
    """A system by its name.

    Raises:
        ValueError: If there is none.
    """
    makers = {"codecairn": Codecairn, "one-place": OnePlace, "spread": Spread, **peers.PEERS}
    if name not in makers:
        raise ValueError(f"there is no system {name!r}; there are: {', '.join(makers)}")
    system: System = makers[name](root)
    return system


def _cheapest(target: Target, lines: list[str]) -> dict[int, int]:
    """The shortest lines that show a target, with their sizes."""
    sizes = {
        line: len(lines[line - 1]) + 1
        for first, last in target.ranges
        for line in range(first, min(last, len(lines)) + 1)
    }
    return dict(sorted(sizes.items(), key=lambda each: each[1])[: target.at_least])
