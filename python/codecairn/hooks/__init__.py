"""What agents' hosts call at each event: what happened is recorded, and what is remembered is put before the agent.

A call is a process, and its host waits for it: all that lies on its way imports next to nothing (no `re`, no `json`, no
`dataclasses`, no `pathlib`, not even `typing`), as a test holds. What needs more is done once and kept (`project_resolution`), or done afterwards by a
process that nobody waits for (`background`).
"""
