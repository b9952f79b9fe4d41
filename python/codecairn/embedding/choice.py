"""Decides whether a remote embedder is configured. Every opening asks, so the rest is loaded only then."""

from typing import TYPE_CHECKING

from codecairn.config.settings import Settings
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import ProviderUnavailable

if TYPE_CHECKING:
    from codecairn.embedding.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Whom the settings choose.

    Attributes:
        plan: Who embeds outside, and how; `None` for the built-in model alone.
        obstacle: Why there is no plan although a provider is configured.
    """

    plan: "Plan | None" = None
    obstacle: ProviderUnavailable | None = None


BUILTIN_ALONE = Choice()
"""No remote provider is configured."""


def choose(settings: Settings) -> Choice:
    """Whom the settings choose.

    A provider that has to be asked and does not answer is an obstacle, no failure: what is indexed can be searched.

    Raises:
        ConfigError: If something is missing or does not fit.
    """
    try:
        return Choice(plan=plan_of(settings))
    except ProviderUnavailable as err:
        return Choice(obstacle=err)


def plan_of(settings: Settings) -> "Plan | None":
    """The plan that the settings ask for; `None` for the built-in model alone.

    Raises:
        ConfigError: If something is missing or does not fit.
        ProviderUnavailable: If a provider has to be asked what its model is like and does not answer.
    """
    if settings.embedding_provider == "builtin":
        return None
    from codecairn.embedding import factory

    return factory.plan_of(settings)
