"""Words for files whose parse ended a process, for all surfaces."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codecairn.core.text_format import amount
from codecairn.paths.user import data_folder

if TYPE_CHECKING:
    from codecairn.core.types.indexing import Crash

NAMED_FILES = 5
"""How many files are named."""


def crash_words(crashed: "Sequence[Crash]") -> str:
    """How many files ended a process, the first few with their signals, and how they are tried again; empty for none."""
    if not crashed:
        return ""
    named = ", ".join(f"{crash.path} ({crash.signal})" for crash in crashed[:NAMED_FILES])
    more = ", …" if len(crashed) > NAMED_FILES else ""
    return (
        f"{amount(len(crashed), 'file')} cut by lines, as parsing ended a process: {named}{more}; parsed again after a "
        f"change of the file or another version of codecairn, or once `{data_folder() / 'crashes'}` is removed"
    )
