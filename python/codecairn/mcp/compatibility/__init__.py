"""The tools of other memories, implemented by this one: their names, parameters and result formats.

Clients that know only those tools keep working. Each set is a module; the memory does the work.
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
