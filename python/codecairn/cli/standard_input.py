"""Reads a text from standard input."""

import sys

from codecairn.errors import UsageError


def read_stdin(wanted: str) -> str:
    """The text on standard input; `wanted` says in the hint what to pipe into the command.

    Raises:
        UsageError: If there is none, or bytes that are no text.
    """
    stream = getattr(sys.stdin, "buffer", None)
    content = stream.read() if stream is not None else sys.stdin.read().encode()
    hint = f"pipe {wanted} into the command"
    if not content.strip():
        raise UsageError("standard input is empty", hint=hint)
    try:
        text: str = content.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise UsageError("standard input is not UTF-8 text", hint=hint) from err
    if "\0" in text:
        raise UsageError("standard input is not text", hint=hint)
    return text
