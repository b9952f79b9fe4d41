"""The sets of tools that a server may offer: our own, and those of other memories for their clients."""

from codecairn.errors import UsageError

OWN_SETS = ("compact", "code", "memory", "all")
"""Our own. `compact` is what an agent needs in every session, for few tokens."""

COMPATIBLE_SETS = ("codexfi", "codex-mem", "graphiti")
"""The tools of other memories, by their names and in their words, served from ours."""

SETS = (*OWN_SETS, *COMPATIBLE_SETS)


def named_sets(text: str) -> tuple[str, ...]:
    """The sets of a text such as `compact,codexfi`.

    Raises:
        UsageError: If there is no such set, or none is named.
    """
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in SETS]
    if unknown or not names:
        wrong = f"`{unknown[0]}`" if unknown else "an empty name"
        raise UsageError(
            f"there is no set of tools {wrong}",
            hint=f"there are {', '.join(SETS)}; several are joined by commas",
        )
    return names
