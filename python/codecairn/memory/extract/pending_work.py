"""Does the pending work of a memory in whichever process has time; no daemon is needed.

Pending work is derived from the log itself, so nothing has to be scheduled and nothing can be dropped: after a busy session, an
unreachable provider or a killed process the next run finds more to do.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

from codecairn.clock import Clock
from codecairn.config.settings import Settings
from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.embedding import EmbeddingEstimate
from codecairn.core.types.memory import Session
from codecairn.errors import BudgetExhausted, ProviderBroken, ProviderError
from codecairn.llm.choice import connect, named
from codecairn.llm.cost_log import CostBook
from codecairn.memory.embedder import EmbeddingCosts, is_named
from codecairn.memory.extract import prompts, watermark
from codecairn.memory.extract.event_window import windows
from codecairn.memory.extract.reports import Due, WorkPlan, WorkReport
from codecairn.memory.extract.session_reader import MIN_CHARS, CannotWrite, Reader
from codecairn.memory.extract.summary import Summariser
from codecairn.memory.extract.watermark import READ, SUMMARISED, Removed
from codecairn.paths.file_lock import lease
from codecairn.remote.batches import tokens_in

if TYPE_CHECKING:
    from codecairn.llm.chain import Chain
    from codecairn.memory.memory import Memory

IMPORTED = "import"
"""The hook of events that other tools recorded; models read them only if that is asked for."""

IDLE_MS = 3_600_000
"""A session without events for so long is over, whether its host reported an end or not."""

_MAX_SESSIONS = 10_000
_MAX_FAILED = 3
_TRIES = 3
"""How often a session is summarised again from which something is removed meanwhile."""

_REPLY_TOKENS = 800
"""Tokens of an answer, where costs are estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOptions:
    """What is to be done.

    Attributes:
        session: Only this session, even if it is active.
        limit: How many sessions at most.
        with_models: Whether models may be asked, if the settings name any.
        with_imported: Whether models also read what was imported from other tools.
        min_chars: What is shorter in a session that goes on is not read yet.
    """

    session: str | None = None
    limit: int = 20
    with_models: bool = True
    with_imported: bool = False
    min_chars: int = MIN_CHARS


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """Whether a session can be read now, and whether it is over."""

    session: Session
    is_over: bool
    is_quiet: bool


class Work:
    """Work on one memory."""

    def __init__(
        self,
        memory: "Memory",
        settings: Settings,
        *,
        clock: Clock,
        notify: Callable[[str], None],
    ) -> None:
        self._memory = memory
        self._settings = settings
        self._clock = clock
        self._notify = notify
        self.book = CostBook(memory.path.with_name(memory.path.name + ".costs.jsonl"))
        self.embedding_costs = EmbeddingCosts(memory.path, clock)

    def run(self, options: WorkOptions) -> WorkReport:
        """Do what is due. A provider that can't be reached, or a budget that is used up, ends the run with a note.

        Raises:
            ConfigError: If the settings of extraction do not fit.
            ProviderUnauthorized: If there is no key.
        """
        report = WorkReport()
        with self._lease() as is_ours:
            if not is_ours:
                report.is_busy = True
                return report
            self._memory.tidy()
            before = self.book.spent_in_detail()
            with self._connected(is_wanted=options.with_models) as chain:
                self._run(options, chain, report)
            after = self.book.spent_in_detail()
            report.input_tokens, report.output_tokens, report.micro_usd = (
                new - old for new, old in zip(after, before, strict=True)
            )
            if options.with_models and options.session is None:
                self._embed(report)
        return report

    def _embed(self, report: WorkReport) -> None:
        """Embed the texts that are pending at the memory's provider, independently of language models."""
        if not is_named(self._settings):
            return
        from codecairn.memory.embedding_work import embed_waiting

        done = embed_waiting(
            self._memory.engine(), self._settings, self.embedding_costs, notify=self._notify
        )
        if done is not None:
            report.embedded, report.to_embed = done.embedded, done.pending
            report.embedding_tokens = done.spending.tokens
            report.embedding_micro_usd = done.spending.micro_usd
            report.embedding_obstacle = done.detail

    def summarise(self, session: str, *, with_models: bool) -> str | None:
        """Summarise one session; returns the summary's id, `None` if there is nothing new."""
        report = WorkReport()
        with self.models(is_wanted=with_models) as chain:
            reader = Reader(self._memory, chain, report, max_chars=self._most_chars)
            summariser = Summariser(self._memory, chain, report, reader, max_chars=self._most_chars)
            for _ in range(_TRIES):
                with suppress(Removed):
                    return summariser.summarise(session, min_turns=0)
        return None

    def plan(self, options: WorkOptions) -> WorkPlan:
        """What `run` would do; nothing is sent, and no key is needed."""
        chosen = named(self._settings) if options.with_models else ()
        due: list[Due] = []
        for state in self._states(options):
            stretch = watermark.unread(
                self._memory, state.session.id, READ if chosen else SUMMARISED
            )
            pieces = [
                each for each in windows(stretch.events, max_chars=self._most_chars) if each.text
            ]
            if pieces:
                asked = sum(tokens_in(each.text) + tokens_in(prompts.NORMAL) for each in pieces)
                due.append(
                    Due(
                        session=state.session.id,
                        title=state.session.title,
                        events=len(stretch.events),
                        windows=len(pieces),
                        tokens=asked if chosen else 0,
                        is_quiet=state.is_quiet,
                    )
                )
        due = due[: options.limit]
        tokens = sum(each.tokens for each in due)
        price = chosen[0].price if chosen else None
        cost = None
        if price is not None:
            answers = _REPLY_TOKENS * sum(each.windows for each in due)
            cost = price.micro_usd(fresh=tokens, cached=0, output=answers)
        return WorkPlan(
            destinations=tuple((each.address, each.model) for each in chosen),
            due=tuple(due),
            tokens=tokens,
            micro_usd=cost if chosen else 0,
            embedding=self._embedding_estimate(options),
        )

    def _embedding_estimate(self, options: WorkOptions) -> EmbeddingEstimate | None:
        if not options.with_models or options.session is not None or not is_named(self._settings):
            return None
        from codecairn.memory.embedding_work import estimate

        return estimate(self._memory.engine(), self._settings, self.embedding_costs)

    @contextmanager
    def models(self, *, is_wanted: bool = True) -> "Iterator[Chain | None]":
        """The models that the settings name; `None` if they name none, or another process asks them now.

        Raises:
            ConfigError: If the settings of extraction do not fit.
            ProviderUnauthorized: If there is no key.
        """
        if not is_wanted or not named(self._settings):
            yield None
            return
        with self._lease() as is_ours, self._connected(is_wanted=is_ours) as chain:
            if not is_ours:
                self._notify("another process asks models for this memory; they are not asked now")
            yield chain

    def _lease(self) -> AbstractContextManager[bool]:
        """One process at a time asks models, or else budgets would not hold."""
        return lease(self._memory.path.with_name(self._memory.path.name + ".work.lock"))

    def _connected(self, *, is_wanted: bool) -> "AbstractContextManager[Chain | None]":
        chain = (
            connect(self._settings, book=self.book, notify=self._notify, clock=self._clock)
            if is_wanted
            else None
        )
        return nullcontext() if chain is None else chain

    @property
    def _most_chars(self) -> int:
        return self._settings.extraction_window_chars

    def _run(self, options: WorkOptions, chain: "Chain | None", report: WorkReport) -> None:
        is_stopped, failed = False, 0
        for state in self._states(options):
            if is_stopped or report.sessions >= options.limit or not state.is_quiet:
                report.waiting += 1
                continue
            before = (report.windows, report.facts, report.summaries, report.declined)
            try:
                self._work_on(state, chain, report, min_chars=options.min_chars)
            except BudgetExhausted as err:
                # What costs nothing is still done, here and in the sessions that follow.
                report.obstacle, chain = err.message, None
                report.waiting += 1
                self._work_on(state, chain, report, min_chars=options.min_chars)
            except ProviderError as err:
                report.obstacle = err.message
                failed += 1
                is_stopped = _is_hopeless(chain, err, failed)
                report.waiting += 1
            except CannotWrite:
                report.obstacle = "the memory can't be written now; what was made waits beside it"
                is_stopped = True
                report.waiting += 1
            except Removed:
                # The next run reads what is left.
                report.waiting += 1
            after = (report.windows, report.facts, report.summaries, report.declined)
            report.sessions += before != after

    def _work_on(
        self, state: _State, chain: "Chain | None", report: WorkReport, *, min_chars: int
    ) -> None:
        """Read and summarise one session."""
        reader = Reader(self._memory, chain, report, max_chars=self._most_chars)
        summariser = Summariser(self._memory, chain, report, reader, max_chars=self._most_chars)
        reader.read(state.session.id, min_chars=1 if state.is_over else min_chars)
        if state.session.parent is None:
            least = 1 if state.is_over else self._settings.extraction_summary_turns
            summariser.summarise(state.session.id, min_turns=least)

    def _states(self, options: WorkOptions) -> Iterator[_State]:
        """Sessions that may have something new, the newest first."""
        if options.session is not None:
            sessions = self._memory.session(options.session)
        else:
            sessions = self._memory.sessions(limit=_MAX_SESSIONS)
        now_ms = self._clock.now_ns() // 1_000_000
        for session in sessions:
            newest = self._memory.events(session=session.id, limit=1)
            if not newest or (newest[0].hook == IMPORTED and not options.with_imported):
                continue
            age_ms = now_ms - newest[0].ts_ms
            is_over = session.status == "ended" or age_ms > IDLE_MS or options.session is not None
            is_quiet = is_over or age_ms >= self._settings.extraction_cooldown_s * 1000
            yield _State(session=session, is_over=is_over, is_quiet=is_quiet)


def _is_hopeless(chain: "Chain | None", err: ProviderError, failed: int) -> bool:
    """Whether further sessions would fail too: one that waits must not hold up the others."""
    if chain is None or not chain.can_ask or isinstance(err, ProviderBroken):
        return True
    return failed >= _MAX_FAILED and not chain.has_answered
