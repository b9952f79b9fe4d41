"""Excerpts: one line, bounded length, the passage that matches the question best; and an estimate of tokens."""

import re
from collections.abc import Sequence

_BYTES_PER_TOKEN = 4
_NOT_LETTERS = re.compile(r"[\W_]+")
_PIECE = re.compile(r"(?<=[.!?。\uff01\uff1f])\s+|\n+")
_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_SHORT_WORD = 3


def alike_key(text: str) -> str:
    """Equal for texts that differ in punctuation and case only, in any script."""
    return _NOT_LETTERS.sub("", text).casefold()


def tokens(text: str) -> int:
    """About how many tokens a text has; at least one."""
    return max(1, len(text.encode()) // _BYTES_PER_TOKEN)


def one_line(text: str) -> str:
    """The text without line breaks."""
    return " ".join(text.split())


def shortened(text: str, max_tokens: int) -> str:
    """The text's beginning in at most so many tokens, cut between words."""
    room = max(max_tokens, 1) * _BYTES_PER_TOKEN
    if len(text.encode()) <= room:
        return text
    cut = text.encode()[: room - 3].decode("utf-8", "ignore")
    word_end = cut.rfind(" ")
    return (cut[:word_end] if word_end > len(cut) // 2 else cut).rstrip() + "…"


def words(text: str) -> set[str]:
    """What a text's passages are compared by: words, less their endings, and pairs of Chinese characters."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if _WIDE.search(word):
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        else:
            found.add(word[:6] if len(word) > _SHORT_WORD else word)
    return found


def excerpt(text: str, question: str, max_tokens: int) -> str:
    """The passage of a text that has most to do with a question, in one line and at most so many tokens."""
    if tokens(text) <= max_tokens:
        return one_line(text)
    pieces = [piece for piece in _PIECE.split(text) if piece.strip()]
    asked = words(question)
    worths = [len(words(piece) & asked) for piece in pieces]
    first, last = _best_run(pieces, worths, max_tokens)
    body = one_line(" ".join(pieces[first:last]))
    lead, trail = ("… " if first else ""), (" …" if last < len(pieces) else "")
    return shortened(lead + body + trail, max_tokens)


def _best_run(pieces: Sequence[str], worths: Sequence[int], max_tokens: int) -> tuple[int, int]:
    """The pieces in a row that fit and are worth most; the earlier of equal ones."""
    costs = [tokens(piece) + 1 for piece in pieces]
    best, best_worth = (0, 1), -1
    first = cost = worth = 0
    for last, piece_cost in enumerate(costs):
        cost += piece_cost
        worth += worths[last]
        while cost > max_tokens and first < last:
            cost -= costs[first]
            worth -= worths[first]
            first += 1
        if worth > best_worth:
            best, best_worth = (first, last + 1), worth
    first, last = best
    room = max_tokens - sum(costs[first:last])
    while last < len(pieces) and costs[last] <= room:
        room -= costs[last]
        last += 1
    return first, last
