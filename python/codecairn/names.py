"""Names that hosts give to sessions and events. Hooks use it too, so this imports next to nothing: see `codecairn.hooks`."""

try:
    from _sha1 import sha1  # type: ignore[import-not-found]
except ImportError:  # an interpreter built without it
    from hashlib import sha1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def stand_in(name: str, redacted: "Callable[[str], tuple[str, int, int]]") -> str:
    """A name, or another one in place of one that privacy takes for a secret and would make the same as all others.

    What `toolu_01…` or `ses_…` is followed by looks as random as a key. The same name has the same stand-in, always.
    """
    if not name or redacted(name)[0] == name:
        return name
    digest: str = sha1(name.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    return f"id-{digest[:24]}"
