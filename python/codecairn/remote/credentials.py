"""Finds keys: in a setting that names a variable, in the environment, in the files of installed hosts. None is stored."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from codecairn.errors import ProviderUnauthorized
from codecairn.remote.request import Secret

VARIABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "openai": ("OPENAI_API_KEY",),
        "anthropic": ("ANTHROPIC_API_KEY",),
        "xai": ("XAI_API_KEY",),
        "google": ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"),
        "copilot": ("GITHUB_COPILOT_TOKEN",),
        "voyage": ("VOYAGE_API_KEY",),
        "mistral": ("MISTRAL_API_KEY",),
        "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
        "jina": ("JINA_API_KEY",),
        "ollama": ("OLLAMA_API_KEY",),
    }
)
"""The environment variables that are asked for a provider's key, in order."""

_OPENCODE_NAMES = MappingProxyType({"copilot": "github-copilot"})
_NEED_NONE = frozenset({"ollama", "compatible"})


def find_key(provider: str, given: Secret | None) -> Secret | None:
    """A provider's key: the one given, else of the environment, else of a host's file; `None` if there is none."""
    if given is not None:
        return given
    for name in VARIABLES.get(provider, ()):
        if os.environ.get(name):
            return Secret(os.environ[name])
    if provider == "copilot":
        return _from_copilot() or _from_opencode(provider)
    return _from_opencode(provider)


def require_key(provider: str, given: Secret | None) -> Secret | None:
    """The same, where a provider can't do without.

    Raises:
        ProviderUnauthorized: If there is none; the hint says where one is looked for.
    """
    key = find_key(provider, given)
    if key is None and provider not in _NEED_NONE:
        variables = " or ".join(f"`{name}`" for name in VARIABLES.get(provider, ()))
        hint = f"set {variables}, or sign in with `opencode auth login`"
        if provider == "copilot":
            hint = f"sign in to Copilot in an editor or in OpenCode, or set {variables}"
        raise ProviderUnauthorized(f"there is no key for {provider}", hint=hint, provider=provider)
    return key


def opencode_file() -> Path:
    """The file in which OpenCode keeps credentials."""
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "opencode" / "auth.json"


def copilot_files() -> list[Path]:
    """The files in which editors keep Copilot's tokens."""
    folder = editors_folder(os.name, os.environ, Path.home())
    return [folder / "github-copilot" / name for name in ("apps.json", "hosts.json")]


def editors_folder(system: str, variables: Mapping[str, str], home: Path) -> Path:
    """The folder in which editors keep their users' files; `system` as in `os.name`."""
    if system == "nt":
        moved, folder = variables.get("LOCALAPPDATA"), home / "AppData" / "Local"
    else:
        moved, folder = variables.get("XDG_CONFIG_HOME"), home / ".config"
    return Path(moved) if moved else folder


def _from_opencode(provider: str) -> Secret | None:
    entry = _read(opencode_file()).get(_OPENCODE_NAMES.get(provider, provider))
    if not isinstance(entry, dict):
        return None
    kind = entry.get("type")
    value = entry.get("key") if kind == "api" else entry.get("refresh")
    is_usable = kind == "api" or (kind == "oauth" and provider == "copilot")
    return Secret(value) if is_usable and isinstance(value, str) and value else None


def _from_copilot() -> Secret | None:
    for path in copilot_files():
        for host, entry in _read(path).items():
            token = entry.get("oauth_token") if isinstance(entry, dict) else None
            if host.partition(":")[0] == "github.com" and isinstance(token, str) and token:
                return Secret(token)
    return None


def _read(path: Path) -> dict[str, Any]:
    """A host's file; one that is not there or can't be read holds nothing."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
