"""The words of an error for a model: what is wrong, then what to do, with tools in place of commands."""

import re

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import CodecairnError

MAX_MESSAGE_CHARS = 600
"""Of a message, which may quote an argument."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_TOOLS = {
    "see `codecairn memory list`": "`memory_search` and `ask` show ids",
    "`memory notes` lists them": "`memory_notes` lists them",
    "`codecairn search` finds by meaning": "`codebase_search` finds by meaning",
    "name its file or folder": "ask the user to run `codecairn memory import FILE`",
}
"""What a hint for people is to a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorText:
    """An error's code, message and hint, as a model gets them."""

    code: str
    message: str
    hint: str

    @property
    def text(self) -> str:
        """The message, and the hint on a line of its own."""
        return f"{self.message}\n{self.hint}" if self.hint else self.message


def error_text(err: CodecairnError, *, usual_hint: str = "") -> ErrorText:
    """The words of an error; `usual_hint` where it has no hint of its own."""
    hint = err.hint or usual_hint
    for shown, meant in _TOOLS.items():
        hint = hint.replace(shown, meant)
    return ErrorText(code=err.code, message=_plain(err.message), hint=_plain(hint))


def _plain(text: str) -> str:
    """A text of `MAX_MESSAGE_CHARS` at most, its control characters escaped."""
    if len(text) > MAX_MESSAGE_CHARS:
        text = f"{text[: MAX_MESSAGE_CHARS // 2]} … {text[-MAX_MESSAGE_CHARS // 2 :]}"
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
