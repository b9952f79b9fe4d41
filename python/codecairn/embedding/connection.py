"""A connection to a provider: its protocol, a key, a transport and a rate limit."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence

from codecairn.clock import Clock, SystemClock
from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.embedding import NOTHING_SPENT, Spending
from codecairn.embedding import copilot
from codecairn.embedding.base import Answer, Provider, Role
from codecairn.embedding.cohere import Cohere
from codecairn.embedding.copilot import Copilot
from codecairn.embedding.google import Google
from codecairn.embedding.jina import Jina
from codecairn.embedding.mistral import Mistral
from codecairn.embedding.ollama import Ollama
from codecairn.embedding.openai import OpenAi
from codecairn.embedding.plan import Plan
from codecairn.embedding.validation import checked
from codecairn.embedding.voyage import Voyage
from codecairn.errors import (
    ProviderBroken,
    ProviderError,
    ProviderRateLimited,
    ProviderUnauthorized,
    ProviderUnavailable,
)
from codecairn.remote.batches import tokens_in
from codecairn.remote.budget import Budget
from codecairn.remote.credentials import require_key
from codecairn.remote.rate_limit import Limiter, Stop
from codecairn.remote.request import HttpRequest, Secret
from codecairn.remote.transport import Transport

_LOG = logging.getLogger(__name__)

_SHAPES: Mapping[str, Callable[..., Provider]] = {
    "google": Google,
    "ollama": Ollama,
    "voyage": Voyage,
    "mistral": Mistral,
    "cohere": Cohere,
    "jina": Jina,
    "copilot": Copilot,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """Vectors (float32, little-endian) in the order of the texts, and what they cost."""

    vectors: list[bytes]
    spending: Spending


class Connection:
    """Asks one provider, within its limits. Thread-safe; close it when done."""

    def __init__(
        self,
        plan: Plan,
        transport: Transport,
        *,
        given_key: Secret | None = None,
        retries: int = 4,
        tokens_per_minute: int = 0,
        budget: Budget | None = None,
        stop: Stop | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.plan = plan
        self._transport = transport
        self._given_key = given_key
        self._retries = retries
        self._budget = budget
        self._stop = stop or Stop()
        self._clock = clock or SystemClock()
        self._limiter = Limiter(
            plan.limits, tokens_per_minute=tokens_per_minute, stop=self._stop, clock=clock
        )
        self._session: copilot.Session | None = None
        self._unclaimed = NOTHING_SPENT
        transport.prepare()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Let go of connections."""
        self._transport.close()

    def embed(
        self,
        texts: Sequence[str],
        *,
        role: Role,
        retries: int | None = None,
        timeout_s: float | None = None,
    ) -> Embedded:
        """The vectors of some texts, prompts included in them, by one request that is tried again where that helps.

        Raises:
            ProviderError: If there is no good answer; `is_general` tells that further requests would fail too.
            BudgetExhausted: If it may cost too much.
            Cancelled: If the run is stopped.
        """
        most = self._retries if retries is None else retries
        attempt, has_renewed = 0, False
        while True:
            try:
                return self._once(texts, role, timeout_s)
            except ProviderError as err:
                if not has_renewed and self._discard_session(err):
                    has_renewed = True  # at once, and in addition to the retries: the request itself was never looked at
                    continue
                if not self._may_try_again(err) or attempt == most:
                    raise
                is_limit = isinstance(err, ProviderRateLimited)
                wait_s = self._limiter.refused(attempt, err.retry_after_s, is_limit=is_limit)
                _LOG.info("%s; trying again in %.1f s", err.message, wait_s)
                self._stop.wait(wait_s)
                attempt += 1

    def _discard_session(self, err: ProviderError) -> bool:
        """Whether it was a short-lived token that was refused; the next attempt exchanges another."""
        with self._lock:
            refused, self._session = self._session, None
        if not isinstance(err, ProviderUnauthorized) or refused is None:
            return False
        copilot.SESSIONS.discard(refused)
        return True

    @staticmethod
    def _may_try_again(err: ProviderError) -> bool:
        if isinstance(err, ProviderBroken):
            return err.is_passing
        return isinstance(err, ProviderRateLimited | ProviderUnavailable)

    def take_note(self, spent: Spending) -> None:
        """What was spent in all by now, by other processes too, for the budget."""
        if self._budget is not None:
            self._budget.take_note(spent)

    def unclaimed(self) -> Spending:
        """What answers that could not be used have cost since this was last asked, so that it is put down too."""
        with self._lock:
            spending, self._unclaimed = self._unclaimed, NOTHING_SPENT
            return spending

    def _once(self, texts: Sequence[str], role: Role, timeout_s: float | None) -> Embedded:
        reserved = sum(map(tokens_in, texts))
        used = 0
        with self._limiter.turn(reserved):
            provider = self._provider(timeout_s)
            if self._budget is not None:
                self._budget.reserve(reserved)
            try:
                document = self._transport.send(
                    provider.request(texts, role=role), timeout_s=timeout_s
                )
                used = reserved
                answer = self._read(provider, document)
                used = reserved if answer.tokens is None else answer.tokens
                vectors = checked(answer, self.plan, count=len(texts))
            except ProviderError as err:
                self._put_down(reserved, reserved if err.may_be_charged else used)
                raise
            except BaseException:
                self._settle(reserved, used)
                raise
            cost = self._settle(reserved, used)
        self._limiter.answered()
        spending = Spending(requests=1, texts=len(texts), tokens=used, micro_usd=cost)
        return Embedded(vectors=vectors, spending=spending)

    def _settle(self, reserved: int, used: int) -> int:
        return 0 if self._budget is None else self._budget.settle(reserved, used)

    def _put_down(self, reserved: int, used: int) -> None:
        cost = self._settle(reserved, used)
        if used:
            with self._lock:
                self._unclaimed += Spending(requests=1, tokens=used, micro_usd=cost)

    def _read(self, provider: Provider, document: object) -> Answer:
        try:
            assert isinstance(document, dict)
            return provider.answer(document)
        except (KeyError, TypeError, ValueError, AttributeError) as err:
            raise ProviderBroken(
                f"{provider.name} answered 200 with JSON of another form than documented: {err!r}",
                provider=provider.name,
                status=200,
            ) from err

    def _provider(self, timeout_s: float | None) -> Provider:
        plan = self.plan
        if plan.provider == "copilot":
            return self._copilot(timeout_s)
        key = require_key(plan.provider, self._given_key)
        shape = _SHAPES.get(plan.provider)
        if shape is None:  # OpenAI, and other servers with its protocol
            return OpenAi(
                name=plan.provider,
                model=plan.model,
                base_url=plan.base_url,
                key=key,
                dimensions=plan.asked_dimensions,
            )
        return shape(
            model=plan.model, base_url=plan.base_url, key=key, dimensions=plan.asked_dimensions
        )

    def _copilot(self, timeout_s: float | None) -> Copilot:
        oauth = require_key("copilot", self._given_key)
        assert oauth is not None
        url = copilot.EXCHANGE_URL
        if self.plan.is_custom:
            url = f"{self.plan.base_url}/copilot_internal/v2/token"
        with self._lock:
            now_s = self._clock.now_ns() / 1e9
            session = copilot.SESSIONS.get(url, oauth, now_s=now_s)
            if session is None:
                session = self._exchanged(copilot.exchange(oauth, url=url), timeout_s)
                copilot.SESSIONS.put(url, oauth, session)
            self._session = session
        base_url = self.plan.base_url if self.plan.is_custom else session.base_url
        return Copilot(
            model=self.plan.model,
            base_url=base_url,
            key=session.token,
            dimensions=self.plan.asked_dimensions,
        )

    def _exchanged(self, request: HttpRequest, timeout_s: float | None) -> copilot.Session:
        document = self._transport.send(request, timeout_s=timeout_s)
        try:
            return copilot.session(document)
        except (KeyError, TypeError, ValueError) as err:
            raise ProviderBroken(
                "copilot answered with a token of another form than expected",
                provider="copilot",
                status=200,
            ) from err
