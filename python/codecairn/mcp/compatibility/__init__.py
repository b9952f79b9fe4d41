"""The tools of other memories, served from ours: their names, their parameters and the shapes of their answers.

Clients that know only those tools go on working. Each set is a file; what a set does is done by the memory, never here.
"""

from codecairn.mcp.tool import Tool


def compatible_tools(name: str) -> tuple[Tool, ...]:
    """The tools of a set, one of `COMPATIBLE_SETS`."""
    if name == "codexfi":
        from codecairn.mcp.compatibility import codexfi

        return codexfi.TOOLS
    if name == "codex-mem":
        from codecairn.mcp.compatibility import codex_mem

        return codex_mem.TOOLS
    from codecairn.mcp.compatibility import graphiti

    return graphiti.TOOLS
