"""Checks the addresses of backends, as the transport to providers does: they come from the user's own settings alone."""

import ipaddress
import os
import re
import socket
from urllib.parse import SplitResult, urlsplit

from codecairn.config.settings import SETTINGS
from codecairn.config.validation import resolved
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import ConfigError, ProviderUnavailable, UnsafeEndpoint
from codecairn.remote.transport import is_blocked

HTTP = ("http", "https")
REDIS = ("redis", "rediss")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address that may be connected to.

    Attributes:
        url: The address, which may hold a token; `shown` is for messages.
        host: Its host.
        port: Its port.
        is_encrypted: Whether the connection is.
    """

    url: str
    host: str
    port: int
    is_encrypted: bool

    @property
    def shown(self) -> str:
        """The address for messages; see `shown`."""
        return shown(self.url)

    def scrubbed(self, text: str, *secrets: str) -> str:
        """A text of a library or of the other side, without what of the address is not shown, and without secrets."""
        for secret_text in (self.url.partition("?")[2], *secrets):
            if secret_text:
                text = text.replace(secret_text, "***")
        return text


def shown(url: str) -> str:
    """An address as it may be shown: without a name, a password, a query and a fragment, even if it is no address."""
    scheme, mark, rest = url.partition("://") if "://" in url else ("", "", url)
    return f"{scheme}{mark}{re.split('[?#]', rest.rpartition('@')[2])[0]}"


def endpoint(
    setting: str, url: str, *, schemes: tuple[str, ...], default_port: int, has_secret: bool
) -> Endpoint:
    """The address that a setting names; no connection is made.

    Args:
        setting: The setting, for messages.
        url: Its value.
        schemes: The allowed schemes: one without and one with encryption.
        default_port: The port of the first; `https` has 443.
        has_secret: Whether a password or a token goes there.

    Raises:
        ConfigError: If it is no such address, or holds a name or password, which belong into settings of their own.
        UnsafeEndpoint: If a secret would go unencrypted to an address that is not near.
    """
    parts = _split(url)
    if parts is None or parts.scheme not in schemes or not parts.hostname:
        raise ConfigError(
            f"`{setting}` is no address that starts with `{schemes[0]}://` or `{schemes[1]}://`",
            hint=f"write `{schemes[0]}://HOST:{default_port}`",
        )
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            f"`{setting}` holds a name or a password",
            hint="take it out: the user and the password, as `{env:NAME}`, have settings of their own",
        )
    is_encrypted = parts.scheme == schemes[1]
    port = parts.port or (443 if parts.scheme == "https" else default_port)
    if has_secret and not is_encrypted and not _is_near(parts.hostname):
        raise UnsafeEndpoint(
            f"a password or token would go to `{parts.hostname}` unencrypted",
            hint=f"use `{schemes[1]}://` in `{setting}`, or no password",
        )
    return Endpoint(url=url, host=parts.hostname, port=port, is_encrypted=is_encrypted)


def require_reachable(place: Endpoint, *, name: str, allow_link_local: bool) -> None:
    """Look the host up, before anything is sent there.

    Raises:
        ProviderUnavailable: If it is not known.
        UnsafeEndpoint: If it leads to a link-local or metadata address.
    """
    try:
        found = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    except OSError as err:
        raise ProviderUnavailable(
            f"the host `{place.host}` of {name} is not known", provider=name
        ) from err
    for row in found:
        address = str(row[4][0])
        if is_blocked(address) and not allow_link_local:
            raise UnsafeEndpoint(
                f"`{place.host}` leads to `{address}`, a link-local or metadata address",
                hint="`network.allow_link_local = true` in your own file allows it",
            )


def secret(setting: str, value: str) -> str:
    """What the variable holds that a setting names as `{env:NAME}`; empty for an empty setting.

    Raises:
        ConfigError: If the variable is not set.
    """
    return resolved(SETTINGS[setting], value, environment=os.environ) if value else ""


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _is_near(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        place = ipaddress.ip_address(host)
    except ValueError:
        return False
    return place.is_loopback or place.is_private
