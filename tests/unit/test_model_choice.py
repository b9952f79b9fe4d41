"""The models that settings name: their prices, their keys, and mistakes that are found before anything is sent."""

from collections.abc import Callable

import pytest

from codecairn.config.settings import Settings
from codecairn.errors import ConfigError, ProviderUnauthorized, ProviderUnavailable
from codecairn.llm.choice import connect, named, require_models


def _settings(*providers: str, **more: object) -> Settings:
    return Settings(extraction_providers=providers, **more)  # type: ignore[arg-type]


def _connected(settings: Settings) -> object:
    class Book:
        def spent(self) -> tuple[int, int]:
            return 0, 0

    notify: Callable[[str], None] = str
    return connect(settings, book=Book(), notify=notify)  # type: ignore[arg-type]


def test_price_is_known_of_models_of_providers_and_nothing_for_programs() -> None:
    own, program, known = named(
        _settings("compatible:m@http://localhost:1234/v1", "claude-code", "anthropic")
    )
    assert own.price is None
    assert program.price is not None
    assert (program.price.fresh, program.price.output) == (0, 0)
    assert known.price is not None
    assert known.price.output > known.price.fresh > 0


def test_program_has_no_address() -> None:
    with pytest.raises(ConfigError, match="is a program and has no address") as refused:
        named(_settings("claude-code@http://localhost:1"))
    assert refused.value.hint == "write `claude-code`, or `claude-code:model`"


def test_budget_in_dollars_needs_a_known_price() -> None:
    settings = _settings("compatible:m@http://localhost:1234/v1", extraction_max_usd=1.0)
    with pytest.raises(ConfigError, match="the price of `m` is not known") as refused:
        _connected(settings)
    assert refused.value.hint == "set `extraction.max_tokens` instead"
    assert _connected(_settings()) is None


def test_key_of_no_provider_is_named_with_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "k")
    settings = _settings("anthropic", extraction_keys=("antropic={env:MY_KEY}",))
    with pytest.raises(ConfigError, match="names `antropic`, which is no provider") as refused:
        require_models(settings)
    assert "anthropic" in refused.value.hint
    with pytest.raises(ProviderUnauthorized):
        require_models(_settings("anthropic"))
    right = _settings("anthropic", extraction_keys=(" anthropic = {env:MY_KEY}",))
    assert require_models(right) == (f"anthropic:{named(right)[0].model}",)


def test_program_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProviderUnavailable):
        require_models(_settings("claude-code"))
