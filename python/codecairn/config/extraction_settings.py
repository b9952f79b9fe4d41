"""The settings of the language models that extract and summarise."""

from codecairn.config.setting import declared as _setting
from codecairn.config.workspace_rights import HIGHER, OWN
from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, kw_only=True)
class ExtractionSettings:
    """Settings of language models, resolved."""

    extraction_providers: tuple[str, ...] = _setting(
        (),
        key="extraction.providers",
        workspace=OWN,
        doc="Language models that extract and summarise, in order of preference: `provider`, `provider:model` or `provider:model@address`, with anthropic, xai, google, openai and compatible, or the programs claude-code, codex, opencode and gemini-cli, which cost turns of your subscription; an empty list sends nothing.",
    )
    extraction_keys: tuple[str, ...] = _setting(
        (),
        key="extraction.keys",
        workspace=OWN,
        is_secret=True,
        doc="Their keys as `provider={env:NAME}`; the keys of other providers are read from their variables.",
    )
    extraction_timeout_ms: int = _setting(
        60_000,
        key="extraction.timeout_ms",
        minimum=1,
        workspace=OWN,
        doc="The timeout of a request to a language model in milliseconds.",
    )
    extraction_retries: int = _setting(
        3,
        key="extraction.retries",
        workspace=OWN,
        doc="How often a request to a language model is retried before the next provider is used.",
    )
    extraction_cooldown_s: int = _setting(
        15,
        key="extraction.cooldown_s",
        workspace=OWN,
        doc="Seconds that a session must be quiet before a model reads it; waiting sessions are never dropped.",
    )
    extraction_window_chars: int = _setting(
        12_000,
        key="extraction.window_chars",
        minimum=2000,
        workspace=OWN,
        doc="The maximum characters of a session in one request; a longer session takes several.",
    )
    extraction_summary_turns: int = _setting(
        5,
        key="extraction.summary_turns",
        workspace=HIGHER,
        minimum=1,
        doc="Prompts after which a session is summarised again; its end always is.",
    )
    extraction_max_tokens: int = _setting(
        0,
        key="extraction.max_tokens",
        workspace=OWN,
        doc="The total tokens that extraction may cost; 0 for no limit.",
    )
    extraction_max_usd: float = _setting(
        0.0,
        key="extraction.max_usd",
        workspace=OWN,
        doc="The total US dollars that extraction may cost; 0 for no limit.",
    )
