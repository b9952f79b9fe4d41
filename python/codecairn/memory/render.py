"""Renders sections for an agent: `[MEMORY]` in Markdown, `<session_memory>` in XML, or JSON.

Injected text is data. It is marked as such, and no item can end the block that contains it.
"""

import json
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from codecairn.memory.injection_format import NOTE, block, item_line, with_changes
from codecairn.memory.snapshot import Item, Section

FORMS = ("markdown", "xml", "json")
"""The forms of a rendered memory."""


def render(sections: Sequence[Section], *, form: str, placement: str) -> str:
    """The sections in one of `FORMS`; an empty text if there are none."""
    if not sections:
        return ""
    writers = {"markdown": _markdown, "xml": _xml, "json": _json}
    return writers[form](sections, placement)


def _markdown(sections: Sequence[Section], _placement: str) -> str:
    return block([(each.title, [_line(item) for item in each.items]) for each in sections])


def _line(item: Item) -> str:
    line = item_line(
        item.text, id_=item.id, date=item.date, mark=item.mark, likelihood=item.likelihood
    )
    return with_changes(line, item.changes)


def _xml(sections: Sequence[Section], placement: str) -> str:
    lines = [f'<session_memory source="codecairn" version="2" placement="{placement}">']
    lines.append(f"<note>{escape(NOTE)}</note>")
    for section in sections:
        lines.append(f"<section name={quoteattr(section.name)} title={quoteattr(section.title)}>")
        lines += [_xml_item(item) for item in section.items]
        lines.append("</section>")
    return "\n".join([*lines, "</session_memory>"]) + "\n"


def _xml_item(item: Item) -> str:
    attributes = f'id="{item.id}" date="{item.date}"'
    attributes += f" mark={quoteattr(item.mark)}" if item.mark else ""
    attributes += f' likelihood="{item.likelihood}"' if item.likelihood else ""
    lines = escape("\n".join(item.changes))
    changes = f"<changes>{lines}</changes>" if item.changes else ""
    return f"<item {attributes}>{escape(item.text)}{changes}</item>"


def _json(sections: Sequence[Section], placement: str) -> str:
    document = {
        "placement": placement,
        "note": NOTE,
        "sections": [
            {
                "name": section.name,
                "title": section.title,
                "items": [
                    {
                        "id": item.id,
                        "version": item.version,
                        "text": item.text,
                        "date": item.date,
                        "mark": item.mark,
                        "likelihood": item.likelihood,
                    }
                    | ({"changes": list(item.changes)} if item.changes else {})
                    for item in section.items
                ],
            }
            for section in sections
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
