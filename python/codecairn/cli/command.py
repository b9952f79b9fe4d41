"""The classes of commands, groups and options: errors in one style, help with examples, defaults and readable ranges."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from codecairn.errors import UsageError

if TYPE_CHECKING:
    _NumberType = click.ParamType[int]
    _WordType = click.Choice[str]
else:  # these classes are generic from click 8.4 on
    _NumberType, _WordType = click.ParamType, click.Choice

_FORMS = ("--json", "--jsonl")

_SURROGATE = re.compile("[\ud800-\udfff]")
"""The surrogates by which Python represents bytes of an argument that are not UTF-8."""

_ANY_BYTES = frozenset({"path", "paths", "folder", "several", "output", "directories", "place"})

_MAX_DIGITS = 1_000
"""`int` raises `ValueError` at more than 4,300 digits."""


class Option(click.Option):
    """An option whose help shows its default, its range and its choices."""

    def __init__(self, *args: Any, setting: str = "", place: str = "", **more: Any) -> None:  # noqa: ANN401 - click's signature
        super().__init__(*args, **more)
        self.setting = setting
        self.place = place

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Its names, and its help."""
        record = super().get_help_record(ctx)
        if record is None:
            return None
        from codecairn.cli.help_text import option_notes

        notes = "; ".join(option_notes(self))
        return record[0], f"{record[1]}  [{notes}]" if notes else record[1]


class Command(click.Command):
    """A command whose errors and help are in the program's style."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments apart.

        Raises:
            UsageError: If they are wrong.
        """
        _require_one_form(args)
        is_open = ctx.allow_extra_args
        ctx.allow_extra_args = True  # those that are left are reported here, with a hint
        with _in_our_style(ctx):
            rest = super().parse_args(ctx, args)
        _require_text(self.params, ctx)
        if rest and not is_open and not ctx.resilient_parsing:
            from codecairn.cli.usage_errors import unexpected_argument

            raise unexpected_argument(ctx, rest)
        return rest

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        """Run the command; a wrong request without a hint of its own gets a general one."""
        try:
            return super().invoke(ctx)
        except UsageError as err:
            err.hint = err.hint or f"see `{ctx.command_path} --help`"
            raise

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples below the options."""
        from codecairn.cli.help_text import write_examples

        write_examples(ctx, formatter)
        super().format_epilog(ctx, formatter)


class Group(click.Group):
    """A group of such commands, listed in sections.

    Attributes:
        sections: The names of its commands by the section of the help; empty for one section.
    """

    command_class = Command
    group_class = type
    sections: Mapping[str, Sequence[str]] = MappingProxyType({})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments apart.

        Raises:
            UsageError: If they are wrong.
        """
        with _in_our_style(ctx):
            return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand that the first argument names.

        Raises:
            UsageError: If there is none.
        """
        name = str(args[0])
        if not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            from codecairn.cli.usage_errors import unknown_command

            raise unknown_command(ctx, name, self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their sections, each with the whole of its summary."""
        from codecairn.cli.help_text import write_commands

        write_commands(self, ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples below the commands."""
        from codecairn.cli.help_text import write_examples

        write_examples(ctx, formatter)
        super().format_epilog(ctx, formatter)


class WholeNumber(_NumberType):
    """A whole number between two bounds, both included; without an upper one, any that the core can hold."""

    name = "number"

    def __init__(self, minimum: int | None = None, maximum: int | None = None) -> None:
        self.minimum = minimum
        self.maximum = maximum

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,  # noqa: ARG002
    ) -> int:
        """The number.

        Raises:
            UsageError: If it is none, or outside the bounds.
        """
        if isinstance(value, int):
            return value
        from codecairn.config.setting import MAX_NUMBER

        text = str(value).strip()
        is_whole = text.removeprefix("-").isdecimal() and len(text) <= _MAX_DIGITS
        number = int(text) if is_whole else 0
        most = MAX_NUMBER if self.maximum is None else self.maximum
        is_low = self.minimum is not None and number < self.minimum
        if is_whole and not is_low and number <= most:
            return number
        from codecairn.cli.usage_errors import bad_value

        wanted = f"{most:,} or less" if is_whole and number > most else self.range_text()
        raise bad_value(str(value), param, f"give a whole number, {wanted}".removesuffix(", "))

    def range_text(self) -> str:
        """The bounds in words; empty without any."""
        if self.minimum is None:
            return "" if self.maximum is None else f"{self.maximum:,} or less"
        return (
            f"{self.minimum:,} or more"
            if self.maximum is None
            else f"{self.minimum:,} to {self.maximum:,}"
        )


class OneOf(_WordType):
    """One of several words."""

    def __init__(self, choices: Sequence[str]) -> None:
        super().__init__(choices, case_sensitive=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """The word as it is spelled.

        Raises:
            UsageError: If it is none of them; the hint names the nearest, or all.
        """
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as err:
            from codecairn.cli.usage_errors import bad_value
            from codecairn.core.nearest import did_you_mean

            words = [str(each) for each in self.choices]
            hint = did_you_mean(str(value), words) or f"give one of {', '.join(words)}"
            raise bad_value(str(value), param, hint) from err


command: "Callable[..., Callable[[Callable[..., Any]], Command]]" = partial(
    click.command, cls=Command
)
"""Make a command of a function; as `click.command`."""

group: "Callable[..., Callable[[Callable[..., Any]], Group]]" = partial(click.group, cls=Group)
"""Make a group of a function; as `click.group`."""

option = partial(click.option, cls=Option)
"""Give a command an option; as `click.option`."""


def _require_one_form(args: Sequence[str]) -> None:
    """Refuse both forms of machine output at once, of which click would take the last."""
    options = args[: args.index("--")] if "--" in args else args
    if all(form in options for form in _FORMS):
        raise UsageError("`--json` and `--jsonl` exclude each other", hint="give one of them")


def _require_text(params: Sequence[click.Parameter], ctx: click.Context) -> None:
    """Refuse bytes that are no UTF-8 in values that are texts. Names of folders and files to write may hold any bytes."""
    for param in params:
        value = ctx.params.get(str(param.name))
        texts = value if isinstance(value, tuple) else (value,)
        for text in texts:
            if isinstance(text, str) and _SURROGATE.search(text) and param.name not in _ANY_BYTES:
                from codecairn.cli.usage_errors import called

                raise UsageError(f"{called(param)} is not UTF-8 text", hint="write it in UTF-8")


@contextmanager
def _in_our_style(ctx: click.Context) -> Iterator[None]:
    """Turn click's errors into ours."""
    try:
        yield
    except click.UsageError as err:
        from codecairn.cli.usage_errors import translated

        raise translated(err, ctx) from err
