"""The programs with a model that is played by a script: the harness runs end to end without a key or a network.

With codecairn the model asks `codebase_search` and reads the first needed file; without it, it greps and reads. Then it names the
needed places. So the figures say that the harness works, and nothing about any agent.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benches.agents.programs.questions import Question
from benches.agents.programs.sides import WITH
from codecairn.errors import UsageError
from tests.support.scripted_model import Call, ScriptedModel

_WINDOW = 100_000
_KEY = "scripted-key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """How one program is brought to ask the played model.

    Attributes:
        grep: Its tool that searches, with arguments for a pattern.
        read: Its tool that reads a file.
        environment: Variables, by the model's address.
        connect: Changes its settings in a home.
        model: The model's name.
    """

    grep: Callable[[str], Call]
    read: Callable[[str], Call]
    environment: Callable[[str], Mapping[str, str]] = field(default=lambda _url: {})
    connect: Callable[[Path, str], None] = field(default=lambda _home, _url: None)
    model: str = ""


def _codex(home: Path, url: str) -> None:
    file = home / ".codex" / "config.toml"
    provider = (
        'model = "scripted"\nmodel_provider = "local"\n\n[model_providers.local]\nname = "local"\n'
        f'base_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n\n'
    )
    file.write_text(provider + file.read_text(encoding="utf-8"), encoding="utf-8")


def _opencode(home: Path, url: str) -> None:
    file = home / ".config" / "opencode" / "opencode.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    document = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    limit = {"context": _WINDOW, "output": 1}
    document["provider"] = {
        "local": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{url}/v1", "apiKey": _KEY},
            "models": {"scripted": {"name": "scripted", "limit": limit}},
        }
    }
    file.write_text(json.dumps(document), encoding="utf-8")


PLAYERS = {
    "claude": Player(
        grep=lambda words: ("Grep", {"pattern": words, "output_mode": "content"}),
        read=lambda path: ("Read", {"file_path": path}),
        environment=lambda url: {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": _KEY},
    ),
    "codex": Player(
        grep=lambda words: ("exec_command", {"cmd": f"git grep -n {words}"}),
        read=lambda path: ("exec_command", {"cmd": f"sed -n 1,80p {path}"}),
        environment=lambda _url: {"OPENAI_API_KEY": _KEY},
        connect=_codex,
    ),
    "opencode": Player(
        grep=lambda words: ("grep", {"pattern": words}),
        read=lambda path: ("read", {"filePath": path}),
        environment=lambda _url: {"OPENCODE_DISABLE_MODELS_FETCH": "1"},
        connect=_opencode,
        model="local/scripted",
    ),
    "gemini": Player(
        grep=lambda words: ("grep_search", {"pattern": words}),
        read=lambda path: ("read_file", {"file_path": path}),
        environment=lambda url: {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": _KEY},
    ),
}


def player(program: str) -> Player:
    """The player of a program.

    Raises:
        UsageError: If there is none.
    """
    if program not in PLAYERS:
        raise UsageError("`--scripted` needs `--program`: a command of yours asks its own model")
    return PLAYERS[program]


@contextmanager
def playing(how: Player, question: Question, side: str) -> Iterator[ScriptedModel]:
    """A model that answers one question; without codecairn it greps the longest word of it."""
    path = question.needed[0].path
    word = max(re.findall(r"\w+", question.text), key=len)
    first = ("codebase_search", {"query": question.text}) if side == WITH else how.grep(word)
    places = [f"{needed.path}:{needed.first}-{needed.last}" for needed in question.needed]
    model = ScriptedModel([first, how.read(path)], words=f"See {' and '.join(places)}.")
    if side != WITH:
        model.waits = 0
    with model.running():
        yield model
