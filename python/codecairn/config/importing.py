"""Taking over the settings of open-codebase-index, `.opencode/codebase-index.json`, as far as they mean something here."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from codecairn.config.setting import SettingValue
from codecairn.config.settings import SETTINGS
from codecairn.config.values import check, reference
from codecairn.errors import ConfigError

FILE = Path(".opencode") / "codebase-index.json"

_PROVIDERS = MappingProxyType({"custom": "compatible", "github-copilot": "copilot"})
_SCOPES = MappingProxyType({"project": "workspace"})


def _renamed(names: Mapping[str, str]) -> Callable[[Any], Any]:
    return lambda value: names.get(value, value) if isinstance(value, str) else value


def _same(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    return value


_KEYS: Mapping[str, tuple[str, Callable[[Any], Any]]] = MappingProxyType(
    {
        "embeddingProvider": ("embedding.provider", _renamed(_PROVIDERS)),
        "embeddingModel": ("embedding.model", _same),
        "scope": ("scope", _renamed(_SCOPES)),
        "include": ("include", _same),
        "exclude": ("exclude", _same),
        "customProvider.baseUrl": ("embedding.base_url", _same),
        "customProvider.model": ("embedding.model", _same),
        "customProvider.dimensions": ("embedding.dimensions", _same),
        "customProvider.apiKey": ("embedding.api_key", _same),
        "customProvider.maxTokens": ("embedding.text_tokens", _same),
        "customProvider.timeoutMs": ("embedding.timeout_ms", _same),
        "customProvider.concurrency": ("embedding.concurrency", _same),
        "customProvider.requestIntervalMs": ("embedding.interval_ms", _same),
        "customProvider.maxBatchSize": ("embedding.batch_texts", _same),
        "customProvider.max_batch_size": ("embedding.batch_texts", _same),
        "embedding.batch.maxBatchItems": ("embedding.batch_texts", _same),
        "embedding.batch.maxBatchTokens": ("embedding.batch_tokens", _same),
        "indexing.autoGc": ("gc.auto", _same),
        "indexing.gcOrphanThreshold": ("gc.min_contents", _same),
        "indexing.retries": ("embedding.retries", _same),
        "indexing.gitBlame.enabled": ("search.blame", _same),
        "search.maxResults": ("search.limit", _same),
        "search.contextLines": ("search.context_lines", _same),
        "search.fusionStrategy": ("fusion", _same),
        "reranker.provider": ("rerank.provider", _renamed(_PROVIDERS)),
        "reranker.model": ("rerank.model", _same),
        "reranker.baseUrl": ("rerank.base_url", _same),
        "reranker.apiKey": ("rerank.api_key", _same),
        "reranker.topN": ("rerank.top_n", _same),
        "reranker.timeoutMs": ("rerank.timeout_ms", _same),
    }
)
"""What each of its keys is here."""

_BASES = "knowledgeBases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a file brings: settings by key, knowledge bases, and what could not be taken over, with the reason."""

    values: Mapping[str, SettingValue]
    knowledge: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


def read_reference_file(path: Path) -> Imported:
    """The settings in a file of open-codebase-index.

    Raises:
        ConfigError: If it can't be read or is no JSON object.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as err:
        raise ConfigError(f"can't read `{path}`: {err}") from err
    if not isinstance(document, dict):
        raise ConfigError(f"`{path}` holds no JSON object")
    values: dict[str, SettingValue] = {}
    left_out: list[tuple[str, str]] = []
    bases = document.pop(_BASES, [])
    if not isinstance(bases, list) or not all(isinstance(base, str) for base in bases):
        left_out.append((_BASES, "it is no list of texts"))
        bases = []
    has_reranker = document.get("reranker", {}).get("enabled", False) is True
    for key, value in _flatten(document, prefix=""):
        if key.startswith("reranker.") and not has_reranker:
            continue  # it is turned off there: nothing is to be sent here
        known = _KEYS.get(key)
        if known is None:
            left_out.append((key, "there is no such setting here"))
            continue
        reason = _take(known, value, values, source=f"`{path}`: `{key}`")
        if reason:
            left_out.append((key, reason))
    return Imported(values=values, knowledge=tuple(bases), left_out=tuple(left_out))


def _take(
    known: tuple[str, Callable[[Any], Any]],
    value: object,
    values: dict[str, SettingValue],
    *,
    source: str,
) -> str:
    """Put a value under its key here; returns why not, if it does not fit."""
    name, convert = known
    setting = SETTINGS[name]
    if setting.is_secret and (not isinstance(value, str) or reference(value) is None):
        return "a key in plain text is not taken over: name its variable, `{env:NAME}`"
    try:
        values[name] = check(setting, convert(value), source=source)
    except ConfigError as err:
        return f"{err.message}; {err.hint}".removeprefix(f"{source}: ")
    return ""


def _flatten(table: Mapping[str, object], *, prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        key = prefix + name
        if key == "reranker.enabled":
            continue
        if isinstance(value, dict):
            yield from _flatten(value, prefix=f"{key}.")
        else:
            yield key, value
