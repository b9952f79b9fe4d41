"""Building the core with mutants behind a switch, and its own tests as single processes."""

import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benches.mutants.areas import ROOT
from benches.mutants.mutant import Mutant
from benches.mutants.rust_mutants import Function, function_of
from benches.mutants.switch import CRATE, FIRST_MARK, MAP, MODULE, SWITCH, numbers_at, switched
from benches.mutants.tree import WORK, Tree

_ALL = ["--workspace", "--exclude", "codecairn-benches"]
_TESTS = ["test", "--no-run", *_ALL, "--tests"]
_EXTENSION = ["build", *_ALL, "--lib"]


@dataclass
class Core:
    """The core of one tree, built with some mutants, of which at most one holds."""

    tree: Tree
    functions: list[Function]
    marks: dict[Function, int]
    """The number of each function's mark."""
    numbers: dict[Mutant, int] = field(default_factory=dict)
    unviable: set[Mutant] = field(default_factory=set)
    programs: dict[str, Path] = field(default_factory=dict)
    """The programs of the core's own tests, by name."""
    folders: dict[str, Path] = field(default_factory=dict)
    """The folders of their crates, in which they run."""

    def build(self, mutants: Sequence[Mutant]) -> None:
        """Builds all of these mutants at once, without those that do not compile."""
        self.numbers = {mutant: number for number, mutant in enumerate(mutants, start=1)}
        self.unviable = {
            mutant for mutant in mutants if _is_const(function_of(mutant, self.functions))
        }
        texts: dict[str, str] = {}
        while True:
            texts = self._write(texts)
            messages = self._cargo(_TESTS)
            refused = self._refused(messages, texts)
            if refused is None:
                break
            self.unviable |= refused
        for row in messages:
            if row.get("reason") == "compiler-artifact" and row.get("executable"):
                name = row["target"]["name"]
                self.programs[name] = Path(row["executable"])
                self.folders[name] = Path(row["manifest_path"]).parent
        self._install(self._cargo(_EXTENSION))

    def hold(self, mutant: Mutant | None) -> None:
        """Lets one mutant hold, or none, in every process at once."""
        number = 0 if mutant is None else self.numbers[mutant]
        for file in self.maps():
            with file.open("r+b") as opened:
                opened.write(bytes([number & 255, number >> 8]))

    def maps(self) -> list[Path]:
        """The files that hold the switch and the marks: of the extension, and of the core's own tests."""
        folders = [self.tree.root / "python" / "codecairn"]
        folders += sorted({program.parent for program in self.programs.values()})
        return [folder / MAP for folder in folders]

    def tests(self) -> Iterator[str]:
        """The core's own tests, each as `rust:PROGRAM::NAME`."""
        for program, path in sorted(self.programs.items()):
            listed = subprocess.run(
                [path, "--list", "--format", "terse"],
                cwd=self.folders[program],
                capture_output=True,
                text=True,
                check=True,
            )
            for row in listed.stdout.splitlines():
                name, _, kind = row.rpartition(": ")
                if kind == "test":
                    yield f"rust:{program}::{name}"

    def run_test(self, test: str, timeout_s: float) -> tuple[bool, float]:
        """Whether a test passes in a process of its own, and how long it takes; one that hangs does not pass."""
        program, _, name = test.removeprefix("rust:").partition("::")
        start = time.monotonic()
        try:
            done = subprocess.run(
                [self.programs[program], "--exact", name],
                cwd=self.folders[program],
                capture_output=True,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False, time.monotonic() - start
        return done.returncode == 0, time.monotonic() - start

    def _write(self, before: Mapping[str, str]) -> dict[str, str]:
        in_function: dict[Function, list[tuple[int, Mutant]]] = {}
        for mutant, number in self.numbers.items():
            function = function_of(mutant, self.functions)
            if mutant not in self.unviable and function is not None:
                in_function.setdefault(function, []).append((number, mutant))
        texts = {}
        for path in sorted({function.path for function in self.functions}):
            text = (ROOT / path).read_text(encoding="utf-8")
            own = [function for function in self.functions if function.path == path]
            texts[path] = switched(text, own, self.marks, in_function)
        library = f"{CRATE}/src/lib.rs"
        text = texts.get(library) or (ROOT / library).read_text(encoding="utf-8")
        texts[library] = f"{text}\npub mod {MODULE};\n"
        texts[f"{CRATE}/src/{MODULE}.rs"] = SWITCH
        for path, text in texts.items():
            file = self.tree.root / path
            if before.get(path) != text and (
                not file.is_file() or file.read_text(encoding="utf-8") != text
            ):
                self.tree.write(path, text)
        return texts

    def _cargo(self, arguments: list[str]) -> list[dict[str, Any]]:
        environment = os.environ | {
            "CARGO_TARGET_DIR": str(WORK / "target"),
            "PYO3_PYTHON": str(ROOT / ".venv" / "bin" / "python"),
            "PYO3_BUILD_EXTENSION_MODULE": "1",
        }
        done = subprocess.run(
            ["cargo", *arguments, "--locked", "--message-format", "json"],
            cwd=self.tree.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        messages = [json.loads(row) for row in done.stdout.splitlines() if row.startswith("{")]
        if done.returncode != 0 and not any(_is_error(row) for row in messages):
            raise SystemExit(f"cargo failed\n{done.stderr}")
        return messages

    def _refused(
        self, messages: list[dict[str, Any]], texts: Mapping[str, str]
    ) -> set[Mutant] | None:
        """The mutants that the compiler refused; `None` if there was no error."""
        errors = [row["message"] for row in messages if _is_error(row)]
        if not errors:
            return None
        of_number = {number: mutant for mutant, number in self.numbers.items()}
        refused = set()
        for error in errors:
            for span in error["spans"]:
                if span["file_name"] in texts:
                    numbers = numbers_at(texts[span["file_name"]], span["line_start"])
                    refused |= {of_number[number] for number in numbers}
        refused -= self.unviable
        if not refused:
            rendered = "\n".join(error["rendered"] for error in errors[:5])
            raise SystemExit(f"the core does not compile with its switch\n{rendered}")
        return refused

    def _install(self, messages: list[dict[str, Any]]) -> None:
        built = [
            name
            for row in messages
            if row.get("reason") == "compiler-artifact" and row["target"]["name"] == "_native"
            for name in row["filenames"]
            if name.endswith((".so", ".dylib"))
        ]
        folder = self.tree.root / "python" / "codecairn"
        installed = next(folder.glob("_native*.so"))
        scratch = installed.with_suffix(".new")
        scratch.write_bytes(Path(built[0]).read_bytes())
        scratch.replace(installed)
        for file in self.maps():
            file.write_bytes(bytes(FIRST_MARK + len(self.marks)))
            file.chmod(0o666)


def _is_const(function: Function | None) -> bool:
    return function is None or function.is_const


def _is_error(row: Mapping[str, Any]) -> bool:
    return (
        row.get("reason") == "compiler-message"
        and row["message"]["level"] == "error"
        and bool(row["message"]["spans"])
    )
