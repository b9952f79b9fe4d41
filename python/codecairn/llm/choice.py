"""Connects to the models of the settings; none unless the user's own settings name one."""

import os
import re
from collections.abc import Callable

from codecairn.clock import Clock
from codecairn.config.settings import SETTINGS, Settings
from codecairn.config.validation import nearest, resolved
from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.embedding import Spending
from codecairn.errors import ConfigError
from codecairn.llm.agent_program import PROGRAMS, AgentProgram
from codecairn.llm.chain import Chain, Route, limiter_for
from codecairn.llm.cost_log import CostBook
from codecairn.llm.http_model import HttpModel
from codecairn.llm.model_table import (
    BASE_URLS,
    DEFAULT_MODELS,
    PRICES,
    PROVIDERS,
    SHAPES,
    Price,
)
from codecairn.llm.provider import Model
from codecairn.remote.budget import Budget
from codecairn.remote.credentials import require_key
from codecairn.remote.rate_limit import Stop
from codecairn.remote.request import Secret
from codecairn.remote.transport import Policy, Transport

_ENTRY = re.compile(r"(?P<provider>[^:@]+)(?::(?P<model>.+?))?(?:@(?P<address>https?://.+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One entry of `extraction.providers`, completed."""

    provider: str
    model: str
    address: str
    is_custom: bool

    @property
    def price(self) -> Price | None:
        """What it costs, if that is known: a server of one's own has its own price, a subscription is paid for."""
        if self.provider in PROGRAMS:
            return Price(fresh=0, cached=0, output=0)
        return PRICES.get(self.model) if self.provider != "compatible" else None


def named(settings: Settings) -> tuple[Named, ...]:
    """The configured models in order; empty without any.

    Raises:
        ConfigError: If an entry is not understood, or something is missing in it.
    """
    return tuple(_named(entry) for entry in settings.extraction_providers)


def _named(entry: str) -> Named:
    match = _ENTRY.fullmatch(entry.strip())
    provider = match["provider"] if match else ""
    if match is None or provider not in PROVIDERS:
        raise ConfigError(
            f"`extraction.providers` holds `{entry}`, which names no provider",
            hint=f"{nearest(provider or entry, PROVIDERS)} "
            "(write `provider`, `provider:model` or `provider:model@https://address`)",
        )
    if provider in PROGRAMS:
        return _program(entry, provider, match)
    model = match["model"] or DEFAULT_MODELS.get(provider, "")
    address = match["address"] or BASE_URLS.get(provider, "")
    if not model or not address:
        missing = "a model" if not model else "an address"
        raise ConfigError(
            f"`extraction.providers` holds `{entry}`, which needs {missing}",
            hint=f"write `{provider}:model@http://localhost:1234/v1`",
        )
    _require_plain(provider, address)
    return Named(
        provider=provider, model=model, address=address, is_custom=match["address"] is not None
    )


def _program(entry: str, provider: str, match: re.Match[str]) -> Named:
    if match["address"]:
        raise ConfigError(
            f"`extraction.providers` holds `{entry}`, but {provider} is a program and has no address",
            hint=f"write `{provider}`, or `{provider}:model`",
        )
    program = AgentProgram(name=provider, wanted=match["model"] or "")
    return Named(
        provider=provider, model=program.wanted, address=program.destination, is_custom=False
    )


def _require_plain(provider: str, address: str) -> None:
    """An address is shown to people, so it may hold nothing secret."""
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    if not parts.hostname or parts.username or parts.password or parts.query:
        raise ConfigError(
            f"`extraction.providers` gives {provider} an address that can't be used",
            hint="give a host and no name, password or query; keys go into `extraction.keys`",
        )


def connect(
    settings: Settings,
    *,
    book: CostBook,
    notify: Callable[[str], None],
    stop: Stop | None = None,
    clock: Clock | None = None,
) -> Chain | None:
    """The models that the settings name, ready to be asked; `None` if they name none.

    Raises:
        ConfigError: If something is missing or does not fit.
        ProviderUnauthorized: If there is no key for one of them.
    """
    chosen = named(settings)
    if not chosen:
        return None
    stop = stop or Stop()
    keys = _keys(settings)
    for each in chosen:
        if settings.extraction_max_usd and each.price is None:
            raise ConfigError(
                f"`extraction.max_usd` is set, but the price of `{each.model}` is not known",
                hint="set `extraction.max_tokens` instead",
            )
    routes = [_route(each, settings, keys, stop, clock) for each in chosen]
    tokens, micro_usd = book.spent()
    budget = Budget(
        max_tokens=settings.extraction_max_tokens,
        max_usd=settings.extraction_max_usd,
        usd_per_million=None,
        spent=Spending(tokens=tokens, micro_usd=micro_usd),
        section="extraction",
    )
    return Chain(
        routes,
        budget=budget,
        book=book,
        retries=settings.extraction_retries,
        notify=notify,
        stop=stop,
        clock=clock,
    )


def require_models(settings: Settings) -> tuple[str, ...]:
    """The models that would be called, as `provider:model`, each with its key or its program; no request is made.

    Raises:
        ConfigError: If something is missing or does not fit.
        ProviderUnauthorized: If there is no key for one of them.
        ProviderUnavailable: If one of them is a program that is not installed.
    """
    chosen, keys = named(settings), _keys(settings)
    for each in chosen:
        if each.provider in PROGRAMS:
            AgentProgram(name=each.provider).executable()
        else:
            require_key(each.provider, keys.get(each.provider))
    return tuple(f"{each.provider}:{each.model}".rstrip(":") for each in chosen)


def _route(
    chosen: Named, settings: Settings, keys: dict[str, Secret], stop: Stop, clock: Clock | None
) -> Route:
    return Route(
        model=_model(chosen, settings, keys, clock),
        price=chosen.price,
        limiter=limiter_for(stop, clock),
    )


def _model(
    chosen: Named, settings: Settings, keys: dict[str, Secret], clock: Clock | None
) -> Model:
    timeout_s = settings.extraction_timeout_ms / 1000
    if chosen.provider in PROGRAMS:
        return AgentProgram(name=chosen.provider, wanted=chosen.model, request_timeout_s=timeout_s)
    policy = Policy(
        timeout_s=timeout_s,
        is_custom=chosen.is_custom,
        allow_link_local=settings.network_allow_link_local,
        section="extraction",
    )
    shape = SHAPES[chosen.provider](
        model=chosen.model,
        base_url=chosen.address,
        key=require_key(chosen.provider, keys.get(chosen.provider)),
        name=chosen.provider,
    )
    return HttpModel(shape=shape, transport=Transport(chosen.provider, policy, clock=clock))


def _keys(settings: Settings) -> dict[str, Secret]:
    setting = SETTINGS["extraction.keys"]
    found = {}
    for entry in settings.extraction_keys:
        provider, _, given = entry.partition("=")
        if provider.strip() not in PROVIDERS:
            raise ConfigError(
                f"`extraction.keys` names `{provider.strip()}`, which is no provider",
                hint=nearest(provider.strip(), PROVIDERS),
            )
        value = resolved(setting, given.strip(), environment=os.environ)
        found[provider.strip()] = Secret(value)
    return found
