"""Turns click's usage errors into `UsageError`: one message, and one hint that shows what to write instead."""

import re
from collections.abc import Iterable, Sequence

import click

from codecairn.core.nearest import did_you_mean, nearest
from codecairn.errors import CodecairnError, UsageError

_MAX_SHOWN = 100
"""How many characters of a wrong word are repeated."""

_OTHER_WORDS: Sequence[tuple[frozenset[str], Sequence[str]]] = (
    (
        frozenset({"delete", "del", "remove", "rm", "drop", "erase", "unset"}),
        ("forget", "remove", "unset"),
    ),
    (
        frozenset({"show", "view", "cat", "read", "print", "open"}),
        ("get", "show", "status", "peek"),
    ),
    (frozenset({"ls", "all", "dir", "ll"}), ("list", "status")),
    (frozenset({"find", "query", "grep", "lookup", "look", "recall"}), ("search",)),
    (frozenset({"create", "new", "save", "store", "remember", "note", "put"}), ("add", "set")),
    (frozenset({"edit", "change", "modify", "set"}), ("update", "set", "edit")),
    (frozenset({"undo", "undelete", "unforget", "recover"}), ("restore",)),
    (frozenset({"explain", "reason"}), ("why",)),
    (frozenset({"history", "log"}), ("timeline", "logs")),
    (frozenset({"info", "stats", "state"}), ("status",)),
    (frozenset({"check", "verify", "repair", "fix"}), ("doctor",)),
    (frozenset({"reindex", "build", "scan", "refresh", "sync"}), ("index",)),
    (frozenset({"setup", "register"}), ("install",)),
    (frozenset({"projects", "workspace"}), ("project",)),
)
"""Other words for commands, and the commands that they may mean, the likeliest first."""

_OF_MEMORY = {
    "add": "add", "remember": "add", "note": "add", "save": "add", "store": "add",
    "forget": "forget", "delete": "forget", "remove": "forget", "rm": "forget", "del": "forget",
    "recall": "search", "facts": "list", "list": "list", "ls": "list", "get": "get", "show": "get", "view": "get",
    "update": "update", "edit": "update", "restore": "restore", "timeline": "timeline", "export": "export",
    "import": "import", "review": "review", "session": "session", "sessions": "session", "project": "project",
}  # fmt: skip
"""Words that mean a command of the memory where its group was left out."""

_TAKING_AWAY = frozenset({"demote", "purge", "uninstall", "gc", "revoke", "drop", "leave", "part"})
"""Commands that take something away which another word would not say."""

_SLIPS = 0.85
"""The least ratio at which a name is a slip of the pen."""

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
    meant = meant_command(group, name, [*known])
    hint = f"did you mean `{meant}`?" if meant else f"run `{ctx.command_path} --help`"
    return UsageError(f"no such command `{lead}{name:.{_MAX_SHOWN}}`", hint=hint)


def meant_command(group: str, name: str, known: Sequence[str]) -> str:
    """The command that a wrong name most probably means, with its group: another word for it, else a like one.

    A command that takes something away is named only for a slip of the pen.
    """
    lead = f"{group} " if group else ""
    word = name.lower()
    for commands in (words for words in _OTHER_WORDS if word in words[0]):
        found = next((each for each in commands[1] if each in known), "")
        if found and word not in known:
            return f"{lead}{found}"
    if not group and word in _OF_MEMORY:
        return f"memory {_OF_MEMORY[word]}"
    meant = nearest(name, known)
    if meant in _TAKING_AWAY and not is_slip(name, meant):
        meant = nearest(name, [each for each in known if each not in _TAKING_AWAY])
    return f"{lead}{meant}" if meant else ""


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
    return UsageError(message, hint=_as_option(ctx, rest) or _usage(ctx))


def _as_option(ctx: click.Context, rest: Sequence[str]) -> str:
    """How a text is given that stands where an option of the command belongs; empty if it has none."""
    takes_text = any("--text" in each.opts for each in ctx.command.params)
    if not takes_text:
        return ""
    words = " ".join(rest).replace('"', '\\"')[:_MAX_SHOWN]
    taken = [
        str(ctx.params[str(each.name)])
        for each in ctx.command.params
        if isinstance(each, click.Argument) and ctx.params.get(str(each.name))
    ]
    return f'write `{" ".join([ctx.command_path, *taken])} --text "{words}"`'


def is_slip(given: str, meant: str) -> bool:
    """Whether a name is another one with a slip of the pen."""
    import difflib

    return difflib.SequenceMatcher(None, given.lower(), meant).ratio() >= _SLIPS


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
