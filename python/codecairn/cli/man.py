"""The command `man`: one manual page of every command and option, in the format of man(7)."""

import re
from collections.abc import Iterator

import click

from codecairn.cli.command import command
from codecairn.cli.examples import EXAMPLES

_BACKQUOTED = re.compile(r"`([^`]*)`")


@command("man")
def man() -> None:
    """Print the manual page, with every command and option.

    As `~/.local/share/man/man1/codecairn.1` it is found by `man codecairn`.
    """
    from codecairn.cli.app import app

    click.echo(manual_page(app), nl=False)


def manual_page(program: click.Group) -> str:
    """The manual page of a program and its commands."""
    lines = [
        '.TH CODECAIRN 1 "" "" "codecairn"',
        ".SH NAME",
        f"codecairn \\- {_text((program.help or '').partition('.')[0].lower())}",
        ".SH SYNOPSIS",
        ".B codecairn",
        ".I COMMAND",
        ".RI [ OPTION ]...",
        ".SH DESCRIPTION",
        *_paragraphs(program.help or ""),
        *_options(program, click.Context(program, info_name="codecairn")),
        ".SH COMMANDS",
    ]
    for context in _contexts(program):
        lines += _command(context)
    lines += [".SH EXAMPLES", *_examples("")]
    return "\n".join(lines) + "\n"


def _contexts(program: click.Group) -> Iterator[click.Context]:
    """A context of each command, groups before what is in them."""
    waiting = [click.Context(program, info_name="codecairn", help_option_names=["-h", "--help"])]
    while waiting:
        context = waiting.pop(0)
        if context.parent is not None:
            yield context
        group = context.command
        if isinstance(group, click.Group):
            inner = [
                (name, group.get_command(context, name)) for name in group.list_commands(context)
            ]
            waiting[:0] = [
                click.Context(each, info_name=name, parent=context)
                for name, each in inner
                if each is not None and not each.hidden
            ]


def _command(context: click.Context) -> Iterator[str]:
    words = context.command_path
    pieces = " ".join(_text(piece) for piece in context.command.collect_usage_pieces(context))
    yield f'.SS "{_text(words)}"'
    yield f"\\fB{_text(words)}\\fR {pieces}".rstrip()
    yield ".PP"
    yield from _paragraphs(context.command.help or "")
    yield from _options(context.command, context)
    yield from _examples(words.partition(" ")[2])


def _options(command_: click.Command, context: click.Context) -> Iterator[str]:
    for param in command_.get_params(context):
        record = param.get_help_record(context) if isinstance(param, click.Option) else None
        if record is not None:
            yield ".TP"
            yield f"\\fB{_text(record[0])}\\fR"
            yield _text(record[1])


def _examples(name: str) -> Iterator[str]:
    lines = EXAMPLES.get(name, ())
    if lines:
        yield from (".PP", ".nf", *(f"    {_text(line)}" for line in lines), ".fi")


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            yield ".PP"
        if paragraph.startswith("\b"):
            yield from (".nf", *(_text(line) for line in paragraph.splitlines()[1:]), ".fi")
        else:
            yield _text(" ".join(paragraph.split()))


def _text(text: str) -> str:
    """A text whose characters have no meaning to roff; what is in backticks is bold."""
    escaped = text.replace("\\", "\\(rs").replace("-", "\\-")
    escaped = escaped.replace("'", "\\(aq").replace('"', "\\(dq").replace("^", "\\(ha")
    escaped = escaped.replace("~", "\\(ti")
    escaped = _BACKQUOTED.sub(r"\\fB\1\\fR", escaped).replace("`", "\\(ga")
    escaped = "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in escaped)
    return f"\\&{escaped}" if escaped.startswith(".") else escaped
