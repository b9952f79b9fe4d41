"""Renders `memory project`."""

from collections.abc import Iterator

from codecairn.cli.output import Form, Line, print_result
from codecairn.core.text_format import amount
from codecairn.core.types.projects import Project
from codecairn.memory.projects import ProjectReport
from codecairn.memory.timestamps import written
from codecairn.operations.json_output import plain_document


def show_projects(report: ProjectReport, form: Form | None) -> None:
    """Print the project of a folder, or all of them, after the action."""
    document = plain_document(report)
    print_result(
        form,
        document=lambda: document,
        documents=lambda: [document],
        lines=lambda: _lines(report),
    )


def _lines(report: ProjectReport) -> Iterator[Line]:
    changed = report.changed
    if report.action == "adopt" and changed is not None:
        moved = f"{amount(changed.events, 'event')}, {amount(changed.facts, 'version')} of facts"
        yield (f"joined: {moved} and {amount(changed.folders, 'folder')} moved",)
    elif report.action == "part":
        yield ("this folder has a memory of its own now, which is empty",)
    if report.action == "list":
        for project in report.projects:
            yield from _project_lines(project)
        if not report.projects:
            yield (("nothing is remembered yet", "dim"),)
        return
    this = report.this
    if this.project is None:
        yield ((f"nothing is remembered of {this.folder} yet", "dim"),)
    else:
        yield from _project_lines(this.project)
    yield (f"  why: {report.why}",)
    for parent in this.parents:
        yield (
            f"  submodule of project {parent.number} `{parent.name}`, whose memory is shown, too",
        )
    for each in report.candidates:
        yield (
            (
                f"  this folder may have had the memory of project {each.number} `{each.name}`",
                "yellow",
            ),
            (
                f" ({_counts(each)}); `codecairn memory project adopt {each.number}` joins them",
                "dim",
            ),
        )


def _project_lines(project: Project) -> Iterator[Line]:
    last = f", last {written(project.last_ms)}" if project.last_ms is not None else ""
    yield (
        (f"{project.number}", "bold"),
        "  ",
        (project.name, "bold"),
        (f"  {_counts(project)}{last}", "dim"),
    )
    for name in project.names:
        yield (f"  named {name} by settings",)
    for remote in project.remotes:
        yield (f"  remote {remote}",)
    for folder in project.folders:
        notes = ["this folder"] if folder.is_this else []
        notes += [] if folder.is_there else ["gone"]
        note = f"  ({', '.join(notes)})" if notes else ""
        yield (f"  folder {folder.path}", (note, "dim"))


def _counts(project: Project) -> str:
    return f"{amount(project.events, 'event')}, {amount(project.facts, 'fact')}"
