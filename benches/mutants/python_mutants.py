"""Mutants of Python: mutmut's operators, and three for what guards do.

Left out is what no test should hold: annotations, docstrings, messages, and sentences for people.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

from benches.mutants.mutant import Mutant, make

_MESSAGES = {"message", "hint", "help", "doc", "description", "title"}
_EQUIVALENT_ARGUMENTS = {"encoding", "strict", "stacklevel", "exc_info"}
_LOGGING = {"debug", "info", "warning", "error", "exception"}
_NEVER = (
    *(cst.Annotation, cst.Decorator, cst.Raise, cst.Assert),
    *(cst.Import, cst.ImportFrom, cst.Global, cst.Nonlocal),
)
_NOT_NAMES = {"__all__", "__slots__", *_MESSAGES}
_NOT_CALLS = {"len", "isinstance", "cast", "TypeVar", "super"}


def python_mutants(text: str, *, path: str, area: str) -> list[Mutant]:
    """All mutants of one file."""
    module = cst.parse_module(text)
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    collector = _Collector(text=text, path=path, area=area, module=module)
    wrapper.visit(collector)
    unique = {(one.start, one.end, one.replacement): one for one in collector.found}
    return list(unique.values())


@dataclass(eq=False)
class _Collector(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    text: str
    path: str
    area: str
    module: cst.Module
    found: list[Mutant] = field(default_factory=list)
    _names: list[str] = field(default_factory=list)
    _functions: int = 0

    def __post_init__(self) -> None:
        super().__init__()
        lengths = [len(line) for line in self.text.splitlines(keepends=True)]
        self._offsets = [0]
        for length in lengths:
            self._offsets.append(self._offsets[-1] + length)

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self._names.append(node.name.value)
            self._functions += isinstance(node, cst.FunctionDef)
        if isinstance(node, cst.Raise):
            self._add(node, "pass", "remove raise")
        if _is_left_out(node):
            return False
        if isinstance(node, (cst.If, cst.While, cst.CompIf)) and not _is_comparison(node.test):
            self._add(
                node.test, f"not ({self.module.code_for_node(node.test)})", "negate condition"
            )
        for operator, mutated in _changes(node, is_inside=self._functions > 0):
            is_swap = operator == "swap op"  # only the operator changes; the text around it is kept
            place, change = (_operator(node), _operator(mutated)) if is_swap else (node, mutated)
            self._add(place, self.module.code_for_node(_bare(change)).strip(), operator)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, (cst.FunctionDef, cst.ClassDef)):
            self._names.pop()
            self._functions -= isinstance(original_node, cst.FunctionDef)

    def _add(self, node: cst.CSTNode, replacement: str, operator: str) -> None:
        span = self.get_metadata(PositionProvider, node, None)
        if span is None:
            return
        start = self._offsets[span.start.line - 1] + span.start.column
        end = self._offsets[span.end.line - 1] + span.end.column
        sound = self.module.code_for_node(_bare(node)).split()
        if self.text[start:end].split() != sound or replacement.split() == sound:
            return
        self.found.append(
            make(
                self.text,
                path=self.path,
                start=start,
                end=end,
                replacement=replacement,
                area=self.area,
                function=".".join(self._names),
                operator=operator,
            )
        )


def _operator(node: cst.CSTNode) -> cst.CSTNode:
    operator = getattr(node, "operator", node)
    return operator if isinstance(operator, cst.CSTNode) else node


def _bare(node: cst.CSTNode) -> cst.CSTNode:
    """Without its own parentheses, which are no part of its position."""
    return node.with_changes(lpar=(), rpar=()) if getattr(node, "lpar", ()) else node


def _is_left_out(node: cst.CSTNode) -> bool:
    if isinstance(node, _NEVER):
        return True
    if isinstance(node, cst.Expr):
        return isinstance(node.value, (cst.BaseString, cst.Yield)) or _is_logging(node.value)
    if isinstance(node, cst.If):
        return isinstance(node.test, cst.Name) and node.test.value == "TYPE_CHECKING"
    if isinstance(node, cst.Arg):
        return not _is_kept(node)
    if isinstance(node, cst.Assign):
        names = (target.target for target in node.targets)
        return any(isinstance(name, cst.Name) and name.value in _NOT_NAMES for name in names)
    return _is_plain(node)


def _is_plain(node: cst.CSTNode) -> bool:
    """Calls whose arguments can only be what they are, and sentences."""
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value in _NOT_CALLS
    return isinstance(node, cst.SimpleString) and (
        node.value.count(" ") > 1 or node.value.endswith('."')
    )


def _is_comparison(node: cst.CSTNode) -> bool:
    """Whether mutmut's operators turn it round already."""
    return isinstance(node, cst.Comparison) or (
        isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not)
    )


def _is_logging(node: cst.CSTNode) -> bool:
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value in _LOGGING
    )


def _changes(node: cst.CSTNode, *, is_inside: bool) -> Iterator[tuple[str, cst.CSTNode]]:
    yield from _own_changes(node)
    for kind, operator in mutators.mutation_operators:
        if not isinstance(node, kind):
            continue
        name = operator.__name__.removeprefix("operator_").replace("_", " ")
        for mutated in operator(node):
            if _is_wanted(name, node, mutated, is_inside=is_inside):
                yield name, mutated


def _is_wanted(name: str, node: cst.CSTNode, mutated: cst.CSTNode, *, is_inside: bool) -> bool:
    """Leaves out what is noticed by any test that loads the file, and what changes letters only."""
    if name == "string":
        return isinstance(mutated, cst.SimpleString) and "XX" in mutated.value
    if name == "assignment":
        value = getattr(node, "value", None)
        return is_inside and not (isinstance(value, cst.Name) and value.value == "None")
    if name == "arg removal" and isinstance(node, cst.Call) and isinstance(mutated, cst.Call):
        pairs = [arg for arg in node.args if not any(arg is other for other in mutated.args)]
        kept = all(_is_kept(arg) for arg in pairs)
        removed = len(mutated.args) < len(node.args)
        return is_inside and kept and not (removed and any(arg.keyword is None for arg in pairs))
    return True


def _is_kept(arg: cst.Arg) -> bool:
    return arg.keyword is None or arg.keyword.value not in _MESSAGES | _EQUIVALENT_ARGUMENTS


def _own_changes(node: cst.CSTNode) -> Iterator[tuple[str, cst.CSTNode]]:
    if isinstance(node, cst.Expr) and isinstance(node.value, (cst.Call, cst.Await)):
        yield "remove call", cst.Pass()
