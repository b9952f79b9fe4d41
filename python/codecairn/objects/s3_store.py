"""An object store in a bucket of S3 or of anything that speaks its protocol, by the package `obstore`.

Credentials, region and endpoint come from the environment (`AWS_ACCESS_KEY_ID`, `AWS_REGION`, `AWS_ENDPOINT_URL`, …) or from the
machine's own role, never from a workspace. No conditional request is made: some stores let every writer win those.
"""

import ipaddress
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from codecairn.errors import (
    ObjectMissing,
    RemoteUnavailable,
    RemoteUntrusted,
    UnsafeEndpoint,
    UsageError,
)
from codecairn.objects.object_store import MAX_OBJECT_BYTES, checked_key
from codecairn.objects.packages import needs

if TYPE_CHECKING:
    from obstore.store import S3Store as Client

CONNECT_S = 5
REQUEST_S = 120
"""Seconds that one request may take, with the largest object on a slow line in mind."""

RETRY_S = 10
MAX_RETRIES = 3
ENDPOINT_VARIABLES = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"(?:[A-Za-z0-9!_.*'()-]+(?:/[A-Za-z0-9!_.*'()-]+)*)?")
_CODE = re.compile(r"<Code>([A-Za-z]{1,60})</Code>")


class S3Store:
    """Keeps each object under its key, below a prefix of a bucket, which must exist.

    Raises:
        UsageError: If these are no names of a bucket and a prefix.
    """

    def __init__(self, bucket: str, prefix: str) -> None:
        if not _BUCKET.fullmatch(bucket):
            raise UsageError(f"`{bucket:.100}` is no name of a bucket")
        if not _PREFIX.fullmatch(prefix) or ".." in prefix.split("/"):
            raise UsageError(f"`{prefix:.100}` is no prefix in a bucket")
        self._bucket = bucket
        self._prefix = prefix

    @property
    def place(self) -> str:
        """The address."""
        return f"s3://{self._bucket}/{self._prefix}".rstrip("/")

    def get(self, key: str, *, max_bytes: int = MAX_OBJECT_BYTES) -> bytes:
        """The bytes of an object; see `ObjectStore`."""
        path, data = checked_key(key), bytearray()
        with self._translated(key):
            result = self._client.get(path)
            if result.meta["size"] <= max_bytes:
                for part in result:
                    data += part
                    if len(data) > max_bytes:
                        break
                else:
                    return bytes(data)
        raise RemoteUntrusted(
            f"the object `{key}` in `{self.place}` has more than {max_bytes:,} bytes"
        )

    def put(self, key: str, data: bytes) -> None:
        """Write an object; see `ObjectStore`."""
        path = checked_key(key)
        with self._translated(key):
            self._client.put(path, data, use_multipart=False)

    def exists(self, key: str) -> bool:
        """Whether there is an object; see `ObjectStore`."""
        path = checked_key(key)
        try:
            with self._translated(key):
                self._client.head(path)
        except ObjectMissing:
            return False
        return True

    def keys(self, prefix: str) -> Iterator[str]:
        """The keys below a prefix, a thousand for each request; see `ObjectStore`."""
        path = checked_key(prefix)
        with self._translated(prefix):
            for page in self._client.list(path):
                yield from (each["path"] for each in page)

    def delete(self, key: str) -> None:
        """Remove an object; see `ObjectStore`."""
        path = checked_key(key)
        try:
            with self._translated(key):
                self._client.delete(path)
        except ObjectMissing:
            return

    @cached_property
    def _client(self) -> "Client":
        with needs("obstore", extra="s3"):
            from obstore.store import S3Store as Client
        endpoint = next(
            (os.environ[name] for name in ENDPOINT_VARIABLES if os.environ.get(name)), ""
        )
        allow_http = bool(endpoint) and _may_be_plain(endpoint)
        try:
            return Client(
                self._bucket,
                prefix=self._prefix or None,
                client_options={
                    "allow_http": allow_http,
                    "connect_timeout": timedelta(seconds=CONNECT_S),
                    "timeout": timedelta(seconds=REQUEST_S),
                },
                retry_config={
                    "max_retries": MAX_RETRIES,
                    "retry_timeout": timedelta(seconds=RETRY_S),
                },
            )
        except ValueError as err:
            raise UsageError(
                f"the environment does not configure access to `{self.place}`",
                hint="check the variables that begin with `AWS_`",
            ) from err

    @contextmanager
    def _translated(self, key: str) -> Iterator[None]:
        """Turns failures of the client into ours. Their texts may quote requests, so none of it is passed on but the code."""
        with needs("obstore", extra="s3"):
            from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

        try:
            yield
        except FileNotFoundError as err:
            if "NoSuchBucket" in str(err):
                raise RemoteUnavailable(f"there is no bucket `{self._bucket}`") from err
            raise ObjectMissing(f"`{self.place}` has no object `{key}`") from err
        except (PermissionDeniedError, UnauthenticatedError) as err:
            raise RemoteUnavailable(
                f"`{self.place}` refuses access{_code(err)}",
                hint="check the credentials in the environment (`AWS_ACCESS_KEY_ID` …) and what they may do there",
            ) from err
        except (BaseError, OSError) as err:
            raise RemoteUnavailable(f"`{self.place}` does not answer{_code(err)}") from err


def _code(err: BaseException) -> str:
    """The code of S3's answer, if there is one."""
    found = _CODE.search(str(err))
    return f" ({found[1]})" if found else ""


def _may_be_plain(endpoint: str) -> bool:
    """Whether an endpoint is plain HTTP, which only this machine's and private networks' may be.

    Raises:
        UnsafeEndpoint: If it is plain HTTP elsewhere, or no address.
    """
    parts = urlsplit(endpoint)
    if parts.scheme == "https":
        return False
    host = parts.hostname or ""
    if parts.scheme != "http" or not host:
        raise UnsafeEndpoint(f"`{endpoint:.200}` is no endpoint of an object store")
    try:
        found = {str(row[4][0]) for row in socket.getaddrinfo(host, None)}
    except OSError as err:
        raise RemoteUnavailable(f"the host `{host}` of the endpoint is not known") from err
    for address in found:
        place = ipaddress.ip_address(address.partition("%")[0])
        if not (place.is_loopback or place.is_private):
            raise UnsafeEndpoint(
                f"the endpoint `{host}` would be asked unencrypted", hint="use `https://`"
            )
    return True
