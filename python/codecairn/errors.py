"""Everything that can go wrong, as one tree.

CodecairnError
├── UsageError                the request itself is wrong (also a ValueError)
│   ├── PathNotFound          a folder or file that it names is not in the workspace, or not indexed
│   └── ConfigError           a configuration file, variable or argument is wrong
│       └── UnsafeEndpoint    an address that no credentials or texts should go to
├── WorkspaceError
│   ├── BadWorkspace          this folder can't be, or should not become, a workspace
│   ├── NotIndexed            there is no index here yet
│   ├── HistoryUnavailable    git's history was asked for and can't be read
│   ├── SymbolNotFound        nothing of this name is defined
│   ├── SymbolAmbiguous       several symbols have this name
│   └── PullRequestUnavailable  a pull request was asked for and can't be read
├── StoreError
│   ├── IndexLocked           another process is writing
│   ├── StoreDamaged          the store can't be read as what it should be
│   ├── StoreTooNew           the store was made by a newer version
│   ├── StoreReadOnly         the store can't be written here
│   ├── IndexPartDamaged      a part of an index that was made elsewhere can't be used
│   ├── StoreUntrusted        the store, or something in its place, is not one that this user made
│   └── DiskFull              the disk that holds the store has no room left
├── ProviderError             a provider of embeddings, rerankings or answers did not do what was asked
│   ├── ProviderUnauthorized  there is no key, or the provider does not take it
│   ├── ProviderRateLimited   too many requests or tokens in too short a time
│   ├── ProviderUnavailable   no answer, or one that says to come back later
│   ├── ProviderRefused       the provider does not take this request
│   │   └── ProviderDeclined  models do not want to, or can't, do it with this text
│   └── ProviderBroken        an answer that is not as documented
├── RemoteError               a shared index could not be read or written
│   ├── RemoteUnavailable     its object store or the team's database does not answer, or refuses access
│   ├── RemoteRefused         the team's database does not allow it to this member
│   ├── ObjectMissing         an object that should be there is not
│   ├── RemoteUntrusted       what was read is damaged, forged, foreign or older than what was read before
│   ├── RemoteIncompatible    it was made by a version whose index can't be used here
│   └── RemoteConflict        another publisher was faster
├── BudgetExhausted           what may be spent has been spent
├── FileAccessError           a file could not be read or written
├── Cancelled                 the caller cancelled the work
└── InternalError             a bug in codecairn

Each class has a stable `code` that scripts may rely on, and most have a `hint`: what to do next. Messages are
lower case, name the thing, and end without a stop.
"""

import errno
import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar


class CodecairnError(Exception):
    """Any failure that codecairn knows by name.

    Attributes:
        code: Stable name of the class of failure.
        exit_code: What the command line exits with.
        message: What happened, in one sentence.
        hint: What to do about it, or an empty string.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1
    default_hint: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint


class UsageError(CodecairnError, ValueError):
    """The request can't be carried out as it was made."""

    code = "usage"
    exit_code = 2


class PathNotFound(UsageError):
    """A folder or file that the request names is not in the workspace, or not indexed."""

    code = "path-not-found"


class ConfigError(UsageError):
    """A setting is unknown or has a wrong type or value."""

    code = "config"
    default_hint = (
        "correct it there; `codecairn config path` shows the files that settings are read from"
    )


class WorkspaceError(CodecairnError):
    """The folder or its history is not what the request needs."""

    code = "workspace"


class BadWorkspace(WorkspaceError):
    """This folder can't be a workspace, or should not become one without being named."""

    code = "bad-workspace"
    default_hint = "name a folder that you may read"


class NotIndexed(WorkspaceError):
    """There is no index here yet."""

    code = "not-indexed"
    default_hint = "run `codecairn index`"


class HistoryUnavailable(WorkspaceError):
    """The history of git was asked for and can't be read."""

    code = "history-unavailable"
    default_hint = (
        "`--blame`, `--author`, `--commit`, `--since` and `--until` need a git repository and `git`"
    )


class SymbolNotFound(WorkspaceError):
    """Nothing of this name is defined in the index."""

    code = "symbol-not-found"


class SymbolAmbiguous(WorkspaceError):
    """Several symbols have this name.

    Attributes:
        candidates: Each as `path::qualified name` or `path:line`, which chooses it.
    """

    code = "symbol-ambiguous"

    def __init__(
        self, message: str, *, hint: str | None = None, candidates: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, hint=hint)
        self.candidates = candidates


class PullRequestUnavailable(WorkspaceError):
    """A pull request was asked for and can't be read."""

    code = "pull-request-unavailable"
    default_hint = (
        "install and log in to GitHub's `gh`, or fetch its branch: `codecairn impact BRANCH`"
    )


class StoreError(CodecairnError):
    """The store can't do what was asked."""

    code = "store"


class IndexLocked(StoreError):
    """Another process is writing to this index; the message names it."""

    code = "index-locked"
    default_hint = "wait until it is done; searching works meanwhile"


class StoreDamaged(StoreError):
    """The store can't be read as what it should be."""

    code = "store-damaged"
    default_hint = "run `codecairn doctor --repair`"


class StoreTooNew(StoreError):
    """The store was made by a newer version of codecairn."""

    code = "store-too-new"
    default_hint = (
        "upgrade codecairn; an index may be moved away instead and is rebuilt, a memory is not"
    )


class StoreReadOnly(StoreError):
    """The store can't be written from here."""

    code = "store-read-only"
    default_hint = "change its rights, or move your data folder with `CODECAIRN_HOME`"


class IndexPartDamaged(StoreError):
    """A part of an index that was made elsewhere is not what it should be; the store is as it was."""

    code = "index-part-damaged"
    default_hint = "fetch it again; `codecairn index` makes the index here without it"


class StoreUntrusted(StoreError):
    """The folder of a store is a link, another user's, or not one that this user made."""

    code = "store-untrusted"
    default_hint = "remove it, or move it away; an index is rebuilt from the files"


class DiskFull(StoreError):
    """The disk that holds the store has no room left; what was committed before is intact."""

    code = "disk-full"
    default_hint = "free some space and run the command again"


class ProviderError(CodecairnError):
    """A provider of embeddings, rerankings or answers did not do what was asked.

    Attributes:
        provider: Its name.
        status: The HTTP status; 0 without an answer.
        retry_after_s: Seconds after which the provider wants to be asked again; `None` if it did not say.
        is_general: Whether every further request would fail the same way.
        is_too_long: Whether a text was too long for the model.
        is_passing: Whether asking again may help, as after an answer that came in half.
        may_be_charged: Whether the provider may have done the work, so that it counts as paid for.
    """

    code = "provider"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        provider: str = "",
        status: int = 0,
        retry_after_s: float | None = None,
        is_general: bool = False,
        is_too_long: bool = False,
        is_passing: bool = False,
        may_be_charged: bool = False,
    ) -> None:
        super().__init__(message, hint=hint)
        self.provider = provider
        self.status = status
        self.retry_after_s = retry_after_s
        self.is_general = is_general
        self.is_too_long = is_too_long
        self.is_passing = is_passing
        self.may_be_charged = may_be_charged


class ProviderUnauthorized(ProviderError):
    """There is no key, or the provider does not take it."""

    code = "provider-unauthorized"
    default_hint = "check the key, and that it may be used for embeddings"


class ProviderRateLimited(ProviderError):
    """Too many requests or tokens in too short a time."""

    code = "provider-rate-limited"
    default_hint = (
        "try again later, or lower `embedding.concurrency` or `embedding.tokens_per_minute`"
    )


class ProviderUnavailable(ProviderError):
    """No response, or one that asks to retry later."""

    code = "provider-unavailable"
    default_hint = "try again later; searching works meanwhile"


class ProviderRefused(ProviderError):
    """The provider does not take this request."""

    code = "provider-refused"
    default_hint = "check `embedding.model` and its options"


class ProviderDeclined(ProviderRefused):
    """Models do not want to, or can't, do it with this text: asking again would not help, less text might.

    Attributes:
        is_unreadable: Whether requests succeeded but the responses were unusable, which may be the model's fault.
    """

    code = "provider-declined"
    is_unreadable: bool = False


class ProviderBroken(ProviderError):
    """An answer that is not as documented."""

    code = "provider-broken"
    default_hint = "check that `embedding.base_url` leads to what `embedding.provider` names"


class RemoteError(CodecairnError):
    """A shared index could not be read or written."""

    code = "remote"


class RemoteUnavailable(RemoteError):
    """The object store of a shared index does not answer, or refuses access."""

    code = "remote-unavailable"
    default_hint = (
        "check the address, the credentials and the network; the local index works without"
    )


class RemoteRefused(RemoteError):
    """The team's database does not allow it to this member."""

    code = "remote-refused"
    default_hint = (
        "`codecairn team status` shows your grants; an administrator of the repository gives them"
    )


class ObjectMissing(RemoteError):
    """An object of a shared index that should be there is not.

    Attributes:
        is_unpublished: Whether nothing was published of the branches that were asked for.
    """

    code = "object-missing"
    is_unpublished: bool = False
    default_hint = "publish again with `codecairn index --publish`"


class RemoteUntrusted(RemoteError):
    """What was read of a shared index is damaged, forged, foreign, or older than what was read before."""

    code = "remote-untrusted"
    default_hint = "nothing of it was used; ask who publishes this index"


class RemoteIncompatible(RemoteError):
    """A shared index was made by a version whose index can't be used here."""

    code = "remote-incompatible"
    default_hint = "use the version of codecairn that publishes it; the local index works without"


class RemoteConflict(RemoteError):
    """Another publisher of the same branch was faster; nothing of it was replaced."""

    code = "remote-conflict"
    default_hint = "run the command again"


class BudgetExhausted(CodecairnError):
    """What may be spent has been spent."""

    code = "budget-exhausted"


class UnsafeEndpoint(ConfigError):
    """An address that no credentials or texts should go to."""

    code = "unsafe-endpoint"


class FileAccessError(CodecairnError):
    """A file could not be read or written."""

    code = "file-access"
    default_hint = "check that it is there, and that you may read and write it"

    @property
    def hint(self) -> str:
        """The remedy; after a failure over a full disk, that it is full."""
        full = disk_full(self.__cause__)
        return self._hint if full is None else f"{full.message}; {full.hint}"

    @hint.setter
    def hint(self, hint: str) -> None:
        self._hint = hint


class Cancelled(CodecairnError):
    """The caller cancelled the work; what was committed before is intact."""

    code = "cancelled"
    exit_code = 130


class InternalError(CodecairnError):
    """A bug in codecairn."""

    code = "internal"
    default_hint = "please report it; `CODECAIRN_DEBUG=1` shows the traceback"


_NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def disk_full(err: BaseException | None) -> DiskFull | None:
    """The public exception for a failure of the system over a full disk; `None` for any other failure."""
    if not isinstance(err, OSError) or err.errno not in _NO_ROOM:
        return None
    if not isinstance(err.filename, (str, os.PathLike)):
        return DiskFull("no space left on the disk")
    path = os.fspath(err.filename)
    return DiskFull(f"no space left on the disk that holds `{path}`{_room(path)}")


def _room(path: str) -> str:
    """How much room the disk of a file has, for the end of a message; empty where that is unknown."""
    from shutil import disk_usage

    try:
        free = disk_usage(os.path.dirname(path) or ".").free  # noqa: PTH120 - pathlib takes a while to import
    except OSError:
        return ""
    return f": {free // 1000} kB free" if free < 10 << 20 else f": {free // 1_000_000} MB free"


NATIVE_KINDS: Mapping[str, type[CodecairnError]] = MappingProxyType(
    {
        "Cancelled": Cancelled,
        "Locked": IndexLocked,
        "StoreTooNew": StoreTooNew,
        "StoreDamaged": StoreDamaged,
        "StoreReadOnly": StoreReadOnly,
        "PartDamaged": IndexPartDamaged,
        "StoreUntrusted": StoreUntrusted,
        "DiskFull": DiskFull,
        "NotIndexed": NotIndexed,
        "BadRoot": BadWorkspace,
        "InvalidArgument": UsageError,
        "Io": FileAccessError,
        "Database": StoreError,
        "Internal": InternalError,
    }
)
"""Each kind of failure of the Rust core and the exception it becomes."""


def from_native(kind: str, message: str) -> CodecairnError:
    """The public exception for a failure of the Rust core."""
    known = NATIVE_KINDS.get(kind)
    if known is None:
        return InternalError(f"unknown kind of failure `{kind}`: {message}")
    return known(message)
