"""Publishes the index of a branch: uploads what the store lacks, then the manifest, and moves the branch's pointer last.

Objects are immutable and a reader follows the pointer, so a publication that dies at any step changes nothing for readers; the next
one finds what was uploaded. What an earlier publication has is not packed, sealed or sent again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from codecairn.clock import Clock, SystemClock
from codecairn.core.engine import Engine, git_head
from codecairn.core.index_transfer import IndexedContent, IndexTransfer
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import (
    ObjectMissing,
    RemoteIncompatible,
    RemoteUntrusted,
    UsageError,
)
from codecairn.objects import tree
from codecairn.objects.fields import MAX_COUNT
from codecairn.objects.manifest import DocumentRange, Manifest, Pack
from codecairn.objects.sealed_objects import ObjectName, SealedObject
from codecairn.objects.tree import TreeEntry
from codecairn.replication import pack_index
from codecairn.replication.pack_plan import Content, KnownPack, PackPlan, plan_packs
from codecairn.replication.remote_index import RemoteIndex, Revision, at_once
from codecairn.replication.types import Publication

RECORDS = "records"
NUMBERING = "numbering"
SEGMENT = "segment"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """What is there already: packs that can be kept, and names of objects that the store was asked for and has."""

    revision: Revision | None
    packs: tuple[KnownPack, ...]
    known: frozenset[str]


def publishable_branch(engine: Engine, given: str | None) -> str:
    """The branch that is published: the one given, else the one that is checked out.

    Raises:
        UsageError: If none is checked out and none is given.
    """
    branch = git_head(engine.options.root)[0] if given is None else given
    if branch.startswith("@"):
        raise UsageError(
            "no branch is checked out, so the shared index has no name",
            hint="name it: `codecairn index --publish URL --branch NAME`",
        )
    return branch


def publish(
    engine: Engine, remote: RemoteIndex, *, branch: str, clock: Clock | None = None
) -> Publication:
    """Publish the index of the branch that is checked out, as `branch` of a shared index.

    Raises:
        UsageError: If the grant may not publish, or the index changed meanwhile.
        NotIndexed: If the branch is not indexed.
        RemoteConflict: If another publisher of the branch was faster.
        RemoteUnavailable: If the object store does not answer, or refuses access.
    """
    clock = clock or SystemClock()
    started_s = clock.monotonic_s()
    _require_publisher(remote)
    transfer = IndexTransfer(engine)
    contents = transfer.contents()
    last_epoch = remote.epoch(branch)
    base = _base(remote, branch, transfer.format())
    upload = _Upload(remote, base.known)
    # The store is asked for each node: that an earlier tree names one does not show that it was not lost.
    nodes = list(tree.build(_entries(contents), remote.objects))
    upload.all(nodes)
    manifest, plan = _manifest(transfer, contents, base, upload, root=nodes[-1].name)
    commit = git_head(engine.options.root)[1]
    before = base.revision
    is_new = before is None or not _is_equal(before.manifest, manifest, branch, commit)
    if is_new:
        epoch = max(last_epoch, remote.remembered_epoch(branch)) + 1
        if epoch > MAX_COUNT:
            raise UsageError(f"`{branch}` of the shared index has no epochs left")
        named = _named(manifest, branch=branch, commit=commit, epoch=epoch, made_ns=clock.now_ns())
        names = {node.name.sha256 for node in nodes}
        before = remote.move(named, expected_epoch=last_epoch, nodes=names)
        remote.remember(before)
    assert before is not None
    remote.drop_cache()
    return Publication(
        remote=remote.grant.name,
        place=remote.store.place,
        branch=branch,
        commit=commit,
        epoch=before.pointer.epoch,
        is_new=is_new,
        files=len(contents),
        contents=sum(map(len, plan.new)),
        packs=len(manifest.packs),
        objects=remote.objects.uploaded,
        uploaded_bytes=remote.objects.uploaded_bytes,
        seconds=clock.monotonic_s() - started_s,
    )


class _Upload:
    """Stores sealed contents, several at a time, and names them."""

    def __init__(self, remote: RemoteIndex, known: frozenset[str]) -> None:
        self.objects = remote.objects
        self.repository = remote.grant.repository
        self._known = known

    def parts(self, kind: str, content: bytes) -> tuple[ObjectName, ...]:
        """A content of any size; returns its parts."""
        sealed = tuple(self.objects.sealed_parts(kind, content))
        self.all(sealed)
        return tuple(each.name for each in sealed)

    def all(self, sealed: Iterable[SealedObject]) -> None:
        """Objects that are ready."""
        at_once(lambda each: self.objects.store(each, known=self._known), sealed)


def _require_publisher(remote: RemoteIndex) -> None:
    if not remote.grant.may_publish:
        raise UsageError(
            f"your grant `{remote.grant.name}` lets you read the shared index, not publish it",
            hint="ask its owner for one that does: `codecairn remote grant --publisher NAME`",
        )


def _base(remote: RemoteIndex, branch: str, format_: str) -> _Base:
    """What the branch, or else the grant's branch, has published; nothing of a revision that can't be trusted or used."""
    try:
        revision = remote.latest_of((branch, remote.grant.branch))
    except (RemoteUntrusted, RemoteIncompatible, ObjectMissing):
        revision = None
    if revision is None:
        return _Base(revision=None, packs=(), known=frozenset())
    manifest = revision.manifest
    is_usable = manifest.format == format_
    there = _those_there(remote, manifest)
    packs = [_known_pack(remote, pack, there) for pack in manifest.packs if is_usable]
    is_complete = is_usable and len(there) == len({name.sha256 for name in manifest.objects})
    return _Base(
        revision=revision if is_complete else None,
        packs=tuple(pack for pack in packs if pack is not None),
        known=frozenset(there),
    )


def _those_there(remote: RemoteIndex, manifest: Manifest) -> set[str]:
    """The objects of a manifest that its store has not lost."""
    there: set[str] = set()

    def ask(name: ObjectName) -> None:
        if remote.objects.exists(name):
            there.add(name.sha256)

    at_once(ask, set(manifest.objects))
    return there


def _known_pack(remote: RemoteIndex, pack: Pack, there: set[str]) -> KnownPack | None:
    if not {name.sha256 for name in (*pack.objects, *pack.index)} <= there:
        return None
    try:
        index = remote.objects.read_parts(pack_index.KIND, pack.index)
        return KnownPack(pack=pack, contents=pack_index.read_pack_index(index))
    except (RemoteUntrusted, ObjectMissing):
        return None


def _manifest(
    transfer: IndexTransfer,
    contents: Sequence[IndexedContent],
    base: _Base,
    upload: _Upload,
    *,
    root: ObjectName,
) -> tuple[Manifest, PackPlan]:
    """Upload everything but the tree with this root; returns the manifest without the names of the revision."""
    digests = [(each.digest, each.language) for each in contents]
    plan = plan_packs(base.packs, digests)
    packs = [each.pack for each in plan.kept]
    packs += [_new_pack(transfer, group, upload) for group in plan.new]
    numbering = tuple(
        DocumentRange(
            kind=NUMBERING,
            first=each.first,
            count=each.count,
            objects=upload.parts(NUMBERING, each.data),
        )
        for each in transfer.numbering()
    )
    segments = tuple(
        DocumentRange(
            kind=each.kind,
            first=each.first,
            count=each.count,
            objects=upload.parts(f"{SEGMENT} {each.kind}", each.data),
        )
        for each in transfer.segments()
    )
    manifest = Manifest(
        repository=upload.repository,
        format=transfer.format(),
        branch="",
        commit="",
        epoch=0,
        made_ns=0,
        tree=root,
        files=len(contents),
        packs=tuple(packs),
        numbering=numbering,
        segments=segments,
    )
    return manifest, plan


def _new_pack(transfer: IndexTransfer, contents: Sequence[Content], upload: _Upload) -> Pack:
    return Pack(
        objects=upload.parts(RECORDS, transfer.records(contents)),
        index=upload.parts(pack_index.KIND, pack_index.pack_index(contents)),
        contents=len(contents),
    )


def _entries(contents: Sequence[IndexedContent]) -> list[TreeEntry]:
    """The files of the tree. One whose path is no path on every system is left out: its reader parses it."""
    entries = [
        TreeEntry(path=each.path, digest=each.digest, language=each.language)
        for each in contents
        if tree.is_portable(each.path)
    ]
    return sorted(entries, key=lambda entry: entry.path)


def _is_equal(before: Manifest, after: Manifest, branch: str, commit: str) -> bool:
    """Whether a publication would change nothing but its number."""
    names = (branch, commit)
    return (before.branch, before.commit) == names and before == _named(
        after, branch=branch, commit=commit, epoch=before.epoch, made_ns=before.made_ns
    )


def _named(manifest: Manifest, *, branch: str, commit: str, epoch: int, made_ns: int) -> Manifest:
    return replace(manifest, branch=branch, commit=commit, epoch=epoch, made_ns=made_ns)
