"""`doctor --hosts` reports whether the configured hosts of agents are in order."""

from collections.abc import Iterator, Sequence

from codecairn.cli.install import check_lines, check_rows, installer_at
from codecairn.cli.output import Form, Line, print_result
from codecairn.hosts.host_doctor import diagnose
from codecairn.hosts.host_table import HOSTS
from codecairn.hosts.installation_check import Check


def report_hosts(path: str | None, form: Form | None) -> bool:
    """Print the state of the configured hosts, for the user and in the project of a folder; whether all is in order."""
    found = diagnose(installer_at(path, is_project=False), installer_at(path, is_project=True))

    def document() -> dict[str, object]:
        return {
            "agents": check_rows(found.hosts),
            "project_agents": check_rows(found.project_hosts),
            "not_configured": [*found.not_configured],
        }

    def lines() -> Iterator[Line]:
        for name, rows in found.hosts.items():
            yield from _lines(HOSTS[name].title, rows)
        for name, rows in found.project_hosts.items():
            yield from _lines(f"{HOSTS[name].title}, in this project", rows)
        for name in found.not_configured:
            yield (f"{HOSTS[name].title}: not configured; run `codecairn install {name}`",)
        if not found.hosts and not found.project_hosts and not found.not_configured:
            yield ("no host was found on this machine",)

    print_result(form, document=document, documents=lambda: [document()], lines=lines)
    return found.is_healthy


def _lines(title: str, rows: Sequence[Check]) -> Iterator[Line]:
    """One line of a host that is in order, and otherwise what is not."""
    wrong = [row for row in rows if row.hint]
    if not wrong:
        details = "; ".join(row.detail for row in rows if row.detail)
        yield (f"{title}: ", ("in order", "green"), f" ({details})" if details else "")
    yield from check_lines(title, wrong)
