"""JSON by the interpreter's own scanner and encoder: `json` imports `re`, which takes longer than a whole event may."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_BLANKS = " \t\r\n\ufeff"


class _Context:
    """What the scanner wants to know."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: "dict[str, str]" = {}  # noqa: RUF012 - an attribute that the scanner reads


def loads(text: str) -> "Any":  # noqa: ANN401 - any document
    """The document that a text holds.

    Raises:
        ValueError: If it is no JSON.
    """
    text = text.strip(_BLANKS)
    try:
        from _json import make_scanner
    except ImportError:
        import json

        return json.loads(text, strict=False)
    try:
        value, end = make_scanner(_Context)(text, 0)  # type: ignore[arg-type]
    except (StopIteration, RecursionError) as err:
        raise ValueError("it is no JSON") from err
    if end != len(text):
        raise ValueError("there is more than one document")
    return value


def rows(text: str) -> "Iterator[Any]":
    """The members of an array, each read when it is asked for: who wants the first few does not wait for the rest.

    Raises:
        ValueError: If it is no JSON.
    """
    try:
        from _json import make_scanner
    except ImportError:
        yield from loads(text)
        return
    scan = make_scanner(_Context)  # type: ignore[arg-type]
    at, last = text.find("[") + 1, text.rfind("]")
    try:
        while at < last:
            value, at = scan(text, at)
            yield value
            at += 1
    except (StopIteration, RecursionError) as err:
        raise ValueError("it is no JSON") from err


def dumps(value: object) -> str:
    """A document as text, in ASCII: what reads it need not agree on an encoding."""
    try:
        from _json import encode_basestring_ascii, make_encoder

        flags = (False, False, False)  # sorted keys, keys left out, numbers that are none
        encode = make_encoder(None, _refused, encode_basestring_ascii, None, ": ", ", ", *flags)
        return "".join(encode(value, 0))
    except (ImportError, TypeError):
        import json

        return json.dumps(value, allow_nan=False)


def _refused(value: object) -> object:
    message = f"{type(value).__name__} is no JSON"
    raise TypeError(message)
