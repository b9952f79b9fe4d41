"""A memory provider for Hermes: register(ctx) calls ctx.register_memory_provider. Standard library only.

Hermes lives in an interpreter of its own, so this asks the program: `codecairn install hermes` writes it into Hermes'
folder, with the program's place. Where codecairn lies in Hermes' own interpreter, it is found as an entry point.
"""

import json
import os
import shutil
import subprocess
import sys

from agent.memory_provider import MemoryProvider

LAUNCH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "launch.py")
PROGRAM = [sys.executable, "-I", "-S", LAUNCH]
HOOK = [*PROGRAM, "hook"]

_HOOK_S, _CALL_S = 3.0, 60.0


class CodecairnProvider(MemoryProvider):  # type: ignore[misc, unused-ignore]
    """What was said, done and decided: put before each turn, recorded after it, and asked for by tools."""

    def __init__(self) -> None:
        self._session = self._parent = ""
        self._is_primary = True
        self._tools: list[dict[str, object]] | None = None

    @property
    def name(self) -> str:
        return "codecairn"

    def is_available(self) -> bool:
        return shutil.which(PROGRAM[0]) is not None

    def initialize(self, session_id: str, **kwargs: object) -> None:
        self._session, self._parent = session_id, str(kwargs.get("parent_session_id") or "")
        self._is_primary = kwargs.get("agent_context", "primary") == "primary"

    def system_prompt_block(self) -> str:
        return self._hook("SessionStart")

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        return self._hook("Prompt", session_id, prompt=query)

    def sync_turn(
        self, user_content: str, assistant_content: str, *, session_id: str = "", **kwargs: object
    ) -> None:
        self._hook("Turn", session_id, prompt=user_content, answer=assistant_content)

    def on_pre_compress(self, messages: object) -> str:
        self._hook("PreCompress")
        return ""

    def on_session_end(self, messages: object) -> None:
        self._hook("SessionEnd")

    def on_session_switch(
        self, new_session_id: str, *, parent_session_id: str = "", **kwargs: object
    ) -> None:
        self._session, self._parent = new_session_id, parent_session_id

    def on_delegation(self, task: str, result: str, **kwargs: object) -> None:
        self._hook("Delegation", task=task, result=result)

    def on_memory_write(self, action: str, target: str, content: str, **kwargs: object) -> None:
        self._hook("MemoryWrite", action=action, target=target, content=content)

    def get_tool_schemas(self) -> list[dict[str, object]]:
        if self._tools is None:
            code, out, _ = self._run([*PROGRAM, "call", "--schemas", "openai"])
            found = json.loads(out)["tools"] if code == 0 else []
            self._tools = [tool["function"] for tool in found]
        return self._tools

    def handle_tool_call(self, tool_name: str, args: dict[str, object], **kwargs: object) -> str:
        code, out, err = self._run([*PROGRAM, "call", tool_name, "-"], json.dumps(args))
        return json.dumps({"result": out.rstrip()} if code == 0 else {"error": err.strip()})

    def backup_paths(self) -> list[str]:
        code, out, _ = self._run([*PROGRAM, "memory", "status", "--json"])
        return [json.loads(out)["path"]] if code == 0 else []

    def _hook(self, event: str, session: str = "", **says: str) -> str:
        """Tell what happens; the text to put before the agent. Of contexts that are no person's nothing is told."""
        if not self._is_primary:
            return ""
        known = {"session_id": session or self._session, "parent_session_id": self._parent}
        payload = json.dumps({**known, "cwd": _folder(), **says})
        code, out, _ = self._run([*HOOK, "hermes", event], payload, timeout_s=_HOOK_S)
        return str(json.loads(out or "{}").get("context", "")) if code == 0 else ""

    def _run(
        self, command: list[str], given: str = "", *, timeout_s: float = _CALL_S
    ) -> tuple[int, str, str]:
        try:
            done = subprocess.run(
                command, input=given, capture_output=True, check=False, cwd=_folder(),
                env=_environment(), timeout=timeout_s, encoding="utf-8", errors="replace",
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as err:
            return 1, "", f"{type(err).__name__}: {err}"
        return done.returncode, done.stdout, done.stderr


def _folder() -> str:
    """Where Hermes works."""
    named = os.environ.get("TERMINAL_CWD", "")
    return named if os.path.isdir(named) else os.getcwd()


def _environment() -> dict[str, str]:
    """The environment without what has Python, or a lookup in `PATH`, take files of the folder that Hermes works in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    base = os.environ.get("PYTHONUSERBASE", "")
    if os.path.isabs(base):
        kept["PYTHONUSERBASE"] = base
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    kept["PATH"] = os.pathsep.join(each for each in folders if os.path.isabs(each))
    return kept


def register(ctx: object) -> None:
    """Called by Hermes."""
    ctx.register_memory_provider(CodecairnProvider())  # type: ignore[attr-defined]
