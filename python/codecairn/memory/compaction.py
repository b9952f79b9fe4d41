"""How much of a tool's output is kept."""

from codecairn.config.settings import Settings

ENDLESS_BYTES = 2_000
"""What an endless session keeps of an output at most."""


def kept_bytes(settings: Settings) -> int:
    """Bytes that are kept of one output: fewer in endless mode, which the beta channel alone has."""
    if settings.memory_endless and settings.memory_channel == "beta":
        return min(settings.memory_compact_bytes, ENDLESS_BYTES)
    return settings.memory_compact_bytes
