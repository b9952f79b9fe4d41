"""`context_for` builds everything that a hook injects.

`background` prepares what takes long and stores it in the memory under a session of its own: the static part, and the list of
files with anchored facts. This module checks whether that is still valid, and asks the core for the answer to a prompt.

The thresholds and the order of the sections are those of `memory.context_builder`. To need no further imports, it differs in
three ways: a prompt is recalled as it is written, without the analysis that recognises dates and lists; a prompt is skipped if it
is short, not if it is an acknowledgement; facts that were all drawn from the session's own events are left out.
"""

import time

from codecairn.hooks.event import ANCHORED, COMPACTION, STATIC, VOLATILE
from codecairn.hooks.fast_json import dumps, loads, rows
from codecairn.hooks.format import (
    answer_lines,
    changes_of,
    fact_lines,
    joined,
    notice_lines,
    without,
    without_last,
)
from codecairn.memory.injection_format import (
    CHANGED_TITLE,
    MAX_ANSWERS,
    MIN_LIKELIHOOD,
    NOTICE,
    PREPARED,
    SAME_MATTER_LIKELIHOOD,
    STATIC_TYPES,
    block,
    tokens,
)
from codecairn.memory.repository_statements import is_withheld, withheld
from codecairn.memory.topic_drift import has_drifted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from codecairn._native import Memory
    from codecairn.hooks.event import HookEvent
    from codecairn.hooks.project_config import ProjectConfig

    Row: TypeAlias = dict[str, Any]

MAX_CHARACTERS = 9_000
"""Hosts put longer texts into a file and show its beginning."""

_FORM = "markdown"
_FACTS = 400
_RECENT_EVENTS = 60
_LOOKED_AT = 16
_MAX_PROMPT = 4_000
_MAX_NEWS = 6
_MAX_ANCHORED = 3
_COMPACTION_WAITS_S = (0.0, *[0.1] * 40)
"""Times to wait for `background`; the host waits as long, since making a summary takes it longer."""


def _filter(hook_event: "HookEvent", project: "ProjectConfig") -> "Row":
    """What may be put before this agent here."""
    types = {"types": list(STATIC_TYPES)}
    return types | withheld(trusts=project.trusts, host=hook_event.host)


class _Object:
    """A row whose members are attributes."""

    def __init__(self, row: "Row") -> None:
        self.__dict__ = row


def context_for(memory: "Memory", hook_event: "HookEvent", project: "ProjectConfig") -> str:
    """The text to put before the agent; empty if there is nothing that it should know."""
    makers = {STATIC: _static, VOLATILE: _volatile, COMPACTION: _compaction, ANCHORED: _anchored}
    text = makers[hook_event.wants](memory, hook_event, project)
    while len(text) > MAX_CHARACTERS:
        text = without_last(text)
    return text


def _static(memory: "Memory", hook_event: "HookEvent", project: "ProjectConfig") -> str:
    """What opens a session, the same bytes whenever it is asked for; an agent that is resumed has it still."""
    kept = loads(memory.kept_text(hook_event.session, STATIC, _FORM))
    if kept is not None and hook_event.wants != COMPACTION:
        return "" if hook_event.is_resumed else str(kept["body"])
    prepared = loads(memory.kept_text(PREPARED, STATIC, _FORM))
    live = memory.list(dumps(_filter(hook_event, project)), _FACTS)
    if prepared is None:
        prepared = {"body": "", "items": [], "ts_ms": 0}
    text, items = prepared["body"], []
    for item in prepared["items"]:
        if (
            item["version"] == NOTICE
            or _is_among(item, live)
            or _is_live(memory, item, hook_event, project)
        ):
            items.append(item)
        else:
            text = without(text, item["id"])
    shown_ids = {item["id"] for item in items}
    own = _own_events(memory, hook_event.session)
    new = [
        fact
        for fact in _recorded_since(live, prepared["ts_ms"])
        if fact["id"] not in shown_ids and not own.issuperset(fact["sources"] or [0])
    ]
    room = project.static_tokens - (tokens(text) if text else 0)
    new = new[:_MAX_NEWS]
    lines, shown = fact_lines(new, room, _changes(memory, project, new))
    text = joined(text, [("Updates", lines)] if lines else [])
    if not items and not shown:
        text = ""
    _note(memory, hook_event, STATIC, text, items + shown)
    return text


def _is_among(item: "Row", listed: str) -> bool:
    """Whether a version of a fact is in a list of facts, which is not read for that: no text in it can look like its id."""
    return f'{{"id":"{item["id"]}","version":{item["version"]},' in listed


def _is_live(
    memory: "Memory", item: "Row", hook_event: "HookEvent", project: "ProjectConfig"
) -> bool:
    """Whether a version of a fact still holds that is too old for the list."""
    versions = loads(memory.fact(item["id"]))
    if not versions or versions[0]["version"] != item["version"]:
        return False
    fact = versions[0]
    is_expired = fact["expires_ms"] is not None and fact["expires_ms"] <= time.time() * 1000
    is_shown = fact["state"] == "live" and not fact["is_private"] and not is_expired
    return is_shown and not is_withheld(fact, trusts=project.trusts, host=hook_event.host)


def _recorded_since(listed: str, ts_ms: int) -> "Iterator[Row]":
    """The first of a list of facts, the newest first, up to the first one that was recorded before."""
    for fact in rows(listed):
        if fact["recorded_ms"] <= ts_ms:
            return
        yield fact


def _compaction(memory: "Memory", hook_event: "HookEvent", project: "ProjectConfig") -> str:
    """What an agent must know that has lost its context, if `background` has made it in time; or else a new start."""
    for wait_s in _COMPACTION_WAITS_S if hook_event.loses_context and project.works else (0.0,):
        time.sleep(wait_s)
        made = _made_anew(memory, hook_event, project)
        if made:
            return made
    _note(memory, hook_event, COMPACTION, "", [])
    return _static(memory, hook_event, project)


def _made_anew(memory: "Memory", hook_event: "HookEvent", project: "ProjectConfig") -> str:
    """What `background` made for a session since it was given its start; it is its start from now on."""
    made = loads(memory.kept_text(hook_event.session, COMPACTION, _FORM))
    if made is None:
        return ""
    static = loads(memory.kept_text(hook_event.session, STATIC, _FORM))
    if static is not None and static["ts_ms"] > made["ts_ms"]:
        return ""
    text: str = made["body"]
    items = []
    for item in made["items"]:
        versions = loads(memory.fact(item["id"]))  # none of an event
        if versions and is_withheld(versions[0], trusts=project.trusts, host=hook_event.host):
            text = without(text, item["id"])
        else:
            items.append(item)
    _note(memory, hook_event, STATIC, text, items)
    return text


def _volatile(memory: "Memory", hook_event: "HookEvent", project: "ProjectConfig") -> str:
    """What answers a prompt, and what was learned since the session began: what the agent has not seen."""
    lost_text = _made_anew(memory, hook_event, project)
    if lost_text:
        return lost_text
    static = loads(memory.kept_text(hook_event.session, STATIC, _FORM))
    if static is None:
        # A host without an event at the start, or one whose start was not served in time.
        opening = _static(memory, hook_event, project)
        if opening:
            return opening
        static = {"body": "", "items": [], "ts_ms": 0}
    held = loads(memory.held(hook_event.session))
    seen, lost = set(zip(held["ids"], held["versions"], strict=True)), held["lost_seq"]
    latest: list[Row] = loads(memory.list(dumps(_filter(hook_event, project)), _MAX_NEWS * 2))
    # Read last: the event that a fact was drawn from is there if the fact was.
    events = _line_events(memory, hook_event.session)
    own = {
        row["seq"] for row in events if row["session"] == hook_event.session and row["seq"] > lost
    }
    room = project.total_tokens - tokens(static["body"])
    sections, shown = [], []
    is_new = has_drifted(hook_event.prompt, [_Object(row) for row in events], memory.likeness)  # type: ignore[misc]
    least = MIN_LIKELIHOOD if is_new else SAME_MATTER_LIKELIHOOD
    likely = _answers(memory, hook_event.prompt, _filter(hook_event, project), least=least)
    changes = _changes(
        memory, project, [answer["hit"] for answer in likely if answer["hit"]["fact"]]
    )
    answers = [answer for answer in likely if not _is_known(answer["hit"], seen, own)]
    lines, found = answer_lines(answers[:MAX_ANSWERS], room, changes)
    if lines:
        sections.append(("Relevant to Current Task", lines))
        shown += found
        room -= tokens("\n".join(lines))
    seen |= {(item["id"], item["version"]) for item in found}
    # What answers is announced with its answer, unless that was shown before the change.
    known = {id_ for id_, _ in seen}
    changes |= _changes(memory, project, static["items"])
    notices = {
        id_: change for id_, change in changes.items() if id_ in known and (id_, NOTICE) not in seen
    }
    lines, found = notice_lines(memory, notices, room)
    if lines:
        sections.append((CHANGED_TITLE, lines))
        shown += found
        room -= tokens("\n".join(lines))
    news = [
        fact
        for fact in latest
        if fact["recorded_ms"] > static["ts_ms"] > 0
        and (fact["id"], fact["version"]) not in seen
        and not own.issuperset(fact["sources"] or [0])
    ]
    news = news[:_MAX_NEWS]
    lines, found = fact_lines(news, room, _changes(memory, project, news))
    if lines:
        sections.append(("Updates Since Start", lines))
        shown += found
    text = block(sections)
    if text:
        _note(memory, hook_event, VOLATILE, text, shown)
    return text


def _line_events(memory: "Memory", session: str) -> "list[Row]":
    rows: list[Row] = loads(memory.line_events(session, with_private=False, limit=_RECENT_EVENTS))
    return rows


def _own_events(memory: "Memory", session: str) -> "set[int]":
    """The session's own records, which its agent knows, and the facts derived from them."""
    return {row["seq"] for row in _line_events(memory, session) if row["session"] == session}


def _answers(memory: "Memory", prompt: str, filter_: "Row", *, least: float) -> "list[Row]":
    """What is likely enough to answer a prompt, the likeliest first."""
    if len(prompt.split()) < 2 and len(prompt) < 8:
        return []
    options = {
        "limit": _LOOKED_AT,
        "facts": True,
        "events": True,
        "filter": filter_ | {"types": []},
        "least_evidence": least,
    }
    found: list[Row] = loads(memory.answers(prompt[:_MAX_PROMPT], dumps(options)))
    return found


def _is_known(hit: "Row", seen: "set[tuple[str, int]]", own: "set[int]") -> bool:
    """Whether an agent was shown a hit, or it is from its own session."""
    fact = hit["fact"]
    version, sources = (fact["version"], fact["sources"]) if fact else (1, [hit["event"]["seq"]])
    return (hit["id"], version) in seen or own.issuperset(sources or [0])


def _changes(memory: "Memory", project: "ProjectConfig", rows: "list[Row]") -> "dict[str, Row]":
    """What became of the code of facts, by id."""
    ids = list(dict.fromkeys(row["id"] for row in rows))
    return changes_of(memory, ids, shows_code=project.trusts)


def _anchored(memory: "Memory", hook_event: "HookEvent", project: "ProjectConfig") -> str:
    """What is remembered of the symbols of a file that is about to be used."""
    prepared = loads(memory.kept_text(PREPARED, ANCHORED, "json"))
    ids = loads(prepared["body"]).get(hook_event.path, []) if prepared is not None else []
    if not ids:
        return ""
    held = loads(memory.held(hook_event.session))
    seen = set(zip(held["ids"], held["versions"], strict=True))
    facts = []
    for id_ in ids:
        versions = loads(memory.fact(id_))
        if not versions or versions[0]["state"] != "live" or versions[0]["is_private"]:
            continue
        if not is_withheld(versions[0], trusts=project.trusts, host=hook_event.host):
            facts.append(versions[0])
    new = [fact for fact in facts if (fact["id"], fact["version"]) not in seen]
    new = new[:_MAX_ANCHORED]
    lines, shown = fact_lines(new, project.total_tokens // 4, _changes(memory, project, new))
    text = block([(f"About {hook_event.path}", lines)] if lines else [])
    if text:
        _note(memory, hook_event, ANCHORED, text, shown)
    return text


def _note(
    memory: "Memory", hook_event: "HookEvent", placement: str, text: str, items: "list[Row]"
) -> None:
    """Have it noted what is shown; the parts that open a session are kept for it."""
    newest = loads(memory.events(session=None, before=None, with_private=True, limit=1))
    hook_event.notes.append(
        {
            "session": hook_event.session,
            "placement": placement,
            "form": _FORM,
            "body": text,
            "items": items,
            "tokens": tokens(text) if text else 0,
            "seq": newest[0]["seq"] if newest else 0,
            "is_kept": placement == STATIC,
        }
    )
