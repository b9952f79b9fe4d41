"""What agents' hosts call at each event: a shim over the core, which records what happened and answers what to show.

`run` is the script that hosts start, `call` serves one event. What takes long runs once and is cached (`project_resolution`), or in a process of its own
(`processes`, `background`).
"""
