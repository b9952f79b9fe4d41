"""Turns click's usage errors into `UsageError`: one message, and one hint that shows what to write instead."""

import re
from collections.abc import Iterable, Sequence

import click

from codecairn.core.nearest import did_you_mean, nearest
from codecairn.errors import CodecairnError, UsageError

_MAX_SHOWN = 100
"""How many characters of a wrong word are repeated."""

_TEXTS = ("QUERY", "QUESTION", "TEXT")
"""Arguments of several words, which have to be quoted."""


def translated(
    error: click.ClickException, ctx: click.Context | None
) -> CodecairnError | click.ClickException:
    """The error as ours; what is no error but a page of help stays as it is."""
    ctx = getattr(error, "ctx", None) or ctx
    if ctx is None or type(error).__name__ == "NoArgsIsHelpError":
        return error
    if isinstance(error, click.NoSuchOption):
        return _unknown_option(ctx, error.option_name)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return _missing(ctx, error.param)
    if isinstance(error, click.BadOptionUsage):
        return _bad_option(ctx, error)
    message = _plain(error.message)
    if isinstance(error, click.BadParameter) and error.param is not None:
        message = f"{called(error.param)}: {message}"
    return UsageError(message, hint=_see_help(ctx))


def unknown_command(ctx: click.Context, name: str, known: Iterable[str]) -> UsageError:
    """There is no command of this name, or an option that no group has."""
    if name.startswith("-"):
        return _unknown_option(ctx, name)
    group = ctx.command_path.partition(" ")[2]
    lead = f"{group} " if group else ""
    meant = nearest(name, known)
    hint = f"did you mean `{lead}{meant}`?" if meant else f"run `{ctx.command_path} --help`"
    return UsageError(f"no such command `{lead}{name:.{_MAX_SHOWN}}`", hint=hint)


def unexpected_argument(ctx: click.Context, rest: Sequence[str]) -> UsageError:
    """There is an argument too many."""
    taken = [each for each in ctx.command.params if isinstance(each, click.Argument)]
    message = f"unexpected argument `{rest[0]:.{_MAX_SHOWN}}`"
    last = taken[-1] if taken else None
    if last is not None and last.human_readable_name in _TEXTS:
        words = " ".join([str(ctx.params.get(str(last.name), "")), *rest])
        quoted = words.replace('"', '\\"')[:_MAX_SHOWN]
        return UsageError(
            message, hint=f'several words are one argument if you quote them: "{quoted}"'
        )
    return UsageError(message, hint=_usage(ctx))


def bad_value(value: str, param: click.Parameter | None, hint: str) -> UsageError:
    """An option or an argument has a value that it can't have."""
    where = f" for {called(param)}" if param is not None else ""
    return UsageError(f"invalid value `{value:.{_MAX_SHOWN}}`{where}", hint=hint)


def called(param: click.Parameter) -> str:
    """What users call a parameter: the longest name of an option, the metavar of an argument."""
    if isinstance(param, click.Argument):
        return f"`{param.human_readable_name.strip('[].')}`"
    return f"`{max(param.opts, key=len)}`"


def _unknown_option(ctx: click.Context, name: str) -> UsageError:
    known = [each for param in ctx.command.get_params(ctx) for each in (*param.opts, *param.secondary_opts)
             if isinstance(param, click.Option) and each.startswith("--")]  # fmt: skip
    hint = did_you_mean(name, known) if name.startswith("--") else ""
    if re.fullmatch(r"-[\d.].*", name):
        hint = f"write `--` before an argument that begins with `-`: `-- {name}`"
    return UsageError(f"no such option `{name:.{_MAX_SHOWN}}`", hint=hint or _see_help(ctx))


def _missing(ctx: click.Context, param: click.Parameter) -> UsageError:
    return UsageError(f"{called(param)} is missing", hint=_usage(ctx))


def _bad_option(ctx: click.Context, error: click.BadOptionUsage) -> UsageError:
    found = [
        each
        for each in ctx.command.params
        if error.option_name in (*each.opts, *each.secondary_opts)
    ]
    if "requires" in error.message and found:
        metavar = found[0].make_metavar(ctx)
        return UsageError(
            f"`{error.option_name}` needs a value", hint=f"write `{error.option_name} {metavar}`"
        )
    if "does not take" in error.message:
        return UsageError(
            f"`{error.option_name}` takes no value", hint=f"write `{error.option_name}` alone"
        )
    return UsageError(_plain(error.message), hint=_see_help(ctx))


def _usage(ctx: click.Context) -> str:
    """The shortest right form of the command."""
    pieces = [
        piece
        for param in ctx.command.get_params(ctx)
        for piece in _usage_pieces(param, ctx)
        if param.required or isinstance(param, click.Argument)
    ]
    return f"write `{' '.join([ctx.command_path, *pieces])}`"


def _usage_pieces(param: click.Parameter, ctx: click.Context) -> Sequence[str]:
    if isinstance(param, click.Option):
        return (max(param.opts, key=len), param.make_metavar(ctx))
    return param.get_usage_pieces(ctx)


def _see_help(ctx: click.Context) -> str:
    return f"run `{ctx.command_path} --help`"


def _plain(message: str) -> str:
    """A message of click in our style: lower case, names in backticks, no stop."""
    text = message.strip().removesuffix(".")
    return re.sub(r"'([^']*)'", r"`\1`", text[:1].lower() + text[1:])
