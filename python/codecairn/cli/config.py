"""`config get | set | list | path`."""

from collections.abc import Sequence
from pathlib import Path

import click

from codecairn.cli.command import OneOf, group, option
from codecairn.cli.output import Form, Line, print_result
from codecairn.config.edit import refusal, set_value
from codecairn.config.files import workspace_file
from codecairn.config.layers import Config, load
from codecairn.config.setting import as_text
from codecairn.config.settings import SETTINGS
from codecairn.config.validation import find_setting
from codecairn.core.types.provenance import KnowledgeBase
from codecairn.errors import BadWorkspace, UsageError
from codecairn.operations.json_output import plain_document
from codecairn.paths import root as root_paths
from codecairn.paths import user
from codecairn.trust.store_trust import workspace_root

path_option = option(
    "--path", "path", metavar="PATH", help="A folder inside the workspace. [default: here]"
)
json_option = option("--json", "is_json", is_flag=True, help="Print one JSON document.")


@group("config")
def config() -> None:
    """Read and change settings.

    Built-in defaults < your own file < the workspace's `.codecairn.toml` or `[tool.codecairn]` < environment
    `CODECAIRN_*` < arguments.
    """


@config.command("get")
@click.argument("key")
@path_option
@json_option
def get(key: str, path: str | None, *, is_json: bool) -> None:
    """Show the value of a setting."""
    setting = find_setting(key, source="arguments")
    value = getattr(load(_root(path)).settings, setting.field)
    print_result(
        _form(is_json=is_json),
        document=lambda: {"key": key, "value": value},
        documents=lambda: [{"key": key, "value": value}],
        lines=lambda: [(as_text(value),)],
    )


@config.command("set")
@click.argument("key")
@click.argument("value")
@option("--user", "is_user", is_flag=True, help="In your own file, for every workspace.")
@path_option
def set_(key: str, value: str, path: str | None, *, is_user: bool) -> None:
    """Write a setting to the workspace's file, or to your own.

    Lists are separated by commas. Comments in the file stay.
    """
    file = user.config_file() if is_user else workspace_file(_root(path))
    stored = set_value(file, key, value, is_own=is_user)
    print_result(
        None,
        document=dict,
        documents=list,
        lines=lambda: [(f"{key} = {as_text(stored)}  in {file}",)],
    )


@config.command("list")
@path_option
@json_option
def list_(path: str | None, *, is_json: bool) -> None:
    """Show every setting, its value, and the source of the value."""
    loaded = load(_root(path))
    rows = [_row(key, loaded) for key in SETTINGS]
    print_result(
        _form(is_json=is_json),
        document=lambda: {"settings": rows, "ignored": [each.note for each in loaded.ignored]},
        documents=lambda: rows,
        lines=lambda: [
            *(line for key in SETTINGS for line in _lines(key, loaded)),
            *((("ignored: ", "yellow"), each.note) for each in loaded.ignored),
        ],
    )


@config.command("path")
@path_option
@json_option
def path_(path: str | None, *, is_json: bool) -> None:
    """Show the files that settings are read from."""
    files = {"user": user.config_file(), "workspace": workspace_file(_root(path))}
    rows = [
        {"name": name, "path": str(file), "exists": file.exists()} for name, file in files.items()
    ]
    print_result(
        _form(is_json=is_json),
        document=lambda: {"files": rows},
        documents=lambda: rows,
        lines=lambda: [
            (f"{name:<10}", str(file), "" if file.exists() else "  (does not exist)")
            for name, file in files.items()
        ],
    )


@config.command("schema")
def schema_() -> None:
    """Print the JSON schema of settings files."""
    from codecairn.config.schema import schema

    print_result(Form.JSON, document=schema, documents=lambda: [schema()], lines=list)


@config.command("page")
def page_() -> None:
    """Print the page that documents every setting, in Markdown."""
    from codecairn.config.settings_page import settings_page

    click.echo(settings_page(), nl=False)


@config.command("import")
@click.argument("file", required=False)
@option(
    "--from",
    "tool",
    type=OneOf(("open-codebase-index", "opencode-graphiti")),
    metavar="TOOL",
    help="The tool that they are of; by FILE's name if not given.",
)
@option("--dry-run", is_flag=True, help="Only show what would be written.")
@path_option
@json_option
def import_(
    file: str | None, path: str | None, *, tool: str | None, dry_run: bool, is_json: bool
) -> None:
    """Import the settings of open-codebase-index or opencode-graphiti.

    Without FILE, the usual locations in the workspace and in your home folder are read, for opencode-graphiti those in your
    home folder alone. Settings that decide where data goes are written to your own file, the others to the workspace's. Its
    knowledge bases become the workspace's.
    """
    from codecairn.config.graphiti_import import find_graphiti, is_graphiti, read_graphiti
    from codecairn.config.settings_import import INDEXES, find_reference, read_reference

    root = _root(path)
    is_of_graph = tool == "opencode-graphiti" or (
        tool is None and file is not None and is_graphiti(Path(file))
    )
    if is_of_graph:
        imported = read_graphiti(Path(file) if file else find_graphiti(user.home_folder()))
    else:
        files = (Path(file),) if file else find_reference(root, user.home_folder())
        index = next((root / name for name in INDEXES if (root / name).is_dir()), None)
        imported = read_reference(*files, index=index)
    written = []
    widening: list[tuple[str, str]] = []
    for key, value in imported.values.items():
        reason = "" if SETTINGS[key].is_own else refusal(SETTINGS[key], value)
        if reason:
            hint = f"`codecairn config set --user {key} {as_text(value)}` sets it for you"
            widening.append((key, f"{reason}; {hint}"))
            continue
        target = user.config_file() if SETTINGS[key].is_own else workspace_file(root)
        if not dry_run:
            set_value(target, key, as_text(value), is_own=SETTINGS[key].is_own)
        written.append({"key": key, "value": value, "file": str(target)})
    added, refused = _add_bases(root, imported.knowledge, dry_run=dry_run)
    reasons = [*imported.left_out, *widening, *refused]
    left_out = [{"key": key, "reason": reason} for key, reason in reasons]
    knowledge = [plain_document(base) for base in added]
    print_result(
        _form(is_json=is_json),
        document=lambda: {"written": written, "knowledge": knowledge, "left_out": left_out},
        documents=lambda: [*written, *knowledge, *left_out],
        lines=lambda: [
            *((f"{row['key']} = {as_text(row['value'])}  in {row['file']}",) for row in written),
            *((f"knowledge base {base.name}: {base.path}",) for base in added),
            *((("left out: ", "yellow"), f"{key}: {reason}") for key, reason in reasons),
        ],
    )


def _add_bases(
    root: Path, paths: Sequence[str], *, dry_run: bool
) -> tuple[list[KnowledgeBase], list[tuple[str, str]]]:
    """Make these folders knowledge bases, or only look which could be; those that can't be with the reason."""
    added: list[KnowledgeBase] = []
    refused: list[tuple[str, str]] = []
    if not paths:
        return added, refused
    from codecairn.workspace.workspace import Workspace

    with Workspace.open(root, writer="codecairn config import") as workspace:
        for path in paths:
            try:
                added.append(workspace.knowledge.add(path, dry_run=dry_run))
            except (BadWorkspace, UsageError) as err:
                refused.append((f"knowledgeBases: {path}", err.message))
    return added, refused


def _form(*, is_json: bool) -> Form | None:
    return Form.JSON if is_json else None


def _root(path: str | None) -> Path:
    folder = root_paths.resolve_folder(path)
    return workspace_root(folder)


def _row(key: str, loaded: Config) -> dict[str, object]:
    setting = SETTINGS[key]
    return {
        "key": key,
        "value": getattr(loaded.settings, setting.field),
        "default": setting.default,
        "type": setting.type_name,
        "source": loaded.sources[key],
        "variable": setting.variable,
        "doc": setting.doc,
    }


def _lines(key: str, loaded: Config) -> list[Line]:
    setting = SETTINGS[key]
    value = as_text(getattr(loaded.settings, setting.field))
    choices = f" ({', '.join(setting.choices)})" if setting.choices else ""
    return [
        ((key, "bold"), f" = {value}", (f"  {loaded.sources[key]}", "dim")),
        ((f"    {setting.doc}{choices}", "dim"),),
    ]
