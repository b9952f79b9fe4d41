"""Formats memories as lines for an agent, and checks whether the code that they are about has changed."""

from codecairn.hooks.fast_json import dumps, loads
from codecairn.memory.injection_format import (
    CHANGE_INDENT,
    NOTICE,
    block,
    changed_lines,
    day,
    item_line,
    one_line,
    shortened,
    tokens,
    what_became,
    with_changes,
)
from codecairn.memory.repository_statements import mark_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from codecairn._native import Memory

    Row: TypeAlias = dict[str, Any]
    Changes: TypeAlias = dict[str, Row]

_ITEM_TOKENS = 220
_NEWS_TOKENS = 90
_NOTICE_TOKENS = 60
_MAX_NOTICES = 4
_MAX_LOOKS = 24
_STATES = {"orphan": "unchecked"}


def answer_lines(
    answers: "list[Row]", room: int, changes: "Changes"
) -> "tuple[list[str], list[Row]]":
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
            mark=_mark(inner, changes.get(hit["id"])),
            likelihood=round(answer["likelihood"] * 100),
        )
        line = _changed(line, changes.get(hit["id"]))
        room -= tokens(line)
        if room < 0:
            break
        lines.append(line)
        shown += _shown(hit["id"], fact["version"] if fact else 1, changes)
    return lines, shown


def _mark(row: "Row", change: "Row | None") -> str:
    marks = [mark_of(row["origin"], row.get("maker", ""), row["meta"])]
    marks += [change["mark"]] if change else []
    return ", ".join(mark for mark in marks if mark)


def _changed(line: str, change: "Row | None") -> str:
    return with_changes(line, change["lines"]) if change else line


def _shown(id_: str, version: int, changes: "Changes") -> "list[Row]":
    """The version that a line shows, and the notice that its mark replaces."""
    shown = [{"id": id_, "version": version}]
    if id_ in changes and changes[id_]["is_certain"]:
        shown.append({"id": id_, "version": NOTICE})
    return shown


def _passage(text: str, sentence: str) -> str:
    """A long text from the sentence on that answers."""
    at = 0 if tokens(text) <= _ITEM_TOKENS else max(text.find(one_line(sentence)), 0)
    return ("… " if at else "") + text[at:]


def fact_lines(facts: "list[Row]", room: int, changes: "Changes") -> "tuple[list[str], list[Row]]":
    """Facts as lines, and what they show."""
    lines: list[str] = []
    shown: list[Row] = []
    for fact in facts:
        line = item_line(
            shortened(one_line(fact["text"]), _NEWS_TOKENS),
            id_=fact["id"],
            date=day(fact["valid_from_ms"]),
            mark=_mark(fact, changes.get(fact["id"])),
        )
        line = _changed(line, changes.get(fact["id"]))
        room -= tokens(line)
        if room < 0:
            break
        lines.append(line)
        shown += _shown(fact["id"], fact["version"], changes)
    return lines, shown


def notice_lines(memory: "Memory", changes: "Changes", room: int) -> "tuple[list[str], list[Row]]":
    """Notices that the code of facts has changed since they were shown."""
    lines: list[str] = []
    shown: list[Row] = []
    certain = [(id_, change) for id_, change in changes.items() if change["is_certain"]]
    for id_, change in certain[:_MAX_NOTICES]:
        versions = loads(memory.fact(id_))
        if not versions or versions[0]["state"] != "live" or versions[0]["is_private"]:
            continue
        text = shortened(one_line(versions[0]["text"]), _NOTICE_TOKENS)
        line = item_line(text, id_=id_, date=day(versions[0]["valid_from_ms"]), mark=change["mark"])
        line = _changed(line, change)
        room -= tokens(line)
        if room < 0:
            break
        lines.append(line)
        shown.append({"id": id_, "version": NOTICE})
    return lines, shown


def changes_of(memory: "Memory", ids: "list[str]", *, shows_code: bool) -> "Changes":
    """What became of the code of those facts whose code is not known to be what it was: a mark, and the changed lines.

    What is not found where it was is not checked: the index, which knows where it went, takes too long to ask.
    """
    found: Changes = {}
    looks = 0
    rows = loads(memory.anchors(dumps(ids))) if ids else []
    for id_, anchors in zip(ids, rows, strict=True):
        looked = []
        for anchor in anchors:
            looks += 1
            if looks <= _MAX_LOOKS:
                looked.append(loads(memory.look(dumps(anchor), [])))
        states = [(each["place"], _STATES.get(each["state"], each["state"])) for each in looked]
        mark = what_became(states)
        if mark:
            lines = changed_lines(looked, shows_code=shows_code)
            is_certain = any(state == "changed" for _, state in states)
            found[id_] = {"mark": mark, "lines": lines, "is_certain": is_certain}
    return found


def without(text: str, id_: str) -> str:
    """A block without the items about something."""
    kept: list[str] = []
    is_left_out = False
    for line in text.splitlines(keepends=True):
        if not line.startswith(CHANGE_INDENT):
            is_left_out = line.rstrip().endswith(f"{id_})")
        if not is_left_out:
            kept.append(line)
    return "".join(kept)


def without_last(text: str) -> str:
    """A block without its last item."""
    lines = text.splitlines(keepends=True)
    last = max((at for at, line in enumerate(lines) if line.startswith("- ")), default=None)
    if last is None:
        return ""
    end = last + 1
    while end < len(lines) and lines[end].startswith(CHANGE_INDENT):
        end += 1
    return "".join(lines[:last] + lines[end:])


def joined(text: str, sections: "list[tuple[str, list[str]]]") -> str:
    """A block with more sections at its end."""
    if not sections:
        return text
    if not text:
        return block(sections)
    added = "".join(f"\n## {title}\n" + "\n".join(lines) + "\n" for title, lines in sections)
    return text.replace("[/MEMORY]\n", f"{added}[/MEMORY]\n")
