"""Recall: analyses a question and queries the engine."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone

from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.recall_options import RecallOptions
from codecairn.core.types.memory import Event, Fact, Recalled
from codecairn.errors import UsageError
from codecairn.memory.question_analysis import Asked, read_question

MIN_EVIDENCE = 0.05
"""What is less likely to answer is not worth reading; measured by `benches.memory.fit`."""

_MIN_ANSWER_LIKELIHOOD = 0.15
"""What is less likely to answer is only near: of the prompts of `benches.memory.answers` that nothing answers, 23 to 44 % by
corpus have nothing above it, of the others 3 to 17 %."""

_MAX_RESULTS = 10_000
_LAST_MS = 2**62
_TALK = frozenset(("user", "assistant"))
_WIDE = 48
"""So many at least are put in order by two questions."""


def wanted_kinds(kinds: Sequence[str], *, is_narrowed: bool) -> tuple[bool, bool]:
    """Whether facts and whether events are wanted; conditions on facts leave no event.

    Raises:
        UsageError: If a kind is unknown.
    """
    unknown = set(kinds) - {"fact", "event"}
    if unknown:
        raise UsageError(f"unknown kind `{sorted(unknown)[0]}`: `fact` or `event`")
    return not kinds or "fact" in kinds, "event" in kinds if kinds else not is_narrowed


def limited(limit: int, *, least: int = 1) -> int:
    """A limit that may be asked for.

    Raises:
        UsageError: If it is less than `least`.
    """
    if limit < least:
        raise UsageError(f"the limit is {limit}", hint=f"give {least} or more")
    return min(limit, _MAX_RESULTS)


def read(query: str, *, now_ms: int) -> Asked:
    """What a question asks, at a moment."""
    now = datetime.fromtimestamp(now_ms / 1000, tz=timezone.utc).astimezone()
    return read_question(query, now=now)


def find(
    engine: MemoryEngine, query: str, asked: Asked, wanted: RecallOptions
) -> tuple[Recalled, ...]:
    """What answers a question, best first; a complete list, and all that was done in a period, newest first.

    A period that the question names is kept to: what is of another time answers nothing.
    """
    within = _narrowed(wanted, asked)
    if asked.is_list and wanted.facts and not wanted.filter.get("types"):
        listed = _list(engine, asked, within)
        if listed or within != wanted:
            return listed
    if asked.is_all:
        return _all(engine, within)
    text = searched_text(query, asked)
    if asked.belonging:
        return _with_context(engine, text, asked, within)
    return _ask(engine, text, asked, within)


def searched_text(query: str, asked: Asked) -> str:
    """What of a question is searched for: without its time, if any words are left."""
    return asked.text if _has_words(asked.text) else query


def is_answered(
    engine: MemoryEngine, asked: Asked, wanted: RecallOptions, found: Sequence[Recalled]
) -> bool:
    """Whether something that was found may answer: a complete list does, and so may what cannot be judged.

    Judged are facts and talk, against a question of more than usual words; what tools printed is not.
    """
    if not found or asked.is_list or asked.is_all or not _has_words(asked.text):
        return bool(found)
    first = found[0].event
    if first is not None and first.role not in _TALK:
        return True
    judged = engine.answers(
        asked.text, replace(_narrowed(wanted, asked), limit=1, least_evidence=0.0)
    )
    return not judged or judged[0].likelihood >= _MIN_ANSWER_LIKELIHOOD


def period_of(asked: Asked) -> str:
    """The period that a question is confined to, as people write it; empty if it is not."""
    since = "" if asked.since is None else f"{asked.since:%Y-%m-%d %H:%M %Z}"
    until = "" if asked.until is None else f"{asked.until:%Y-%m-%d %H:%M %Z}"
    if since and until:
        return f"between {since} and {until}"
    return f"since {since}" if since else f"before {until}" if until else ""


def _with_context(
    engine: MemoryEngine, text: str, asked: Asked, wanted: RecallOptions
) -> tuple[Recalled, ...]:
    """Answers ranked by the sum of two scores: for the question, and for its context in `asked.belonging`. Ties keep their order."""
    wide = replace(wanted, limit=max(wanted.limit, _WIDE))
    found = _ask(engine, text, asked, wide)
    around = replace(wide, least_evidence=0.0, embedding=None)
    context = _ask(engine, asked.belonging, asked, around)
    fits = {(each.id, each.version): each.score for each in context}
    least = min([0.0, *fits.values()])
    together = [
        replace(each, score=each.score + fits.get((each.id, each.version), least)) for each in found
    ]
    return tuple(sorted(together, key=lambda each: -each.score)[: wanted.limit])


def _ask(
    engine: MemoryEngine, text: str, asked: Asked, wanted: RecallOptions
) -> tuple[Recalled, ...]:
    around = None
    if asked.around is not None:
        around = _ms(asked.around[0]), _ms(asked.around[1]) - 1
    options = replace(
        wanted,
        is_overview=asked.is_overview,
        prefers_new=asked.is_about_now,
        around_ms=around,
    )
    return engine.recall(text, options)


def _list(engine: MemoryEngine, asked: Asked, wanted: RecallOptions) -> tuple[Recalled, ...]:
    """All facts of the types that are asked for, the newest first; with a topic, those about it."""
    narrowed = dict(wanted.filter) | {"types": list(asked.types)}
    if _has_words(asked.text):
        only = replace(wanted, limit=_MAX_RESULTS, facts=True, events=False, filter=narrowed)
        found = _ask(engine, asked.text, asked, replace(only, least_evidence=0.0))
        about = [each for each in found if each.lexical > 0 and each.fact is not None]
        return tuple(sorted(about, key=lambda each: -_recorded_ms(each)))
    facts = engine.list(narrowed, limit=_MAX_RESULTS)
    return tuple(_listed(fact) for fact in facts if _is_within(fact, wanted))


def _all(engine: MemoryEngine, wanted: RecallOptions) -> tuple[Recalled, ...]:
    """The facts of a period and then what was said in it, each the newest first."""
    found: list[Recalled] = []
    if wanted.facts:
        facts = engine.list(wanted.filter, limit=_MAX_RESULTS)
        found += [_listed(fact) for fact in facts if _is_within(fact, wanted)]
    if wanted.events:
        talk = engine.talk(
            since_ms=wanted.since_ms or 0,
            until_ms=_LAST_MS if wanted.until_ms is None else wanted.until_ms,
            session=wanted.session,
            with_private=bool(wanted.filter.get("with_private")),
            limit=wanted.limit,
        )
        found += [_said(event) for event in talk]
    return tuple(found[: wanted.limit])


def _is_within(fact: Fact, wanted: RecallOptions) -> bool:
    since = wanted.since_ms is None or fact.valid_from_ms >= wanted.since_ms
    return since and (wanted.until_ms is None or fact.valid_from_ms <= wanted.until_ms)


def _recorded_ms(found: Recalled) -> int:
    return found.fact.recorded_ms if found.fact is not None else 0


def _listed(fact: Fact) -> Recalled:
    return _certain(fact.id, fact=fact)


def _said(event: Event) -> Recalled:
    return _certain(event.id, event=event)


def _certain(id_: str, *, fact: Fact | None = None, event: Event | None = None) -> Recalled:
    return Recalled(
        id=id_,
        score=1.0,
        lexical=0.0,
        cosine=0.0,
        evidence=1.0,
        known=1.0,
        named=1.0,
        covered=1.0,
        signals={},
        fact=fact,
        event=event,
    )


def _narrowed(wanted: RecallOptions, asked: Asked) -> RecallOptions:
    since = wanted.since_ms if asked.since is None else max(_ms(asked.since), wanted.since_ms or 0)
    until = wanted.until_ms
    if asked.until is not None:
        # A stretch ends before its end.
        until = min(_ms(asked.until) - 1, until if until is not None else _ms(asked.until))
    return replace(wanted, since_ms=since, until_ms=until)


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _has_words(text: str) -> bool:
    return any(letter.isalnum() for letter in text)
