"""codecairn: a local codebase index for AI coding agents and the people who run them.

    from codecairn import Workspace

    with Workspace.open("path/to/repo") as workspace:
        for hit in workspace.search("where are tokens verified", limit=10):
            print(hit.path, hit.start_line, hit.end_line, hit.name)

Importing this package does no work: what a name needs is loaded when it is first used.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecairn.core.requests import SearchFilters
    from codecairn.core.types.embedding import (
        EmbeddingEstimate,
        EmbeddingReport,
        EmbeddingStatus,
        OutsideState,
        Spending,
    )
    from codecairn.core.types.freshness import Freshness
    from codecairn.core.types.hits import Contribution, Hit, SearchResult, Span
    from codecairn.core.types.indexing import IndexPreview, IndexReport, Skip
    from codecairn.core.types.maintenance import GarbageReport, Problem
    from codecairn.core.types.provenance import BaseState, Blame, KnowledgeBase
    from codecairn.core.types.status import Status
    from codecairn.errors import (
        BadWorkspace,
        BudgetExhausted,
        Cancelled,
        CodecairnError,
        ConfigError,
        DiskFull,
        FileAccessError,
        HistoryUnavailable,
        IndexLocked,
        InternalError,
        NotIndexed,
        ObjectMissing,
        PathNotFound,
        ProviderBroken,
        ProviderDeclined,
        ProviderError,
        ProviderRateLimited,
        ProviderRefused,
        ProviderUnauthorized,
        ProviderUnavailable,
        PullRequestUnavailable,
        RemoteConflict,
        RemoteError,
        RemoteIncompatible,
        RemoteRefused,
        RemoteUnavailable,
        RemoteUntrusted,
        StoreDamaged,
        StoreError,
        StoreReadOnly,
        StoreTooNew,
        SymbolAmbiguous,
        SymbolNotFound,
        UnsafeEndpoint,
        UsageError,
        WorkspaceError,
    )
    from codecairn.workspace.organization.organization import Organization
    from codecairn.workspace.workspace import Workspace
    from codecairn.workspace.workspaces import Workspaces

    __version__: str

_MODULES = {
    "codecairn.errors": (
        "BadWorkspace",
        "BudgetExhausted",
        "Cancelled",
        "CodecairnError",
        "ConfigError",
        "DiskFull",
        "FileAccessError",
        "HistoryUnavailable",
        "IndexLocked",
        "InternalError",
        "NotIndexed",
        "ObjectMissing",
        "PathNotFound",
        "ProviderBroken",
        "ProviderDeclined",
        "ProviderError",
        "ProviderRateLimited",
        "ProviderRefused",
        "ProviderUnauthorized",
        "ProviderUnavailable",
        "PullRequestUnavailable",
        "RemoteConflict",
        "RemoteError",
        "RemoteIncompatible",
        "RemoteRefused",
        "RemoteUnavailable",
        "RemoteUntrusted",
        "StoreDamaged",
        "StoreError",
        "StoreReadOnly",
        "StoreTooNew",
        "SymbolAmbiguous",
        "SymbolNotFound",
        "UnsafeEndpoint",
        "UsageError",
        "WorkspaceError",
    ),
    "codecairn.core.types.provenance": ("BaseState", "Blame", "KnowledgeBase"),
    "codecairn.core.requests": ("SearchFilters",),
    "codecairn.core.types.embedding": (
        "EmbeddingEstimate",
        "EmbeddingReport",
        "EmbeddingStatus",
        "OutsideState",
        "Spending",
    ),
    "codecairn.core.types.hits": ("Contribution", "Hit", "SearchResult", "Span"),
    "codecairn.core.types.freshness": ("Freshness",),
    "codecairn.core.types.indexing": ("IndexPreview", "IndexReport", "Skip"),
    "codecairn.core.types.status": ("Status",),
    "codecairn.core.types.maintenance": ("GarbageReport", "Problem"),
    "codecairn.workspace.workspace": ("Workspace",),
    "codecairn.workspace.organization.organization": ("Organization",),
    "codecairn.workspace.workspaces": ("Workspaces",),
}

_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "BadWorkspace",
    "BaseState",
    "Blame",
    "BudgetExhausted",
    "Cancelled",
    "CodecairnError",
    "ConfigError",
    "Contribution",
    "DiskFull",
    "EmbeddingEstimate",
    "EmbeddingReport",
    "EmbeddingStatus",
    "FileAccessError",
    "Freshness",
    "GarbageReport",
    "HistoryUnavailable",
    "Hit",
    "IndexLocked",
    "IndexPreview",
    "IndexReport",
    "InternalError",
    "KnowledgeBase",
    "NotIndexed",
    "ObjectMissing",
    "Organization",
    "OutsideState",
    "PathNotFound",
    "Problem",
    "ProviderBroken",
    "ProviderDeclined",
    "ProviderError",
    "ProviderRateLimited",
    "ProviderRefused",
    "ProviderUnauthorized",
    "ProviderUnavailable",
    "PullRequestUnavailable",
    "RemoteConflict",
    "RemoteError",
    "RemoteIncompatible",
    "RemoteRefused",
    "RemoteUnavailable",
    "RemoteUntrusted",
    "SearchFilters",
    "SearchResult",
    "Skip",
    "Span",
    "Spending",
    "Status",
    "StoreDamaged",
    "StoreError",
    "StoreReadOnly",
    "StoreTooNew",
    "SymbolAmbiguous",
    "SymbolNotFound",
    "UnsafeEndpoint",
    "UsageError",
    "Workspace",
    "WorkspaceError",
    "Workspaces",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        value: object = import_module("codecairn.version").VERSION
    elif name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    else:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
