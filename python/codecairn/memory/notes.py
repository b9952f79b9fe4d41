"""Notes by key: one text a key, replaced in place, with older versions kept as for every fact."""

from codecairn.core.types.memory import Fact
from codecairn.errors import UsageError
from codecairn.memory.memory import Memory

SUBJECT = "note"
"""What the facts that hold notes are about; the key is what they say of it."""

_MAX_NOTES = 5_000


def read_notes(memory: Memory, key: str = "") -> tuple[Fact, ...]:
    """The note under a key, or all of them, the newest first."""
    name = _name(key)
    facts = memory.list(types=("note",), limit=_MAX_NOTES)
    return tuple(
        fact for fact in facts if fact.subject == SUBJECT and (not name or fact.predicate == name)
    )


def write_note(memory: Memory, key: str, text: str, *, origin: str = "user") -> Fact:
    """Store a text under a key, in place of the previous one.

    Raises:
        UsageError: If there is no key or nothing to keep, or a less trusted origin changes a person's note.
    """
    if not _name(key):
        raise UsageError("a note needs a key", hint="a word or a path to find it by")
    found = read_notes(memory, key)
    if found:
        return memory.engine().update(found[0].id, {"text": text, "origin": origin})
    made = _added(memory, key, text, origin)
    if made.predicate != _name(key):  # the same words under another key are one fact to the memory
        made = _added(memory, key, f"{key.strip()}: {text}", origin)
    return made


def delete_note(memory: Memory, key: str) -> Fact:
    """Hide the note under a key.

    Raises:
        UsageError: If there is none.
    """
    found = read_notes(memory, key) if _name(key) else ()
    if not found:
        raise UsageError(f"there is no note under `{key}`", hint="`memory notes` lists them")
    return memory.withdraw(found[0].id, reason="deleted by its key")


def _added(memory: Memory, key: str, text: str, origin: str) -> Fact:
    added = memory.add(
        text, type="note", title=key.strip(), subject=SUBJECT, predicate=_name(key), origin=origin
    )
    (fact,) = memory.get(added.id)
    assert isinstance(fact, Fact)
    return fact


def _name(key: str) -> str:
    return " ".join(key.lower().split())
