"""Texts that are shown inside a block: none of them ends, opens or imitates the block's structure."""


def contained(text: str) -> str:
    """A text as one line in which no fence, tag, comment or mark of a block begins."""
    from codecairn import _native  # only where something is shown

    return _native.contained(text, at_start=False)


def contained_lines(text: str, *, indent: str = "") -> str:
    """The lines of a text, none of which opens a block of Markdown; all but the first after an indent."""
    from codecairn import _native

    lines = text.splitlines() or [""]
    return f"\n{indent}".join(_native.contained(line, at_start=True) for line in lines)
