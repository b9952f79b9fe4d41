"""Whether anybody embeds outside at all: asked on every opening, so the rest is loaded only if somebody does."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from codecairn.config.settings import Settings

if TYPE_CHECKING:
    from codecairn.embedding.plan import Plan

Notice: TypeAlias = Callable[[str], None]
"""Told, in words, where texts are about to be sent."""


def plan_of(settings: Settings) -> "Plan | None":
    """The plan that the settings ask for; `None` for the built-in model alone.

    Raises:
        ConfigError: If something is missing or does not fit.
        ProviderUnavailable: If a provider has to be asked what its model is like and does not answer.
    """
    if settings.embedding_provider == "builtin":
        return None
    from codecairn.embedding import registry

    return registry.plan_of(settings)
