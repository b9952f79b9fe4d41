"""Pulls a shared index: fetches and checks what this store lacks, takes it in, and indexes what is different here.

A store without documents takes the numbering and the segments of the shared index, so that terms and vectors need not be derived.
Any store takes records, by which files need not be parsed. What was fetched is kept until the pull is complete: one that was broken
off goes on where it stopped.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from codecairn.core.engine import Engine, ProgressCallback, git_head
from codecairn.core.index_transfer import ExportedSegment, IndexTransfer, Numbering
from codecairn.core.text_format import amount
from codecairn.errors import (
    NotIndexed,
    ObjectMissing,
    RemoteIncompatible,
    RemoteUntrusted,
    UsageError,
)
from codecairn.indexing.index_run import index_completely
from codecairn.indexing.lock_retry import LockRetry
from codecairn.indexing.store_opening import Opening
from codecairn.objects import tree
from codecairn.objects.manifest import DocumentRange, Manifest, Pack
from codecairn.objects.sealed_objects import ObjectName
from codecairn.replication import pack_index
from codecairn.replication.publishing import NUMBERING, RECORDS, SEGMENT
from codecairn.replication.pulled_state import PulledState, read_state, write_state
from codecairn.replication.remote_index import RemoteIndex, Revision, at_once
from codecairn.replication.types import Pull

SAMPLED_LEAVES = 8
"""Leaves of the tree whose paths are looked for here: some 250 paths."""

MIN_SHARE = 0.25
"""Of the paths looked for, the least share that has to be here. Old commits and branches share more than that with new ones."""

HAS_DOCUMENTS = "the store has documents already"
"""How the core says that nothing can be adopted."""

FETCHING = "fetching"
"""The phase of progress in which objects are fetched: bytes done, and in all."""


def pull(
    engine: Engine,
    opening: Opening,
    remote: RemoteIndex,
    *,
    branch: str | Sequence[str] | None,
    lock_retry: LockRetry,
    progress: ProgressCallback | None,
) -> Pull:
    """Bring the index of the branch that is checked out up to date with the help of a shared one.

    Args:
        engine: The store.
        opening: How it was opened.
        remote: The shared index.
        branch: The branch of the shared index to take, or the first of several that was published; by default the one that is checked
            out, else the grant's.
        lock_retry: How long to wait while another process writes.
        progress: Called with phase, done, total.

    Raises:
        RemoteUnavailable: If the object store does not answer, refuses access, or answers after the deadline of `remote`.
        RemoteUntrusted: If anything of it is forged, foreign, damaged or older than what was read before.
        RemoteIncompatible: If it was made by another version.
        ObjectMissing: If the branch was never published, or an object of it is gone.
        IndexLocked: If another process still writes after the wait.
    """
    clock = lock_retry.clock
    started_s = clock.monotonic_s()
    revision = _revision(engine, remote, branch)
    transfer = IndexTransfer(engine)
    _require_format(remote, revision.manifest, transfer.format())
    _require_same_files(remote, revision.manifest, opening.root)
    state = read_state(engine.options.store, remote.grant.repository)
    taken = _Taken(remote, revision.manifest, progress)
    documents = 0
    if _is_empty(engine):
        documents = lock_retry.until_free(lambda: _adopt(transfer, taken))
        packs: Sequence[Pack] = revision.manifest.packs
    else:
        packs = _packs_needed(transfer, remote, revision.manifest, state)
    records = taken.records(packs)
    report = index_completely(
        engine,
        opening,
        lock_retry=lock_retry,
        progress=progress,
        force=False,
        paths=None,
        run=lambda phases: transfer.index(records, progress=phases),
    )
    remote.remember(revision)
    here = {_name_of(pack) for pack in revision.manifest.packs}
    done = PulledState(
        repository=remote.grant.repository,
        manifest=revision.pointer.manifest,
        packs=(state.packs & here) | {_name_of(pack) for pack in packs},
    )
    write_state(engine.options.store, done)
    remote.drop_cache()
    return Pull(
        remote=remote.grant.name,
        place=remote.store.place,
        branch=revision.pointer.branch,
        commit=revision.pointer.commit,
        epoch=revision.pointer.epoch,
        is_new=state.manifest != revision.pointer.manifest,
        documents=documents,
        fetched_bytes=remote.objects.fetched_bytes,
        seconds=clock.monotonic_s() - started_s,
        index=report,
    )


class _Taken:
    """Fetches objects of a manifest, and hands out what they hold."""

    def __init__(
        self,
        remote: RemoteIndex,
        manifest: Manifest,
        progress: ProgressCallback | None,
    ) -> None:
        self._remote = remote
        self._progress = progress
        self.manifest = manifest

    def numbering(self) -> tuple[Numbering, ...]:
        """Which chunk each document is."""
        parts = self.manifest.numbering
        self._fetch(NUMBERING, parts)
        return tuple(
            Numbering(part.first, part.count, self._read(NUMBERING, part.objects)) for part in parts
        )

    def segments(self) -> tuple[ExportedSegment, ...]:
        """Terms and vectors of the documents."""
        parts = self.manifest.segments
        for kind in {part.kind for part in parts}:
            self._fetch(f"{SEGMENT} {kind}", [part for part in parts if part.kind == kind])
        return tuple(
            ExportedSegment(
                part.kind,
                part.first,
                part.count,
                self._read(f"{SEGMENT} {part.kind}", part.objects),
            )
            for part in parts
        )

    def records(self, packs: Sequence[Pack]) -> list[bytes]:
        """The packs of records."""
        self._fetch(RECORDS, packs)
        return [self._read(RECORDS, pack.objects) for pack in packs]

    def _read(self, kind: str, names: tuple[ObjectName, ...]) -> bytes:
        return self._remote.objects.read_parts(kind, names)

    def _fetch(self, kind: str, parts: Iterable[DocumentRange | Pack]) -> None:
        """Have objects in the cache, several at a time."""
        names = list(dict.fromkeys(name for part in parts for name in part.objects))
        total, done = sum(name.size_bytes for name in names), 0

        def fetch(name: ObjectName) -> None:
            self._remote.objects.fetch(kind, name)

        def tell(name: ObjectName) -> None:
            nonlocal done
            done += name.size_bytes
            if self._progress is not None:
                self._progress(FETCHING, done, total)

        at_once(fetch, names, done=tell)


def _revision(engine: Engine, remote: RemoteIndex, branch: str | Sequence[str] | None) -> Revision:
    wanted: Sequence[str] = (branch,) if isinstance(branch, str) else branch or ()
    if branch is None:
        wanted = (git_head(engine.options.root)[0], remote.grant.branch)
    revision = remote.latest_of([each for each in wanted if not each.startswith("@")])
    if revision is None:
        named = " or ".join(f"`{each}`" for each in dict.fromkeys(wanted))
        missing = ObjectMissing(
            f"the shared index `{remote.grant.name}` has no branch {named}",
            hint="publish it by `codecairn index --publish`, or name another by `--branch`",
        )
        missing.is_unpublished = True
        raise missing
    return revision


def _require_format(remote: RemoteIndex, manifest: Manifest, format_: str) -> None:
    if manifest.format != format_:
        raise RemoteIncompatible(
            f"the shared index `{remote.grant.name}` was made by another version of codecairn: it has `{manifest.format}`, "
            f"here it is `{format_}`"
        )


def _require_same_files(remote: RemoteIndex, manifest: Manifest, root: Path) -> None:
    """Refuse the index of another repository: it would fill the store with documents of files that are not here."""
    paths = tree.sample(remote.objects, manifest.tree, leaves=SAMPLED_LEAVES)
    here = sum(os.path.lexists(root / path) for path in paths)
    if here < MIN_SHARE * len(paths):
        raise UsageError(
            f"the shared index `{remote.grant.name}` is of other files: of {amount(len(paths), 'path')} of it that were looked "
            f"for, {here:,} are in `{root}`",
            hint="name the shared index of this repository: `codecairn remote status` shows which one is used",
        )


def _is_empty(engine: Engine) -> bool:
    contents, _ = engine.unreached()
    return contents == 0


def _adopt(transfer: IndexTransfer, taken: _Taken) -> int:
    """Take numbering and segments, unless the store got documents meanwhile, or has those of a pull that was broken off."""
    if not taken.manifest.documents:
        return 0
    numbering, segments = taken.numbering(), taken.segments()
    try:
        return transfer.adopt(numbering, segments)
    except UsageError as err:
        if HAS_DOCUMENTS in err.message:
            return 0
        raise RemoteUntrusted(
            f"the documents of the shared index do not fit together: {err.message}"
        ) from err


def _packs_needed(
    transfer: IndexTransfer, remote: RemoteIndex, manifest: Manifest, state: PulledState
) -> list[Pack]:
    """The packs that hold something of the shared tree that the index here lacks."""
    packs = [pack for pack in manifest.packs if _name_of(pack) not in state.packs]
    if not packs:
        return []
    try:
        here = {(each.digest, each.language) for each in transfer.contents()}
    except NotIndexed:
        here = set()
    files = tree.read(remote.objects, manifest.tree)
    lacking = {(each.digest, each.language) for each in files} - here

    def holds_some(pack: Pack) -> bool:
        index = remote.objects.read_parts(pack_index.KIND, pack.index)
        return not lacking.isdisjoint(pack_index.read_pack_index(index))

    return [pack for pack in packs if holds_some(pack)]


def _name_of(pack: Pack) -> str:
    return pack.objects[0].sha256
