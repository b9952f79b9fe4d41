"""Summarises one session: by a model where one is configured, else in four sections by rules."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codecairn.core.types.memory import Event
from codecairn.errors import BudgetExhausted, ProviderDeclined
from codecairn.llm.chain import Chain, Unreadable
from codecairn.llm.provider import Reply
from codecairn.memory.extract import prompts, sections, watermark
from codecairn.memory.extract.event_window import windows
from codecairn.memory.extract.model_answer import Statement, objects_in
from codecairn.memory.extract.reports import WorkReport
from codecairn.memory.extract.sections import Sections
from codecairn.memory.extract.session_reader import CannotWrite, Reader
from codecairn.memory.extract.watermark import SUMMARISED

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

_MAX_EVENTS = 2000
_MAX_SOURCES = 30
_TYPE = "session-summary"


class Summariser:
    """Summarises sessions, and counts what it does in a report."""

    def __init__(
        self,
        memory: "Memory",
        chain: Chain | None,
        report: WorkReport,
        reader: Reader,
        *,
        max_chars: int,
    ) -> None:
        self._memory = memory
        self._chain = chain
        self._report = report
        self._reader = reader
        self._most_chars = max_chars

    def summarise(self, session: str, *, min_turns: int) -> str | None:
        """Summarise a session with at least so many new prompts; returns the summary's id, `None` if there is none.

        Raises:
            ProviderError: If no model could be reached.
            CannotWrite: If the memory can't be written.
            Removed: If something was forgotten or purged meanwhile.
        """
        stretch = watermark.unread(self._memory, session, SUMMARISED)
        if stretch.unfinished is not None:
            self._reader.carry_out(session, stretch.unfinished)
        if not stretch.events or turns_in(stretch.events) < min_turns:
            return None
        made, model = self._made(session, stretch.events)
        if made.is_empty:
            return None
        statement = Statement(
            text=made.text(),
            type=_TYPE,
            subject=subject_of(session),
            predicate="summary",
            confidence=0.8 if model else 0.6,
            sources=_sources(stretch.events),
        )
        receipt = watermark.write(
            self._memory,
            session,
            hook=SUMMARISED,
            begins=stretch.begins,
            last=stretch.events[-1],
            statements=[statement],
            model=model,
            removals=stretch.removals,
        )
        if receipt is None:
            raise CannotWrite
        kept = self._reader.carry_out(session, receipt)
        self._report.summaries += len(kept)
        return kept[0] if kept else None

    def _made(self, session: str, fresh: Sequence[Event]) -> tuple[Sections, str]:
        """A summary, and the model that made it; where models refuse or cost too much, rules make it."""
        if self._chain is not None:
            try:
                return self._by_model(self._chain, session, fresh)
            except ProviderDeclined:
                self._report.declined += 1
            except BudgetExhausted as err:
                self._report.obstacle = err.message
        newest_first = self._memory.events(session=session, limit=_MAX_EVENTS)
        return sections.of_events(newest_first[::-1]), ""

    def _by_model(self, chain: Chain, session: str, fresh: Sequence[Event]) -> tuple[Sections, str]:
        before = self._earlier(session)
        made, model = (
            Sections(title="", investigated=(), learned=(), completed=(), next_steps=()),
            "",
        )
        for piece in windows(fresh, max_chars=self._most_chars):
            if piece.text:
                prompt = prompts.summary(piece.text, before=before)
                made, model = chain.ask(prompt, purpose="summary", read=_read)
                before = made.text()
        return made, model

    def _earlier(self, session: str) -> str:
        subject = subject_of(session)
        found = self._memory.list(types=(_TYPE,), limit=200)
        return next((fact.text for fact in found if fact.subject == subject), "")


def subject_of(session: str) -> str:
    """What a session's summary is about; a newer one ends the older."""
    return f"session {session}".lower()


def turns_in(events: Sequence[Event]) -> int:
    """Prompts among events."""
    return sum(event.role == "user" and event.category != "session-meta" for event in events)


def _sources(events: Sequence[Event]) -> tuple[int, ...]:
    spoken = [event.seq for event in events if event.role in {"user", "assistant"}]
    return tuple((spoken or [event.seq for event in events])[-_MAX_SOURCES:])


def _read(reply: Reply) -> Sections:
    made = sections.of_answer(objects_in(reply.text, with_cut=True))
    if made is None:
        raise Unreadable("no summary in " + repr(reply.text[:80]))
    return made
