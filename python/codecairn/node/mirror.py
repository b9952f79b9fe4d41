"""What a node has of a repository's git: the branches and their commits, fetched from one address.

It is a repository without a working tree, whose settings are written here. git runs with the options of `codecairn.core.git_options`:
no hook, no filter, no submodule, no prompt, and only protocols that can't be changed on the way.
"""

import os
import re
import threading
from contextlib import suppress
from pathlib import Path

from codecairn.clock import Clock
from codecairn.core.git import Running, git, start, text
from codecairn.errors import HistoryUnavailable, UsageError
from codecairn.node.access import Refusal
from codecairn.node.folders import remove_tree
from codecairn.node.gate import Gate

COMMIT = re.compile(r"[0-9a-f]{40}")
"""A commit's full id. Abbreviations and names are refused: they mean another commit tomorrow."""

_REMOTE = "refs/remotes/origin/"
_FIRST_FETCH_S = 3_600
_FETCH_S = 300
_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
_ADDRESS = re.compile(r"(?:https|ssh|file)://\S+|/\S.*|(?:[\w.-]+@)?[\w.-]+:(?!/)\S+")


MAX_ENTRIES = 1_000_000
"""Files and folders of a commit that is checked out."""

REPAIR_EVERY_S = 3_600
"""How often a mirror may be made again because of a commit that can't be checked out."""

_MAX_NAMES_BYTES = 1 << 28
_MAX_NAME_BYTES = 1 << 16
"""How long the paths of a commit may be: all of them, and one. git keeps all in memory."""

_PASSWORD = re.compile(r"\w+://[^/]*:[^/]*@")


def require_address(address: str) -> str:
    """The address of a git repository, if git may be given it.

    Raises:
        UsageError: If it is none, has a protocol that is not allowed, or has a password.
    """
    if _PASSWORD.match(address):
        raise UsageError(
            "the address to clone from has a password, which every list of processes would show",
            hint="give the address without it, and the password to a credential helper: see `git help credentials`",
        )
    if not _ADDRESS.fullmatch(address) or not address.isprintable():
        raise UsageError(
            f"`{address:.200}` is no address to clone from",
            hint="give `https://…`, `ssh://…`, `user@host:path`, or the full path of a folder",
        )
    return address


def make_repository(folder: Path, *, head: str, alternate: Path | None = None) -> None:
    """Make a git repository as `git init` does, without a template.

    Args:
        folder: The folder of the working tree, which is made.
        head: What is checked out: a commit, or `ref: refs/heads/NAME`.
        alternate: A repository whose objects it has, too.
    """
    own = folder / ".git"
    for name in ("objects/info", "objects/pack", "refs/heads", "refs/remotes"):
        (own / name).mkdir(parents=True, exist_ok=True)
    if alternate is not None:
        objects = alternate / ".git" / "objects"
        # As bytes: git takes the `\r` that text files get on Windows for a part of the path.
        (own / "objects/info/alternates").write_bytes(os.fsencode(f"{objects}\n"))
    (own / "config").write_bytes(_CONFIG)
    (own / "HEAD").write_bytes(f"{head}\n".encode())


class Mirror:
    """The branches of one repository, and their commits. Safe for several threads; one process uses the folder.

    Attributes:
        folder: Where it lies.
        generation: How often a fetch changed the branches since the process began.
    """

    def __init__(self, folder: Path, address: str, *, clock: Clock) -> None:
        self.folder = folder
        self.generation = 0
        self._address = address
        self._clock = clock
        self._lock = threading.Lock()
        self._gate = Gate()
        self._fetched_s = float("-inf")
        self._repaired_s = float("-inf")
        self._running: Running | None = None
        self._is_closed = False
        _remove_locks(folder)

    def fetch(self, *, since_s: float) -> float:
        """Bring the branches up to date, unless a fetch began after `since_s` of the monotonic time. Others wait for one.

        Returns:
            When the last fetch began.

        Branches that were removed or moved by force are followed. A mirror that is damaged is made again.

        Raises:
            HistoryUnavailable: If the repository does not answer; the mirror is as it was.
        """
        with self._lock:
            if self._fetched_s >= since_s:
                return self._fetched_s
            began_s, existed = self._clock.monotonic_s(), self._exists()
            before = self._branches() if existed and self._is_whole() else {}
            try:
                self._fetch_into(self.folder)
            except HistoryUnavailable:
                if before or not existed:
                    raise
                self._renew()
            self._fetched_s = began_s
            if before != self._branches():
                self.generation += 1
                # Each fetch leaves a pack or loose objects; git packs them once they are many.
                with suppress(HistoryUnavailable):  # it takes too long: the next fetch tries again
                    git(self.folder, "gc", may_fail=True, timeout_s=_FETCH_S)
            return began_s

    def repair(self, commit: str, *, generation: int) -> bool:
        """Fetch everything again, in place of what is there, if objects of a commit are missing or damaged.

        That is done once in `REPAIR_EVERY_S`, as anyone who may push can push a commit that git can't check out.

        Args:
            commit: The commit that could not be checked out.
            generation: The mirror's generation when that was tried.

        Returns:
            Whether the mirror is another one since then.

        Raises:
            HistoryUnavailable: If the repository does not answer; the mirror is as it was.
        """
        if self._clock.monotonic_s() - self._repaired_s < REPAIR_EVERY_S or self._has(commit):
            return self.generation != generation
        with self._lock:
            if self.generation == generation:
                self._repaired_s = self._clock.monotonic_s()
                self._renew()
                self.generation += 1
        return True

    def close(self) -> None:
        """End the git that fetches, and start none any more."""
        self._is_closed = True
        if (running := self._running) is not None:
            running.kill()

    def head_of(self, branch: str) -> str | None:
        """The commit that a branch was at when it was fetched; `None` if there is no such branch."""
        with self._gate.reading():
            return self._branches().get(branch)

    def branches_with(self, commit: str) -> list[str]:
        """The branches from which a commit can be reached, those that are at it first; none if it is not here."""
        with self._gate.reading():
            if not self._exists():
                return []
            found = git(
                self.folder, "for-each-ref", f"--contains={commit}", "--format=%(refname)", _REMOTE,
                may_fail=True,
            )  # fmt: skip
            heads = self._branches()
        names = [line.removeprefix(_REMOTE) for line in text(found).split("\n") if line]
        return sorted(names, key=lambda name: (heads.get(name) != commit, name))

    def check_out(self, commit: str, folder: Path, *, max_bytes: int) -> None:
        """Write the files of a commit into a new folder, which becomes a git repository with that commit checked out.

        Raises:
            HistoryUnavailable: If it can't be done, as where an object is missing.
            Refusal: If its files are more than `MAX_ENTRIES`, or larger than `max_bytes`.
        """
        with self._gate.reading():
            self._require_size(commit, max_bytes)
            make_repository(folder, head=commit, alternate=self.folder)
            git(folder, "read-tree", "--reset", "-u", "HEAD", timeout_s=_FETCH_S)

    def _has(self, commit: str) -> bool:
        """Whether all objects of a commit are there and undamaged; also if git can't tell in time."""
        arguments = ("rev-list", "--verify-objects", "--quiet", "--no-walk", "--end-of-options")
        try:
            with self._gate.reading(), start(self.folder, *arguments, commit) as running:
                return running.succeeds(timeout_s=_FETCH_S)
        except HistoryUnavailable:
            return True

    def _require_size(self, commit: str, max_bytes: int) -> None:
        """Refuse a commit that is too large, before anything of it is written; ends at the first limit that is passed.

        Equal folders are one object of git, so a push of a few kilobytes can have more files than any disk.
        """
        entries, names_bytes, files_bytes, rest = 0, 0, 0, b""
        with start(
            self.folder, "ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit
        ) as listing:
            for chunk in listing.chunks(timeout_s=_FETCH_S):
                *lines, rest = (rest + chunk).split(b"\0")
                entries += len(lines)
                names_bytes += len(chunk)
                for line in lines:
                    # MODE TYPE ID SIZE, a tab, PATH; the size of a folder is `-`, of a missing file `BAD`
                    size = line.partition(b"\t")[0].split()[3]
                    files_bytes += int(size) if size.isdigit() else 0
                if entries > MAX_ENTRIES:
                    raise _too_large(commit, f"more than {MAX_ENTRIES:,} files and folders")
                if files_bytes > max_bytes:
                    raise _too_large(
                        commit,
                        f"more than {max_bytes:,} bytes, which is what this node's cache holds",
                    )
                if names_bytes > _MAX_NAMES_BYTES or len(rest) > _MAX_NAME_BYTES:
                    raise _too_large(
                        commit,
                        f"paths of more than {_MAX_NAMES_BYTES:,} bytes, or one of more than {_MAX_NAME_BYTES:,}",
                    )

    def _branches(self) -> dict[str, str]:
        """The commit of each branch; none where the mirror is damaged."""
        if not self._exists():
            return {}
        listed = git(
            self.folder, "for-each-ref", "--format=%(objectname) %(refname)", _REMOTE,
            may_fail=True,
        )  # fmt: skip
        lines = text(listed).split("\n")
        pairs = (line.partition(" ") for line in lines if line)
        return {name.removeprefix(_REMOTE): commit for commit, _, name in pairs}

    def _exists(self) -> bool:
        return (self.folder / ".git" / "HEAD").is_file()

    def _is_whole(self) -> bool:
        """Whether the commits of all branches are there."""
        try:
            git(self.folder, "rev-list", "--max-count=1", "--all")
        except HistoryUnavailable:
            return False
        return True

    def _fetch_into(self, folder: Path) -> None:
        if not (folder / ".git" / "HEAD").is_file():
            make_repository(folder, head="ref: refs/heads/none")
        is_first = not any((folder / ".git" / "objects").glob("pack/*"))
        hint = "see that the node may read it: git asks for no password here"
        with start(
            folder, "fetch", "--force", "--prune", "--end-of-options", self._address,
            f"+refs/heads/*:{_REMOTE}*", hint=hint,
        ) as running:  # fmt: skip
            self._running = running
            try:
                if self._is_closed:
                    running.kill()
                running.output(timeout_s=_FIRST_FETCH_S if is_first else _FETCH_S, hint=hint)
            finally:
                self._running = None

    def _renew(self) -> None:
        fresh = self.folder.with_name(f"{self.folder.name}.new")
        remove_tree(fresh)
        self._fetch_into(fresh)
        with self._gate.replacing():
            swap(self.folder, fresh)


def _too_large(commit: str, what: str) -> Refusal:
    return Refusal(
        503, "history-unavailable", f"commit {commit[:12]} has {what}",
        "ask a node with a larger cache, which `--cache-size` sets, or search without a node",
        retry_after_s=60,
    )  # fmt: skip


def swap(folder: Path, fresh: Path) -> None:
    """Put a folder in the place of another, which is removed.

    Raises:
        OSError: If it can't be done.
    """
    old = folder.with_name(f"{folder.name}.old")
    remove_tree(old)
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    remove_tree(old)


def _remove_locks(folder: Path) -> None:
    """Remove the locks that a git process left which was killed; no other process uses the mirror."""
    own = folder / ".git"
    locks: list[Path] = [*own.glob("*.lock"), *(own / "refs").rglob("*.lock")]
    for file in locks:
        file.unlink(missing_ok=True)
