"""Names of groups in a graph, one a project.

Graphiti allows ASCII letters, digits, `-` and `_` in a group's name, and drops an episode of any other group after it has
answered "queued". A project's name may hold anything, so each other byte is written as `_` and two hexadecimal digits. The
project's identity is part of the name: projects of equal names have different groups, and clones of one repository the same.
"""

import hashlib
import re

from codecairn.errors import ConfigError

_REMOTE = "remote"
_GROUP = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")


def group_name(prefix: str, project: str, identity: str) -> str:
    """The group of a project: `prefix-name__tag`, the tag being 12 hexadecimal digits of the identity's SHA-256.

    The name is the repository's where the identity is the address of a remote, as each clone may lie in a folder of another name.

    Raises:
        ConfigError: If the prefix may not stand in a group's name.
    """
    kind, _, address = identity.partition(":")
    repository = address.rpartition("/")[2] if kind == _REMOTE else ""
    return former_group_name(prefix, repository or project, identity)


def former_group_name(prefix: str, project: str, identity: str) -> str:
    """The same with the name of the folder, which clones do not share: records that were sent under it are still read.

    Raises:
        ConfigError: As of `group_name`.
    """
    require_group(prefix, setting="memory.graphiti_prefix")
    tag = hashlib.sha256(identity.encode()).hexdigest()[:12]
    return f"{prefix}-{_encoded(project)}__{tag}"


def require_group(name: str, *, setting: str) -> str:
    """The name, if it may be a group's.

    Raises:
        ConfigError: If it holds anything but ASCII letters, digits, `-` and `_`.
    """
    if not _GROUP.fullmatch(name):
        raise ConfigError(
            f"`{setting}` is `{name}`",
            hint="a group's name has ASCII letters, digits, `-` and `_` alone",
        )
    return name


def _encoded(text: str) -> str:
    data = text.encode("utf-8", "replace")
    return "".join(chr(byte) if byte in _PLAIN else f"_{byte:02x}" for byte in data)
