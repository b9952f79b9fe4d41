"""Agents' own programs as models, on the user's own subscription: `claude -p`, `codex exec`, `opencode run`, `gemini -p`.

What a session says may come from strangers, so the program gets no tools, no servers and no hooks, and works in an empty folder.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from codecairn.core.isolation import program_folders
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import ProviderRefused, ProviderUnavailable
from codecairn.llm.provider import Prompt, Reply
from codecairn.paths import user
from codecairn.remote.request import count_of

MAX_BYTES = 32 << 20
"""An answer longer than this is no answer."""

_RETRY_AFTER_S = 60.0
"""A program that did not answer in time has cost a turn, and is not asked again at once."""

_TIMEOUTS = 3
"""A program has so many times `extraction.timeout_ms`: it starts first, and its user's model may think before it answers."""

_SYSTEM, _SETTINGS, _NO_TOOLS_FILE = "system.md", "settings.json", "no-tools.toml"

_QUIET = MappingProxyType(
    {
        "CODECAIRN_HOOKS_CAPTURE": "false",
        "CODECAIRN_HOOKS_INJECT": "false",
        "NO_COLOR": "1",
    }
)
"""Hooks of the program's other sessions neither record this one nor add to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """How a program is started, in an empty folder that holds `files`.

    Attributes:
        arguments: After the program's name.
        stdin: What it reads.
        environment: Variables beside those of the user.
        files: Contents by name.
    """

    arguments: tuple[str, ...]
    stdin: str
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One agent's program.

    Attributes:
        command: Its name.
        call: How it is asked, by prompt, model and folder; without a model it takes the user's.
        reply: Parses what it printed, as JSON values by line.
        failure: Its own words on what went wrong; empty if there are none.
    """

    command: str
    call: Callable[[Prompt, str, Path], Call]
    reply: Callable[[list[Mapping[str, Any]]], Reply]
    failure: Callable[[list[Mapping[str, Any]]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentProgram:
    """A program as a model; `wanted` is empty for the model that its user chose."""

    name: str
    wanted: str = ""
    request_timeout_s: float = 60.0

    @property
    def model(self) -> str:
        """The model's name, or the program's, which takes one by itself."""
        return self.wanted or self.name

    @property
    def timeout_s(self) -> float:
        """Seconds that one answer may take."""
        return _TIMEOUTS * self.request_timeout_s

    @property
    def destination(self) -> str:
        """What is run, as shown to the user."""
        return f"`{PROGRAMS[self.name].command}`, with your own account"

    @property
    def thought_tokens(self) -> int:
        """None: a program reports the tokens of its thoughts with those of its answer."""
        return 0

    def send(self, prompt: Prompt) -> Mapping[str, object]:
        """The program's output: `{"lines": [...]}`, the JSON values that it printed.

        Raises:
            ProviderUnavailable: If it is not installed, or did not answer in time.
            ProviderRefused: If it ended with an error.
        """
        program, path = PROGRAMS[self.name], self.executable()
        # Gemini CLI does not trust settings in the system's folder for temporary files, which others can write to.
        user.make_data_folder()
        runs = user.data_folder() / "programs"
        runs.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=runs) as folder:
            code, output, errors = self._run(
                path, program.call(prompt, self.wanted, Path(folder)), folder
            )
        lines = _values(output)
        problem = program.failure(lines)
        if code or problem:
            last = problem or next(reversed(errors.strip().splitlines()), "")
            raise ProviderRefused(
                f"`{program.command}` ended with exit code {code}: {last[:300]}",
                hint=f"run `{program.command}` by hand once, to see that it is signed in",
                provider=self.name,
                may_be_charged=True,
            )
        return {"lines": lines}

    def executable(self) -> str:
        """The program's absolute path.

        Raises:
            ProviderUnavailable: If it is not installed.
        """
        command = PROGRAMS[self.name].command
        path = shutil.which(command, path=os.pathsep.join(program_folders()))
        if path is None:
            raise ProviderUnavailable(
                f"`{command}` is not installed, or not on PATH",
                hint=f"install it, or take `{self.name}` out of `extraction.providers`",
                provider=self.name,
                retry_after_s=_RETRY_AFTER_S,
            )
        return path

    def reply(self, document: Mapping[str, object]) -> Reply:
        """Parses what the program printed."""
        return PROGRAMS[self.name].reply(cast("list[Mapping[str, Any]]", document["lines"]))

    def close(self) -> None:
        """Nothing stays open."""

    def _run(self, path: str, call: Call, folder: str) -> tuple[int, str, str]:
        for name, text in call.files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        path_variable = os.pathsep.join(program_folders())
        environment = {**os.environ, **_QUIET, **call.environment, "PATH": path_variable}
        environment["PWD"] = folder
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(
                [path, *call.arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            try:
                process.communicate(call.stdin.encode(), timeout=self.timeout_s)
            except subprocess.TimeoutExpired as error:
                raise ProviderUnavailable(
                    f"`{PROGRAMS[self.name].command}` did not answer within {self.timeout_s:g} s",
                    hint="raise `extraction.timeout_ms`",
                    provider=self.name,
                    retry_after_s=_RETRY_AFTER_S,
                    may_be_charged=True,
                ) from error
            finally:
                _end(process)
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read(MAX_BYTES).decode("utf-8", "replace"))
            return process.returncode, texts[0], texts[1]


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a program that has not ended by itself, with what it started."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()


def _values(output: str) -> list[Mapping[str, Any]]:
    """The JSON objects of an output: one, with any text around it, or one a line; other lines are passed over."""
    whole = _object(output[output.find("{") : output.rfind("}") + 1])
    if whole is not None:
        return [whole]
    return [value for line in output.splitlines() if (value := _object(line)) is not None]


def _object(text: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _claude(prompt: Prompt, model: str, _folder: Path) -> Call:
    arguments = ["-p", "--output-format", "json", "--tools", "", "--strict-mcp-config"]
    arguments += ["--disable-slash-commands", "--no-session-persistence"]
    arguments += ["--settings", '{"disableAllHooks": true}', "--system-prompt-file", _SYSTEM]
    arguments += ["--model", model] if model else []
    return Call(arguments=tuple(arguments), stdin=prompt.text, files={_SYSTEM: prompt.system})


def _of_claude(lines: list[Mapping[str, Any]]) -> Reply:
    result = lines[-1]
    cached = count_of(result, "usage", "cache_read_input_tokens") or 0
    written = count_of(result, "usage", "cache_creation_input_tokens") or 0
    fresh = count_of(result, "usage", "input_tokens")
    return Reply(
        text=str(result["result"]),
        input_tokens=None if fresh is None else fresh + cached + written,
        cached_tokens=cached,
        output_tokens=count_of(result, "usage", "output_tokens"),
    )


def _claude_failed(lines: list[Mapping[str, Any]]) -> str:
    return (
        str(lines[-1].get("result") or "no result") if lines and lines[-1].get("is_error") else ""
    )


_CODEX_FEATURES = ("shell_tool", "hooks", "apps", "plugins", "goals", "multi_agent", "view_image")
_CODEX_SERVER = re.compile(r'^\s*\[mcp_servers\.("[^"\n]+"|[\w-]+)', re.MULTILINE)


def _codex_servers() -> list[str]:
    """The servers that the user's settings start: they can only be turned off one by one."""
    home = Path(os.environ.get("CODEX_HOME") or Path(user.home_folder()) / ".codex")
    try:
        text = (home / "config.toml").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return list(dict.fromkeys(_CODEX_SERVER.findall(text)))


def _codex(prompt: Prompt, model: str, _folder: Path) -> Call:
    arguments = ["exec", "--json", "--ephemeral", "--skip-git-repo-check", "--sandbox", "read-only"]
    for feature in _CODEX_FEATURES:
        arguments += ["-c", f"features.{feature}=false"]
    for server in _codex_servers():
        arguments += ["-c", f"mcp_servers.{server}.enabled=false"]
    arguments += ["-c", "project_doc_max_bytes=0", "-c", 'web_search="disabled"']
    arguments += ["--model", model] if model else []
    return Call(arguments=(*arguments, "-"), stdin=f"{prompt.system}\n\n{prompt.text}")


def _of_codex(lines: list[Mapping[str, Any]]) -> Reply:
    said = [
        str(line["item"]["text"])
        for line in lines
        if line.get("type") == "item.completed" and line["item"].get("type") == "agent_message"
    ]
    ended: Mapping[str, Any] = next(
        (line for line in reversed(lines) if line.get("type") == "turn.completed"), {}
    )
    return Reply(
        text=said[-1],
        input_tokens=count_of(ended, "usage", "input_tokens"),
        cached_tokens=count_of(ended, "usage", "cached_input_tokens") or 0,
        output_tokens=count_of(ended, "usage", "output_tokens"),
    )


def _codex_failed(lines: list[Mapping[str, Any]]) -> str:
    for line in lines:
        if line.get("type") == "turn.failed":
            error = line.get("error")
            return str(error.get("message") if isinstance(error, dict) else error)
    return ""


def _opencode(prompt: Prompt, model: str, _folder: Path) -> Call:
    agent = {"mode": "primary", "prompt": prompt.system, "permission": {"*": "deny"}}
    config = {"agent": {"codecairn-model": agent}, "share": "disabled", "autoupdate": False}
    arguments = [
        "run",
        "--format",
        "json",
        "--pure",
        "--title",
        "codecairn",
        "--agent",
        "codecairn-model",
    ]
    arguments += ["--model", model] if model else []
    return Call(
        arguments=tuple(arguments),
        stdin=prompt.text,
        environment={"OPENCODE_CONFIG_CONTENT": json.dumps(config)},
    )


def _of_opencode(lines: list[Mapping[str, Any]]) -> Reply:
    said = [str(line["part"]["text"]) for line in lines if line.get("type") == "text"]
    steps = [line["part"] for line in lines if line.get("type") == "step_finish"]
    return Reply(
        text="\n".join(said),
        input_tokens=_sum(steps, "tokens", "input"),
        cached_tokens=_sum(steps, "tokens", "cache", "read") or 0,
        output_tokens=_total(_sum(steps, "tokens", "output"), _sum(steps, "tokens", "reasoning")),
    )


def _sum(steps: list[Mapping[str, Any]], *path: str) -> int | None:
    counts = [count for step in steps if (count := count_of(step, *path)) is not None]
    return sum(counts) if counts else None


def _total(answer: int | None, thoughts: int | None) -> int | None:
    return None if answer is None else answer + (thoughts or 0)


def _opencode_failed(lines: list[Mapping[str, Any]]) -> str:
    for line in lines:
        if line.get("type") == "error":
            return json.dumps(line.get("error"))
    return ""


_NO_TOOLS = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'


def _gemini(prompt: Prompt, model: str, folder: Path) -> Call:
    settings = {
        "tools": {"core": ["none"], "exclude": ["invoke_agent", "update_topic"]},
        "hooksConfig": {"enabled": False},
        "context": {"fileName": "none", "includeDirectoryTree": False},
        "experimental": {"enableAgents": False},
        "general": {"disableAutoUpdate": True},
    }
    arguments = ["--skip-trust", "--output-format", "json", "--extensions", "none"]
    arguments += ["--allowed-mcp-server-names", "none"]
    arguments += ["--policy", str(folder / _NO_TOOLS_FILE)]
    arguments += ["--model", model or "flash"]  # without one it asks a model which to take
    return Call(
        arguments=tuple(arguments),
        stdin=prompt.text,
        environment={
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(folder / _SETTINGS),
            "GEMINI_SYSTEM_MD": str(folder / _SYSTEM),
        },
        files={
            _SETTINGS: json.dumps(settings),
            _SYSTEM: prompt.system,
            _NO_TOOLS_FILE: _NO_TOOLS,
        },
    )


def _of_gemini(lines: list[Mapping[str, Any]]) -> Reply:
    result = lines[-1]
    models = result.get("stats", {}).get("models", {})
    used = list(models.values()) if isinstance(models, dict) else []
    return Reply(
        text=str(result["response"]),
        input_tokens=_sum(used, "tokens", "prompt"),
        cached_tokens=_sum(used, "tokens", "cached") or 0,
        output_tokens=_total(_sum(used, "tokens", "candidates"), _sum(used, "tokens", "thoughts")),
    )


def _gemini_failed(lines: list[Mapping[str, Any]]) -> str:
    error = lines[-1].get("error") if lines else None
    return str(error.get("message") or error) if isinstance(error, dict) else ""


PROGRAMS: Mapping[str, Program] = MappingProxyType(
    {
        "claude-code": Program(
            command="claude", call=_claude, reply=_of_claude, failure=_claude_failed
        ),
        "codex": Program(command="codex", call=_codex, reply=_of_codex, failure=_codex_failed),
        "opencode": Program(
            command="opencode", call=_opencode, reply=_of_opencode, failure=_opencode_failed
        ),
        "gemini-cli": Program(
            command="gemini", call=_gemini, reply=_of_gemini, failure=_gemini_failed
        ),
    }
)
"""The programs by the names that `extraction.providers` has for them."""
