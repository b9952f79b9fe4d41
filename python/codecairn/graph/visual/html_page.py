"""The HTML page of a graph: one file that contains its style and program and makes no requests, or a page of a server.

Invariants: the data can't end the element that contains it, and the page's own policy lets run only the program that it
was made with, load nothing else, and send nothing.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files

STYLES = ("page.css",)

PROGRAM = (
    "data.js",
    "packing.js",
    "layout.js",
    "colours.js",
    "state.js",
    "camera.js",
    "drawing.js",
    "labels.js",
    "elements.js",
    "panel.js",
    "finder.js",
    "tables.js",
    "steering.js",
    "main.js",
)
"""The program's parts, in the order in which they are joined; each uses names of those before it."""


def render(data: Mapping[str, object]) -> str:
    """The page of this data, which is what `page_data` returns, as one file."""
    style_text, program_text = style(), program()
    before, after = _page(
        str(data["name"]),
        policy=(
            f"script-src '{_hash(program_text)}'",
            f"style-src '{_hash(style_text)}'",
            "img-src data:",
        ),
        style=f'<link rel="icon" href="data:,"><style>{style_text}</style>',
        program=f"<script>{program_text}</script>",
    )
    return f"{before}{script_safe(data)}{after}"


def render_linked(
    name: str,
    *,
    style_url: str,
    program_url: str,
    icon_url: str,
    home_url: str,
    home: str,
) -> tuple[str, str]:
    """The page for a server that serves `style` and `program`; it leads back to `home_url`.

    Returns:
        What stands before the data, which can be sent while they are collected, and what stands after them. Between the two
        belongs what `script_safe` makes of `page_data`.
    """
    return _page(
        name,
        policy=("script-src 'self'", "style-src 'self'", "img-src 'self'"),
        style=f'<link rel="icon" href="{escape(icon_url)}"><link rel="stylesheet" href="{escape(style_url)}">',
        program=f'<script src="{escape(program_url)}"></script>',
        home=f'<a class="home" href="{escape(home_url)}">{escape(home)}</a>',
    )


def _page(
    name: str, *, policy: tuple[str, ...], style: str, program: str, home: str = ""
) -> tuple[str, str]:
    parts = {
        "policy": "; ".join(
            ("default-src 'none'", *policy, "base-uri 'none'", "form-action 'none'")
        ),
        "title": escape(f"{name}: code graph"),
        "name": escape(name),
        "style": style,
        "program": program,
        "home": home,
    }
    before, _, after = _asset("page.html").partition("@data@")
    before, after = (
        re.sub(r"@(\w+)@", lambda mark: parts[mark[1]], each) for each in (before, after)
    )
    return before, after


def script_safe(data: Mapping[str, object]) -> str:
    """The data as JSON in ASCII, without any character that means something to an HTML parser."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def style() -> str:
    """The style sheet of the page."""
    return "".join(map(_asset, STYLES))


def program() -> str:
    """The program of the page."""
    parts = "\n".join(map(_asset, PROGRAM))
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


def _asset(name: str) -> str:
    return (files("codecairn.graph.visual") / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
