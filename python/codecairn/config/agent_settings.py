"""The settings of agents, servers and background processes."""

from dataclasses import dataclass

from codecairn.config.setting import declared as _setting
from codecairn.config.workspace_rights import LOWER, MAY_SET, OFF, ON, OWN, stricter

MAX_FIRST_WAIT_MS = 60_000
"""Hosts give up a call that takes longer."""


@dataclass(frozen=True, kw_only=True)
class UseSettings:
    """Settings of those who use an index."""

    index_first_wait_ms: int = _setting(
        8000,
        key="index.first_wait_ms",
        workspace=LOWER,
        doc="Milliseconds that an agent's call waits for the first index before it is told how far that is; 60,000 at most.",
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
        doc="The file of a SCIP index, relative to the workspace's root, that decides who uses what where it holds; empty for none.",
    )
    hooks_capture: bool = _setting(
        default=True,
        key="hooks.capture",
        workspace=OFF,
        doc="Whether hooks record what agents are asked, do and answer.",
    )
    hooks_inject: bool = _setting(
        default=True,
        key="hooks.inject",
        workspace=OFF,
        doc="Whether hooks put what is remembered before agents.",
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
        doc="Whether a prompt that one of our tools serves best is accompanied by a line that says which, once a session for each.",
    )
    mcp_tools: str = _setting(
        "compact",
        key="mcp.tools",
        workspace=OWN,
        doc="Sets of tools that `mcp` offers, joined by commas.",
    )
    log_level: str = _setting(
        "info",
        key="log.level",
        workspace=stricter("debug", "info", "warn", "error", "off"),
        choices=("off", "error", "warn", "info", "debug"),
        doc="What is written to the store's log: nothing, or what is at least this important.",
    )
    log_shown: bool = _setting(
        default=True,
        key="log.shown",
        workspace=OFF,
        doc="Whether the store's log holds which files agents were shown, so that `codecairn metrics` can tell how many of them they opened.",
    )
