"""Embeds the texts of a queue remotely: batches, failures, costs, and the end of a run.

Each response is committed at once with its cost, so no text is paid for twice, whatever happens afterwards. The queue's write
lock is held for that commit only.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Protocol

from codecairn.config.settings import Settings
from codecairn.core.types.embedding import (
    NOTHING_SPENT,
    Delivery,
    EmbeddingReport,
    Spending,
    total_of,
)
from codecairn.embedding.connection import Embedded
from codecairn.embedding.factory import Embedder, connect
from codecairn.embedding.plan import Plan
from codecairn.embedding.validation import pooled
from codecairn.errors import (
    BudgetExhausted,
    Cancelled,
    CodecairnError,
    ProviderBroken,
    ProviderError,
    ProviderRefused,
    ProviderUnavailable,
)
from codecairn.remote.batches import Item, Part, batches_of, parts_of
from codecairn.remote.rate_limit import Stop

_TEXTS_READ = 8192
"""Texts read from the queue at a time."""

_BYTES_PER_TOKEN = 4
"""What a token is taken for where costs are estimated."""

_LAST_SECONDS = 2.0
"""After Ctrl-C, for answers that are being taken in."""

_MIN_PART_TOKENS = 64
_MAX_STRIKES = 5
"""Failed texts in a row, with nothing embedded in between, after which the provider is taken to be down."""


class TextQueue(Protocol):
    """Texts that wait for a vector, by hash; the store of an index, or a memory."""

    def waiting_hashes(self) -> list[bytes]:
        """The hashes of the texts that wait, in the order in which they are embedded."""
        ...

    def waiting_texts(self, hashes: Sequence[bytes]) -> list[tuple[bytes, str]]:
        """What these texts say; those that wait no longer are left out."""
        ...

    def deliver(self, delivery: Delivery) -> object:
        """Store vectors, failures and costs in one transaction, however long another process writes meanwhile."""
        ...

    def spending(self) -> Sequence[tuple[str, Spending]]:
        """What was paid so far, by vector space."""
        ...


def drain(
    queue: TextQueue,
    plan: Plan,
    settings: Settings,
    *,
    notify: Callable[[str], None] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> EmbeddingReport:
    """Embed all texts that wait. One process at a time may do so: it is the caller's part to see to that.

    Failures of the provider do not raise: the report has them. What was embedded before stays.

    Raises:
        Cancelled: If Ctrl-C or the like stopped it.
    """
    return _Drain(queue, plan, settings, progress).run(notify)


def waiting_tokens(queue: TextQueue, hashes: Sequence[bytes]) -> int:
    """The tokens of texts that wait for a vector, estimated at four bytes each."""
    tokens = 0
    for first in range(0, len(hashes), _TEXTS_READ):
        texts = queue.waiting_texts(hashes[first : first + _TEXTS_READ])
        tokens += sum(len(text.encode()) // _BYTES_PER_TOKEN + 1 for _, text in texts)
    return tokens


class _Drain:
    """One run."""

    def __init__(
        self,
        queue: TextQueue,
        plan: Plan,
        settings: Settings,
        progress: Callable[[str, int, int], None] | None,
    ) -> None:
        self._queue = queue
        self._plan = plan
        self._settings = settings
        self._progress = progress
        self._working = 0
        self._all_ended = threading.Event()
        self._stop = Stop()
        self._lock = threading.Lock()
        self._batches: Iterator[list[Item]] = iter(())
        self._done = 0
        self._embedded = 0
        self._failed = 0
        self._strikes = 0
        self._spending = NOTHING_SPENT
        self._failure: CodecairnError | None = None
        self._crash: BaseException | None = None

    def run(self, notify: Callable[[str], None] | None) -> EmbeddingReport:
        plan = self._plan
        hashes = self._queue.waiting_hashes()
        if hashes:
            if notify is not None:
                notify(self._announcement(hashes))
            self._embed_all(hashes)
        failure = self._failure
        return EmbeddingReport(
            space=plan.space,
            destination=plan.destination,
            embedded=self._embedded,
            failed=self._failed,
            pending=len(hashes) - self._embedded,
            spending=self._spending,
            stopped="" if failure is None else _why(failure),
            detail="" if failure is None else f"{failure.message}; {failure.hint}".rstrip("; "),
        )

    def _announcement(self, hashes: Sequence[bytes]) -> str:
        """The destination of texts and their cost, reported before the first request."""
        plan = self._plan
        tokens = waiting_tokens(self._queue, hashes)
        usd = plan.facts.usd
        price = f", about ${tokens * usd / 1e6:.4f}" if usd else ""
        texts = "1 text" if len(hashes) == 1 else f"{len(hashes):,} texts"
        return (
            f"embedding {texts} (about {tokens:,} tokens{price}) with {plan.model} of {plan.provider}, "
            f"at {plan.destination}"
        )

    def _embed_all(self, hashes: Sequence[bytes]) -> None:
        try:
            embedder = connect(
                self._plan,
                self._settings,
                spent=total_of(self._queue.spending()),
                stop=self._stop,
            )
        except CodecairnError as err:
            self._failure = err
            return
        limits = self._plan.limits
        self._batches = batches_of(
            self._items(hashes), max_texts=limits.batch_texts, max_tokens=limits.batch_tokens
        )
        total = len(hashes)
        threads = [
            threading.Thread(target=self._work, args=(embedder,), daemon=True)
            for _ in range(limits.concurrency)
        ]
        self._working = len(threads)
        try:
            for thread in threads:
                thread.start()
            # Not `Thread.join`: interrupted once, it takes the thread for ended.
            while not self._all_ended.wait(0.1):
                self._tell(total)
            self._tell(total)
        except BaseException:
            # Requests under way are given up, what has been answered is taken in.
            self._stop.set()
            self._all_ended.wait(_LAST_SECONDS)
            raise
        finally:
            embedder.close()
        if self._crash is not None:
            raise self._crash

    def _items(self, hashes: Sequence[bytes]) -> Iterator[Item]:
        facts = self._plan.facts
        rest = iter(hashes)
        while some := list(islice(rest, _TEXTS_READ)):
            for key, text in self._queue.waiting_texts(some):
                parts = parts_of(text, max_tokens=facts.text_tokens, prompt=facts.prompts.document)
                yield Item(key=key, parts=parts)

    def _work(self, embedder: Embedder) -> None:
        try:
            while not self._stop.is_set:
                with self._lock:
                    batch = next(self._batches, None)
                if batch is None:
                    return
                self._take(embedder, batch)
        except Cancelled:
            return
        except CodecairnError as err:
            self._end(err)
        except BaseException as err:  # noqa: BLE001 - the thread's caller raises it
            self._crash = err
            self._stop.set()
        finally:
            with self._lock:
                self._working -= 1
                if not self._working:
                    self._all_ended.set()

    def _take(self, embedder: Embedder, batch: list[Item]) -> None:
        """Have a batch embedded; one that fails is halved until the text at fault is found."""
        try:
            embedded = self._embed(embedder, [part for item in batch for part in item.parts])
        except (ProviderRefused, ProviderBroken, ProviderUnavailable) as err:
            if (
                err.is_general
                or err.is_passing
                or (isinstance(err, ProviderUnavailable) and not err.status)
            ):
                raise
            if len(batch) > 1:
                half = len(batch) // 2
                self._take(embedder, batch[:half])
                self._take(embedder, batch[half:])
                return
            self._take_one(embedder, batch[0], err)
            return
        self._keep(batch, embedded)

    def _embed(self, embedder: Embedder, parts: Sequence[Part]) -> Embedded:
        """The vectors of parts, by as many requests as the limits ask for: more than one for a very long text only."""
        limits = self._plan.limits
        vectors: list[bytes] = []
        spending = NOTHING_SPENT
        items = [Item(key=b"", parts=[part]) for part in parts]
        try:
            for group in batches_of(
                items, max_texts=limits.batch_texts, max_tokens=limits.batch_tokens
            ):
                texts = [part.text for item in group for part in item.parts]
                embedded = embedder.embed(texts, role="document")
                vectors += embedded.vectors
                spending += embedded.spending
        except CodecairnError:
            self._put_down(spending + embedder.unclaimed())
            raise
        return Embedded(vectors=vectors, spending=spending + embedder.unclaimed())

    def _put_down(self, spending: Spending) -> None:
        """Costs of answers that brought nothing are costs all the same."""
        if spending != NOTHING_SPENT:
            self._deliver(Delivery(spending=spending))
            with self._lock:
                self._spending += spending

    def _take_one(self, embedder: Embedder, item: Item, err: ProviderError) -> None:
        """A text that fails by itself: in smaller parts if it may be too long, else put down as failed."""
        longest = max(len(part.text) for part in item.parts) // 3
        if err.is_too_long and longest > _MIN_PART_TOKENS:
            text = "".join(part.text for part in item.parts)
            smaller = parts_of(text, max_tokens=max(_MIN_PART_TOKENS, longest // 2))
            self._take(embedder, [Item(key=item.key, parts=smaller)])
            return
        self._deliver(Delivery(failures=[(item.key, err.message)], spending=NOTHING_SPENT))
        with self._lock:
            self._failed += 1
            self._done += 1
            self._strikes += 1
            is_down = self._strikes >= _MAX_STRIKES
        if is_down:
            raise err

    def _keep(self, batch: list[Item], embedded: Embedded) -> None:
        vectors = iter(embedded.vectors)
        rows = [
            (
                item.key,
                pooled(
                    list(islice(vectors, len(item.parts))), [part.weight for part in item.parts]
                ),
            )
            for item in batch
        ]
        self._deliver(Delivery(vectors=rows, spending=embedded.spending))
        with self._lock:
            self._embedded += len(batch)
            self._done += len(batch)
            self._strikes = 0
            self._spending += embedded.spending

    def _deliver(self, delivery: Delivery) -> None:
        """Store what came, even when the run ends meanwhile."""
        self._queue.deliver(delivery)

    def _end(self, err: CodecairnError) -> None:
        with self._lock:
            self._failure = self._failure or err
        self._stop.set()

    def _tell(self, total: int) -> None:
        if self._progress is not None:
            self._progress("embedding", self._done, total)


def _why(failure: CodecairnError) -> str:
    if isinstance(failure, BudgetExhausted):
        return "budget"
    return "provider" if isinstance(failure, ProviderError) else "settings"
