"""The one table of settings: key, type, default, choices, doc."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

SettingValue: TypeAlias = str | int | bool | tuple[str, ...]

MAX_NUMBER = 2**31 - 1
"""The greatest number that a setting may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One row of the table.

    Attributes:
        key: Its name in files, with dots for tables: `search.limit`.
        field: Its name in `Settings`.
        default: The built-in default, which also gives the type.
        doc: What it decides.
        choices: The only values allowed; empty for any.
        minimum: The least number allowed.
    """

    key: str
    field: str
    default: SettingValue
    doc: str
    choices: tuple[str, ...]
    minimum: int

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "CODECAIRN_" + self.key.replace(".", "_").upper()

    @property
    def type_name(self) -> str:
        """Its type in the words of TOML."""
        names = {str: "string", int: "integer", bool: "boolean", tuple: "array of strings"}
        return names[type(self.default)]


def _setting(
    default: SettingValue, *, key: str, doc: str, choices: tuple[str, ...] = (), minimum: int = 0
) -> Any:  # noqa: ANN401 - the type of a field's default
    metadata = {"key": key, "doc": doc, "choices": choices, "minimum": minimum}
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, resolved."""

    scope: str = _setting(
        "workspace",
        key="scope",
        choices=("workspace", "global"),
        doc="Where stores lie: in each workspace's `.codecairn/`, or all in your data folder.",
    )
    include: tuple[str, ...] = _setting(
        (),
        key="include",
        doc="Patterns (gitignore syntax) of the only files to index; none for all.",
    )
    exclude: tuple[str, ...] = _setting(
        (),
        key="exclude",
        doc="Patterns (gitignore syntax) of files not to index; `!pattern` takes in what is ignored.",
    )
    embedder: str = _setting(
        "static",
        key="embedder",
        choices=("static", "feature-hash"),
        doc="What turns text into vectors: the built-in model, or hashed sub-words, which know no meanings.",
    )
    ranking: str = _setting(
        "model",
        key="ranking",
        choices=("model", "fusion"),
        doc="How candidates are ordered: by the ranking model, or by fused retriever ranks alone.",
    )
    fusion: str = _setting(
        "rrf",
        key="fusion",
        choices=("rrf", "weighted"),
        doc="How retrievers are fused: by reciprocal ranks, or by weighted scores.",
    )
    index_wait_s: int = _setting(
        600,
        key="index.wait_s",
        doc="Seconds to wait for another process that is writing to the index; 0 for not at all.",
    )
    search_limit: int = _setting(
        10, key="search.limit", minimum=1, doc="How many results a search returns."
    )
    search_context_lines: int = _setting(
        0, key="search.context_lines", doc="Lines shown around each result."
    )
    search_refresh: bool = _setting(
        default=True, key="search.refresh", doc="Whether a search first takes in what changed."
    )
    search_refresh_budget_ms: int = _setting(
        300,
        key="search.refresh_budget_ms",
        doc="Milliseconds that a search may spend on taking in what changed.",
    )
    memory_path: str = _setting(
        "", key="memory.path", doc="The memory's database; empty for one in your data folder."
    )
    memory_project: str = _setting(
        "", key="memory.project", doc="The project's name in the memory; empty to tell by git."
    )
    memory_identity: str = _setting(
        "git",
        key="memory.identity",
        choices=("git", "repository", "folder"),
        doc="What makes a project: git's remote, the repository that worktrees share, or the folder.",
    )
    memory_private_unclosed: str = _setting(
        "redact",
        key="memory.private_unclosed",
        choices=("redact", "keep"),
        doc="What a `<private>` that is never closed hides: all that follows, or nothing.",
    )
    memory_compact_bytes: int = _setting(
        4000,
        key="memory.compact_bytes",
        minimum=256,
        doc="Bytes that are kept of a tool's output.",
    )
    log_level: str = _setting(
        "info",
        key="log.level",
        choices=("off", "error", "warn", "info", "debug"),
        doc="What is written to the store's log: nothing, or what is at least this important.",
    )


def _table() -> Mapping[str, Setting]:
    rows = {}
    for field in dataclasses.fields(Settings):
        default: Any = field.default
        row = Setting(field=field.name, default=default, **field.metadata)
        rows[row.key] = row
    return MappingProxyType(rows)


SETTINGS = _table()
"""Every setting by its key, in the order of the table."""
