"""What is put before an agent: `context_for`, the one way in.

What takes long is made beforehand by `background`, and lies in the memory under a session of its own: the part that opens a
session, and which files facts speak of. Here it is looked at whether that still holds; what answers a prompt is asked of
the core directly. The policy is that of `memory.injecting`, in terms that need no imports.
"""

from codecairn.hooks.heard import ANCHORED, COMPACTION, STATIC, VOLATILE
from codecairn.hooks.notation import dumps, loads
from codecairn.memory.drift import has_drifted
from codecairn.memory.lines import (
    FILLING_EVIDENCE,
    INJECTED_EVIDENCE,
    PREPARED,
    SAME_MATTER_EVIDENCE,
    STATIC_TYPES,
    block,
    day,
    item_line,
    one_line,
    shortened,
    tokens,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from codecairn._native import Memory
    from codecairn.hooks.heard import Heard
    from codecairn.hooks.places import Place

    Row: TypeAlias = dict[str, Any]

MOST_CHARACTERS = 9_000
"""Hosts put longer texts into a file and show its beginning."""

_FORM = "markdown"
_FACTS = 400
_RECENT_EVENTS = 60
_HITS = 16
_ITEM_TOKENS = 220
_NEWS_TOKENS = 90
_MOST_NEWS = 6
_MOST_ANCHORED = 3
_FILTER: "Row" = {
    "types": list(STATIC_TYPES),
    "scopes": [],
    "as_of_ms": None,
    "with_private": False,
    "with_history": False,
    "all_projects": False,
}


class _Object:
    """A row whose members are attributes."""

    def __init__(self, row: "Row") -> None:
        self.__dict__ = row


def context_for(memory: "Memory", heard: "Heard", place: "Place") -> str:
    """The text to put before the agent; empty if there is nothing that it should know."""
    makers = {STATIC: _static, VOLATILE: _volatile, COMPACTION: _compaction, ANCHORED: _anchored}
    text = makers[heard.wants](memory, heard, place)
    while len(text) > MOST_CHARACTERS:
        text = _without_last(text)
    return text


def _static(memory: "Memory", heard: "Heard", place: "Place") -> str:
    """What opens a session, the same bytes whenever it is asked for; an agent that is resumed has it still."""
    kept = loads(memory.kept_text(heard.session, STATIC, _FORM))
    if kept is not None and heard.wants != COMPACTION:
        return "" if heard.is_resumed else str(kept["body"])
    prepared = loads(memory.kept_text(PREPARED, STATIC, _FORM))
    facts: list[Row] = loads(memory.list(dumps(_FILTER), _FACTS))
    if prepared is None:
        prepared = {"body": "", "items": [], "ts_ms": 0}
    live = {(fact["id"], fact["version"]) for fact in facts}
    text, items = prepared["body"], []
    for item in prepared["items"]:
        if (item["id"], item["version"]) in live:
            items.append(item)
        else:
            text = _without(text, item["id"])
    told = {item["id"] for item in items}
    own = _own_events(memory, heard.session)
    new = [
        fact
        for fact in facts
        if fact["recorded_ms"] > prepared["ts_ms"]
        and fact["id"] not in told
        and not own.issuperset(fact["sources"] or [0])
    ]
    room = place.static_tokens - (tokens(text) if text else 0)
    lines, shown = _fact_lines(memory, new[:_MOST_NEWS], room)
    text = _joined(text, [("Updates", lines)] if lines else [])
    if not items and not shown:
        text = ""
    _note(memory, heard, STATIC, text, items + shown)
    return text


def _compaction(memory: "Memory", heard: "Heard", place: "Place") -> str:
    """What an agent must know that has lost its context, if `background` has made it in time; or else a new start."""
    made = _made_anew(memory, heard)
    if made:
        return made
    _note(memory, heard, COMPACTION, "", [])
    return _static(memory, heard, place)


def _made_anew(memory: "Memory", heard: "Heard") -> str:
    """What `background` made for a session since it was given its start; it is its start from now on."""
    made = loads(memory.kept_text(heard.session, COMPACTION, _FORM))
    if made is None:
        return ""
    static = loads(memory.kept_text(heard.session, STATIC, _FORM))
    if static is not None and static["ts_ms"] > made["ts_ms"]:
        return ""
    text: str = made["body"]
    _note(memory, heard, STATIC, text, made["items"])
    return text


def _volatile(memory: "Memory", heard: "Heard", place: "Place") -> str:
    """What answers a prompt, and what was learned since the session began: what the agent has not seen."""
    lost_text = _made_anew(memory, heard)
    if lost_text:
        return lost_text
    static = loads(memory.kept_text(heard.session, STATIC, _FORM))
    if static is None:
        # A host without an event at the start, or one whose start was not served in time.
        opening = _static(memory, heard, place)
        if opening:
            return opening
        static = {"body": "", "ts_ms": 0}
    ledger = _since_compaction(loads(memory.injections(heard.session)))
    seen = {(item["id"], item["version"]) for each in ledger for item in each["items"]}
    lost = max((each["seq"] for each in ledger if each["placement"] == COMPACTION), default=0)
    latest: list[Row] = loads(memory.list(dumps(_FILTER), _MOST_NEWS * 2))
    hits = _hits(memory, heard.prompt)
    # Read last: the event that a fact was drawn from is there if the fact was.
    events = _line_events(memory, heard.session)
    own = {row["seq"] for row in events if row["session"] == heard.session and row["seq"] > lost}
    room = place.total_tokens - tokens(static["body"])
    sections, shown = [], []
    hits = [
        hit
        for hit in _likely(memory, heard.prompt, hits, events)
        if (hit["id"], hit["fact"]["version"] if hit["fact"] else 1) not in seen
        and not own.issuperset(
            hit["fact"]["sources"] or [0] if hit["fact"] else [hit["event"]["seq"]]
        )
    ]
    lines, found = _hit_lines(memory, hits, heard.prompt, room)
    if lines:
        sections.append(("Relevant to Current Task", lines))
        shown += found
        room -= tokens("\n".join(lines))
    seen |= {(item["id"], item["version"]) for item in found}
    news = [
        fact
        for fact in latest
        if fact["recorded_ms"] > static["ts_ms"] > 0
        and (fact["id"], fact["version"]) not in seen
        and not own.issuperset(fact["sources"] or [0])
    ]
    lines, found = _fact_lines(memory, news[:_MOST_NEWS], room)
    if lines:
        sections.append(("Updates Since Start", lines))
        shown += found
    text = block(sections)
    if text:
        _note(memory, heard, VOLATILE, text, shown)
    return text


def _line_events(memory: "Memory", session: str) -> "list[Row]":
    rows: list[Row] = loads(memory.line_events(session, with_private=False, limit=_RECENT_EVENTS))
    return rows


def _own_events(memory: "Memory", session: str) -> "set[int]":
    """What the session said itself: its agent knows it, and what was drawn from it."""
    return {row["seq"] for row in _line_events(memory, session) if row["session"] == session}


def _hits(memory: "Memory", prompt: str) -> "list[Row]":
    """What may answer a prompt."""
    if len(prompt.split()) < 2 and len(prompt) < 8:
        return []
    options = {
        "limit": _HITS,
        "facts": True,
        "events": True,
        "filter": _FILTER | {"types": []},
        "session": None,
        "since_ms": None,
        "until_ms": None,
        "least_evidence": FILLING_EVIDENCE,
        "is_overview": False,
        "prefers_new": False,
        "around_ms": None,
    }
    found: list[Row] = loads(memory.recall(prompt[:4_000], dumps(options)))
    return found


def _likely(memory: "Memory", prompt: str, hits: "list[Row]", events: "list[Row]") -> "list[Row]":
    """The hits, if the best of them is likely enough; the more so if the agent is at this matter already."""
    best = max((hit["evidence"] for hit in hits), default=0.0)
    if best < INJECTED_EVIDENCE:
        return []
    is_new = has_drifted(prompt, [_Object(row) for row in events], memory.likeness)  # type: ignore[misc]
    return hits if is_new or best >= SAME_MATTER_EVIDENCE else []


def _hit_lines(
    memory: "Memory", hits: "list[Row]", prompt: str, room: int
) -> "tuple[list[str], list[Row]]":
    lines: list[str] = []
    shown: list[Row] = []
    met: set[str] = set()
    for hit in hits:
        fact, event = hit["fact"], hit["event"]
        text = one_line(fact["text"] if fact else event["body"] or event["title"])
        key = "".join(filter(str.isalnum, text)).casefold()
        if key in met or (fact and not _holds(memory, fact["id"])):
            continue
        met.add(key)
        inner = fact or event
        said = "" if fact else {"user": "user: ", "assistant": "agent: "}.get(event["role"], "")
        line = item_line(
            said + shortened(_passage(text, prompt), _ITEM_TOKENS),
            id_=hit["id"],
            date=day(inner["valid_from_ms"] if fact else inner["ts_ms"]),
            mark="quoted from outside" if inner["origin"] == "external" else "",
            likelihood=round(hit["evidence"] * 100),
        )
        room -= tokens(line)
        if room < 0:
            break
        lines.append(line)
        shown.append({"id": hit["id"], "version": fact["version"] if fact else 1})
    return lines, shown


def _passage(text: str, prompt: str) -> str:
    """A long text from the sentence on that has most of the prompt's words."""
    if tokens(text) <= _ITEM_TOKENS:
        return text
    asked = {word.casefold()[:6] for word in prompt.split() if len(word) > 3}
    best, at = 0, 0
    start = 0
    for sentence in text.split(". "):
        worth = sum(word.casefold()[:6] in asked for word in sentence.split())
        if worth > best:
            best, at = worth, start
        start += len(sentence) + 2
    return ("… " if at else "") + text[at:]


def _fact_lines(memory: "Memory", facts: "list[Row]", room: int) -> "tuple[list[str], list[Row]]":
    lines: list[str] = []
    shown: list[Row] = []
    for fact in facts:
        if not _holds(memory, fact["id"]):
            continue
        line = item_line(
            shortened(one_line(fact["text"]), _NEWS_TOKENS),
            id_=fact["id"],
            date=day(fact["valid_from_ms"]),
            mark="quoted from outside" if fact["origin"] == "external" else "",
        )
        room -= tokens(line)
        if room < 0:
            break
        lines.append(line)
        shown.append({"id": fact["id"], "version": fact["version"]})
    return lines, shown


def _holds(memory: "Memory", id_: str) -> bool:
    """Whether the code that a fact speaks of is what it was; where that is not known, the fact is not shown."""
    for anchor in loads(memory.anchors(dumps([id_])))[0]:
        if loads(memory.look(dumps(anchor), []))["state"] != "fresh":
            return False
    return True


def _anchored(memory: "Memory", heard: "Heard", place: "Place") -> str:
    """What is remembered of the symbols of a file that is about to be used."""
    prepared = loads(memory.kept_text(PREPARED, ANCHORED, "json"))
    ids = loads(prepared["body"]).get(heard.path, []) if prepared is not None else []
    if not ids:
        return ""
    ledger = _since_compaction(loads(memory.injections(heard.session)))
    seen = {(item["id"], item["version"]) for each in ledger for item in each["items"]}
    facts = []
    for id_ in ids:
        versions = loads(memory.fact(id_))
        if versions and versions[0]["state"] == "live" and not versions[0]["is_private"]:
            facts.append(versions[0])
    new = [fact for fact in facts if (fact["id"], fact["version"]) not in seen]
    lines, shown = _fact_lines(memory, new[:_MOST_ANCHORED], place.total_tokens // 4)
    text = block([(f"About {heard.path}", lines)] if lines else [])
    if text:
        _note(memory, heard, ANCHORED, text, shown)
    return text


def _note(memory: "Memory", heard: "Heard", placement: str, text: str, items: "list[Row]") -> None:
    """Have it noted what is shown; the parts that open a session are kept for it."""
    newest = loads(memory.events(session=None, before=None, with_private=True, limit=1))
    heard.notes.append(
        {
            "session": heard.session,
            "placement": placement,
            "form": _FORM,
            "body": text,
            "items": items,
            "tokens": tokens(text) if text else 0,
            "seq": newest[0]["seq"] if newest else 0,
            "is_kept": placement == STATIC,
        }
    )


def _since_compaction(ledger: "list[Row]") -> "list[Row]":
    """What an agent still has: all it was shown since it last lost its context."""
    starts = [at for at, each in enumerate(ledger) if each["placement"] == COMPACTION]
    return ledger[starts[-1] :] if starts else ledger


def _without(text: str, id_: str) -> str:
    """A block without the lines about something."""
    return "".join(
        line for line in text.splitlines(keepends=True) if not line.rstrip().endswith(f"{id_})")
    )


def _without_last(text: str) -> str:
    """A block without its last item."""
    lines = text.splitlines(keepends=True)
    last = max((at for at, line in enumerate(lines) if line.startswith("- ")), default=None)
    if last is None:
        return ""
    return "".join(lines[:last] + lines[last + 1 :])


def _joined(text: str, sections: "list[tuple[str, list[str]]]") -> str:
    """A block with more sections at its end."""
    if not sections:
        return text
    if not text:
        return block(sections)
    added = "".join(f"\n## {title}\n" + "\n".join(lines) + "\n" for title, lines in sections)
    return text.replace("[/MEMORY]\n", f"{added}[/MEMORY]\n")
