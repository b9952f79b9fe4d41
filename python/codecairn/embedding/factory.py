"""Makes the embedder of the settings, and resolves `auto` to the first usable provider."""

import os
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from codecairn.clock import Clock
from codecairn.config.settings import SETTINGS, Settings
from codecairn.config.validation import resolved
from codecairn.core.types.embedding import NOTHING_SPENT, Spending
from codecairn.embedding.base import Role
from codecairn.embedding.connection import Connection, Embedded
from codecairn.embedding.models import DEFAULT_MODELS, Model, find_model
from codecairn.embedding.ollama import Ollama, described, installed
from codecairn.embedding.plan import LOCAL, Plan, make_plan
from codecairn.errors import CodecairnError, ConfigError, ProviderUnavailable
from codecairn.remote.budget import Budget
from codecairn.remote.credentials import find_key
from codecairn.remote.rate_limit import Stop
from codecairn.remote.request import Secret
from codecairn.remote.transport import Policy, Transport

AUTO_ORDER = ("copilot", "openai", "google", "ollama")
"""Whom `auto` asks for, in order; after them the built-in model."""

_PROBE_S = 2.0
_Found = TypeVar("_Found")


class Embedder(Protocol):
    """Embeds texts."""

    plan: Plan

    def embed(
        self,
        texts: Sequence[str],
        *,
        role: Role,
        retries: int | None = None,
        timeout_s: float | None = None,
    ) -> Embedded:
        """The vectors of some texts, and what they cost."""
        ...

    def take_note(self, spent: Spending) -> None:
        """What was spent in all by now, by other processes too, for the budget."""
        ...

    def unclaimed(self) -> Spending:
        """What answers that could not be used have cost since this was last asked."""
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...


def plan_of(settings: Settings) -> Plan | None:
    """The plan that the settings ask for; `None` for the built-in model alone.

    Only `auto`, and a model of Ollama that is not in the table, make requests, and only to Ollama.

    Raises:
        ConfigError: If something is missing or does not fit.
        ProviderUnavailable: If Ollama has to be asked and does not answer.
    """
    provider = settings.embedding_provider
    if provider == "auto":
        _require_no_address(settings)
        provider = _first_usable(settings)
    if provider == "builtin":
        return None
    facts = None
    if provider == "ollama" and not settings.embedding_dimensions:
        facts = _facts_from_ollama(settings)
        if facts is None:
            model = settings.embedding_model
            raise ProviderUnavailable(
                f"nothing is known of the model `{model}`, and ollama does not tell",
                hint=f"start Ollama, `ollama pull {model}`, or set `embedding.dimensions`",
                provider="ollama",
            )
    if provider in LOCAL:
        from codecairn.embedding.local import facts_of

        facts = facts_of(provider, settings.embedding_model)
    return make_plan(settings, provider, facts)


def connect(
    plan: Plan,
    settings: Settings,
    *,
    spent: Spending = NOTHING_SPENT,
    stop: Stop | None = None,
    clock: Clock | None = None,
) -> Embedder:
    """An embedder for this plan. `spent` is the used part of the budget.

    Raises:
        ConfigError: If a setting refers to a variable that is not set.
    """
    if plan.provider in LOCAL:
        from codecairn.embedding.local import LocalEmbedder

        return LocalEmbedder(plan)
    budget = Budget(
        max_tokens=settings.embedding_max_tokens,
        max_usd=settings.embedding_max_usd,
        usd_per_million=plan.facts.usd,
        spent=spent,
    )
    if settings.embedding_max_usd and plan.facts.usd is None:
        raise ConfigError(
            f"`embedding.max_usd` is set, but the price of `{plan.model}` is not known",
            hint="set `embedding.usd_per_million_tokens`",
        )
    return Connection(
        plan,
        _transport(plan, settings, clock=clock),
        given_key=given_key(settings, "embedding.api_key"),
        retries=settings.embedding_retries,
        tokens_per_minute=settings.embedding_tokens_per_minute,
        budget=budget,
        stop=stop,
        clock=clock,
    )


def given_key(settings: Settings, key: str) -> Secret | None:
    """The credential that a setting refers to; `None` if it is empty.

    Raises:
        ConfigError: If the variable is not set.
    """
    setting = SETTINGS[key]
    value = resolved(setting, getattr(settings, setting.field), environment=os.environ)
    return Secret(value) if value else None


def _transport(plan: Plan, settings: Settings, *, clock: Clock | None = None) -> Transport:
    policy = Policy(
        timeout_s=settings.embedding_timeout_ms / 1000,
        is_custom=plan.is_custom,
        allow_link_local=settings.network_allow_link_local,
    )
    return Transport(plan.provider, policy, clock=clock)


def _require_no_address(settings: Settings) -> None:
    """An address or a key is one provider's: with `auto` it could go to another."""
    for key in ("base_url", "api_key"):
        if getattr(settings, f"embedding_{key}"):
            raise ConfigError(
                f"`embedding.{key}` is set, but `embedding.provider` is `auto`",
                hint="name the provider that it belongs to",
            )


def _first_usable(settings: Settings) -> str:
    for provider in AUTO_ORDER[:-1]:
        if find_key(provider, None) is not None:
            return provider
    model = settings.embedding_model or DEFAULT_MODELS["ollama"]
    names = [name.removesuffix(":latest") for name in _ask_ollama(settings, _installed) or ()]
    return "ollama" if model.removesuffix(":latest") in names else "builtin"


def _facts_from_ollama(settings: Settings) -> Model | None:
    model = settings.embedding_model or DEFAULT_MODELS["ollama"]
    return find_model(model) or _ask_ollama(settings, _described)


def _installed(server: Ollama, transport: Transport) -> list[str]:
    return installed(transport.send(server.tags(), timeout_s=_PROBE_S))


def _described(server: Ollama, transport: Transport) -> Model | None:
    return described(transport.send(server.show(), timeout_s=_PROBE_S))


def _ask_ollama(settings: Settings, ask: Callable[[Ollama, Transport], _Found]) -> _Found | None:
    """The response of a local Ollama; `None` if there is none or it does not answer in time."""
    plan = make_plan(settings, "ollama", Model(dimensions=settings.embedding_dimensions or 1))
    server = Ollama(model=plan.model, base_url=plan.base_url)
    with _transport(plan, settings) as transport:
        try:
            return ask(server, transport)
        except CodecairnError:
            return None
