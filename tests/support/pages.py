"""Pages of code graphs, read as a browser's parser would, and graphs that are made up."""

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from codecairn.core.types.graph import Definition, Link, Node, Survey


@dataclass
class ReadPage(HTMLParser):
    """The parts of a page."""

    html: str
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag in {"script", "style"}:
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        """Note the end of one."""
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Keep the content of scripts and styles."""
        tag = self._open[-1] if self._open else ""
        if tag in {"script", "style"}:
            self.texts[tag][-1] += data

    @property
    def data(self) -> Any:
        """The page's data."""
        return json.loads(self.texts["script"][0])

    @property
    def policy(self) -> str:
        """What the page allows itself."""
        (found,) = (
            attributes["content"]
            for tag, attributes in self.tags
            if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
        )
        assert found is not None
        return found

    def addresses(self) -> list[str]:
        """Everything in the page that looks like an address of something elsewhere."""
        return re.findall(r"(?:https?|wss?|ftp|file)://|[\"'(]//\w|@import|url\(", self.html)


def made_up_survey(*, symbols: int, links: int, in_file: int = 8, in_community: int = 60) -> Survey:
    """A graph of a given size in which most links stay inside of a community; always the same one."""
    state = 1

    def below(limit: int) -> int:
        nonlocal state
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        return (state >> 33) % limit

    nodes = tuple(
        Node(
            definition=Definition(
                path=f"part{number // in_file // 10:03}/file{number // in_file:04}.py",
                line=10 * (number % in_file) + 1,
                column=4,
                start_line=10 * (number % in_file) + 1,
                end_line=10 * (number % in_file) + 9,
                name=f"symbol_{number}",
                qualified_name=f"symbol_{number}",
                kind="class" if number % 9 == 0 else "function",
            ),
            importance=1 / (number + 10) / 7,
            community=number // in_community * in_community,
        )
        for number in range(symbols)
    )
    cycles = [
        cycle for cycle in ((0, 1, 2), (in_community, in_community + 1)) if max(cycle) < symbols
    ]
    found = {
        pair: None for cycle in cycles for pair in zip(cycle, (*cycle[1:], cycle[0]), strict=True)
    }
    while len(found) < links:
        source = below(symbols)
        first = source // in_community * in_community
        near = min(first + below(in_community), symbols - 1)
        target = near if below(10) < 8 else below(symbols)
        if source != target:
            found[source, target] = None
    return Survey(
        nodes=nodes,
        links=tuple(
            Link(source=source, target=target, kinds=("call",), uses=1 + (source + target) % 3)
            for source, target in sorted(found)
        ),
        cycles=tuple(cycles),
    )
