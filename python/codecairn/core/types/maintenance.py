"""Reports of garbage collection and of the check of a store."""

from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something wrong with a store."""

    code: str
    detail: str
    repaired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GarbageReport:
    """What nothing refers to any more: removed, or counted when asked to look only.

    Attributes:
        branches: Branches that git no longer has.
        worktrees: Worktrees whose folder is gone; what was known of their files is forgotten.
        blobs: Contents that no branch has.
        chunks: Chunks that no content has.
        vectors: Stored vectors, which are those of providers, of texts that no chunk has.
        files: Derived files that are no longer used.
        copies: Copies of shared stores whose workspace is gone or that are long unused.
        size_bytes: What all that takes on disk.
    """

    branches: int
    worktrees: int
    blobs: int
    chunks: int
    vectors: int
    files: int
    copies: int
    size_bytes: int
