"""Which tests run which block or function, recorded once, so that a mutant meets only tests that can notice it."""

import ast
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benches.mutants.areas import ROOT
from benches.mutants.mutant import Mutant
from benches.mutants.probes import block_at, blocks_of
from benches.mutants.rust_mutants import Function, function_of
from benches.mutants.tree import WORK

FILE = WORK / "recording.json"

FEW = 3
"""Where a test or two run a block, those that run others of its file are tried too: what is computed once and kept was
recorded with the first test that asked for it."""


@dataclass
class Recording:
    """For each test how long it takes and what it reaches, as a set of bits over `blocks`."""

    blocks: list[str] = field(default_factory=list)
    tests: dict[str, tuple[float, int]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    """The files of tests, each with the state that was recorded."""

    @classmethod
    def load(cls, file: Path = FILE) -> "Recording":
        """The recording on disk; an empty one if there is none."""
        if not file.is_file():
            return cls()
        document = json.loads(file.read_text(encoding="utf-8"))
        tests = {name: (row[0], int(row[1], 16)) for name, row in document["tests"].items()}
        return cls(document["blocks"], tests, document["files"])

    def save(self, file: Path = FILE) -> None:
        """Writes it to disk."""
        tests = {name: (seconds, f"{bits:x}") for name, (seconds, bits) in self.tests.items()}
        document = {"blocks": self.blocks, "tests": tests, "files": self.files}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(document), encoding="utf-8")

    def number_blocks(self, keys: Iterable[str]) -> dict[str, int]:
        """A number for each block; known ones keep theirs."""
        numbers = {key: number for number, key in enumerate(self.blocks)}
        for key in keys:
            if key not in numbers:
                numbers[key] = len(self.blocks)
                self.blocks.append(key)
        return numbers

    def outdated(self, files: Iterable[str], *, with_core: bool) -> list[str]:
        """The files of tests that were never recorded as they are now: with the core's functions, if they matter."""
        return [file for file in files if self.files.get(file) not in _states(file)[with_core:]]

    def replace(
        self, files: Iterable[str], tests: Mapping[str, tuple[float, int]], *, with_core: bool
    ) -> None:
        """Takes what was recorded of these files in the place of what was known of them."""
        replaced = set(files)
        self.tests = {
            name: row for name, row in self.tests.items() if name.partition("::")[0] not in replaced
        } | dict(tests)
        self.files |= {file: _states(file)[with_core] for file in replaced}

    def tests_of(self, mutant: Mutant, text: str, functions: list[Function]) -> list[str]:
        """The tests that may notice a mutant, the most promising first; those that surely run it before the others."""
        of_file = self._bits(lambda key: key.partition(":")[0] == mutant.path)
        own, known = _own_key(mutant, text, functions), set(self.blocks)
        is_loaded = bool(own) and not mutant.is_rust and _runs_on_import(text, own)
        ordered: dict[str, None] = {}
        for level, bits in enumerate(self._levels(mutant, text, own)):
            reaching = [name for name, row in self.tests.items() if row[1] & bits]
            ordered |= dict.fromkeys(self._in_order(reaching, of_file))
            is_enough = len(ordered) >= FEW and not (is_loaded and level == 0)
            if is_enough or (own in known and not ordered):
                break
        return list(ordered)

    def _levels(self, mutant: Mutant, text: str, own: str) -> Iterator[int]:
        if own:
            yield self._bits(lambda key: key == own)
        elif not mutant.is_rust:
            using = _using(text, mutant.line)
            yield self._bits(lambda key: key in using)
        yield self._bits(lambda key: key.partition(":")[0] == mutant.path)
        if not mutant.is_rust:
            importing = _importing(mutant.path)
            yield self._bits(lambda key: key.partition(":")[0] in importing)

    def _bits(self, is_wanted: Callable[[str], bool]) -> int:
        return sum(1 << number for number, key in enumerate(self.blocks) if is_wanted(key))

    def _in_order(self, names: list[str], of_file: int) -> list[str]:
        """Quick tests first that do little else; tests of one file together, for they share what they set up."""
        costs = {}
        for name in names:
            seconds, bits = self.tests[name]
            share = (bits & of_file).bit_count() / max(bits.bit_count(), 1)
            costs[name] = (0.05 + seconds) / max(share, 1e-6)
        groups: dict[str, list[str]] = {}
        for name in sorted(names, key=lambda name: costs[name]):
            groups.setdefault(name.partition("::")[0], []).append(name)
        return [name for group in groups.values() for name in group[:8]] + [
            name for group in groups.values() for name in group[8:]
        ]


def _own_key(mutant: Mutant, text: str, functions: list[Function]) -> str:
    """The block or function that a mutant is in; nothing where it is outside of all."""
    if mutant.is_rust:
        function = function_of(mutant, functions)
        return function.key if function is not None and not function.is_const else ""
    block = block_at(blocks_of(text, mutant.path), mutant.line)
    return block.key if block is not None else ""


def _states(file: str) -> tuple[str, str]:
    """What is kept of a file's text: where it was recorded without the core, and with it."""
    text = hashlib.sha256((ROOT / file).read_bytes()).hexdigest()[:16]
    return text, f"{text} with the core"


def _runs_on_import(text: str, key: str) -> bool:
    """Whether a block's function is called when its module is loaded: in a process of many tests, by the first alone."""
    name = key.rpartition(":")[2].partition("#")[0].partition(".")[0]
    pending: list[ast.AST] = list(ast.parse(text).body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            return True
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            pending += node.decorator_list
        elif not isinstance(node, ast.Lambda):
            pending += ast.iter_child_nodes(node)
    return False


def _using(text: str, line: int) -> set[str]:
    """The blocks of all files that speak of what is assigned on this line, outside of functions."""
    names = "|".join(map(re.escape, _names_at(text, line)))
    found: set[str] = set()
    for file in (ROOT / "python").rglob("*.py") if names else ():
        other = file.read_text(encoding="utf-8")
        rows = other.splitlines()
        lines = [at for at, row in enumerate(rows, start=1) if re.search(rf"\b(?:{names})\b", row)]
        blocks = blocks_of(other, file.relative_to(ROOT).as_posix()) if lines else []
        found |= {block.key for at in lines if (block := block_at(blocks, at)) is not None}
    return found


def _names_at(text: str, line: int) -> set[str]:
    names = set()
    for statement in ast.walk(ast.parse(text)):
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            last = statement.end_lineno or statement.lineno
            if statement.lineno <= line <= last:
                targets = (
                    statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                )
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def _importing(path: str) -> set[str]:
    """The files that import a module by name: what it decides when it is loaded is seen there."""
    module = path.removeprefix("python/").removesuffix(".py").replace("/", ".")
    module = module.removesuffix(".__init__")
    parent, _, name = module.rpartition(".")
    pattern = re.compile(
        rf"(?:from|import) {re.escape(module)}\b|from {re.escape(parent)} import .*\b{name}\b"
    )
    return {
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "python").rglob("*.py")
        if pattern.search(file.read_text(encoding="utf-8"))
    }
