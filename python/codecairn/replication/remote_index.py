"""A shared index as its grant opens it: pointers and manifests are checked before anything of them is used."""

from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteUntrusted, UsageError
from codecairn.objects.folder_store import FolderStore
from codecairn.objects.grant import Grant
from codecairn.objects.manifest import KIND as MANIFEST_KIND
from codecairn.objects.manifest import Manifest, open_manifest
from codecairn.objects.object_store import ObjectStore
from codecairn.objects.opening import open_store
from codecairn.objects.pointer import Pointer, epoch_of, open_pointer
from codecairn.objects.ref_store import ObjectRefStore, RefStore
from codecairn.objects.seal import Sealer
from codecairn.objects.sealed_objects import ObjectName, SealedObjects
from codecairn.objects.signature import public_key_of
from codecairn.replication import grant_folder
from codecairn.replication.deadline import Deadline, run_without_limit

AT_ONCE = 8
"""Requests to an object store at the same time."""

MAX_EPOCH_STEP = 2**32
"""A branch is not published more often between two reads: else one publisher could use up its epochs, and readers remember that."""

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What a branch of a shared index is at, checked.

    Attributes:
        pointer: The pointer, signed by `publisher`.
        manifest: The manifest that it leads to.
        publisher: A public key.
    """

    pointer: Pointer
    manifest: Manifest
    publisher: bytes


class RemoteIndex:
    """The shared index of one grant. Nothing is asked of its store before the first call.

    `store` and `refs` replace those that the grant's address names. What is read of them has to come before the `deadline`. Objects that
    were read are kept in `cache`; without one, in the grant's own until a pull is complete.
    """

    def __init__(
        self,
        grant: Grant,
        *,
        store: ObjectStore | None = None,
        refs: RefStore | None = None,
        deadline: Deadline | None = None,
        cache: ObjectStore | None = None,
    ) -> None:
        self.grant = grant
        self._run = run_without_limit if deadline is None else deadline.run
        sealer = Sealer(grant.repository, grant.key)
        self.store = store or open_store(grant.url)
        self._is_cache_own = cache is None
        self.cache = cache or FolderStore(grant_folder.cache_folder(grant))
        self.objects = SealedObjects(self.store, sealer, cache=self.cache, run=self._run)
        self.refs = refs or ObjectRefStore(self.store, sealer)

    def latest(self, branch: str) -> Revision | None:
        """What a branch is at; `None` if it was never published.

        Raises:
            RemoteUntrusted: If pointer or manifest are forged, foreign, damaged, or older than what was read before.
            RemoteIncompatible: If they have another format.
            ObjectMissing: If there is no such manifest.
            RemoteUnavailable: If the store does not answer, refuses access, or answers too late.
        """
        signed = self._run(lambda: self.refs.read(branch))
        if signed is None:
            return None
        accepted = self.grant.accepted
        pointer, publisher = open_pointer(
            signed, repository=self.grant.repository, branch=branch, accepted=accepted
        )
        known = grant_folder.remembered_epoch(self.grant, branch)
        if pointer.epoch < known:
            raise RemoteUntrusted(
                f"the shared index of `{branch}` is at epoch {pointer.epoch}, but was at {known} before: an old state was put "
                "back",
                hint="nothing of it was used; publish again, or ask who may write to the object store",
            )
        if pointer.epoch > known + MAX_EPOCH_STEP:
            raise RemoteUntrusted(
                f"the shared index of `{branch}` is at epoch {pointer.epoch}, which no number of publications reaches",
                hint="nothing of it was used; ask who published it, or have an administrator delete the branch there",
            )
        name = ObjectName(pointer.manifest, pointer.manifest_bytes)
        manifest = open_manifest(
            self.objects.read(MANIFEST_KIND, name),
            repository=self.grant.repository,
            accepted=accepted,
        )
        if (manifest.branch, manifest.epoch) != (branch, pointer.epoch):
            raise RemoteUntrusted(
                f"the pointer of `{branch}` in the shared index leads to the manifest of another revision"
            )
        return Revision(pointer=pointer, manifest=manifest, publisher=publisher)

    def latest_of(self, branches: Sequence[str]) -> Revision | None:
        """What the first of these branches that was published is at; errors as for `latest`."""
        for branch in dict.fromkeys(branches):
            found = self.latest(branch)
            if found is not None:
                return found
        return None

    def epoch(self, branch: str) -> int:
        """The epoch of a branch's pointer, signed by any publisher; 0 for none, or one that can't be read.

        Raises:
            RemoteUnavailable: If the store does not answer, or refuses access.
        """
        try:
            signed = self.refs.read(branch)
            return 0 if signed is None else epoch_of(signed)
        except RemoteUntrusted:
            return 0

    def remembered_epoch(self, branch: str) -> int:
        """The highest epoch of a branch that this holder published or read, of any publisher; 0 for none."""
        return grant_folder.remembered_epoch(self.grant, branch)

    def move(
        self, manifest: Manifest, *, expected_epoch: int, nodes: Collection[str] = ()
    ) -> Revision:
        """Store a manifest, and move its branch there: from then on readers see it.

        `nodes` are the names of the nodes of its tree.

        Raises:
            UsageError: If the grant may not publish.
            RemoteConflict: If the branch is at another epoch.
            RemoteUnavailable: If the store does not answer, or refuses access.
        """
        private_key = self.grant.private_key
        if private_key is None:
            raise UsageError(
                f"your grant `{self.grant.name}` lets you read the shared index, not publish it",
                hint="ask its owner for one that does: `codecairn remote grant --publisher NAME`",
            )
        sealed = self.objects.sealed(MANIFEST_KIND, manifest.signed(private_key))
        self.objects.store(sealed)
        pointer = Pointer(
            repository=manifest.repository,
            branch=manifest.branch,
            epoch=manifest.epoch,
            commit=manifest.commit,
            manifest=sealed.name.sha256,
            manifest_bytes=sealed.name.size_bytes,
            made_ns=manifest.made_ns,
        )
        signed = pointer.signed(private_key)
        objects = {sealed.name.sha256, *nodes, *(name.sha256 for name in manifest.objects)}
        self.refs.publish(
            pointer.branch, pointer, signed, expected_epoch=expected_epoch, objects=objects
        )
        publisher = public_key_of(private_key)
        return Revision(pointer=pointer, manifest=manifest, publisher=publisher)

    def remember(self, revision: Revision) -> None:
        """Refuse older states of the branch from now on."""
        branch, epoch = revision.pointer.branch, revision.pointer.epoch
        grant_folder.remember_epoch(self.grant, branch, revision.publisher, epoch)

    def drop_cache(self) -> None:
        """Remove the objects that were kept until a pull is complete; what can't be removed stays, and so does another's cache."""
        import shutil

        if self._is_cache_own:
            shutil.rmtree(grant_folder.cache_folder(self.grant), ignore_errors=True)


def at_once(
    work: Callable[[_Item], None],
    items: Iterable[_Item],
    *,
    done: Callable[[_Item], None] | None = None,
) -> None:
    """Do something with each item, several at a time; `done` is called with each in order, in the caller's thread.

    The first failure ends it, once what has begun is over.
    """
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="codecairn-objects") as pool:
        running = [(item, pool.submit(work, item)) for item in items]
        try:
            for item, each in running:
                each.result()
                if done is not None:
                    done(item)
        except BaseException:
            for _, each in running:
                each.cancel()
            raise
