"""A hard budget of tokens and dollars over all concurrent requests."""

import threading

from codecairn.core.types.embedding import Spending
from codecairn.errors import BudgetExhausted


def micro_usd(tokens: int, usd_per_million: float | None) -> int:
    """The price of tokens in millionths of a dollar, rounded up; nothing where the price is not known."""
    return -int(-tokens * (usd_per_million or 0.0) // 1)


class Budget:
    """Grants tokens before they are asked for, so that the limits hold whatever answers say later.

    Zero stands for no limit. `spent` is what was paid before, in all. `usd_per_million` and `usd_per_request` are the price
    where a request does not come with its own. Errors name the settings of `section`.
    """

    def __init__(
        self,
        *,
        max_tokens: int,
        max_usd: float,
        usd_per_million: float | None,
        spent: Spending,
        usd_per_request: float = 0.0,
        section: str = "embedding",
    ) -> None:
        self._section = section
        self._max_tokens = max_tokens
        # A limit of less than a millionth is a limit, too.
        self._max_micro_usd = max(round(max_usd * 1_000_000), 1) if max_usd else 0
        self._usd = usd_per_million
        self._micro_usd_per_request = round(usd_per_request * 1_000_000)
        self._tokens = spent.tokens
        self._micro_usd = spent.micro_usd
        self._lock = threading.Lock()

    def reserve(self, tokens: int, *, cost: int | None = None) -> int:
        """Take tokens that a request may cost at most; returns their price in millionths of a dollar.

        `cost` is that price, where it is not the usual one.

        Raises:
            BudgetExhausted: If they may not be spent any more.
        """
        cost = self._price(tokens) if cost is None else cost
        with self._lock:
            if self._max_tokens and self._tokens + tokens > self._max_tokens:
                raise BudgetExhausted(
                    f"the budget of {self._max_tokens:,} tokens is used up ({self._tokens:,} spent)",
                    hint=f"raise `{self._section}.max_tokens` to go on",
                )
            if self._max_micro_usd and self._micro_usd + cost > self._max_micro_usd:
                raise BudgetExhausted(
                    f"the budget of ${self._max_micro_usd / 1e6:g} is used up "
                    f"(${self._micro_usd / 1e6:.4f} spent)",
                    hint=f"raise `{self._section}.max_usd` to go on",
                )
            self._tokens += tokens
            self._micro_usd += cost
        return cost

    def settle(
        self, reserved: int, used: int, *, reserved_cost: int | None = None, cost: int | None = None
    ) -> int:
        """Replace what was reserved by what was used; returns the price in millionths of a dollar."""
        cost = self._price(used) if cost is None else cost
        before = self._price(reserved) if reserved_cost is None else reserved_cost
        with self._lock:
            self._tokens += used - reserved
            self._micro_usd += cost - before
        return cost

    def take_note(self, spent: Spending) -> None:
        """What was spent in all by now, by other processes too; what is known to have been spent stays."""
        with self._lock:
            self._tokens = max(self._tokens, spent.tokens)
            self._micro_usd = max(self._micro_usd, spent.micro_usd)

    def _price(self, tokens: int) -> int:
        """Of one request with so many tokens; one without any costs nothing."""
        return micro_usd(tokens, self._usd) + (self._micro_usd_per_request if tokens else 0)
