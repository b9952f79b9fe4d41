"""The page *Worth*: what answers to agents saved, by project, and how that is counted."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from codecairn.errors import CodecairnError, NotIndexed
from codecairn.web.page import render, site
from codecairn.web.projects import Project
from codecairn.workspace.savings import BYTES_PER_TOKEN, MAX_GREP_BYTES, Savings, observed_savings


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a project's answers saved."""

    project: Project
    savings: Savings


def worth(request: Request) -> Response:
    """All projects whose agents were given answers, those with most first."""
    rows: list[Row] = []
    problems: list[str] = []
    projects = site(request).projects
    for project in projects.all():
        try:
            found = observed_savings(projects.workspace(project))
        except NotIndexed:
            continue
        except CodecairnError as err:
            problems.append(f"{project.name}: {err.message}")
            continue
        if found.answers:
            rows.append(Row(project=project, savings=found))
    rows.sort(key=lambda row: -row.savings.answers)
    return render(
        request,
        "worth.html",
        section="Worth",
        rows=rows,
        problems=problems,
        answers=sum(row.savings.answers for row in rows),
        tokens=sum(row.savings.tokens for row in rows),
        file_tokens=sum(row.savings.file_tokens for row in rows),
        searched_tokens=sum(row.savings.searched_tokens for row in rows),
        grep_tokens=sum(row.savings.grep_tokens for row in rows),
        observed=[row for row in rows if row.savings.is_observed],
        bytes_per_token=BYTES_PER_TOKEN,
        max_grep_bytes=MAX_GREP_BYTES,
    )


ROUTES = (Route("/worth", worth),)
