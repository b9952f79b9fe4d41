"""The shared index of one workspace: the grant that holds for it, publishing, and pulling."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from codecairn.config.settings import Settings
from codecairn.core.engine import Engine, ProgressCallback, git_head
from codecairn.core.text_format import visible
from codecairn.errors import (
    Cancelled,
    CodecairnError,
    FileAccessError,
    InternalError,
    RemoteError,
    UsageError,
)
from codecairn.indexing.fork_safe import ForkSafeEngine
from codecairn.indexing.lock_retry import LockRetry, Notify
from codecairn.indexing.store_opening import Opening
from codecairn.objects.grant import MAX_GRANT_BYTES, Grant, new_grant, read_grant
from codecairn.objects.object_store import ObjectStore
from codecairn.objects.opening import normalised, open_store
from codecairn.objects.signature import public_key_of
from codecairn.paths.atomic_write import write_atomically
from codecairn.paths.workspace_files import read_regular
from codecairn.replication import grant_folder
from codecairn.replication.deadline import Deadline
from codecairn.replication.publishing import publish, publishable_branch
from codecairn.replication.pulling import pull
from codecairn.replication.remote_index import RemoteIndex
from codecairn.replication.types import Publication, Pull, RemoteStatus

MARK = "repository"
"""The object that `init` writes: a folder that has it is there, and not a drive that was not mounted."""


class WorkspaceRemote:
    """What a workspace does with shared indexes. Nothing is asked of an object store before it is needed."""

    def __init__(
        self,
        opening: Opening,
        held: ForkSafeEngine,
        *,
        lock_retry: Callable[[], LockRetry],
        progress: ProgressCallback | None,
        notify: Notify | None,
    ) -> None:
        self._opening = opening
        self._held = held
        self._lock_retry = lock_retry
        self._progress = progress
        self._notify = notify

    @property
    def root(self) -> Path:
        """The workspace's root."""
        return self._opening.root

    def grant(self, remote: str | None = None) -> Grant:
        """The grant that `remote` names, by address, name or id; by default the one that holds for this workspace.

        Raises:
            UsageError: If there is none.
        """
        setting = self._opening.settings.index_remote if remote is None else remote
        found = grant_folder.find(self.root, setting)
        if found is None:
            raise UsageError(
                f"no shared index is set up for `{self.root}`",
                hint="`codecairn remote accept FILE` takes a grant, `codecairn remote init URL` begins a shared index",
            )
        return found

    def init(self, url: str, *, name: str | None = None, branch: str | None = None) -> Grant:
        """Begin a shared index at an address, with fresh keys, and use it here.

        Raises:
            UsageError: If this is no address of an object store, or this user holds a grant for it already.
            RemoteUnavailable: If the object store does not answer, or refuses access.
        """
        here = git_head(self.root)[0]
        grant = new_grant(
            url=url,
            name=self.root.name or "root" if name is None else name,
            branch=("" if here.startswith("@") else here) if branch is None else branch,
            publisher="owner",
        )
        taken = [each for each in grant_folder.grants() if each.url == grant.url]
        if any(each.name == grant.name for each in taken):
            raise UsageError(
                f"you hold a grant `{grant.name}` for `{grant.url}` already",
                hint="give another name by `--name`, or forget that one by `codecairn remote remove`",
            )
        opened = RemoteIndex(grant)
        opened.store.put(f"{grant.repository}/{MARK}", opened.objects.sealed(MARK, b"1").data)
        grant_folder.save(grant)
        grant_folder.attach(self.root, grant)
        return grant

    def accept(
        self,
        document: bytes,
        *,
        source: str,
        url: str | None = None,
        is_replacing: bool = False,
    ) -> Grant:
        """Keep a grant, and use it here. One that may publish keeps its right where the new one only reads.

        Args:
            document: The grant.
            source: What the document is called in messages.
            url: Where the objects lie as seen from here, if that is elsewhere than the grant has it.
            is_replacing: Whether it may take the place of a different grant for the same repository.

        Raises:
            UsageError: If it is no grant, one for a team's repository, which the team's database gives, or one that differs from the
                one that is held and does not replace it; the message has the differences.
        """
        grant = read_grant(document, source=source)
        held = {each.repository: each for each in grant_folder.grants()}.get(grant.repository)
        if grant.team or (held is not None and held.team):
            raise UsageError(
                f"`{grant.name}` is a team's repository, and its grants come from the team",
                hint="accept an invitation to the team with `codecairn team join FILE`",
            )
        own_key = None if held is None else held.private_key
        is_reader = grant.private_key is None
        if is_reader and own_key is not None and public_key_of(own_key) in grant.accepted:
            grant = replace(grant, private_key=own_key)
        if url is not None:
            grant = replace(grant, url=normalised(url))
            open_store(grant.url)  # refuses what is no address
        changes = [] if held is None else grant.changes_from(held)
        if held is not None and changes and not is_replacing:
            raise UsageError(
                f"the grant in `{source}` differs from the one that you hold for `{held.name}`: {'; '.join(changes)}",
                hint="if its owner has announced that, accept it by `codecairn remote accept --replace`",
            )
        grant_folder.save(grant)
        grant_folder.attach(self.root, grant)
        return grant

    def accept_file(
        self, file: Path, *, url: str | None = None, is_replacing: bool = False
    ) -> Grant:
        """Keep the grant in a file that the user named; errors as for `accept`, and `FileAccessError`."""
        try:
            document = read_regular(file, max_bytes=MAX_GRANT_BYTES)
        except OSError as err:
            raise FileAccessError(f"can't read `{file}`: {err.strerror or err}") from err
        return self.accept(document, source=str(file), url=url, is_replacing=is_replacing)

    def hand_over(self, *, remote: str | None = None, publisher: str | None = None) -> bytes:
        """A grant for another person: to read, or with `publisher` to publish under this new name.

        Raises:
            UsageError: If a publisher has this name, this grant may not name new ones, or it is a team's.
        """
        own = self.grant(remote)
        if own.team:
            raise UsageError(
                f"`{own.name}` is a team's repository, and its grants come from the team",
                hint=f"`codecairn team invite NAME --grant {own.name}=reader` lets another person in",
            )
        if publisher is None:
            return own.for_reader().document()
        if not own.may_publish:
            raise UsageError(
                f"your grant `{own.name}` lets you read the shared index, so it can't name publishers",
                hint="ask the owner of the shared index",
            )
        own, given = own.with_publisher(publisher)
        grant_folder.save(own)
        return given.document()

    def hand_over_file(
        self, file: Path, *, remote: str | None = None, publisher: str | None = None
    ) -> None:
        """The same into a new file that its user alone may read; an existing one is not replaced.

        Raises:
            UsageError: If the file exists, or as for `hand_over`.
            FileAccessError: If it can't be written.
        """
        if file.exists() or file.is_symlink():
            raise UsageError(f"`{file}` is there already", hint="name a new file")
        document = self.hand_over(remote=remote, publisher=publisher)
        try:
            write_atomically(file, document)
        except OSError as err:
            raise FileAccessError(f"can't write `{file}`: {err.strerror or err}") from err

    def remove(self, remote: str | None = None) -> Grant:
        """Forget a grant with its keys; the shared index itself stays."""
        grant = self.grant(remote)
        grant_folder.remove(grant)
        return grant

    def status(self, *, remote: str | None = None, branch: str | None = None) -> RemoteStatus:
        """How a shared index is. What is wrong with it is part of the answer."""
        grant = self.grant(remote)
        opened = _opened(grant, settings=self._opening.settings)
        grant = opened.grant
        here = git_head(self.root)[0]
        wanted = [here, grant.branch] if branch is None else [branch]
        named = [each for each in wanted if not each.startswith("@")]
        problem, revision = "", None
        try:
            revision = opened.latest_of(named)
        except RemoteError as err:
            problem = err.message
        if revision is None:
            return RemoteStatus(
                remote=grant.name,
                repository=grant.repository,
                place=opened.store.place,
                may_publish=grant.may_publish,
                publishers=tuple(each.name for each in grant.publishers),
                branch=named[0] if named else "",
                problem=problem,
            )
        return RemoteStatus(
            remote=grant.name,
            repository=grant.repository,
            place=opened.store.place,
            may_publish=grant.may_publish,
            publishers=tuple(each.name for each in grant.publishers),
            branch=revision.pointer.branch,
            commit=revision.pointer.commit,
            epoch=revision.pointer.epoch,
            made_ns=revision.pointer.made_ns,
            files=revision.manifest.files,
            packs=len(revision.manifest.packs),
            size_bytes=sum(name.size_bytes for name in set(revision.manifest.objects)),
        )

    def publish(self, remote: str, *, branch: str | None = None) -> Publication:
        """Publish the index of the branch that is checked out; see `codecairn.replication.publishing.publish`."""
        grant = self.grant(remote)

        def work(engine: Engine) -> Publication:
            from codecairn.team.index_access import publishing

            named = publishable_branch(engine, branch)
            with publishing(grant, named):
                return publish(engine, _opened(grant), branch=named)

        return self._held.run(work, create=False)

    def pull(
        self,
        *,
        remote: str | None = None,
        branch: str | Sequence[str] | None = None,
        cache: ObjectStore | None = None,
    ) -> Pull:
        """Take the shared index in; see `codecairn.replication.pulling.pull`. From then on it is the one of this folder.

        Objects that are fetched are kept in `cache`; without one, until the pull is complete.
        """
        grant = self.grant(remote)
        done = self._held.run(
            lambda engine: pull(
                engine,
                self._opening,
                _opened(grant, use="pull", cache=cache, settings=self._opening.settings),
                branch=branch,
                lock_retry=self._lock_retry(),
                progress=self._progress,
            ),
            create=True,
        )
        if remote is None and not self._opening.settings.index_remote:
            grant_folder.attach_folder(self.root, grant)
        return done

    def pull_first(
        self, engine: Engine, *, progress: ProgressCallback | None = None
    ) -> Pull | None:
        """Pull into a store that has nothing, if a shared index is set up; a failure is reported and not raised.

        All requests together may take `index.remote_wait_ms`. What was fetched by then is kept for `codecairn pull`. A grant that
        was accepted elsewhere is used only in a clone of the repository that it was accepted for, not in a folder that merely
        names its address.
        """
        if engine.options.read_only or engine.unreached()[0]:
            return None
        settings = self._opening.settings
        try:
            grant = grant_folder.find(self.root, settings.index_remote)
            if grant is None:
                return None
            if not settings.index_remote and not grant_folder.is_confirmed(self.root, grant):
                self._tell(
                    f"the shared index `{grant.name}` is not used: this folder names the address of its repository as its origin, "
                    "but lacks its first commits; if it is a clone of yours, run `codecairn pull`"
                )
                return None
            self._tell(f"pulling the shared index `{grant.name}`")
            retry = self._lock_retry()
            ends_s = retry.clock.monotonic_s() + settings.index_remote_wait_ms / 1000
            deadline = Deadline(remote=grant.name, clock=retry.clock, ends_s=ends_s)
            done = pull(
                engine,
                self._opening,
                _opened(grant, deadline=deadline, use="pull", settings=settings),
                branch=None,
                lock_retry=retry,
                progress=progress or self._progress,
            )
        except Cancelled:
            raise
        except CodecairnError as err:
            self._tell(_excuse(err))
            return None
        except Exception as err:  # noqa: BLE001 - no fault of a shared index may keep a search from its answer
            self._tell(_excuse(InternalError(f"{type(err).__name__}: {err}")))
            return None
        self._tell(
            f"took {done.documents:,} documents of `{done.branch}` at epoch {done.epoch} from the shared index "
            f"`{done.remote}`"
        )
        return done

    def _tell(self, message: str) -> None:
        if self._notify is not None:
            self._notify(visible(message))


def _opened(
    grant: Grant,
    *,
    deadline: Deadline | None = None,
    use: str | None = None,
    cache: ObjectStore | None = None,
    settings: Settings | None = None,
) -> RemoteIndex:
    """The shared index of a grant, read through the nodes that `settings` name; what a team's needs is loaded for it alone."""
    if not grant.team:
        return RemoteIndex(grant, deadline=deadline, cache=cache)
    from codecairn.replication.team_index import NO_NODES, Nodes, opened_index

    nodes = NO_NODES if settings is None else Nodes(settings.node_urls, settings.node_ca_file)
    return opened_index(grant, deadline=deadline, use=use, cache=cache, nodes=nodes)


def _excuse(err: CodecairnError) -> str:
    hint = f" ({err.hint})" if err.hint else ""
    return f"no shared index is used: {err.message}{hint}; the index is made here"
