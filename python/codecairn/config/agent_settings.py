"""The settings of agents, servers and background processes."""

from codecairn.config.setting import declared as _setting
from codecairn.config.workspace_rights import LOWER, MAY_SET, OFF, ON, OWN, stricter
from codecairn.core.light_dataclass import dataclass

MAX_FIRST_WAIT_MS = 60_000
"""Hosts give up a call that takes longer."""


@dataclass(frozen=True, kw_only=True)
class UseSettings:
    """Settings of those who use an index."""

    index_first_wait_ms: int = _setting(
        8000,
        key="index.first_wait_ms",
        workspace=LOWER,
        doc="Milliseconds that an agent's call waits for the first index before it reports the progress; at most 60,000.",
    )
    index_remote: str = _setting(
        "",
        key="index.remote",
        workspace=OWN,
        doc="The shared index to pull before the first search: the address, name or id of a grant that you hold; empty for the one accepted in the workspace, `off` for none.",
    )
    index_remote_wait_ms: int = _setting(
        20_000,
        key="index.remote_wait_ms",
        workspace=LOWER,
        doc="Milliseconds that the first search fetches a shared index before it makes the index here.",
    )
    node_urls: tuple[str, ...] = _setting(
        (),
        key="node.urls",
        workspace=OWN,
        doc="The search nodes of your team that `search`, `peek` and `define` ask in clones of its repositories, and that pulls read objects through, such as `https://search.example.com:8777`; none for the index here.",
    )
    node_ca_file: str = _setting(
        "",
        key="node.ca_file",
        workspace=OWN,
        doc="A file of certificates that a node's is checked against; empty for those of the system.",
    )
    index_pause_on_battery: bool = _setting(
        default=False,
        key="index.pause_on_battery",
        workspace=ON,
        doc="Accepted in existing files, without effect.",
    )
    graph_scip: str = _setting(
        "index.scip",
        key="graph.scip",
        workspace=MAY_SET,
        doc="The file of a SCIP index, relative to the workspace's root, that decides where uses lead; empty for none.",
    )
    hooks_capture: bool = _setting(
        default=True,
        key="hooks.capture",
        workspace=OFF,
        doc="Whether hooks record prompts, tool calls and answers.",
    )
    hooks_inject: bool = _setting(
        default=True,
        key="hooks.inject",
        workspace=OFF,
        doc="Whether hooks show memories to agents.",
    )
    hooks_background: bool = _setting(
        default=True,
        key="hooks.background",
        workspace=OFF,
        doc="Whether the start and end of a session start a background process that maintains the memory.",
    )
    hooks_routing: bool = _setting(
        default=True,
        key="hooks.routing",
        workspace=OFF,
        doc="Whether a prompt that a tool of codecairn serves best gets a hint that names it, once in a session for each tool.",
    )
    hooks_ask_every: int = _setting(
        0,
        key="hooks.ask_every",
        workspace=OWN,
        doc="Prompts after which an agent is asked, at the end of its turn, to add what is worth remembering; that costs a turn. 0 for never.",
    )
    mcp_tools: str = _setting(
        "compact",
        key="mcp.tools",
        workspace=OWN,
        doc="The tool sets that `mcp` offers, separated by commas.",
    )
    mcp_other_workspaces: bool = _setting(
        default=True,
        key="mcp.other_workspaces",
        workspace=OFF,
        doc="Let agents that work in other workspaces search this one by the argument `workspace`, once it is indexed.",
    )
    log_level: str = _setting(
        "info",
        key="log.level",
        workspace=stricter("debug", "info", "warn", "error", "off"),
        choices=("off", "error", "warn", "info", "debug"),
        doc="The minimum level of entries in the store's log, or `off`.",
    )
    log_shown: bool = _setting(
        default=True,
        key="log.shown",
        workspace=OFF,
        doc="Whether the store's log records the files and the number of tokens that agents were shown, so that `codecairn metrics` can report how many of the files they opened, and `codecairn savings` what that saved.",
    )
