"""Stores in the user's data folder: records the workspaces that own them, and removes old copies of shared stores."""

from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.paths.store import OWNER_FILE

if TYPE_CHECKING:
    from codecairn.core.types.maintenance import GarbageReport


_DAY_NS = 86_400_000_000_000


_MAX_PATH_CHARS = 16 * 1024


def remember_owner(store: Path, root: Path) -> None:
    """Record in a store which workspace owns it."""
    (store / OWNER_FILE).write_text(str(root), encoding="utf-8", errors="surrogateescape")


def owner_of(store: Path) -> Path | None:
    """The workspace that was recorded as the owner of a store; it need not exist."""
    try:
        with (store / OWNER_FILE).open(encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(_MAX_PATH_CHARS)
    except OSError:
        return None
    return Path(text) if text else None


def remove_old_copies(
    data_folder: Path, *, keep: Path, unused_days: int, now_ns: int, dry_run: bool
) -> "GarbageReport":
    """Remove, or only count, copies whose workspace is gone or that were unused for so many days (0: for any time).

    The store `keep` stays. What can't be removed is left for another time.
    """
    import shutil

    from codecairn.core.types.maintenance import GarbageReport

    copies = size_bytes = 0
    for copy in _copies(data_folder):
        is_old = unused_days > 0 and now_ns - _last_used_ns(copy) > unused_days * _DAY_NS
        if copy == keep or not (is_old or _is_abandoned(copy)):
            continue
        bytes_ = sum(path.stat().st_size for path in _files(copy))
        if not dry_run:
            shutil.rmtree(copy, ignore_errors=True)
        if dry_run or not copy.exists():
            copies += 1
            size_bytes += bytes_
    return GarbageReport(
        branches=0, worktrees=0, blobs=0, chunks=0, vectors=0, files=0,
        copies=copies, size_bytes=size_bytes,
    )  # fmt: skip


def _copies(data_folder: Path) -> list[Path]:
    try:
        return sorted(path for path in (data_folder / "overlays").iterdir() if path.is_dir())
    except OSError:
        return []


def _is_abandoned(copy: Path) -> bool:
    """Whether it is known for which workspace it was made, and that one is gone, while its parent folder is there.

    A workspace on a disk that is not mounted right now is not gone.
    """
    owner = owner_of(copy)
    try:
        return owner is not None and not owner.exists() and owner.parent.exists()
    except OSError:
        return False


def _last_used_ns(copy: Path) -> int:
    """When something was last written to it; each search writes to its log."""
    return max((path.stat().st_mtime_ns for path in [copy, *_files(copy)]), default=0)


def _files(copy: Path) -> list[Path]:
    return [path for path in copy.rglob("*") if path.is_file()]
