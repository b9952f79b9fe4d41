"""What help shows beyond click's own: notes on options, commands in sections with whole summaries, and examples."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from codecairn.cli.command import Group, OneOf, Option, WholeNumber

if TYPE_CHECKING:
    from codecairn.config.setting import SettingValue


def option_notes(option: Option) -> Iterator[str]:
    """The default of an option, where it has one, its choices and its range; click itself adds that one is required."""
    if isinstance(option.type, OneOf):
        words = ", ".join(map(str, option.type.choices))
        if words not in (option.help or ""):
            yield f"one of {words}"
    if isinstance(option.type, WholeNumber) and option.type.range_text():
        yield option.type.range_text()
    default = _default(option)
    if default:
        yield f"default: {default}"


def summary(command: click.Command) -> str:
    """The first sentence of a command's documentation."""
    text = (command.help or "").partition("\n\n")[0].partition("\b")[0]
    return " ".join(text.split())


def write_commands(group: Group, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """The commands of a group in their sections, each with its summary."""
    names = group.list_commands(ctx)
    sections = group.sections or {"Commands": names}
    width = max((len(name) for name in names), default=0)
    for title, members in sections.items():
        rows = []
        for name in members:
            command = group.get_command(ctx, name)
            if command is not None and not command.hidden:
                rows.append((name.ljust(width), summary(command)))
        with formatter.section(title):
            formatter.write_dl(rows)


def write_examples(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """The examples of a command, which are printed as they are typed."""
    from codecairn.cli.examples import EXAMPLES

    lines = EXAMPLES.get(ctx.command_path.partition(" ")[2], ())
    if not lines:
        return
    with formatter.section("Examples"):
        for line in lines:
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def _default(option: Option) -> str:
    """The default in words: of the setting that decides it, if one does."""
    if option.setting:
        from codecairn.config.settings import SETTINGS

        return f"{_words(SETTINGS[option.setting].default)} ({option.setting})"
    default = option.default
    if option.is_flag or option.multiple or not isinstance(default, str | int) or default == "":
        return ""
    return str(default)


def _words(value: "SettingValue") -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
