"""What of a fact may leave for a team, in which form, and how it comes in at the others."""

from codecairn.core.memory_engine import redacted
from codecairn.core.types.memory import ORIGINS, Fact
from codecairn.errors import UsageError
from codecairn.memory.export_formats import anonymised
from codecairn.memory.importing.records import ForeignFact
from codecairn.memory.repository_statements import TEAM
from codecairn.memory.team.record_file import Shared

NOT_SHARED = frozenset({"conversation", "file-activity", "session-summary", "active-context"})
"""Types that say what happened, not what holds."""


def require_shareable(fact: Fact) -> None:
    """Refuse what others must not see, or would not understand.

    Raises:
        UsageError: If it is private, the user's own, of one session or branch, no longer held, or no statement.
    """
    reasons = {
        "it is private": fact.is_private,
        f"it is {fact.state}": fact.state != "live",
        "it is yours, in all projects": fact.scope == "user",
        f"it holds in one {fact.scope} only": fact.scope in {"session", "branch"},
        f"a `{fact.type}` says what happened, not what holds": fact.type in NOT_SHARED,
        "it was said by outsiders": fact.origin == "external",
    }
    for reason, is_so in reasons.items():
        if is_so:
            hint = "say it again for the project with `codecairn memory add`, if all may know it"
            raise UsageError(f"`{fact.id}` can't be shared: {reason}", hint=hint)


def marks_of(fact: Fact) -> tuple[str, str]:
    """The ids that a fact may be shared under: the one it came in with, and the one it would get."""
    return fact.meta.get(TEAM, ""), record_of(fact).id


def record_of(fact: Fact) -> Shared:
    """The content of a fact for others."""
    return Shared(
        text=plain(fact.text),
        type=fact.type,
        subject=plain(fact.subject),
        predicate=plain(fact.predicate),
    )


def plain(text: str) -> str:
    """A text as it leaves: privacy once more, and without addresses and folders of a person."""
    return str(anonymised(redacted(text)[0]))


def foreign_fact(record: Shared) -> ForeignFact:
    """A shared statement as it is taken in: trusted as a file of the repository is at most, and less if its author trusted it less."""
    trusted = min(ORIGINS.index("repository"), _rank(record.origin))
    return ForeignFact(
        text=record.text,
        type=record.type,
        where="",
        title=record.title,
        tags=(TEAM, *record.tags),
        subject=record.subject,
        predicate=record.predicate,
        origin=ORIGINS[trusted],
        ts_ms=record.valid_from_ms or None,
        meta={TEAM: record.id},
    )


def _rank(origin: str) -> int:
    return ORIGINS.index(origin) if origin in ORIGINS else 0
