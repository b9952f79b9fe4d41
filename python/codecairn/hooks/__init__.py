"""What agents' hosts call at each event: what happened is recorded, and what is remembered is put before the agent.

A call is a process, and its host waits for it, so modules on its path import next to nothing (no `re`, no `json`, no
`dataclasses`, no `pathlib`, not even `typing`), which a test verifies. What needs more is computed once and cached
(`project_resolution`), or computed afterwards in a process of its own (`background`).
"""
