"""The commits that a node has prepared: each is prepared once for all that ask, and the least recently used ones make room.

    node/REPOSITORY/mirror             the branches, see `mirror`
    node/REPOSITORY/commits/COMMIT     see `prepared_commit`
    node/objects                       sealed objects of all repositories

All of it is a cache: any of it may be removed while no node runs.
"""

import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from codecairn.clock import Clock
from codecairn.core.closeable import Closeable
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import HistoryUnavailable, UsageError
from codecairn.node.access import Refusal
from codecairn.node.folders import folder_bytes, remove_folder
from codecairn.node.mirror import COMMIT, Mirror
from codecairn.node.prepared_commit import PreparedCommit, prepare
from codecairn.objects.grant import Grant
from codecairn.objects.object_cache import ObjectCache

PREPARED_AT_ONCE = 2
"""Commits that are checked out and indexed at the same time."""

JOBS_AT_ONCE = 8
"""Requests whose commit is looked for at the same time, which mostly waits for git."""

MAX_JOBS = 32
"""Jobs that run or wait; more are refused."""

MAX_JOBS_OF_MEMBER = 4
"""Jobs of one member, which leave threads for those of others."""

REFUSED_S = 300
"""How long a commit that can't be prepared is refused at once."""

MAX_OPEN = 16
"""Indexes that are open at the same time; each has files mapped."""

_OBJECTS_SHARE = 4
"""Objects may take one of so many parts of the cache; commits have the others."""

_DEFAULT_BRANCHES = ("main", "master")
"""Whose shared index serves a commit that none of its own branches has one for: most files are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a request asks about: a commit, or else the newest one of a branch when it was asked, by the monotonic time."""

    commit: str = ""
    branch: str = ""
    asked_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A commit that is ready, with what to know about it, and when git was asked last, by the monotonic time."""

    commit: str
    notes: tuple[str, ...] = ()
    fetched_s: float = float("-inf")


@dataclass(frozen=True, slots=True)
class Job:
    """The work for all who ask about the same.

    Attributes:
        asked_s: When that was asked about which it was begun for, by the monotonic time.
        found: What comes of it.
        member: Who asked first.
    """

    asked_s: float
    found: "Future[Found]"
    member: str

    def is_current(self, wanted: Wanted) -> bool:
        """Whether what came of it is what is asked about: not if the newest commit of a branch was asked for after git was."""
        failed = self.found.exception() is not None
        looked_s = self.asked_s if failed else max(self.asked_s, self.found.result().fetched_s)
        return bool(wanted.commit) or looked_s >= wanted.asked_s


class _Repository:
    """A repository of a node: its mirror, the commits that are ready, and the sizes of all that are on the disk."""

    def __init__(self, folder: Path, grant: Grant, address: str, *, clock: Clock) -> None:
        self.grant = grant
        self.mirror = Mirror(folder / "mirror", address, clock=clock)
        self.folder = folder / "commits"
        self.ready: dict[str, PreparedCommit] = {}
        self.jobs: dict[str, Job] = {}
        self.failed: dict[str, tuple[Refusal | UsageError, float]] = {}
        self.locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        for each in self.folder.glob(".removed-*"):
            remove_folder(each)
        self.sizes = {
            each.name: folder_bytes(each)
            for each in self.folder.glob("*")
            if COMMIT.fullmatch(each.name)
        }


class Commits(Closeable):
    """The commits of all repositories of a node. Safe for several threads.

    Args:
        folder: The node's folder, which no other process uses.
        sources: The grant and git's address of each repository.
        max_bytes: How much commits and objects may take on the disk.
        clock: The source of time.
        log: Called with what an operator should see.
    """

    def __init__(
        self,
        folder: Path,
        sources: Mapping[Grant, str],
        *,
        max_bytes: int,
        clock: Clock,
        log: Callable[[str], None],
    ) -> None:
        self._clock = clock
        self._log = log
        self.folder = folder
        objects_bytes = max_bytes // _OBJECTS_SHARE
        self.objects = ObjectCache(folder / "objects", max_bytes=objects_bytes)
        self._max_bytes = max_bytes - objects_bytes
        self._repositories = {
            grant.repository: _Repository(folder / grant.repository, grant, address, clock=clock)
            for grant, address in sources.items()
        }
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(JOBS_AT_ONCE, thread_name_prefix="codecairn-commit")
        self._preparing = threading.BoundedSemaphore(PREPARED_AT_ONCE)

    @property
    def count(self) -> int:
        """How many commits are ready."""
        return sum(len(each.ready) for each in self._repositories.values())

    def close(self) -> None:
        """Begin nothing more, end the git that fetches, and close what is not in use."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for repository in self._repositories.values():
            repository.mirror.close()
            for prepared in repository.ready.values():
                if not prepared.users:
                    prepared.close()

    def is_busy(self) -> bool:
        """Whether a commit is being prepared."""
        return any(each.jobs for each in self._repositories.values())

    def request(self, repository_id: str, wanted: Wanted, member: str) -> Job:
        """The job for a member's request: the one that runs for the same commit or branch, or else a new one.

        Raises:
            Refusal: If too many are waiting, of all members or of this one.
        """
        repository = self._repositories[repository_id]
        key = wanted.commit or f"branch {wanted.branch}"
        with self._lock:
            running = repository.jobs.get(key)
            if running is not None:
                return running
            jobs = [job for each in self._repositories.values() for job in each.jobs.values()]
            own = sum(job.member == member for job in jobs)
            if len(jobs) >= MAX_JOBS or own >= MAX_JOBS_OF_MEMBER:
                raise Refusal(
                    503, "remote-unavailable", "this node is busy with other commits",
                    "ask another node, or later", retry_after_s=5,
                )  # fmt: skip
            future = self._pool.submit(self._work, repository, wanted)
            job = repository.jobs[key] = Job(wanted.asked_s, future, member)

        def forget(_done: "Future[Found]") -> None:
            with self._lock:
                del repository.jobs[key]

        future.add_done_callback(forget)
        return job

    @contextmanager
    def use(self, repository_id: str, commit: str) -> Iterator[PreparedCommit | None]:
        """A commit that is ready, which stays until the block ends; `None` if it is not, or not any more."""
        repository = self._repositories[repository_id]
        with self._lock:
            prepared = repository.ready.get(commit)
            if prepared is not None and not prepared.is_there:
                del repository.ready[commit]  # someone removed the cache
                prepared = None
            if prepared is not None and prepared.generation != repository.mirror.generation:
                prepared = None  # a branch may have been moved by force since
            if prepared is not None:
                prepared.users += 1
        if prepared is None:
            yield None
            return
        with suppress(OSError):
            os.utime(prepared.folder)
        self._close_idle(keep=prepared)
        try:
            yield prepared
        finally:
            with self._lock:
                prepared.users -= 1

    def _work(self, repository: _Repository, wanted: Wanted) -> Found:
        """Make what a request asks about ready. What git complains of is for the operator alone."""
        try:
            return self._found(repository, wanted)
        except HistoryUnavailable as err:
            self._log(f"git fails for `{repository.grant.name}`: {err.message}")
            raise Refusal(
                503, "history-unavailable", "this node can't read the repository's history",
                "ask another node, or later", retry_after_s=5,
            ) from err  # fmt: skip

    def _found(self, repository: _Repository, wanted: Wanted) -> Found:
        mirror, notes = repository.mirror, []
        commit = wanted.commit
        branches = mirror.branches_with(commit) if commit else []
        fetched_s = float("-inf")
        if not branches:
            fetched_s = self._clock.monotonic_s()
            try:
                fetched_s = mirror.fetch(since_s=wanted.asked_s)
            except HistoryUnavailable as err:
                self._log(f"git does not answer for `{repository.grant.name}`: {err.message}")
                notes.append("the node could not ask git for newer commits")
        generation = mirror.generation
        if not commit:
            commit = mirror.head_of(wanted.branch) or ""
        branches = mirror.branches_with(commit) if COMMIT.fullmatch(commit) else []
        if not branches:
            raise _missing(wanted, is_fetched=not notes)
        with repository.locks[commit]:
            prepared = repository.ready.get(commit)
            if prepared is None or not prepared.is_there:
                prepared = self._prepared_or_refused(repository, commit, branches)
                self._make_room(keep=prepared)
            prepared.generation = generation
        return Found(commit=commit, notes=(*notes, *prepared.notes), fetched_s=fetched_s)

    def _prepared_or_refused(
        self, repository: _Repository, commit: str, branches: list[str]
    ) -> PreparedCommit:
        """A commit made ready; one that could not be a short while ago is refused at once.

        Raises:
            Refusal: If it can't be checked out.
            UsageError: If its own settings are wrong.
        """
        now_s = self._clock.monotonic_s()
        failed = repository.failed
        for each in [each for each, (_, until_s) in [*failed.items()] if until_s <= now_s]:
            failed.pop(each, None)
        if commit in failed:
            raise failed[commit][0].with_traceback(None)
        failure: Refusal | UsageError
        try:
            return self._prepared(repository, commit, branches)
        except HistoryUnavailable as err:
            name = repository.grant.name
            self._log(f"commit {commit[:12]} of `{name}` can't be checked out: {err.message}")
            failure = Refusal(
                503, "history-unavailable", f"this node can't check commit {commit[:12]} out",
                "ask another node, or search without one", retry_after_s=REFUSED_S,
            )  # fmt: skip
        except (Refusal, UsageError) as err:
            failure = err
        failed[commit] = failure, now_s + REFUSED_S
        with self._lock:
            repository.sizes.pop(commit, None)
        raise failure

    def _prepared(
        self, repository: _Repository, commit: str, branches: list[str]
    ) -> PreparedCommit:
        others = [each for each in _DEFAULT_BRANCHES if each not in branches]
        with self._preparing:
            prepared = prepare(
                commit,
                repository.folder / commit,
                mirror=repository.mirror,
                branches=[*branches, *others],
                grant=repository.grant,
                cache=self.objects,
                max_bytes=self._max_bytes,
                log=self._log,
            )
        with self._lock:
            repository.ready[commit] = prepared
            repository.sizes[commit] = prepared.size_bytes
        return prepared

    def _make_room(self, *, keep: PreparedCommit) -> None:
        """Remove the commits that were not used for the longest time, until the others fit; those in use stay.

        They are found in O(n log n) of the commits on the disk, also those that this process did not use yet.
        """
        with self._lock:
            known = [
                (_used_ns(repository.folder / commit), commit, size, repository)
                for repository in self._repositories.values()
                for commit, size in repository.sizes.items()
            ]
        total = sum(size for _, _, size, _ in known)
        for _, commit, size, repository in sorted(known, key=lambda each: each[:2]):
            if total <= self._max_bytes:
                return
            if commit != keep.commit and self._is_removed(repository, commit):
                total -= size

    def _is_removed(self, repository: _Repository, commit: str) -> bool:
        """Remove a commit, unless it is in use or being prepared."""
        lock = repository.locks[commit]
        if not lock.acquire(blocking=False):
            return False
        try:
            with self._lock:
                prepared = repository.ready.get(commit)
                if prepared is not None and prepared.users:
                    return False
                repository.ready.pop(commit, None)
                repository.sizes.pop(commit, None)
            if prepared is not None:
                prepared.close()
            remove_folder(repository.folder / commit)
            return True
        finally:
            lock.release()

    def _close_idle(self, *, keep: PreparedCommit) -> None:
        """Close the indexes that were not used for the longest time where too many are open."""
        with self._lock:
            keep.is_open = True
            ready = [each for one in self._repositories.values() for each in one.ready.values()]
            idle = [each for each in ready if each.is_open and not each.users]
            excess = sum(each.is_open for each in ready) - MAX_OPEN
            for each in sorted(idle, key=lambda each: _used_ns(each.folder))[: max(excess, 0)]:
                each.close()


def _missing(wanted: Wanted, *, is_fetched: bool) -> Refusal:
    if not is_fetched:
        return Refusal(
            503, "remote-unavailable", "this node can't ask git for commits, and has not got this one",
            "ask another node, or later", retry_after_s=5,
        )  # fmt: skip
    if wanted.branch:
        return Refusal(
            404, "history-unavailable", f"no branch `{wanted.branch:.100}` was pushed",
            "push it, or name another by `--branch`",
        )  # fmt: skip
    return Refusal(
        404, "history-unavailable", f"commit {wanted.commit[:12]} is on no branch that was pushed",
        "push it, or ask about a branch that was pushed by `--branch`",
    )  # fmt: skip


def _used_ns(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0
