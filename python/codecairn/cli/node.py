"""The command `node`, which answers a team's searches."""

import ipaddress
import os
import re
import ssl
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from codecairn.cli.command import command, option
from codecairn.cli.output import note
from codecairn.errors import FileAccessError, RemoteUnavailable, UsageError

if TYPE_CHECKING:
    from codecairn.objects.grant import Grant
    from codecairn.team.membership import Membership

DEFAULT_PORT = 8777
DEFAULT_CACHE = "20G"
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"([0-9]{1,9})([KMGT])B?", re.IGNORECASE)
_LISTEN = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):([0-9]{1,5})")
_NAME = re.compile(r"(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_MIN_CACHE_BYTES = 1 << 20


@command("node")
@option("--listen", default=f"127.0.0.1:{DEFAULT_PORT}", metavar="ADDRESS:PORT", help="Where to listen; port 0 takes any free one.")  # fmt: skip
@option("--clone", "clones", multiple=True, required=True, metavar="NAME=GIT_URL", help="A repository of the team, and where to clone it from; repeat it.")  # fmt: skip
@option("--team", "named", metavar="NAME", help="The team, if you belong to several.")
@option("--name", "names", multiple=True, metavar="HOST[:PORT]", help="What clients call this node. [default: where it listens]")  # fmt: skip
@option("--certificate", metavar="FILE", help="A certificate (PEM), without which only the loopback address is listened on.")  # fmt: skip
@option("--key", metavar="FILE", help="The certificate's private key (PEM).")
@option("--cache-size", default=DEFAULT_CACHE, metavar="SIZE", help="What commits and objects may take on the disk, as in `500M` or `20G`.")  # fmt: skip
@option("-q", "--quiet", is_flag=True, help="No notes on standard error.")
def node(
    *,
    listen: str,
    clones: tuple[str, ...],
    named: str | None,
    names: tuple[str, ...],
    certificate: str | None,
    key: str | None,
    cache_size: str,
    quiet: bool,
) -> None:
    """Answer searches for machines that hold no index.

    It has a team's commits from git and their indexes from the object store, and keeps nothing that is not there. Members ask it
    by `codecairn search --node URL`; each request is signed, and the team's database is asked whether its member has a grant.
    """
    address, port = _place(listen)
    files = _certificate(address, certificate, key)
    max_bytes = _bytes(cache_size)
    addresses = _addresses(clones)
    own_names = _own_names(address, names)

    from codecairn.clock import SystemClock
    from codecairn.loopback.listener import raise_descriptor_limit
    from codecairn.loopback.serving import listen as listen_on
    from codecairn.loopback.serving import serve
    from codecairn.node.access import Access
    from codecairn.node.app import NodeApp
    from codecairn.node.commits import Commits
    from codecairn.node.objects import PassedObjects
    from codecairn.paths import user
    from codecairn.paths.file_lock import lease

    member, grants = _grants(named, addresses)
    own = user.data_folder() / "node"
    user.make_data_folder()
    own.mkdir(mode=0o700, exist_ok=True)
    clock = SystemClock()
    raise_descriptor_limit()
    with lease(own / "lock") as is_ours, listen_on(port, address=address) as listening:
        if not is_ours:
            raise FileAccessError(
                f"another node uses `{own}`",
                hint=f"end it, or give this one a data folder of its own by `{user.HOME_VARIABLE}`",
            )
        port = listening.getsockname()[1]
        commits = Commits(
            own,
            {grant: addresses[grant.name] for grant in grants},
            max_bytes=max_bytes,
            clock=clock,
            log=lambda message: note(message, quiet=quiet),
        )
        access = Access(member, _with_port(own_names, port), clock=clock)
        known = {name: each.repository for each in grants for name in (each.name, each.repository)}
        objects = PassedObjects(grants, commits.objects)
        app = NodeApp(access, commits, known, objects, clock=clock)
        scheme = "http" if files is None else "https"
        shown = f"[{address}]" if ":" in address else address
        click.echo(f"answering at {scheme}://{shown}:{port}; Ctrl-C ends it", err=True)
        try:
            with suppress(KeyboardInterrupt):
                serve(app, listening, certificate=files)
        finally:
            app.close()
        if commits.is_busy():
            # A commit that is half prepared is prepared again by the next start, so it is not waited for.
            sys.stderr.flush()
            os._exit(0)


def _grants(
    named: str | None, addresses: Mapping[str, str]
) -> "tuple[Membership, tuple[Grant, ...]]":
    """The node's membership, and its grant for each repository.

    Raises:
        UsageError: If it has none.
        RemoteRefused: If all of its grants were revoked.
    """
    from codecairn.team.administration import refresh
    from codecairn.team.index_access import index_grant
    from codecairn.team.membership import membership

    member = membership(named)
    try:
        member = refresh(member)
    except RemoteUnavailable as err:
        note(f"starting with what was known of the team: {err.message}")
    by_name = {each.name: each for each in member.repositories.values()}
    for name in addresses:
        if name not in by_name:
            raise UsageError(
                f"this node has no grant for a repository `{name}` in the team `{member.team}`",
                hint=f"an administrator gives it: `codecairn team grant {member.member} {name} reader`",
            )
    return member, tuple(index_grant(member, by_name[name], branch="") for name in addresses)


def _place(listen: str) -> tuple[str, int]:
    """The address and the port to listen on.

    Raises:
        UsageError: If they are none.
    """
    match = _LISTEN.fullmatch(listen)
    try:
        if match is None:
            raise ValueError  # noqa: TRY301 - reported as an address that is none
        address, port = str(ipaddress.ip_address(match[1] or match[2])), int(match[3])
        if port > 65535:
            raise ValueError  # noqa: TRY301
    except ValueError as err:
        raise UsageError(
            f"`{listen:.100}` is no address and port to listen on", hint="as in `127.0.0.1:8777`"
        ) from err
    return address, port


def _certificate(address: str, certificate: str | None, key: str | None) -> tuple[str, str] | None:
    """The files of the certificate and its key, checked; `None` without.

    Raises:
        UsageError: If there is none although others can reach the address, or it can't be used.
    """
    if certificate is None and key is None:
        if not ipaddress.ip_address(address).is_loopback:
            raise UsageError(
                f"other machines can reach `{address}`, and questions and code would cross unencrypted",
                hint="give `--certificate FILE --key FILE`, or listen on 127.0.0.1",
            )
        return None
    if certificate is None or key is None:
        raise UsageError("a certificate and its key belong together", hint="give `--certificate FILE --key FILE`")  # fmt: skip
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except OSError as err:  # `SSLError`, too
        reason = err.strerror or str(err)
        raise UsageError(
            f"the certificate `{certificate}` with the key `{key}` can't be used: {reason}",
            hint="both are files in the format PEM, and the key has no password",
        ) from err
    return certificate, key


def _bytes(text: str) -> int:
    match = _SIZE.fullmatch(text.strip())
    size = int(match[1]) * _UNITS[match[2].upper()] if match else 0
    if size < _MIN_CACHE_BYTES:
        raise UsageError(f"`{text:.100}` is no size of a cache", hint="as in `500M` or `20G`; 1M is the least")  # fmt: skip
    return size


def _addresses(clones: tuple[str, ...]) -> dict[str, str]:
    """Where each repository is cloned from.

    Raises:
        UsageError: If an option is not `NAME=GIT_URL`, or a name is given twice.
    """
    from codecairn.node.mirror import require_address

    found: dict[str, str] = {}
    for each in clones:
        name, separator, address = each.partition("=")
        if not separator or not name:
            raise UsageError(f"`--clone {each:.200}` names no repository", hint="as in `--clone shop=https://git.example.com/acme/shop.git`")  # fmt: skip
        if name in found:
            raise UsageError(f"`{name}` is cloned from two addresses", hint="give one of them")
        found[name] = require_address(address)
    return found


def _own_names(address: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """What the node is called, by what was given, else by where it listens.

    Raises:
        UsageError: If a name is none, or none is given and it listens on all addresses.
    """
    for name in names:
        if not _NAME.fullmatch(name.lower()):
            raise UsageError(f"`{name:.100}` is no name of a node", hint="as in `search.example.com` or `search.example.com:8777`")  # fmt: skip
    if names:
        return tuple(name.lower() for name in names)
    found = ipaddress.ip_address(address)
    if found.is_unspecified:
        raise UsageError("what is this node called?", hint="it listens on all addresses: name it as clients do, by `--name HOST`")  # fmt: skip
    own = f"[{address}]" if found.version == 6 else address
    return (own, "localhost") if found.is_loopback else (own,)


def _with_port(names: tuple[str, ...], port: int) -> frozenset[str]:
    """The names as `Host` has them: with the port that is listened on, unless another is given."""
    has_port = re.compile(r".*:[0-9]+|\[.*\]:[0-9]+")
    return frozenset(
        name if has_port.fullmatch(name) and not name.endswith("]") else f"{name}:{port}"
        for name in names
    )
