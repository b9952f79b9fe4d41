"""Finds the object store that an address names."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from codecairn.errors import UsageError
from codecairn.objects.object_store import ObjectStore
from codecairn.paths import user

_DRIVE = re.compile("/[A-Za-z]:")
"""How the path of a file's address begins on Windows."""

_HINT = "give a folder, `file:///folder` or `s3://bucket/prefix`"


def open_store(url: str) -> ObjectStore:
    """The object store at an address: a folder's path, `file:///folder` or `s3://bucket/prefix`.

    Nothing is asked of it yet.

    Raises:
        UsageError: If it is no such address, or a package that it needs is not installed.
    """
    scheme, separator, _ = url.partition("://")
    if not separator:
        return _folder(user.expanded(Path(url)), url)
    if scheme == "file":
        parts = urlsplit(url)
        if parts.netloc not in {"", "localhost"}:
            raise UsageError(f"`{url}` names another machine", hint=_HINT)
        path = unquote(parts.path)
        return _folder(Path(path[1:] if _DRIVE.match(path) else path), url)
    if scheme == "s3":
        from codecairn.objects.s3_store import S3Store

        parts = urlsplit(url)
        if parts.username or parts.password or parts.query or parts.fragment or parts.port:
            raise UsageError(
                "the address of a bucket holds its name and a prefix alone",
                hint="give credentials, region and endpoint by the environment (`AWS_…`)",
            )
        return S3Store(parts.netloc, unquote(parts.path).strip("/"))
    raise UsageError(f"no object store has addresses that begin with `{scheme}://`", hint=_HINT)


def normalised(url: str) -> str:
    """The address as it is kept: a folder's in full, so that it means the same from everywhere.

    Raises:
        UsageError: If it is empty.
    """
    if not url.strip():
        raise UsageError("the address of the shared index is empty", hint=_HINT)
    if "://" in url:
        return url.rstrip("/")
    return str(user.expanded(Path(url)).absolute())


def _folder(path: Path, url: str) -> ObjectStore:
    from codecairn.objects.folder_store import FolderStore

    if not path.is_absolute():
        raise UsageError(f"`{url}` is no full path", hint=_HINT)
    return FolderStore(path)
