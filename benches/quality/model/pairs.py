"""From the chunks of a repository to training pairs: what somebody could have asked, and the chunk that answers it.

A chunk gives a pair for each place in which a person wrote down what it does: the comment before a definition, a
comment inside, the definition's name, the sentence of a test, the message of an error, the heading above a paragraph.
What became the query is cut out of the document, or the model would only learn to compare words, which the lexical
index does better.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from benches.quality.model import wording

Chunk: TypeAlias = dict[str, Any]

# The first characters of a chunk that the index embeds are about as many.
MAX_DOCUMENT_CHARS = 1_800
MIN_DOCUMENT_CHARS = 40
# How many pairs of a kind one repository gives, so that a large one does not become what the model knows.
LIMITS = {"doc": 6_000, "inner": 2_500, "name": 2_000, "test": 1_000, "error": 800, "prose": 1_200}
DEFINITIONS = frozenset(
    {"function", "method", "class", "interface", "struct", "enum", "trait", "type", "module"}
)
PROSE = frozenset({"markdown", "rst", "asciidoc", "text", "org"})
# One name is defined in every class; nobody looks for it by name.
COMMON_NAMES = frozenset(
    {
        "init",
        "main",
        "constructor",
        "to string",
        "equals",
        "hash code",
        "setup",
        "set up",
        "tear down",
        "new",
        "drop",
    }
)

_TEST = re.compile(
    r"""\b(?:it|test|describe|context|scenario|should|TEST_CASE|SECTION|specify)\b[ (]*\s*(?:@)?(["'`])(.{12,160}?)\1"""
)
_ERROR = re.compile(
    r"""(?:raise|throw|panic|fail|abort|error|Error|Exception|bail!|anyhow!|Errorf|warn|fatal|die)\w*!?[^\n"'`]{0,60}"""
    r"""(["'`])([^"'`\n]{20,160})\1"""
)
_HISTORY = re.compile(
    r"change|history|news|release|whats.?new|migrat|upgrad|licen|authors|contribut", re.IGNORECASE
)
_PLACEHOLDER = re.compile(r"%[-\w.]*|\$?\{[^}]*\}|#\{[^}]*\}|\\[nt\"']")
_ATTRIBUTES = re.compile(
    r"\s*(?:(?:#!?\[|@|\[)[^\n]*\s*|(?:export|default|pub|public|private|static|async|const|final)\s+)*"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What is asked and the text that answers it."""

    kind: str
    path: str
    query: str
    document: str


def of_chunks(chunks: Iterable[Chunk], seed: int) -> list[Pair]:
    """The pairs of one repository, in a random order, each query and each document once for a kind."""
    found: dict[str, list[Pair]] = {kind: [] for kind in LIMITS}
    seen: Counter[str] = Counter()
    for chunk in chunks:
        for kind, query, answer in _pairs(chunk):
            document = answer.strip()[:MAX_DOCUMENT_CHARS]
            if len(document) < MIN_DOCUMENT_CHARS or seen[query.lower()]:
                continue
            seen[query.lower()] += 1
            found[kind].append(Pair(kind=kind, path=chunk["path"], query=query, document=document))
    kept: list[Pair] = []
    order = random.Random(seed)
    for kind, pairs in found.items():
        order.shuffle(pairs)
        kept += pairs[: LIMITS[kind]]
    return kept


def _pairs(chunk: Chunk) -> Iterator[tuple[str, str, str]]:
    """Kind, query and document."""
    if chunk["language"] in PROSE:
        if not _HISTORY.search(chunk["path"]):
            yield from _of_prose(chunk)
        return
    if not chunk["text"].isascii():
        chunk = _by_characters(chunk)
    blocks = _comment_blocks(chunk)
    definitions = [symbol for symbol in chunk["symbols"] if symbol[1] in DEFINITIONS]
    yield from _of_comments(chunk, blocks, definitions)
    if len(definitions) == 1:
        yield from _of_name(chunk, definitions[0])
    yield from _of_strings(chunk)


def _by_characters(chunk: Chunk) -> Chunk:
    """The chunk with places that count characters, not bytes."""
    raw = chunk["text"].encode()

    def at(offset: int) -> int:
        return len(raw[:offset].decode("utf-8", "ignore"))

    return {
        **chunk,
        "comments": [[at(start), at(end)] for start, end in chunk["comments"]],
        "symbols": [[*symbol[:2], *map(at, symbol[2:])] for symbol in chunk["symbols"]],
    }


def _comment_blocks(chunk: Chunk) -> list[tuple[int, int]]:
    """Comments, those on lines that follow each other joined."""
    text = chunk["text"]
    blocks: list[tuple[int, int]] = []
    for start, end in chunk["comments"]:
        between = text[blocks[-1][1] : start] if blocks else "-"
        if blocks and not between.strip() and between.count("\n") <= 1:
            blocks[-1] = (blocks[-1][0], end)
        else:
            blocks.append((start, end))
    return blocks


def _of_comments(
    chunk: Chunk, blocks: list[tuple[int, int]], definitions: list[list[Any]]
) -> Iterator[tuple[str, str, str]]:
    text = chunk["text"]
    for start, end in blocks:
        query = wording.of_comment(text[start:end])
        if not query:
            continue
        after = end + len(_ATTRIBUTES.match(text, end)[0])  # type: ignore[index]
        before = [symbol for symbol in definitions if end <= symbol[3] and symbol[2] <= after + 4]
        inside = [symbol for symbol in definitions if symbol[3] < start < symbol[3] + 400]
        is_string = text[start:end].lstrip("rRuUbBf").startswith(('"', "'"))
        rest = _remaining(text, start, end)
        if before or (inside and is_string):
            last = text[end:] if before and len(definitions) > 1 else rest
            yield "doc", query, last if len(last) > MIN_DOCUMENT_CHARS else rest
        elif definitions and len(query.split()) >= 4:
            yield "inner", query, rest


def _remaining(text: str, start: int, end: int) -> str:
    """The text without a comment's first paragraph; what else the comment says stays."""
    paragraph = re.search(r"\n\W*\n|\n\W*(?:@param|:param|Args:|Parameters)", text[start:end])
    return text[:start] + text[start + paragraph.start() if paragraph else end :]


def _of_name(chunk: Chunk, definition: list[Any]) -> Iterator[tuple[str, str, str]]:
    query = wording.of_name(definition[0])
    if query and query not in COMMON_NAMES:
        name = re.split(r"[.:/#]+", definition[0])[-1]
        yield "name", query, re.sub(rf"\b{re.escape(name)}\b", " ", chunk["text"])


def _of_strings(chunk: Chunk) -> Iterator[tuple[str, str, str]]:
    text = chunk["text"]
    for kind, pattern in (("test", _TEST), ("error", _ERROR)):
        match = pattern.search(text)
        if match:
            query = wording.plain(_PLACEHOLDER.sub(" ", match[2]))
            if len(query.split()) >= 3:
                yield kind, query, text[: match.start(2)] + text[match.end(2) :]


def _of_prose(chunk: Chunk) -> Iterator[tuple[str, str, str]]:
    """A section's heading trail and its text; without a heading, its first sentence and what follows."""
    lines = chunk["text"].strip().split("\n")
    heading = " ".join(re.split(r"\s*[>/.]\s+", chunk["name"])[-2:]) if chunk["name"] else ""
    body = "\n".join(
        line for line in lines if not re.match(r"\s*(?:#+\s|[=\-~^]{3,}\s*$|\[!\[)", line)
    )
    query = wording.plain(heading)
    if query and len(body) > 120:
        yield "prose", query, body
    first, _, rest = body.partition(". ")
    query = wording.plain(first)
    if len(query.split()) >= 5 and len(rest) > 120:
        yield "prose", query, rest
