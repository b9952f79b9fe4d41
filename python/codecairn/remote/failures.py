"""From a provider's answer that is none to an error that names provider, status and remedy; keys never show."""

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from codecairn.errors import (
    ProviderError,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnauthorized,
    ProviderUnavailable,
)
from codecairn.remote.request import HttpRequest

_SHOWN = 300
"""Characters of a provider's own message that are shown."""

_KEY_LIKE = re.compile(r"\b(?:sk|pa|jina|ghu|gho|ghp|AIza|tid=)[-_A-Za-z0-9=;.*]{8,}")

_TOO_LONG = re.compile(
    r"maximum context|context length|too many tokens|too long|token limit|exceeds? the (?:maximum|limit|context)"
    r"|max(?:imum)? (?:allowed )?(?:number of )?tokens|input length",
    re.IGNORECASE,
)


def of_status(
    provider: str,
    request: HttpRequest,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    now_s: float,
    section: str = "embedding",
) -> ProviderError:
    """The error for an answer with this status; hints name settings of `section`."""
    said = masked(_message(body), request)
    text = f"{provider} answered {status}" + (f": {said}" if said else "")
    facts = {"provider": provider, "status": status}
    place = place_setting(section)
    if status in {401, 403}:
        return ProviderUnauthorized(text, **facts)  # type: ignore[arg-type]
    if status == 429:
        return ProviderRateLimited(
            text,
            retry_after_s=retry_after_s(headers, now_s=now_s),
            **facts,  # type: ignore[arg-type]
        )
    if status in {408, 425} or status >= 500:
        return ProviderUnavailable(
            text,
            retry_after_s=retry_after_s(headers, now_s=now_s),
            **facts,  # type: ignore[arg-type]
        )
    if 300 <= status < 400:
        hint = f"redirects are not followed: set {place} to the address that it names"
        return ProviderRefused(text, hint=hint, is_general=True, **facts)  # type: ignore[arg-type]
    if status in {402, 404, 405}:
        hint = {
            402: "the account has no credit left: look at the provider's billing page",
            404: f"check {place}"
            if section != "embedding"
            else f"check {place} and `embedding.model`",
        }.get(status, f"check {place}")
        return ProviderRefused(text, hint=hint, is_general=True, **facts)  # type: ignore[arg-type]
    is_too_long = status == 413 or bool(_TOO_LONG.search(said))
    return ProviderRefused(text, is_too_long=is_too_long, **facts)  # type: ignore[arg-type]


def retry_after_s(headers: Mapping[str, str], *, now_s: float) -> float | None:
    """Seconds to wait, as `retry-after-ms` or `Retry-After` (seconds or a date) tell; `None` if nothing does."""
    milliseconds = headers.get("retry-after-ms", "")
    if re.fullmatch(r"\d+(\.\d+)?", milliseconds):
        return float(milliseconds) / 1000
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now_s)
    except (ValueError, TypeError):
        return None


def place_setting(section: str) -> str:
    """The setting that says where a section's provider is, as hints name it."""
    return "`extraction.providers`" if section == "extraction" else f"`{section}.base_url`"


def masked(text: str, request: HttpRequest) -> str:
    """The text without the request's secrets and anything that looks like a key."""
    for secret in request.secrets:
        if secret.reveal():
            text = text.replace(secret.reveal(), "***")
    return _KEY_LIKE.sub("***", text)


def _message(body: bytes) -> str:
    """What a provider says, wherever it says it."""
    text = body[:4096].decode("utf-8", "replace")
    try:
        document = json.loads(body[: 1 << 20])
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict):
        error = document.get("error", document)
        found = error.get("message") if isinstance(error, dict) else error
        found = found or document.get("message") or document.get("detail")
        text = found if isinstance(found, str) else json.dumps(found or document)
    elif text.lstrip().startswith("<"):
        text = ""
    return " ".join(text.split())[:_SHOWN]
