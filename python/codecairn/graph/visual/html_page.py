"""One HTML page that contains its data, style and program, and makes no requests.

Invariants: the data can't end the element that contains it, and the page's own policy lets run only the program that it
was made with, load nothing, and send nothing.
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
    """The page of this data, which is what `page_data` returns."""
    style, program = _style(), _program()
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(program)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    parts = {
        "policy": policy,
        "title": escape(f"{data['name']}: code graph"),
        "style": style,
        "program": program,
        "data": script_safe(data),
    }
    return re.sub(r"@(\w+)@", lambda mark: parts[mark[1]], _asset("page.html"))


def script_safe(data: Mapping[str, object]) -> str:
    """The data as JSON in ASCII, without any character that means something to an HTML parser."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _style() -> str:
    return "".join(map(_asset, STYLES))


def _program() -> str:
    parts = "\n".join(map(_asset, PROGRAM))
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


def _asset(name: str) -> str:
    return (files("codecairn.graph.visual") / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
