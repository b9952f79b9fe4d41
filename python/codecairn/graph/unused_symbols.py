"""Symbols without a known use.

A symbol without a resolved use may still be used in ways that no index sees. It therefore counts as unused only if its name is
used nowhere, and symbols that frameworks and languages call by themselves are skipped.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import Definition, Mention, Place, Use
from codecairn.core.types.graph_analysis import Unused, UnusedSymbols
from codecairn.graph.source_lines import source_lines
from codecairn.graph.structure import GraphStructure
from codecairn.graph.test_detection import is_in_tests

_ENTRY_POINTS = frozenset(("main", "Main", "_start", "WinMain", "wmain", "application", "handler"))
_CALLED_BY_THE_LANGUAGE = re.compile(
    r"__[a-z]\w+|constructor|initialize|init|deinit|new|drop|fmt|from|into|default|clone|eq|hash|next"
    r"|toString|equals|hashCode|compareTo|finalize|ToString|Equals|GetHashCode|Dispose"
    r"|String|Error|ServeHTTP|MarshalJSON|UnmarshalJSON|Len|Less|Swap|operator.*|~.*"
    r"|readObject|writeObject|readObjectNoData|readResolve|writeReplace|_[a-z]\w*_"
)
_MARKS = ("@", "#[", "#![", "[")
_COMMENTS = ("//", "/*", "*", "# ", "--")
_MAX_LINES_ABOVE = 12
_MAX_LINE_CHARS = 1_000
_MAX_LINE_SYMBOLS = 10
"""A line that is longer, or defines more symbols, is written by a program: minified, bundled or data."""
_CONTRACTS = frozenset(("interface", "trait"))
_RUST_HEAD = re.compile(
    r"(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:unsafe\s+)?(?P<what>impl|trait)\b"
)
_SCRIPT_DECLARATION = re.compile(
    r"(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function|class|const|let|var|type|interface|enum)[\s*]+(?P<name>[\w$]+)"
)
_MODULE = re.compile(r"^\s*(?:import|export)\b|\brequire\s*\(|\bmodule\.exports\b|\bexports\.")
_SCRIPTS = ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts")
_SCRIPT_ENDS = (*(f".{each}" for each in _SCRIPTS), ".vue", ".svelte", ".astro")
_UNNAMED_EXPORT = "default"
"""What a script exports without a name is loaded by its path: configurations, pages."""


def unused(engine: GraphEngine, shape: GraphStructure, *, limit: int) -> UnusedSymbols:
    """At most `limit` unused symbols, by path and line."""
    kept = Counter[str]()
    considered = []
    for number, node in enumerate(shape.survey.nodes):
        if shape.users[number]:
            continue
        why = _why_kept(node.definition)
        if why:
            kept[why] += 1
        else:
            considered.append(node.definition)
    found: list[Unused] = []
    examined = 0
    judge = _Judge(engine)
    for symbol in considered:
        if len(found) >= limit:
            break
        examined += 1
        verdict = judge.verdict(symbol)
        if isinstance(verdict, Unused):
            found.append(verdict)
        else:
            kept[verdict] += 1
    return UnusedSymbols(
        found=tuple(found),
        considered=len(considered),
        examined=examined,
        kept=tuple(sorted(kept.items())),
    )


def _why_kept(symbol: Definition) -> str:
    if is_in_tests(symbol):
        return "part of tests"
    if symbol.name in _ENTRY_POINTS or symbol.path.endswith("__main__.py"):
        return "an entry point"
    is_go_init = symbol.name == "init" and symbol.path.endswith(".go")
    if is_go_init or (symbol.name == _UNNAMED_EXPORT and symbol.path.endswith(_SCRIPT_ENDS)):
        return "an entry point"
    if re.fullmatch(r"__\w+__", symbol.name):
        return "called by the language"
    if symbol.kind == "method" and _CALLED_BY_THE_LANGUAGE.fullmatch(symbol.name):
        return "called by the language"
    return ""


@dataclass
class _Judge:
    """Looks at one symbol after the other; what it learned of a file it keeps."""

    engine: GraphEngine
    bases: dict[str, dict[str, list[Definition] | None]] = field(default_factory=dict)
    counts: dict[str, Counter[int]] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    heads: dict[str, list[tuple[int, int, bool]]] = field(default_factory=dict)
    contracts: dict[str, bool] = field(default_factory=dict)

    def verdict(self, symbol: Definition) -> Unused | str:
        """That it is unused, or why it is passed over."""
        above, line = self._head(symbol)
        why = self._why_kept(symbol, above, line)
        if why:
            return why
        places = [
            each for each in self.engine.occurrences(symbol.name) if not _is_own(each, symbol)
        ]
        roles = {each.role for each in places}
        if roles - {"definition", "comment", "mention"}:
            return "used by its name"
        if (
            "mention" in roles
            or self._may_be_composed(symbol.name)
            or self.engine.unresolved_uses([symbol], limit=1)[1]
        ):
            return "named as a value, a string or a key"
        if "comment" in roles:
            return Unused(
                definition=symbol, certainty="low", reason="its name stands in a comment elsewhere"
            )
        if _is_private(symbol, line) and not self._is_global(symbol, line):
            return Unused(
                definition=symbol, certainty="high", reason="private, and named nowhere else"
            )
        return Unused(
            definition=symbol,
            certainty="medium",
            reason="named nowhere else here, but it may be used from outside",
        )

    def _why_kept(self, symbol: Definition, above: Sequence[str], line: str) -> str:
        if (
            len(line) > _MAX_LINE_CHARS
            or self._is_crowded(symbol)
            or symbol.path.endswith((".d.ts", ".d.mts", ".d.cts"))
        ):
            return "generated code or declarations"
        if _has_mark(above) or line.lstrip().startswith(_MARKS):
            return "registered by a mark before it"
        if symbol.path.endswith(".py") and self._has_doctest(symbol):
            return "part of tests"
        if self._is_of_trait(symbol) or self._is_in_contract(symbol):
            return "declared or implemented for an interface or a trait"
        if symbol.kind == "method" and self._may_override(symbol):
            return "may override what a base declares"
        # Uses that may mean it are found much faster than every place of a name that many have.
        uses = self.engine.uses_of([symbol])
        is_used = any(not _is_made_inside(use, symbol) for use in uses)
        return "used by its name" if is_used else ""

    def _head(self, symbol: Definition) -> tuple[list[str], str]:
        """The lines before the name of a definition, and that of its name."""
        first = max(symbol.start_line - _MAX_LINES_ABOVE, 1)
        lines = source_lines(self.engine.engine, symbol.path, first, symbol.line)
        return lines[:-1], (lines[-1] if lines else "")

    def _is_of_trait(self, symbol: Definition) -> bool:
        """Whether a symbol in Rust lies in a trait, or in an implementation of one: the block that it is indented in."""
        lines = self._lines_of(symbol.path) if symbol.path.endswith(".rs") else []
        if symbol.start_line > len(lines):
            return False
        indent = _indent(lines[symbol.start_line - 1])
        heads = self._heads_of(symbol.path) if indent else []
        for at in range(bisect_left(heads, (symbol.start_line,)) - 1, -1, -1):
            _, head_indent, is_of_trait = heads[at]
            if head_indent < indent:
                return is_of_trait
        return False

    def _heads_of(self, path: str) -> list[tuple[int, int, bool]]:
        """The line, the indentation and whether it is of a trait, of each `impl` and `trait` of a file in Rust."""
        if path not in self.heads:
            lines = self._lines_of(path)
            self.heads[path] = []
            for at, line in enumerate(lines):
                if head := _RUST_HEAD.match(line.lstrip()):
                    text = " ".join(lines[at : at + _MAX_LINES_ABOVE]).partition("{")[0]
                    is_of_trait = head["what"] == "trait" or re.search(r"\bfor\s", text) is not None
                    self.heads[path].append((at + 1, _indent(line), is_of_trait))
        return self.heads[path]

    def _is_global(self, symbol: Definition, line: str) -> bool:
        """Whether a script that is no module declares it at its top, where other scripts of a page see it."""
        is_script = symbol.path.rpartition(".")[2] in _SCRIPTS
        if not is_script or _indent(line):
            return False
        return not any(map(_MODULE.search, self._lines_of(symbol.path)))

    def _may_be_composed(self, name: str) -> bool:
        """Whether a string of the index is the beginning of a name up to an underscore: `getattr(self, "visit_" + kind)`."""
        ends = (match.end() for match in re.finditer(r"(?<=[a-zA-Z0-9])_+(?=\w)", name))
        return any(
            each.role == "mention" for end in ends for each in self.engine.occurrences(name[:end])
        )

    def _has_doctest(self, symbol: Definition) -> bool:
        lines = self._lines_of(symbol.path)[symbol.start_line - 1 : symbol.end_line]
        return any(line.lstrip().startswith(">>> ") for line in lines)

    def _is_crowded(self, symbol: Definition) -> bool:
        if symbol.path not in self.counts:
            lines = (each.line for each in self.engine.symbols_in(symbol.path))
            self.counts[symbol.path] = Counter(lines)
        return self.counts[symbol.path][symbol.line] > _MAX_LINE_SYMBOLS

    def _lines_of(self, path: str) -> list[str]:
        if path not in self.texts:
            last = max((each.end_line for each in self.engine.symbols_in(path)), default=0)
            self.texts[path] = source_lines(self.engine.engine, path, 1, last)
        return self.texts[path]

    def _is_in_contract(self, symbol: Definition) -> bool:
        """Whether an interface, a trait or a protocol of the index declares a member of this name."""
        if symbol.kind != "method":
            return False
        if symbol.name not in self.contracts:
            self.contracts[symbol.name] = any(
                self._is_contract(each) for each in self.engine.symbols(symbol.name)
            )
        return self.contracts[symbol.name]

    def _is_contract(self, member: Definition) -> bool:
        owner = member.qualified_name.removesuffix(member.name).rstrip(".:")
        return bool(owner) and any(
            each.kind in _CONTRACTS
            and each.qualified_name == owner
            and each.start_line <= member.line <= each.end_line
            for each in self.engine.symbols_in(member.path)
        )

    def _may_override(self, symbol: Definition) -> bool:
        owner = symbol.qualified_name.removesuffix(symbol.name).rstrip(".:")
        bases = self._bases_in(symbol.path).get(owner, [])
        return bases is None or any(self._declares(base, symbol.name, set()) for base in bases)

    def _declares(self, owner: Definition, name: str, seen: set[Place]) -> bool:
        """Whether a type or one above it has a member of this name; yes if one above is not known."""
        if owner.place in seen:
            return False
        seen.add(owner.place)
        members = self.engine.symbols_in(owner.path)
        if f"{owner.qualified_name}.{name}" in {
            each.qualified_name.replace("::", ".") for each in members
        }:
            return True
        bases = self._bases_in(owner.path).get(owner.qualified_name, [])
        return bases is None or any(self._declares(base, name, seen) for base in bases)

    def _bases_in(self, path: str) -> dict[str, list[Definition] | None]:
        """The bases of each type of a file; `None` where one is not known."""
        if path not in self.bases:
            found: dict[str, list[Definition] | None] = {}
            for owner, targets in self._heads(path):
                known = found.setdefault(owner, [])
                if known is not None:
                    found[owner] = [*known, *targets] if targets else None
            self.bases[path] = found
        return self.bases[path]

    def _heads(self, path: str) -> Iterator[tuple[str, tuple[Definition, ...]]]:
        for use in self.engine.uses_in(path):
            if use.kind in ("inherit", "implement") and use.source is not None:
                yield use.source.qualified_name, use.targets if use.is_resolved else ()


def _is_own(found: Mention, symbol: Definition) -> bool:
    """Whether a place lies within the symbol itself: recursion is no use, nor is another definition of the name."""
    return found.role == "definition" or _is_inside(found.path, found.line, symbol)


def _is_made_inside(use: Use, symbol: Definition) -> bool:
    """Whether a symbol is used within itself; another symbol may lie on the same line."""
    is_other = use.source is not None and use.source.place != symbol.place
    shares_line = symbol.start_line == symbol.end_line
    return _is_inside(use.path, use.line, symbol) and not (shares_line and is_other)


def _is_inside(path: str, line: int, symbol: Definition) -> bool:
    return path == symbol.path and symbol.start_line <= line <= symbol.end_line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _has_mark(above: Sequence[str]) -> bool:
    """Whether a decorator, an attribute or an annotation lies above, behind comments and other marks."""
    for line in reversed(above):
        text = line.strip()
        if text.startswith(_MARKS) or text in (")", ")]", "})", "})]"):
            return True
        if not text.startswith(_COMMENTS):
            return False
    return False


def _is_private(symbol: Definition, line: str) -> bool:
    """Whether its language makes it private, judged by its name and its first line."""
    language = symbol.path.rpartition(".")[2]
    if re.search(r"\b(?:private|fileprivate)\b", line.partition(symbol.name)[0]):
        return True
    if language == "py":
        return symbol.name.startswith("_")
    if language == "go":
        return symbol.name[:1].islower()
    if language == "rs":
        return not re.match(r"\s*pub\b", line)
    if language in _SCRIPTS:
        # A function that an object holds may be called through it.
        declared = _SCRIPT_DECLARATION.match(line.lstrip())
        return declared is not None and declared["name"] == symbol.name and "export" not in line
    return language == "c" and "static " in line
