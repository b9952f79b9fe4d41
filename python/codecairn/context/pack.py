"""A pack: context for work on code, without a line twice, each with its path."""

from collections.abc import Mapping

from codecairn.core.contained import contained
from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Something that belongs to a pack.

    Attributes:
        title: What it is there for: "Target", "Callers", "Memory" and so on.
        path: Its file; for a memory its id.
        start_line: The first line of it; 0 for what has no lines.
        end_line: The last line.
        about: Its kind and name, and why it is here.
        form: "body", "signature" or "place", from much to little; "cut" for a body that does not fit.
        text: The lines with their numbers; empty for a place.
    """

    title: str
    path: str
    start_line: int
    end_line: int
    about: str
    form: str
    text: str

    @property
    def source(self) -> str:
        """Where it comes from: `path:first-last`, or an id."""
        return f"{self.path}:{self.start_line}-{self.end_line}" if self.start_line else self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """What was put together for a question.

    Attributes:
        subject: What was asked about.
        route: How it was taken: "definition", "path", "search" or "edit".
        token_budget: How many tokens the whole text may have.
        tokens: How many it has.
        is_exact: Whether they were counted, and not estimated.
        sections: What it holds, in the order in which it is read.
        left_out: What a limit or the budget cut off, by title and count.
        notes: What else to know: recoveries, candidates passed over.
        unresolved_count: How many places of the symbol's name could not be resolved; from 10,000 on, at least so many.
    """

    subject: str
    route: str
    token_budget: int
    tokens: int
    is_exact: bool
    sections: tuple[Section, ...]
    left_out: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]
    unresolved_count: int = 0

    @property
    def text(self) -> str:
        """The pack as an agent reads it."""
        return pack_text(self.subject, self.sections, left_out=self.left_out, notes=self.notes)


def pack_text(
    subject: str,
    sections: tuple[Section, ...],
    *,
    left_out: tuple[tuple[str, int], ...] = (),
    notes: tuple[str, ...],
) -> str:
    """Each section under its title, then what is missing."""
    cut = dict(left_out)
    lines = [f"# {contained(subject)}"]
    lines += [f"Note: {contained(note)}" for note in notes]
    title = ""
    for section in sections:
        if section.title != title:
            title = section.title
            lines += ["", f"## {title}{_share(title, sections, cut)}"]
        head = contained(f"{section.source}  {section.about}".rstrip())
        if section.form == "place":
            lines.append(f"- {head}")
        else:
            lines += ["", f"### {head}", section.text]
    if left_out:
        counts = ", ".join(f"{count:,} of {title}" for title, count in left_out)
        lines += ["", f"Left out: {counts}."]
    return "\n".join(lines) + "\n"


def _share(title: str, sections: tuple[Section, ...], left_out: Mapping[str, int]) -> str:
    """` (5 of 29)` where some sections of a title are left out."""
    count = left_out.get(title.lower(), 0)
    shown = sum(section.title == title for section in sections)
    return f" ({shown:,} of {shown + count:,})" if count else ""
