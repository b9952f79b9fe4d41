"""Renders the structure of the graph and the impact of a change as lines of text."""

from collections.abc import Iterator

from codecairn.core.types.graph_analysis import (
    Communities,
    Cycles,
    Hub,
    Hubs,
    Impact,
    UnusedSymbols,
)
from codecairn.graph.render import (
    CANDIDATES,
    counted,
    into_tests_line,
    place,
    reached_lines,
    unresolved_lines,
)

_MAX_SHOWN = 20


def communities_lines(found: Communities) -> Iterator[str]:
    """Each community with its most important members, then how they use one another."""
    shown = len(found.communities)
    yield (
        f"{found.total:,} communities of {counted(found.symbols, 'symbol')}, {shown:,} shown"
        if found.total != 1
        else f"1 community of {counted(found.symbols, 'symbol')}"
    )
    for each in found.communities:
        yield ""
        in_tests = f", {each.tests:,} of them in tests" if each.tests else ""
        yield f"[{each.number}] {each.label}  {counted(each.size, 'symbol')}{in_tests}"
        yield from (f"  {place(member)}" for member in each.members)
        listed = each.size - each.tests or each.size
        if listed > len(each.members):
            yield f"  {listed - len(each.members):,} more"
        if each.hubs:
            yield f"  hubs: {', '.join(_hub_words(hub) for hub in each.hubs)}"
    if found.couplings:
        yield ""
        yield "couplings:"
        yield from (
            f"  [{each.source}] uses [{each.target}]  {counted(each.uses, 'time')}"
            for each in found.couplings
        )
    if found.couplings_left_out:
        yield f"  {found.couplings_left_out:,} more left out"


def _hub_words(hub: Hub) -> str:
    return f"{hub.definition.qualified_name} ({counted(hub.users, 'user')})"


def hubs_lines(found: Hubs) -> Iterator[str]:
    """The most important symbols."""
    if not found.hubs:
        yield "no symbol is known to be used"
    for hub in found.hubs:
        yield (
            f"{place(hub.definition)}  used by {hub.users:,}, uses {hub.used:,}, "
            f"importance {hub.importance:.4f}"
        )


def cycles_lines(found: Cycles) -> Iterator[str]:
    """Each group under its size."""
    if not found.groups:
        yield "nothing is known to go in circles"
    for number, group in enumerate(found.groups, start=1):
        yield f"[{number}] {counted(len(group), 'symbol')}"
        yield from (f"  {place(symbol)}" for symbol in group[:_MAX_SHOWN])
        if len(group) > _MAX_SHOWN:
            yield f"  {len(group) - _MAX_SHOWN:,} more"
    if found.total > len(found.groups):
        yield f"{found.total - len(found.groups):,} more left out"


def unused_lines(found: UnusedSymbols) -> Iterator[str]:
    """Each unused symbol with how certain that is, and what was passed over."""
    for each in found.found:
        yield f"{place(each.definition)}  [{each.certainty}: {each.reason}]"
    if not found.found:
        yield "no unused symbol was found"
    if found.examined < found.considered:
        yield (
            f"{found.considered - found.examined:,} of {found.considered:,} symbols without a known use "
            "were not looked at: raise the limit"
        )
    if found.kept:
        told = ", ".join(f"{why} {count:,}" for why, count in found.kept)
        yield f"passed over: {told}"
    yield "uses by reflection, by configuration and from other repositories are not seen"


def impact_lines(found: Impact) -> Iterator[str]:
    """The verdict first, then what it rests on."""
    yield f"impact of {found.subject}"
    yield from (line for line in (found.compared, found.index) if line)
    yield ""
    yield f"risk: {found.risk}"
    yield from (f"  {reason}" for reason in found.reasons)
    yield ""
    yield f"{counted(len(found.files), 'file')} touched" + (
        f", {len(found.not_indexed):,} of them not in the index" if found.not_indexed else ""
    )
    direct = sum(each.distance == 1 for each in found.dependents)
    yield (
        f"{counted(len(found.touched), 'symbol')} touched, {direct:,} depend on them directly, "
        f"{len(found.dependents) - direct:,} in more steps"
    )
    yield from _section("touched:", [place(each) for each in found.touched])
    yield from _section("dependents:", [line.strip() for line in reached_lines(found.dependents)])
    yield from _section(
        "used at the top of files:",
        [f"{use.path}:{use.line}  {use.kind} {use.name}" for use in found.top_level],
    )
    yield from _section(
        CANDIDATES,
        [
            f"{use.path}:{use.line}  {use.kind} {use.name}  [{use.how}, one of {len(use.targets):,}]"
            for use in found.possible
        ],
    )
    yield from unresolved_lines(found.unresolved, found.unresolved_count, of=" of touched names")
    if found.into_tests:
        yield into_tests_line(found.into_tests)
    yield from _section("tests that reach it:", [place(each) for each in found.tests])
    yield from _section(
        "test files that may cover it, the likeliest first:",
        [f"{each.path}  [{'; '.join(each.labels)}]" for each in found.test_files],
    )
    yield from _section(
        "communities:",
        [f"{each.label}  {counted(each.symbols, 'symbol')}" for each in found.communities],
    )
    yield from _section(
        "hubs:", [f"{place(hub.definition)}  used by {hub.users:,}" for hub in found.hubs]
    )
    for conflict in found.conflicts:
        yield from _section(
            f"branch {conflict.branch} touches the same:",
            [*conflict.files, *(place(each) for each in conflict.symbols)],
        )
    if found.notes:
        yield ""
    yield from (f"note: {note}" for note in found.notes)


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield title
        yield from (f"  {line}" for line in lines[:_MAX_SHOWN])
    if len(lines) > _MAX_SHOWN:
        yield f"  {len(lines) - _MAX_SHOWN:,} more"
