"""Imports the settings of opencode-graphiti: where its Redis and its Graphiti server are, and how they are used.

Its files in a project are never looked for: the author of a repository would decide where the user's sessions go.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from codecairn.config.setting import SettingValue
from codecairn.config.settings import SETTINGS
from codecairn.config.settings_import import Imported, document_in, flatten
from codecairn.config.validation import check
from codecairn.errors import ConfigError

FOLDERS = (
    Path(),
    Path(".config") / "graphiti",
    Path(".config") / "opencode",
)
"""Where its settings are below a home folder, the first that is there."""

NAMES = (".graphitirc", ".graphitirc.json", "graphiti.config.json", "config.json", "graphiti.json")

_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "redis.endpoint": "memory.redis_url",
        "redis.batchSize": "memory.graphiti_batch",
        "redis.batchMaxBytes": "memory.graphiti_batch_bytes",
        "redis.sessionTtlSeconds": "memory.redis_session_s",
        "redis.cacheTtlSeconds": "memory.graphiti_cache_s",
        "redis.drainRetryMax": "memory.graphiti_attempts",
        "graphiti.endpoint": "memory.graphiti_url",
        "graphiti.groupIdPrefix": "memory.graphiti_prefix",
        "graphiti.driftThreshold": "memory.graphiti_drift",
        # Of its versions without Redis.
        "endpoint": "memory.graphiti_url",
        "groupIdPrefix": "memory.graphiti_prefix",
        "driftThreshold": "memory.graphiti_drift",
    }
)
"""What each of its keys is here."""

_PLACES: Mapping[str, tuple[str, int]] = MappingProxyType(
    {"memory.redis_url": ("redis", 6379), "memory.graphiti_url": ("http", 8000)}
)
_CREDENTIALS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "memory.redis_url": ("memory.redis_user", "memory.redis_password"),
        "memory.graphiti_url": ("", "memory.graphiti_token"),
    }
)
"""The settings that a user's name, where there is one, and a secret belong into, by the address."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def find_graphiti(home: Path) -> Path:
    """The user's own file of its settings.

    Raises:
        ConfigError: If there is none.
    """
    places = [
        home / folder / name
        for folder in FOLDERS
        for name in NAMES
        if folder != Path(".config/opencode") or name == ".graphitirc"
        if folder != Path() or name.startswith(".")
    ]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ConfigError(
            f"there are no settings of opencode-graphiti in `{home}`",
            hint="looked for `.graphitirc`, `.config/graphiti/` and `.config/opencode/.graphitirc`; name another FILE",
        )
    return found


def is_graphiti(file: Path) -> bool:
    """Whether a file has a name of its settings."""
    return "graphiti" in file.name


def read_graphiti(file: Path) -> Imported:
    """The settings in one of its files, JSON, or in the part `graphiti` of a `package.json`.

    Raises:
        FileAccessError: If it can't be read.
        ConfigError: If it holds no JSON object.
    """
    document: dict[str, Any] = document_in(file)
    if file.name == "package.json":
        part = document.get("graphiti")
        document = part if isinstance(part, dict) else {}
    values: dict[str, SettingValue] = {}
    left_out: list[tuple[str, str]] = []
    for key, value in flatten(document, prefix=""):
        name = _KEYS.get(key)
        if name is None:
            left_out.append((key, "there is no such setting here"))
            continue
        try:
            found, notes = _converted(name, value)
            for each, text in found.items():
                values[each] = check(SETTINGS[each], text, source=f"`{file}`: `{key}`")
            left_out.extend((key, note) for note in notes)
        except ConfigError as err:
            left_out.append(
                (key, f"{err.message}; {err.hint}".removeprefix(f"`{file}`: `{key}`: "))
            )
    return Imported(values=values, knowledge=(), left_out=tuple(left_out))


def with_scheme(url: str, scheme: str, default_port: int) -> str:
    """An address with the scheme that it lacks, and then with a port, as opencode-graphiti completes it."""
    text = url.strip()
    if not text or _SCHEME.match(text):
        return text
    authority, slash, path = text.partition("/")
    if not re.search(r":\d+$", authority):
        authority = f"{authority.rstrip(':')}:{default_port}"
    return f"{scheme}://{authority}{slash}{path}"


def _converted(name: str, value: object) -> tuple[dict[str, object], list[str]]:
    """The settings that a value becomes, and notes on what of it does not come along."""
    place = _PLACES.get(name)
    if place is None or not isinstance(value, str):
        return {name: value}, []
    try:
        parts = urlsplit(with_scheme(value, *place))
        _ = parts.port
    except ValueError as err:
        raise ConfigError(
            f"it is no address of `{name}`", hint=f"write `{place[0]}://HOST:{place[1]}`"
        ) from err
    if parts.scheme not in {place[0], f"{place[0]}s"}:
        raise ConfigError(f"`{parts.scheme}` is no scheme of `{name}`", hint=f"use `{place[0]}://`")
    found: dict[str, object] = {
        name: parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    }
    notes = []
    user, secret = _CREDENTIALS[name]
    if parts.username and user:
        found[user] = parts.username
    elif parts.username:
        notes.append(f"the user's name is not taken over: only a token, `{secret}`, is sent there")
    if parts.password is not None:
        notes.append(
            f"a password in plain text is not taken over: name its variable in `{secret}`, `{{env:NAME}}`"
        )
    return found, notes
