"""Formats memories as lines for an agent, and checks whether the code that they are about has changed."""

from codecairn.hooks.fast_json import dumps, loads
from codecairn.memory.injection_format import (
    NOTICE,
    block,
    day,
    item_line,
    one_line,
    shortened,
    tokens,
    what_became,
)
from codecairn.memory.repository_statements import mark_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from codecairn._native import Memory

    Row: TypeAlias = dict[str, Any]

_ITEM_TOKENS = 220
_NEWS_TOKENS = 90
_NOTICE_TOKENS = 60
_MAX_NOTICES = 4
_MAX_LOOKS = 24


def answer_lines(answers: "list[Row]", room: int) -> "tuple[list[str], list[Row]]":
    """What answers a prompt, as lines, and what they show."""
    lines: list[str] = []
    shown: list[Row] = []
    met: set[str] = set()
    for answer in answers:
        hit = answer["hit"]
        fact, event = hit["fact"], hit["event"]
        text = one_line(fact["text"] if fact else event["body"] or event["title"])
        key = "".join(filter(str.isalnum, text)).casefold()
        if key in met:
            continue
        met.add(key)
        inner = fact or event
        said = "" if fact else {"user": "user: ", "assistant": "agent: "}.get(event["role"], "")
        line = item_line(
            said + shortened(_passage(text, answer["sentence"]), _ITEM_TOKENS),
            id_=hit["id"],
            date=day(inner["valid_from_ms"] if fact else inner["ts_ms"]),
            mark=_mark(inner),
            likelihood=round(answer["likelihood"] * 100),
        )
        room -= tokens(line)
        if room < 0:
            break
        lines.append(line)
        shown.append({"id": hit["id"], "version": fact["version"] if fact else 1})
    return lines, shown


def _mark(row: "Row") -> str:
    return mark_of(row["origin"], row.get("maker", ""), row["meta"])


def _passage(text: str, sentence: str) -> str:
    """A long text from the sentence on that answers."""
    at = 0 if tokens(text) <= _ITEM_TOKENS else max(text.find(one_line(sentence)), 0)
    return ("… " if at else "") + text[at:]


def fact_lines(facts: "list[Row]", room: int) -> "tuple[list[str], list[Row]]":
    """Facts as lines, and what they show."""
    lines: list[str] = []
    shown: list[Row] = []
    for fact in facts:
        line = item_line(
            shortened(one_line(fact["text"]), _NEWS_TOKENS),
            id_=fact["id"],
            date=day(fact["valid_from_ms"]),
            mark=_mark(fact),
        )
        room -= tokens(line)
        if room < 0:
            break
        lines.append(line)
        shown.append({"id": fact["id"], "version": fact["version"]})
    return lines, shown


def notice_lines(
    memory: "Memory", stale: "dict[str, str]", room: int
) -> "tuple[list[str], list[Row]]":
    """Notices that the code of facts has changed; they are never formatted as facts."""
    lines: list[str] = []
    shown: list[Row] = []
    for id_, became in list(stale.items())[:_MAX_NOTICES]:
        versions = loads(memory.fact(id_)) if became else []
        if not versions or versions[0]["state"] != "live" or versions[0]["is_private"]:
            continue
        text = shortened(one_line(versions[0]["text"]), _NOTICE_TOKENS)
        line = item_line(text, id_=id_, date=day(versions[0]["valid_from_ms"]), mark=became)
        room -= tokens(line)
        if room < 0:
            break
        lines.append(line)
        shown.append({"id": id_, "version": NOTICE})
    return lines, shown


def stale_of(memory: "Memory", ids: "list[str]") -> "dict[str, str]":
    """The facts whose code is not known to be what it was, with what became of it in words.

    There are none for what is not found where it was: the index, which knows where it went, takes too long to ask.
    """
    found: dict[str, str] = {}
    looks = 0
    rows = loads(memory.anchors(dumps(ids))) if ids else []
    for id_, anchors in zip(ids, rows, strict=True):
        states = []
        for anchor in anchors:
            looks += 1
            is_seen = looks <= _MAX_LOOKS
            state = loads(memory.look(dumps(anchor), []))["state"] if is_seen else "orphan"
            states.append((anchor["path"], anchor["name"], state))
        if any(state != "fresh" for _, _, state in states):
            found[id_] = what_became([each for each in states if each[2] == "changed"])
    return found


def without(text: str, id_: str) -> str:
    """A block without the lines about something."""
    return "".join(
        line for line in text.splitlines(keepends=True) if not line.rstrip().endswith(f"{id_})")
    )


def without_last(text: str) -> str:
    """A block without its last item."""
    lines = text.splitlines(keepends=True)
    last = max((at for at, line in enumerate(lines) if line.startswith("- ")), default=None)
    if last is None:
        return ""
    return "".join(lines[:last] + lines[last + 1 :])


def joined(text: str, sections: "list[tuple[str, list[str]]]") -> str:
    """A block with more sections at its end."""
    if not sections:
        return text
    if not text:
        return block(sections)
    added = "".join(f"\n## {title}\n" + "\n".join(lines) + "\n" for title, lines in sections)
    return text.replace("[/MEMORY]\n", f"{added}[/MEMORY]\n")
