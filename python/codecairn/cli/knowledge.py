"""The commands `knowledge add | list | remove` for folders that are searched together with a workspace."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from codecairn.cli.command import group
from codecairn.cli.command_workspace import opened
from codecairn.cli.index import report_lines
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.clock import SystemClock
from codecairn.core.text_format import ago, amount
from codecairn.core.types.provenance import BaseState
from codecairn.operations import knowledge_operations
from codecairn.operations.json_output import plain_document
from codecairn.operations.knowledge_operations import KNOWLEDGE_OPERATIONS


@group("knowledge")
def knowledge() -> None:
    """Search further folders with a workspace.

    Documents, a library's source, another repository.
    """


@knowledge.command("add")
@takes(KNOWLEDGE_OPERATIONS["add"])
@on_workspace
def add(path: str | None, form: Form | None, *, quiet: bool, folder: str, name: str | None) -> None:
    with opened(path, command="knowledge add", quiet=quiet) as workspace:
        base, report = knowledge_operations.add(workspace, from_here(folder), name=name)
    document = {"base": plain_document(base), "index": plain_document(report)}

    def lines() -> Iterator[Line]:
        yield (("added ", ""), (base.name, "bold"), f"  {base.path}")
        yield from report_lines(base.path, report, ())

    print_result(form, document=lambda: document, documents=lambda: [document], lines=lines)


@knowledge.command("list")
@takes(KNOWLEDGE_OPERATIONS["list"])
@on_workspace
def list_(path: str | None, form: Form | None, *, quiet: bool) -> None:
    with opened(path, command="knowledge list", quiet=quiet) as workspace:
        states = knowledge_operations.list_(workspace)
    print_result(
        form,
        document=lambda: {"bases": [plain_document(state) for state in states]},
        documents=lambda: map(plain_document, states),
        lines=lambda: base_lines(states, now_ns=SystemClock().now_ns()),
    )


@knowledge.command("remove")
@takes(KNOWLEDGE_OPERATIONS["remove"])
@on_workspace
def remove(path: str | None, form: Form | None, *, quiet: bool, name: str, purge: bool) -> None:
    with opened(path, command="knowledge remove", quiet=quiet) as workspace:
        names = {base.name for base in workspace.knowledge.bases()}
        given = name if name in names else from_here(name)
        base = knowledge_operations.remove(workspace, given, purge=purge)
    print_result(
        form,
        document=lambda: plain_document(base),
        documents=lambda: [plain_document(base)],
        lines=lambda: [("removed ", (base.name, "bold"), f"  {base.path}")],
    )


def base_lines(states: Sequence[BaseState], *, now_ns: int) -> Iterator[Line]:
    """Each base in a line: name, folder, how much is in it, or why it can't be searched."""
    if not states:
        yield ("no knowledge bases; `codecairn knowledge add FOLDER` adds one",)
    width = max((len(state.name) for state in states), default=0)
    for state in states:
        yield ((f"{state.name:<{width}}", "bold"), f"  {state.path}  {base_words(state, now_ns)}")


def base_words(state: BaseState, now_ns: int) -> str:
    """How a base is, in words."""
    if state.problem:
        return state.problem
    when = ago(state.indexed_at_ns, now_ns=now_ns)
    return f"{amount(state.files, 'file')}, {amount(state.chunks, 'chunk')}, indexed {when}"


def from_here(given: str) -> str:
    """A folder as it was typed, seen from the current one where it is there; a name of something else stays as it is."""
    seen = Path(given)
    return str(seen.absolute()) if seen.exists() and not given.startswith("~") else given
