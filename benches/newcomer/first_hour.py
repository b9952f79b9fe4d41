"""The steps of the first hour, in the order of the pages, and how each one ended."""

import json
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benches.newcomer.terminal import Ran, Shell

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_MAX_LINES = 16
"""Lines of a step's output that are kept."""

_ANSWER_TIMEOUT_S = 60.0

_CODEX = {
    "config.toml": '# mine\nmodel = "gpt-5"\n\n[tools]\nweb_search = true\n',
    "AGENTS.md": "# My rules\n\nBe brief.\n",
}
"""What the newcomer's Codex has before: it must be the same byte for byte afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command with what came of it."""

    phase: str
    name: str
    command: str
    exit_code: int
    is_expected: bool
    has_remedy: bool
    seconds: float
    processor_seconds: float
    silence: float
    lines: int
    output: list[str]


@dataclass(slots=True)
class Hour:
    """All steps so far; `left` are files that remain after everything was uninstalled."""

    steps: list[Step] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def until(self, name: str) -> Iterator[Step]:
        """The steps up to the one of this name, with it."""
        for step in self.steps:
            yield step
            if step.name == name:
                return

    def seconds_until(self, name: str, *, processor: bool = False) -> float:
        """Seconds of these steps, on the clock or of all processors."""
        return sum(s.processor_seconds if processor else s.seconds for s in self.until(name))


class Walk:
    """Runs steps one after the other and records them."""

    def __init__(self, shell: Shell, folder: Path) -> None:
        self.shell = shell
        self.folder = folder
        self.phase = ""
        self.hour = Hour()

    def step(
        self, name: str, *words: str, exits: Sequence[int] = (0,), folder: Path | None = None
    ) -> str:
        """Run one command, and return what it printed; `exits` are the exit codes that are right."""
        ran = self.shell.run(words, folder or self.folder)
        self.add(name, self._short(" ".join(_quoted(words))), ran, exits)
        return ran.text

    def add(self, name: str, command: str, ran: Ran, exits: Sequence[int]) -> None:
        """Record a step that ran."""
        lines = self._short(ran.text).splitlines()
        self.hour.steps.append(
            Step(
                phase=self.phase,
                name=name,
                command=command,
                exit_code=ran.exit_code,
                is_expected=ran.exit_code in exits,
                has_remedy=ran.exit_code == 0 or ran.has_remedy,
                seconds=ran.seconds,
                processor_seconds=ran.processor_seconds,
                silence=ran.silence,
                lines=len(lines),
                output=lines[:_MAX_LINES],
            )
        )

    def mistakes(self, *each: Sequence[str], folder: Path | None = None) -> None:
        """Run commands that must fail; one that passes, or ends by a signal, is unexpected."""
        for words in each:
            self.step(" ".join(words), "codecairn", *words, exits=range(1, 126), folder=folder)

    def _short(self, text: str) -> str:
        text = text.replace(str(self.folder), "PROJECT").replace(str(self.shell.home), "~")
        return text.replace(str(self.shell.home.parent), "TMP")


def from_wheel(shell: Shell, python: str, wheel: Path, project: Path, question: str) -> Hour:
    """Install a wheel, ask, connect Codex, remember, look around, make mistakes, and remove everything."""
    walk = Walk(shell, project)
    codex = shell.home / ".codex"
    codex.mkdir()
    for name, text in _CODEX.items():
        (codex / name).write_text(text, encoding="utf-8")
    walk.phase = "install"
    walk.step("create an environment", python, "-m", "venv", str(shell.home / "venv"))
    walk.step("install the wheel", str(shell.home / "venv" / "bin" / "pip"), "install", str(wheel))
    walk.phase = "search"
    walk.step("first answer", "codecairn", "search", question)
    walk.step("the same again", "codecairn", "search", question)
    walk.step("help", "codecairn", "--help")
    walk.step("status", "codecairn", "status")
    walk.step("doctor", "codecairn", "doctor")
    walk.step("a name that is not there", "codecairn", "define", "NoSuchThing", exits=(0, 1))
    walk.phase = "agent"
    walk.step("what would change", "codecairn", "install", "codex", "--dry-run")
    walk.step("install", "codecairn", "install", "codex")
    walk.step("check", "codecairn", "install", "codex", "--check", exits=(0, 1))
    walk.add(*_ask_server(shell, project, question), exits=(0,))
    walk.phase = "memory"
    walk.step(
        "add", "codecairn", "memory", "add", "Auth uses JWT in cookies", "--type", "architecture"
    )
    walk.step("search", "codecairn", "memory", "search", "how is auth done")
    walk.step("list", "codecairn", "memory", "list")
    walk.step("memory status", "codecairn", "memory", "status")
    walk.phase = "mistakes"
    walk.mistakes(["search", "anything"], folder=shell.home)
    walk.mistakes(
        ["serach", question],
        ["search"],
        ["search", question, "--limt", "3"],
        ["search", question, "--lang", "pyhton"],
        ["similar", "no/such/file.py:3"],
        ["install", "codx"],
        ["uninstall"],
        ["config", "set", "search.limt", "5"],
        ["memory", "forget", "nope"],
        ["memory", "why", "ID"],
        ["impact", "no-such-branch"],
        ["index", "/no/such/folder"],
    )
    walk.phase = "remove"
    walk.step("uninstall", "codecairn", "uninstall", "codex")
    walk.hour.left = _changed(codex)
    everything = ("codecairn", "uninstall", "--all", "--data")
    walk.step("uninstall everything", *everything, exits=(0, 2))
    walk.step("uninstall everything, confirmed", *everything, "--yes")
    walk.hour.left += _remaining(shell.home)
    return walk.hour


def from_source(shell: Shell, python: str, repository: str, commit: str) -> Hour:
    """Clone a repository, install it with pip, and ask README's question."""
    clone = shell.home / "codecairn"
    walk = Walk(shell, shell.home)
    walk.phase = "install"
    walk.step("clone", "git", "clone", "--no-local", repository, str(clone))
    walk.step("check out", "git", "checkout", "--quiet", commit, folder=clone)
    walk.step("create an environment", python, "-m", "venv", ".venv", folder=clone)
    walk.step("pip install", ".venv/bin/pip", *_install_words(clone), folder=clone)
    walk.phase = "search"
    question = "where is the identity of a chunk computed"
    walk.step("first answer", ".venv/bin/codecairn", "search", question, folder=clone)
    walk.step("the same again", ".venv/bin/codecairn", "search", question, folder=clone)
    return walk.hour


def _install_words(clone: Path) -> list[str]:
    """What README gives pip, such as `install -v .`."""
    readme = (clone / "README.md").read_text(encoding="utf-8")
    found = re.search(r"\.venv/bin/pip (install [^&\n]+)", readme)
    if found is None:
        raise ValueError("README names no installation with `.venv/bin/pip`")
    return found[1].split()


def _ask_server(shell: Shell, project: Path, question: str) -> tuple[str, str, Ran]:
    """Start the server as Codex would, by its configuration, and ask it; the answer is the step's text."""
    config = tomllib.loads((shell.home / ".codex" / "config.toml").read_text(encoding="utf-8"))
    server = config["mcp_servers"]["codecairn"]
    begin = time.monotonic()
    process = subprocess.Popen(
        [server["command"], *server["args"]],
        cwd=project,
        env=dict(shell.environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    answers: queue.Queue[str] = queue.Queue()
    assert process.stdin is not None
    assert process.stdout is not None
    threading.Thread(target=_pass_on, args=(process.stdout, answers), daemon=True).start()
    client = {"name": "newcomer", "version": "1"}
    begun = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    call = {"name": "codebase_search", "arguments": {"query": question}}
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": begun},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ]
    for message in messages:
        print(json.dumps(message | {"jsonrpc": "2.0"}), file=process.stdin, flush=True)
    text, exit_code = "", 1
    try:
        while not text:
            answer = json.loads(answers.get(timeout=_ANSWER_TIMEOUT_S))
            if answer.get("id") == 2:
                result = answer.get("result", {})
                text = (
                    "\n".join(part.get("text", "") for part in result.get("content", []))
                    or "nothing"
                )
                exit_code = int(result.get("isError", "result" not in answer))
    except queue.Empty:
        text = f"no answer within {_ANSWER_TIMEOUT_S:g} s"
    seconds = round(time.monotonic() - begin, 3)
    process.stdin.close()
    process.wait(timeout=_ANSWER_TIMEOUT_S)
    ran = Ran(
        exit_code=exit_code, seconds=seconds, processor_seconds=0.0, silence=seconds, text=text
    )
    return "first answer to the agent", "tools/call codebase_search", ran


def _pass_on(lines: Iterator[str], answers: "queue.Queue[str]") -> None:
    for line in lines:
        answers.put(line)


def _changed(codex: Path) -> list[str]:
    """Files of the host that are not as they were before."""
    found = {
        path.relative_to(codex).as_posix(): path.read_text(encoding="utf-8")
        for path in codex.rglob("*")
        if path.is_file()
    }
    return sorted(
        f"~/.codex/{name}" for name in {*found, *_CODEX} if found.get(name) != _CODEX.get(name)
    )


def _remaining(home: Path) -> list[str]:
    """Files that neither the newcomer nor pip made and that are still there."""
    files = (path.relative_to(home) for path in home.rglob("*") if path.is_file())
    own = {("venv",), (".cache", "pip"), (".codex",)}
    return sorted(
        f"~/{file.as_posix()}" for file in files if not {file.parts[:1], file.parts[:2]} & own
    )


def _quoted(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        yield f'"{word}"' if " " in word else word
