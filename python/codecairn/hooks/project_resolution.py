"""Resolves the project of a folder and its settings with all imports that this takes, and therefore once, not at each event."""

import json
import sys
from pathlib import Path

from codecairn.core.isolation import add_site_packages


def resolved(folder: str) -> str:
    """The project of a folder, and the files and folders that it depends on, as the core's `hooks::Resolution`.

    Raises:
        CodecairnError: If the folder can't be opened or settings are wrong.
    """
    if sys.flags.no_site:
        add_site_packages()  # the interpreter was started without, and settings need them
    from codecairn.config import files, layers
    from codecairn.memory.fork_safe import options_of
    from codecairn.paths import user
    from codecairn.paths.root import STORE_NAME, resolve_folder
    from codecairn.paths.store import stores_folder
    from codecairn.trust.registry import is_trusted, registry_file
    from codecairn.trust.store_trust import workspace_root

    root = workspace_root(resolve_folder(folder))
    settings = layers.load(root).settings
    options = options_of(root, settings)
    project = {
        "root": str(root),
        "memory": str(options.path),
        "options": options.document(),
        "asks_every": settings.hooks_ask_every,
        "captures": settings.hooks_capture,
        "works_when_quiet": bool(
            settings.extraction_providers
            or (
                settings.hooks_capture
                and (settings.memory_graphiti_url or settings.memory_redis_url)
            )
        ),
        "injects": settings.hooks_inject,
        "trusts": is_trusted(root),
        "routes": settings.hooks_inject and settings.hooks_routing,
        "works": settings.hooks_background,
        "total_tokens": settings.memory_context_tokens,
        "static_tokens": min(settings.memory_static_tokens, settings.memory_context_tokens),
    }
    sources: list[Path] = [
        user.config_file(),
        root / files.WORKSPACE_FILE,
        root / files.PYPROJECT_FILE,
        # What makes a folder a workspace, and a workspace a trusted one.
        stores_folder(user.data_folder()),
        registry_file(),
        root / STORE_NAME,
    ]
    return json.dumps({"place": project, "files": [str(path) for path in sources]})
