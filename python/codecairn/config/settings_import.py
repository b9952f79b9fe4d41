"""Imports the settings of open-codebase-index, `.opencode/codebase-index.json`, as far as they have a counterpart."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from codecairn.config.files import MAX_BYTES
from codecairn.config.setting import SettingValue
from codecairn.config.settings import SETTINGS
from codecairn.config.validation import check, reference
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import ConfigError, FileAccessError
from codecairn.paths.workspace_files import read_regular

FILES = (
    Path(".opencode") / "codebase-index.json",
    Path(".codebase-index") / "config.json",
    Path(".claude") / "codebase-index.json",
)
"""Where a project's settings are, by host; the first that is there counts."""

USER_FILES = (
    Path(".config") / "opencode" / "codebase-index.json",
    Path(".config") / "codebase-index" / "config.json",
)
"""The same below a home folder; what a project's file has takes the place of it, section by section."""

INDEXES = (Path(".opencode") / "index", Path(".codebase-index") / "index")
"""Where a project's index is."""

_JOINED = ("knowledgeBases", "additionalInclude")

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
        "indexing.autoIndexWaitMs": ("index.first_wait_ms", _same),
        "search.routingHints": ("hooks.routing", _same),
        "effectivenessMetrics.enabled": ("log.shown", _same),
        "debug.effectivenessMetrics.enabled": ("log.shown", _same),
        "debug.logLevel": ("log.level", _same),
    }
)
"""What each of its keys is here."""

_BASES = "knowledgeBases"
_NO_LIMIT = "there is no such limit here: nothing is left out for its size, depth or number"
_RANKED = "the order is that of a fitted model; `ranking` and `fusion` choose others"
_FRESH = "an index is made by the first search, and each search takes in what changed"
_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "additionalInclude": "every text is indexed that no ignore rule leaves out",
        "indexing.autoIndex": _FRESH,
        "indexing.autoIndexMaxRetries": _FRESH,
        "indexing.autoIndexRetryDelayMs": _FRESH,
        "indexing.watchFiles": f"{_FRESH}; `codecairn watch` does so at once",
        "indexing.maxFileSize": _NO_LIMIT,
        "indexing.maxDepth": _NO_LIMIT,
        "indexing.maxFilesPerDirectory": _NO_LIMIT,
        "indexing.maxChunksPerFile": _NO_LIMIT,
        "indexing.fallbackToTextOnMaxChunks": _NO_LIMIT,
        "indexing.linesPerChunk": "chunks follow the syntax",
        "indexing.pauseBackgroundIndexingOnBattery": "background work does not depend on the battery",
        "indexing.semanticOnly": "chunks cover every line",
        "search.minScore": _RANKED,
        "search.hybridWeight": _RANKED,
        "search.rrfK": _RANKED,
        "search.rerankTopN": _RANKED,
        "search.communityBoost": _RANKED,
    }
)
"""Why what has no place here has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a file brings: settings by key, knowledge bases, and what could not be taken over, with the reason."""

    values: Mapping[str, SettingValue]
    knowledge: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


def find_reference(root: Path, home: Path) -> tuple[Path, ...]:
    """The files of settings that open-codebase-index would read for a project: the user's, then the project's own.

    Raises:
        ConfigError: If there are none.
    """
    found = (
        next((home / name for name in USER_FILES if (home / name).is_file()), None),
        next((root / name for name in FILES if (root / name).is_file()), None),
    )
    files = tuple(file for file in found if file is not None)
    if not files:
        raise ConfigError(
            f"there are no settings of open-codebase-index in `{root}`",
            hint=f"looked for {', '.join(map(str, FILES))}; name another FILE",
        )
    return files


def read_reference(*files: Path, index: Path | None = None) -> Imported:
    """The settings in files of open-codebase-index, the later one before the earlier.

    Args:
        files: The files.
        index: An index of it, about which is said what becomes of that.

    Raises:
        FileAccessError: If one can't be read.
        ConfigError: If one is no JSON object.
    """
    document: dict[str, Any] = {}
    for file in files:
        later = document_in(file)
        for key in _JOINED:
            if isinstance(document.get(key), list) and isinstance(later.get(key), list):
                later[key] = [*document[key], *later[key]]
        document |= later
    values: dict[str, SettingValue] = {}
    left_out: list[tuple[str, str]] = []
    source = files[-1]
    bases = document.pop(_BASES, [])
    if not isinstance(bases, list) or not all(isinstance(base, str) for base in bases):
        left_out.append((_BASES, "it is no list of texts"))
        bases = []
    reranker = document.get("reranker")
    has_reranker = isinstance(reranker, dict) and reranker.get("enabled") is True
    for key, value in flatten(document, prefix=""):
        if key.startswith("reranker.") and not has_reranker:
            continue  # it is turned off there: nothing is to be sent here
        known = _KEYS.get(key)
        if known is None:
            left_out.append((key, _REASONS.get(key, "there is no such setting here")))
            continue
        reason = _take(known, value, values, source=f"`{source}`: `{key}`")
        if reason:
            left_out.append((key, reason))
    if index is not None:
        left_out.append(
            (
                str(index),
                "its vectors belong to other pieces of text, so none would fit; `codecairn index` makes new ones",
            )
        )
    return Imported(values=values, knowledge=tuple(bases), left_out=tuple(left_out))


def document_in(path: Path) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        FileAccessError: If the file can't be read.
        ConfigError: If it holds none.
    """
    try:
        content = read_regular(path.resolve(strict=True), max_bytes=MAX_BYTES)
        document = json.loads(content.decode("utf-8-sig"))
    except OSError as err:
        raise FileAccessError(f"can't read `{path}`: {err.strerror or err}") from err
    except (ValueError, RecursionError) as err:
        raise ConfigError(f"`{path}` is no JSON: {err}") from err
    if not isinstance(document, dict):
        raise ConfigError(f"`{path}` holds no JSON object")
    return document


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


def flatten(table: Mapping[str, object], *, prefix: str) -> Iterator[tuple[str, object]]:
    """The values of nested tables by their keys, joined by dots; `reranker.enabled` is a condition and no value."""
    for name, value in table.items():
        key = prefix + name
        if key == "reranker.enabled":
            continue
        if isinstance(value, dict):
            yield from flatten(value, prefix=f"{key}.")
        else:
            yield key, value
