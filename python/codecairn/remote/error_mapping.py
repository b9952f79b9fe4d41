"""Maps a provider's error response to an exception with provider, status and remedy, and masks keys."""

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

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


_NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""OpenAI's codes for an exhausted account: the status is 429 as well, but waiting does not help."""

_NO_CREDIT_HINT = "the account has no credit left: look at the provider's billing page"

_BAD_KEY = "API_KEY_INVALID"
"""Google's reason for an unknown key, which it sends with status 400."""


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
    error = _error(body)
    said = masked(_message(error, body), request)
    text = f"{provider} answered {status}" + (f": {said}" if said else "")
    wait_s = retry_after_s(headers, now_s=now_s)
    if wait_s is None:
        wait_s = _retry_delay_s(error)
    facts = {"provider": provider, "status": status}
    # GitHub answers too many requests with 403 and a time to wait.
    if status == 401 or (status == 403 and wait_s is None) or _BAD_KEY in _reasons(error):
        return ProviderUnauthorized(text, **facts)  # type: ignore[arg-type]
    has_no_credit = {str(error.get("code")), str(error.get("type"))} & _NO_CREDIT
    hint = _NO_CREDIT_HINT if has_no_credit else _general_hint(status, section)
    if hint is not None:
        return ProviderRefused(text, hint=hint, is_general=True, **facts)  # type: ignore[arg-type]
    if status in {403, 429}:
        return ProviderRateLimited(text, retry_after_s=wait_s, **facts)  # type: ignore[arg-type]
    if status in {408, 425} or status >= 500:
        return ProviderUnavailable(text, retry_after_s=wait_s, **facts)  # type: ignore[arg-type]
    is_too_long = status == 413 or bool(_TOO_LONG.search(said))
    return ProviderRefused(text, is_too_long=is_too_long, **facts)  # type: ignore[arg-type]


def retry_after_s(headers: Mapping[str, str], *, now_s: float) -> float | None:
    """Seconds to wait, as `retry-after-ms` or `Retry-After` (seconds or a date) give them; `None` without either."""
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
    """The setting with the address of a section's provider, as hints name it."""
    return "`extraction.providers`" if section == "extraction" else f"`{section}.base_url`"


def _general_hint(status: int, section: str) -> str | None:
    """What to do after a status that every further request would get too; `None` for others."""
    place = place_setting(section)
    if 300 <= status < 400:
        return f"redirects are not followed: set {place} to the address that it names"
    model = " and `embedding.model`" if section == "embedding" else ""
    hints = {402: _NO_CREDIT_HINT, 404: f"check {place}{model}", 405: f"check {place}"}
    return hints.get(status)


def masked(text: str, request: HttpRequest) -> str:
    """The text without the request's secrets and anything that looks like a key."""
    for secret in request.secrets:
        if secret.reveal():
            text = text.replace(secret.reveal(), "***")
    return _KEY_LIKE.sub("***", text)


def _error(body: bytes) -> Mapping[str, Any]:
    """The error object of a response: `{"error": {...}}`, or all of it."""
    try:
        document = json.loads(body[: 1 << 20])
    except (ValueError, RecursionError):
        return {}
    if isinstance(document, list) and len(document) == 1:  # as Google's streams have it
        document = document[0]
    if not isinstance(document, dict):
        return {}
    error = document.get("error")
    return error if isinstance(error, dict) else document


def _message(error: Mapping[str, Any], body: bytes) -> str:
    """The provider's error message, wherever the response has it."""
    found = error.get("message") or error.get("error") or error.get("detail") or dict(error)
    text = found if isinstance(found, str) else json.dumps(found)
    if not error:
        text = body[:4096].decode("utf-8", "replace")
        text = "" if text.lstrip().startswith("<") else text
    return " ".join(text.split())[:_SHOWN]


def _details(error: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Google's machine-readable details."""
    details = error.get("details")
    return [row for row in details if isinstance(row, dict)] if isinstance(details, list) else []


def _reasons(error: Mapping[str, Any]) -> list[object]:
    return [row.get("reason") for row in _details(error)]


def _retry_delay_s(error: Mapping[str, Any]) -> float | None:
    """Seconds to wait by Google's `RetryInfo`: `{"retryDelay": "13.5s"}`."""
    for row in _details(error):
        told = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(row.get("retryDelay", "")))
        if told:
            return float(told[1])
    return None
