"""The commands `pull` and `remote init | grant | accept | status | remove`."""

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from codecairn.cli.command import command, group
from codecairn.cli.command_workspace import opened
from codecairn.cli.index import report_lines
from codecairn.cli.output import Form, Line, note, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.clock import SystemClock
from codecairn.core.text_format import ago, amount, size
from codecairn.operations import remote_operations
from codecairn.operations.json_output import plain_document
from codecairn.operations.remote_operations import REMOTE_OPERATIONS

if TYPE_CHECKING:
    from codecairn.objects.grant import Grant
    from codecairn.replication.types import Publication, Pull, RemoteStatus
    from codecairn.workspace.workspace import Workspace

_NAME_WIDTH = 12


@command("pull")
@takes(REMOTE_OPERATIONS["pull"])
@on_workspace
def pull(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    remote: str | None,
    branch: str | None,
) -> None:
    with opened(path, command="pull", quiet=quiet) as workspace:
        done = remote_operations.pull(workspace, remote=remote, branch=branch)
        message = _synced_memory(workspace, remote)
    if message:
        note(message, quiet=quiet)
    print_result(
        form,
        document=lambda: plain_document(done),
        documents=lambda: [plain_document(done)],
        lines=lambda: pull_lines(str(workspace.root), done),
        indent=4,
    )


def _synced_memory(workspace: "Workspace", remote: str | None) -> str:
    """Bring the memory along where the index is a team's, and return what changed, in a sentence."""
    grant = workspace.remote.grant(remote)
    if not grant.team:
        return ""
    from codecairn.team.team_memory import synced_with_index

    return synced_with_index(workspace.memory, workspace.root, grant)


@group("remote")
def remote() -> None:
    """Share an index: begin one, hand out grants, accept one."""


@remote.command("init")
@takes(REMOTE_OPERATIONS["init"])
@on_workspace
def init(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    url: str,
    name: str | None,
    branch: str | None,
) -> None:
    with opened(path, command="remote init", quiet=quiet) as workspace:
        made = remote_operations.init(workspace, url, name=name, branch=branch)

    def lines() -> Iterator[Line]:
        yield ("began the shared index ", (made.name, "bold"), f" in {made.url}")
        yield (f"  its id is {made.repository}; its keys lie in your data folder",)
        yield (
            "  publish it by `codecairn index --publish`, hand it on by `codecairn remote grant FILE`",
        )

    _print_grant(form, made, lines)


@remote.command("grant")
@takes(REMOTE_OPERATIONS["grant"])
@on_workspace
def grant(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    file: str,
    publisher: str | None,
    remote: str | None,
) -> None:
    with opened(path, command="remote grant", quiet=quiet) as workspace:
        document = remote_operations.grant(workspace, file, publisher=publisher, remote=remote)
    if document is not None:
        sys.stdout.write(document.decode())
        return
    what = "reads" if publisher is None else "publishes"
    print_result(
        form,
        document=lambda: {"file": file, "may_publish": publisher is not None},
        documents=lambda: [{"file": file, "may_publish": publisher is not None}],
        lines=lambda: [
            ("wrote a grant that ", what, " into ", (file, "bold")),
            ("  it holds keys: hand it over as you would a password, then remove the file",),
        ],
        indent=4,
    )


@remote.command("accept")
@takes(REMOTE_OPERATIONS["accept"])
@on_workspace
def accept(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    file: str,
    url: str | None,
    replace: bool,
) -> None:
    with opened(path, command="remote accept", quiet=quiet) as workspace:
        if file == "-":
            from codecairn.objects.grant import MAX_GRANT_BYTES

            document = sys.stdin.buffer.read(MAX_GRANT_BYTES + 1)
            accepted = workspace.remote.accept(
                document, source="stdin", url=url, is_replacing=replace
            )
        else:
            accepted = remote_operations.accept(workspace, file, url=url, replace=replace)

    def lines() -> Iterator[Line]:
        what = "published" if accepted.may_publish else "pulled"
        yield (
            "the shared index ",
            (accepted.name, "bold"),
            f" in {accepted.url} can be {what} here",
        )

    _print_grant(form, accepted, lines)


@remote.command("status")
@takes(REMOTE_OPERATIONS["status"])
@on_workspace
def status(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    remote: str | None,
    branch: str | None,
) -> None:
    with opened(path, command="remote status", quiet=quiet) as workspace:
        found = remote_operations.status(workspace, remote=remote, branch=branch)
    print_result(
        form,
        document=lambda: plain_document(found),
        documents=lambda: [plain_document(found)],
        lines=lambda: status_lines(found, now_ns=SystemClock().now_ns()),
        indent=_NAME_WIDTH,
    )


@remote.command("remove")
@takes(REMOTE_OPERATIONS["remove"])
@on_workspace
def remove(path: str | None, form: Form | None, *, quiet: bool, remote: str | None) -> None:
    with opened(path, command="remote remove", quiet=quiet) as workspace:
        gone = remote_operations.remove(workspace, remote=remote)
    _print_grant(
        form,
        gone,
        lambda: iter(
            [("forgot the grant ", (gone.name, "bold"), f" for {gone.url}, and its keys")]
        ),
    )


def grant_document(grant: "Grant") -> dict[str, object]:
    """What may be shown of a grant: everything but its keys."""
    return {
        "remote": grant.name,
        "repository": grant.repository,
        "url": grant.url,
        "branch": grant.branch,
        "may_publish": grant.may_publish,
        "publishers": [each.name for each in grant.publishers],
    }


def pull_lines(root: str, done: "Pull") -> Iterator[Line]:
    """What a pull did, in words."""
    at = f" at {done.commit[:12]}" if done.commit else ""
    what = "pulled " if done.is_new else "nothing newer in "
    yield (
        what,
        (done.remote, "bold"),
        f": {done.branch or 'no branch'}{at}, epoch {done.epoch}; {size(done.fetched_bytes)} fetched in {done.seconds:.2f} s",
    )
    yield (
        f"  {amount(done.documents, 'document')} taken; {amount(done.index.reused, 'file')} taken without parsing, "
        f"{done.index.parsed:,} parsed",
    )
    yield from report_lines(root, done.index, ())


def publication_lines(done: "Publication") -> Iterator[Line]:
    """What publishing did, in words."""
    at = f" at {done.commit[:12]}" if done.commit else ""
    what = "published " if done.is_new else "already published: "
    yield (
        what,
        (done.remote, "bold"),
        f" {done.branch or 'no branch'}{at} as epoch {done.epoch}: {amount(done.files, 'file')}, "
        f"{amount(done.objects, 'object')} uploaded ({size(done.uploaded_bytes)}) in {done.seconds:.2f} s",
    )


def status_lines(found: "RemoteStatus", *, now_ns: int) -> Iterator[Line]:
    """How a shared index is, in words."""
    rights = "read and publish" if found.may_publish else "read"
    rows = {
        "remote": f"{found.remote} ({found.repository})",
        "place": found.place,
        "you may": rights,
        "publishers": ", ".join(found.publishers),
        "branch": found.branch,
    }
    if found.epoch:
        at = f" of {found.commit[:12]}" if found.commit else ""
        rows["published"] = f"epoch {found.epoch}{at}, {ago(found.made_ns, now_ns=now_ns)}"
        rows["content"] = (
            f"{amount(found.files, 'file')}, {amount(found.packs, 'pack')}, {size(found.size_bytes)}"
        )
    elif not found.problem:
        rows["published"] = "never"
    rows["problem"] = found.problem
    for name, text in rows.items():
        if text:
            yield ((f"{name:<{_NAME_WIDTH}}", "bold"), text)


def _print_grant(form: Form | None, grant: "Grant", lines: Callable[[], Iterator[Line]]) -> None:
    document = grant_document(grant)
    print_result(
        form,
        document=lambda: document,
        documents=lambda: [document],
        lines=lines,
        indent=4,
    )
