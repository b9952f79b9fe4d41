"""Replaces a file in one step."""

import os
from pathlib import Path


def write_atomically(file: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Replace a file, or make it: a reader sees the old content or the new one, and so does the next start after a crash.

    The content is on the disk when this returns. Nothing is left behind where that fails. The folder must exist; a link at
    `file` is replaced and not followed.

    Raises:
        OSError: If it can't be written.
    """
    import tempfile  # it loads much, and most commands write nothing here

    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink()
        raise
