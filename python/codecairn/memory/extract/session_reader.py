"""Reads the new events of one session: a model extracts statements window by window, and they are stored as facts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from codecairn.errors import BudgetExhausted, ProviderBroken, ProviderDeclined, ProviderError
from codecairn.llm.chain import Chain
from codecairn.llm.provider import Reply
from codecairn.memory.extract import contradiction, fact_writer, prompts, watermark
from codecairn.memory.extract.event_window import Window, halves, windows
from codecairn.memory.extract.model_answer import Answer, Statement, statements_in
from codecairn.memory.extract.reports import WorkReport
from codecairn.memory.extract.watermark import READ, Receipt

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

MIN_CHARS = 100
"""What is shorter waits for more, unless the session is over."""

_MAX_SOURCES = 30


class CannotWrite(Exception):
    """The memory can't be written now; what was made waits, and nothing more may be asked for."""


class Reader:
    """Reads sessions with one chain of models, and counts what it does in a report."""

    def __init__(
        self, memory: "Memory", chain: Chain | None, report: WorkReport, *, max_chars: int
    ) -> None:
        self._memory = memory
        self._chain = chain
        self._report = report
        self._most_chars = max_chars
        self._removals = 0

    def read(self, session: str, *, min_chars: int) -> None:
        """Read what is new in a session, if there are so many characters of it.

        Raises:
            ProviderError: If no model could be reached, or none gives answers that can be used; the session is read from
            the same place next time.
            BudgetExhausted: If it may cost too much.
            CannotWrite: If the memory can't be written.
            Removed: If something was forgotten or purged meanwhile.
        """
        stretch = watermark.unread(self._memory, session, READ)
        if stretch.unfinished is not None:
            self.carry_out(session, stretch.unfinished)
        if self._chain is None:
            return
        pieces = list(windows(stretch.events, max_chars=self._most_chars))
        if sum(len(piece.text) for piece in pieces) < min_chars:
            return
        begins, self._removals = stretch.begins, stretch.removals
        for piece in pieces:
            begins = self._read_piece(self._chain, session, piece, begins)

    def carry_out(self, session: str, receipt: Receipt) -> list[str]:
        """Keep what a receipt holds, once; returns the facts' ids."""
        kept = fact_writer.keep(self._memory, session, receipt)
        if receipt.hook == READ:
            self._report.facts += sum(added.is_new for added in kept)
        found = [added.id for added in kept]
        if receipt.hook == READ and receipt.model and found:
            # An empty answer ends nothing: a stranger's text in the session may have asked for it.
            read = watermark.events_of(self._memory, receipt, session)
            self._memory.engine().replace_provisional(read, by=found)
        if self._chain is not None and receipt.hook == READ and receipt.model:
            self._contradict(self._chain, found)
        watermark.carried_out(self._memory, session, receipt)
        return found

    def _contradict(self, chain: Chain, ids: Sequence[str]) -> None:
        """Without an answer older facts go on holding: the new ones are kept all the same."""
        try:
            self._report.superseded += len(contradiction.resolve(self._memory, chain, ids))
        except ProviderDeclined:
            self._report.declined += 1
        except (ProviderError, BudgetExhausted) as err:
            self._report.obstacle = self._report.obstacle or err.message

    def _read_piece(self, chain: Chain, session: str, piece: Window, begins: str) -> str:
        """Read one piece, or its halves; returns where the next one begins."""
        if not piece.shown:
            return begins
        try:
            (answer, is_cut), model = chain.ask(
                prompts.normal(piece.text),
                purpose="normal",
                read=lambda reply: _read(reply, piece),
            )
        except ProviderDeclined as err:
            if err.is_unreadable and not chain.has_answered:
                # Not this text but the model seems to be at fault: nothing may be put down as read for that.
                raise ProviderBroken(err.message, provider=err.provider) from err
            if len(piece.shown) == 1:
                self._report.declined += 1
                return self._note(session, piece, begins, (), "", err.message)
            return self._read_halves(chain, session, piece, begins)
        if is_cut and len(piece.shown) > 1:
            return self._read_halves(chain, session, piece, begins)
        self._report.windows += 1
        self._report.dropped += answer.dropped
        rested = [_rested(statement, piece) for statement in answer.statements]
        return self._note(session, piece, begins, rested, model, "")

    def _read_halves(self, chain: Chain, session: str, piece: Window, begins: str) -> str:
        for half in halves(piece, max_chars=self._most_chars):
            begins = self._read_piece(chain, session, half, begins)
        return begins

    def _note(
        self,
        session: str,
        piece: Window,
        begins: str,
        statements: Sequence[Statement],
        model: str,
        note: str,
    ) -> str:
        receipt = watermark.write(
            self._memory,
            session,
            hook=READ,
            begins=begins,
            last=piece.last,
            statements=statements,
            model=model,
            note=note,
            removals=self._removals,
        )
        if receipt is None:
            raise CannotWrite
        self.carry_out(session, receipt)
        return receipt.upto


def _read(reply: Reply, piece: Window) -> tuple[Answer, bool]:
    return statements_in(reply.text, shown=piece.text, events=piece.shown), reply.is_cut


def _rested(statement: Statement, piece: Window) -> Statement:
    """A statement that names no source rests on all that was shown."""
    if statement.sources:
        return statement
    return replace(statement, sources=piece.shown[-_MAX_SOURCES:])
