"""What may be spent: a hard budget in tokens and dollars, kept over all that is under way at once."""

import threading

from codecairn.errors import BudgetExhausted
from codecairn.types import Spending


def micro_usd(tokens: int, usd_per_million: float | None) -> int:
    """The price of tokens in millionths of a dollar, rounded up; nothing where the price is not known."""
    return -int(-tokens * (usd_per_million or 0.0) // 1)


class Budget:
    """Grants tokens before they are asked for, so that the limits hold whatever answers say later.

    Zero stands for no limit. `spent` is what was paid before, in all.
    """

    def __init__(
        self,
        *,
        max_tokens: int,
        max_usd: float,
        usd_per_million: float | None,
        spent: Spending,
        usd_per_request: float = 0.0,
    ) -> None:
        self._max_tokens = max_tokens
        self._max_micro_usd = int(max_usd * 1_000_000)
        self._usd = usd_per_million
        self._micro_usd_per_request = round(usd_per_request * 1_000_000)
        self._tokens = spent.tokens
        self._micro_usd = spent.micro_usd
        self._lock = threading.Lock()

    def reserve(self, tokens: int) -> None:
        """Take tokens that a request may cost at most.

        Raises:
            BudgetExhausted: If they may not be spent any more.
        """
        cost = self._price(tokens)
        with self._lock:
            if self._max_tokens and self._tokens + tokens > self._max_tokens:
                raise BudgetExhausted(
                    f"the budget of {self._max_tokens:,} tokens is used up ({self._tokens:,} spent)",
                    hint="raise `embedding.max_tokens` to go on",
                )
            if self._max_micro_usd and self._micro_usd + cost > self._max_micro_usd:
                raise BudgetExhausted(
                    f"the budget of ${self._max_micro_usd / 1e6:g} is used up "
                    f"(${self._micro_usd / 1e6:.4f} spent)",
                    hint="raise `embedding.max_usd` to go on",
                )
            self._tokens += tokens
            self._micro_usd += cost

    def settle(self, reserved: int, used: int) -> int:
        """Replace what was reserved by what was used; returns the price in millionths of a dollar."""
        cost = self._price(used)
        with self._lock:
            self._tokens += used - reserved
            self._micro_usd += cost - self._price(reserved)
        return cost

    def take_note(self, spent: Spending) -> None:
        """What was spent in all by now, by other processes too; what is known to have been spent stays."""
        with self._lock:
            self._tokens = max(self._tokens, spent.tokens)
            self._micro_usd = max(self._micro_usd, spent.micro_usd)

    def _price(self, tokens: int) -> int:
        """Of one request with so many tokens; one without any costs nothing."""
        return micro_usd(tokens, self._usd) + (self._micro_usd_per_request if tokens else 0)
