"""The only transport: every request to a provider passes here, and no other module uses httpx.

TLS is always verified, redirects are never followed (they would carry credentials elsewhere), every request has a deadline in
all, responses have a size limit, and requests to a user's own address never reach link-local or metadata addresses. A name is
resolved once and the result connected to, so a second lookup can't lead elsewhere.
"""

import ipaddress
import json
import logging
import socket
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from codecairn.clock import Clock, SystemClock
from codecairn.core.closeable import Closeable
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import ProviderBroken, ProviderUnavailable, UnsafeEndpoint
from codecairn.remote.error_mapping import masked, of_status, place_setting
from codecairn.remote.request import HttpRequest

if TYPE_CHECKING:
    import httpx

_LOG = logging.getLogger(__name__)

MAX_BYTES = 256 << 20
"""An answer longer than this is no answer."""

CONNECT_S = 10.0

_METADATA_NAMES = frozenset({"metadata.google.internal", "metadata", "instance-data"})
_METADATA_ADDRESSES = frozenset(
    ipaddress.ip_address(text)
    for text in ("169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "fd00:ec2::254")
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a transport allows.

    Attributes:
        timeout_s: Seconds that one request may take, from connecting to the last byte.
        is_custom: Whether the user chose the address, so that it is looked at closely.
        allow_link_local: Whether link-local and metadata addresses may be used all the same.
        section: The table of settings that hints speak of.
    """

    timeout_s: float
    is_custom: bool = False
    allow_link_local: bool = False
    section: str = "embedding"


class Transport(Closeable):
    """Sends requests of one provider. Thread-safe; close it, or use it as a context manager."""

    def __init__(self, provider: str, policy: Policy, *, clock: Clock | None = None) -> None:
        self.provider = provider
        self._policy = policy
        self._clock = clock or SystemClock()
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()
        self._addresses: dict[tuple[str, int], list[str]] = {}

    def prepare(self) -> None:
        """Load what takes time before the first request: limits on starts count from there."""
        self._opened()

    def close(self) -> None:
        """Let go of connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def send(self, request: HttpRequest, *, timeout_s: float | None = None) -> Mapping[str, object]:
        """The JSON object that answers a request.

        Raises:
            ProviderError: If there is no answer, or one that is none; the error names provider, status and remedy.
            UnsafeEndpoint: If the address may not be used.
        """
        import httpx

        self.prepare()
        timeout_s = self._policy.timeout_s if timeout_s is None else timeout_s
        deadline_s = self._clock.monotonic_s() + timeout_s
        try:
            status, headers, body = self._exchange(request, timeout_s, deadline_s)
        except httpx.TimeoutException as err:
            raise ProviderUnavailable(
                f"{self.provider} did not answer within {timeout_s:g} s",
                hint=f"the provider may be busy: try again later, or raise `{self._policy.section}.timeout_ms`",
                provider=self.provider,
                may_be_charged=not isinstance(err, httpx.ConnectTimeout),
            ) from err
        except httpx.RequestError as err:
            raise ProviderUnavailable(
                masked(
                    f"no answer from {self.provider} at `{_place(request.url)}`: {err}", request
                ),
                hint="check that the address is right and that it can be reached from here",
                provider=self.provider,
                may_be_charged=not isinstance(err, httpx.ConnectError),
            ) from err
        _LOG.debug("%s answered %d with %d bytes", self.provider, status, len(body))
        if status != 200:
            now_s = self._clock.now_ns() / 1e9
            raise of_status(
                self.provider,
                request,
                status,
                headers,
                body,
                now_s=now_s,
                section=self._policy.section,
            )
        return self._document(body)

    def _exchange(
        self, request: HttpRequest, timeout_s: float, deadline_s: float
    ) -> tuple[int, Mapping[str, str], bytes]:
        import httpx

        timeout = httpx.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s))
        content = None if request.body is None else json.dumps(request.body).encode()
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        headers |= {"User-Agent": "codecairn", **request.headers}
        failure: httpx.ConnectError | None = None
        for url, host, extensions in self._targets(request):
            try:
                with self._opened().stream(
                    request.method,
                    url,
                    content=content,
                    headers={**headers, **host},
                    timeout=timeout,
                    extensions=extensions,
                ) as response:
                    body = self._body(response, deadline_s)
                    return response.status_code, response.headers, body
            except httpx.ConnectError as err:
                failure = err  # the name's next address may have a listener
        assert failure is not None
        raise failure

    def _body(self, response: "httpx.Response", deadline_s: float) -> bytes:
        import httpx

        parts, size = [], 0
        for part in response.iter_bytes():
            parts.append(part)
            size += len(part)
            if self._clock.monotonic_s() > deadline_s:
                message = "the answer came too slowly"
                raise httpx.ReadTimeout(message)
            if size > MAX_BYTES:
                raise ProviderBroken(
                    f"{self.provider} answered with more than {MAX_BYTES >> 20} MB",
                    provider=self.provider,
                    may_be_charged=True,
                )
        return b"".join(parts)

    def _document(self, body: bytes) -> Mapping[str, object]:
        try:
            document = json.loads(body)
        except (ValueError, RecursionError) as err:
            raise ProviderBroken(
                f"{self.provider} answered 200 with something that is not JSON",
                hint="check that the address leads to the provider and not to a proxy's page",
                provider=self.provider,
                status=200,
                is_passing=True,
                may_be_charged=True,
            ) from err
        if not isinstance(document, dict):
            raise ProviderBroken(
                f"{self.provider} answered 200 with JSON that is no object",
                provider=self.provider,
                status=200,
                may_be_charged=True,
            )
        return document

    def _opened(self) -> "httpx.Client":
        import httpx

        with self._lock:
            if self._client is None:
                # An address of one's own is connected to directly: a proxy would resolve the name again. A client that
                # is given its transport takes no proxy from the environment, but the certificates that it names.
                direct = httpx.HTTPTransport() if self._policy.is_custom else None
                self._client = httpx.Client(follow_redirects=False, transport=direct)
            return self._client

    def _targets(self, request: HttpRequest) -> list[tuple[str, dict[str, str], dict[str, str]]]:
        """Where to connect, in order: the address, the name for the header, the name for TLS."""
        import httpx

        url = httpx.URL(request.url)
        if url.scheme not in {"https", "http"} or not url.host or url.userinfo:
            raise UnsafeEndpoint(
                f"`{_place(request.url)}` is no address of a provider",
                hint="give `http://` or `https://`, a host, and no name or password",
            )
        if not self._policy.is_custom:
            return [(request.url, {}, {})]
        port = url.port or (443 if url.scheme == "https" else 80)
        addresses = self._looked_up(url.host, port)
        if url.scheme == "http" and request.secrets:
            self._require_near(url.host, addresses)
        name = {"Host": url.netloc.decode()}
        return [
            (str(url.copy_with(host=address)), name, {"sni_hostname": url.host})
            for address in addresses
        ]

    def _looked_up(self, host: str, port: int) -> list[str]:
        known = self._addresses.get((host, port))
        if known is not None:
            return known
        if host.lower().rstrip(".") in _METADATA_NAMES and not self._policy.allow_link_local:
            raise _refused(host, host)
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as err:
            raise ProviderUnavailable(
                f"the host `{host}` of {self.provider} is not known",
                hint=f"check {place_setting(self._policy.section)}",
                provider=self.provider,
            ) from err
        addresses = list(dict.fromkeys(str(row[4][0]) for row in found))
        for address in addresses:
            if is_blocked(address) and not self._policy.allow_link_local:
                raise _refused(host, address)
        self._addresses[host, port] = addresses
        return addresses

    def _require_near(self, host: str, addresses: list[str]) -> None:
        for address in addresses:
            place = ipaddress.ip_address(address.partition("%")[0])
            if not (place.is_loopback or place.is_private):
                raise UnsafeEndpoint(
                    f"a key would go to `{host}` unencrypted", hint="use `https://`, or no key"
                )


def is_blocked(address: str) -> bool:
    """Whether an address is link-local, a cloud's metadata service, or none that can be connected to."""
    place = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(place, "ipv4_mapped", None)
    place = mapped or place
    return (
        place.is_link_local
        or place.is_multicast
        or place.is_unspecified
        or place in _METADATA_ADDRESSES
    )


def _refused(host: str, address: str) -> UnsafeEndpoint:
    return UnsafeEndpoint(
        f"`{host}` leads to `{address}`, a link-local or metadata address",
        hint="`network.allow_link_local = true` in your own file allows it",
    )


def _place(url: str) -> str:
    """An address without what may be secret in it."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
