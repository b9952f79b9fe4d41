"""A fallback chain of models: the next one is called when one is unreachable, declines, or returns an unusable response."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from codecairn.clock import Clock, SystemClock
from codecairn.core.closeable import Closeable
from codecairn.errors import (
    CodecairnError,
    ProviderBroken,
    ProviderDeclined,
    ProviderError,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnauthorized,
    ProviderUnavailable,
)
from codecairn.llm.cost_log import Cost, CostBook
from codecairn.llm.model_table import ModelPace, Price
from codecairn.llm.provider import Model, Prompt, Reply
from codecairn.remote.batches import tokens_in
from codecairn.remote.budget import Budget
from codecairn.remote.rate_limit import Limiter, Stop

_LOG = logging.getLogger(__name__)
_Value = TypeVar("_Value")

MAX_WAIT_S = 30.0
"""Who wants to be left alone for longer than this is passed over until then."""

UNREADABLE_TRIES = 2
"""How often one model is asked when its answers can't be read."""

_NOTHING_LOST = (
    "nothing is lost: what could not be done is done by the next `codecairn memory work`"
)


class Unreadable(Exception):
    """An answer in which nothing of what was asked for can be found."""


@dataclass(slots=True, kw_only=True)
class Route:
    """One model that can be asked. `silent_until_s` is on the monotonic clock; `is_out` holds until the run ends."""

    model: Model
    price: Price | None
    limiter: Limiter
    silent_until_s: float = 0.0
    is_out: bool = False
    was_named: bool = field(default=False)


class Chain(Closeable):
    """Models in the order in which they are asked. For one thread; close it when done."""

    def __init__(
        self,
        routes: Sequence[Route],
        *,
        budget: Budget,
        book: CostBook,
        retries: int,
        notify: Callable[[str], None],
        stop: Stop | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._routes = routes
        self._budget = budget
        self._book = book
        self._retries = retries
        self._notify = notify
        self.has_answered = False
        """Whether any answer could be used yet."""
        self._stop = stop or Stop()
        self._clock = clock or SystemClock()

    @property
    def can_ask(self) -> bool:
        """Whether a model is left that may answer."""
        return any(self._is_open(route) for route in self._routes)

    def _is_open(self, route: Route) -> bool:
        return not route.is_out and self._clock.monotonic_s() >= route.silent_until_s

    @property
    def destinations(self) -> list[tuple[str, str]]:
        """Where texts may go, in order: (address, model)."""
        return [(route.model.destination, route.model.model) for route in self._routes]

    def close(self) -> None:
        """Let go of connections."""
        for route in self._routes:
            route.model.close()

    def ask(
        self, prompt: Prompt, *, purpose: str, read: Callable[[Reply], _Value]
    ) -> tuple[_Value, str]:
        """What `read` makes of the first usable answer, and the model that gave it.

        `read` raises `Unreadable` for an answer that is none.

        Raises:
            ProviderDeclined: If every model was reached, and none gave a usable answer: it is for the text.
            ProviderError: If some could not be reached; asking later may help.
            BudgetExhausted: If it may cost too much.
            Cancelled: If the run is stopped.
        """
        failures: list[ProviderError] = []
        for route in self._routes:
            if not self._is_open(route):
                continue
            try:
                return self._ask_one(route, prompt, purpose, read), route.model.model
            except ProviderError as err:
                _LOG.info("%s could not be used: %s", route.model.name, err.message)
                if not isinstance(err, ProviderDeclined):
                    route.is_out = (
                        True  # until the run ends: what failed after all retries fails again
                    )
                failures.append(err)
        raise self._outcome(failures)

    def _outcome(self, failures: list[ProviderError]) -> ProviderError:
        silent = [route for route in self._routes if route.silent_until_s]
        reached_all = len(failures) == len(self._routes)
        if failures and reached_all and all(isinstance(err, ProviderDeclined) for err in failures):
            said = "; ".join(err.message for err in failures)
            declined = ProviderDeclined(said, hint=_NOTHING_LOST, provider=failures[-1].provider)
            declined.is_unreadable = all(getattr(err, "is_unreadable", False) for err in failures)
            return declined
        passing = [err for err in failures if not isinstance(err, ProviderDeclined)]
        if passing:
            passing[-1].hint = _hint(passing[-1])
            return passing[-1]
        wait_s = min((route.silent_until_s for route in silent), default=0.0)
        wait_s = max(0.0, wait_s - self._clock.monotonic_s())
        names = ", ".join(route.model.name for route in self._routes)
        return ProviderUnavailable(
            f"no model can be asked now ({names})", hint=_NOTHING_LOST, retry_after_s=wait_s
        )

    def _ask_one(
        self, route: Route, prompt: Prompt, purpose: str, read: Callable[[Reply], _Value]
    ) -> _Value:
        unreadable = 0
        attempt = 0
        while True:
            try:
                return self._once(route, prompt, purpose, read)
            except Unreadable as err:
                unreadable += 1
                if unreadable >= UNREADABLE_TRIES:
                    text = f"{route.model.name} answered what can't be used: {err}"
                    declined = ProviderDeclined(text, provider=route.model.name)
                    declined.is_unreadable = True
                    raise declined from err
            except ProviderRefused as err:
                if err.is_too_long and not isinstance(err, ProviderDeclined):
                    raise ProviderDeclined(err.message, provider=err.provider) from err
                raise
            except (ProviderRateLimited, ProviderUnavailable, ProviderBroken) as err:
                self._wait_after(route, err, attempt)
                attempt += 1

    def _wait_after(self, route: Route, err: ProviderError, attempt: int) -> None:
        is_limit = isinstance(err, ProviderRateLimited)
        if isinstance(err, ProviderBroken) and not err.is_passing:
            raise err
        if err.retry_after_s is not None and err.retry_after_s > MAX_WAIT_S:
            route.silent_until_s = self._clock.monotonic_s() + err.retry_after_s
            raise err
        if attempt >= self._retries:
            raise err
        wait_s = route.limiter.refused(attempt, err.retry_after_s, is_limit=is_limit)
        _LOG.info("%s; trying again in %.1f s", err.message, wait_s)
        self._stop.wait(wait_s)

    def _once(
        self, route: Route, prompt: Prompt, purpose: str, read: Callable[[Reply], _Value]
    ) -> _Value:
        model = route.model
        if not route.was_named:
            route.was_named = True
            self._notify(
                f"text of this project's sessions and files goes to {model.destination} ({model.model})"
            )
        max_input_tokens = tokens_in(prompt.system) + tokens_in(prompt.text)
        max_output_tokens = prompt.max_tokens + model.thought_tokens
        price = route.price
        dearest = (
            0
            if price is None
            else price.micro_usd(fresh=max_input_tokens, cached=0, output=max_output_tokens)
        )
        reserved = max_input_tokens + max_output_tokens
        with route.limiter.turn(reserved):
            self._budget.reserve(reserved, cost=dearest)
            started_s = self._clock.monotonic_s()
            reply: Reply | None = None
            is_charged, is_ok = False, False
            try:
                document = model.send(prompt)
                is_charged = True
                reply = _understood(model, document)
                value = _read(model, reply, read)
                is_ok = True
            except ProviderError as err:
                is_charged = is_charged or err.may_be_charged
                raise
            finally:
                in_tokens = (
                    max_input_tokens
                    if reply is None or reply.input_tokens is None
                    else reply.input_tokens
                )
                out_tokens = _output_tokens(reply)
                if not is_charged:
                    self._budget.settle(reserved, 0, reserved_cost=dearest, cost=0)
                else:
                    cost = Cost(
                        ts_ms=self._clock.now_ns() // 1_000_000,
                        provider=model.name,
                        model=model.model,
                        purpose=purpose,
                        input_tokens=in_tokens,
                        cached_tokens=0 if reply is None else reply.cached_tokens,
                        output_tokens=out_tokens,
                        micro_usd=_micro_usd(price, reply, in_tokens, out_tokens),
                        duration_ms=int((self._clock.monotonic_s() - started_s) * 1000),
                        is_ok=is_ok,
                    )
                    self._budget.settle(
                        reserved, cost.tokens, reserved_cost=dearest, cost=cost.micro_usd
                    )
                    self._book.note(cost)
        route.limiter.answered()
        self.has_answered = True
        return value


def _read(model: Model, reply: Reply, read: Callable[[Reply], _Value]) -> _Value:
    if reply.refusal:
        text = f"{model.name} does not want to answer: {reply.refusal[:200]}"
        raise ProviderDeclined(text, provider=model.name)
    return read(reply)


def _understood(model: Model, document: Mapping[str, object]) -> Reply:
    try:
        return model.reply(document)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as err:
        raise ProviderBroken(
            f"{model.name} answered 200 with JSON of another form than documented: {err!r}",
            provider=model.name,
            status=200,
            may_be_charged=True,
        ) from err


def _output_tokens(reply: Reply | None) -> int:
    if reply is None:
        return 0
    return tokens_in(reply.text) if reply.output_tokens is None else reply.output_tokens


def _micro_usd(price: Price | None, reply: Reply | None, in_tokens: int, out_tokens: int) -> int:
    if price is None:
        return 0
    if reply is None:
        return price.micro_usd(fresh=in_tokens, cached=0, output=out_tokens)
    return price.of(reply, input_tokens=in_tokens, output_tokens=out_tokens)


def _hint(err: CodecairnError) -> str:
    """What to do, in words of extraction: the errors' own hints speak of embeddings."""
    if isinstance(err, ProviderUnauthorized):
        return err.hint if "set `" in err.hint else "check the key, and that it may use the model"
    if isinstance(err, ProviderRefused | ProviderBroken):
        return "check `extraction.providers`: the model's name, and the address if one is given"
    return _NOTHING_LOST


def limiter_for(stop: Stop, clock: Clock | None) -> Limiter:
    """A limiter for one model."""
    return Limiter(ModelPace(), stop=stop, clock=clock)
