"""The command as hosts start it: what happens is recorded once, what is remembered is shown once, and nothing goes wrong."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codecairn import Workspace
from codecairn.config import layers
from codecairn.errors import ConfigError
from hooks.fixtures import (
    AGENTS,
    PROMPT,
    REQUESTED,
    RUN,
    added,
    claude_told,
    context_of,
    events_of,
    hooked,
    hooks_log,
    is_claimed,
    recorded,
    resolve,
    state_folder,
    state_name,
)
from support.command import command, isolated, run
from support.repository import Repository


def _until(is_so: Callable[[], bool]) -> None:
    """Processes that nobody waits for are waited for here."""
    for _ in range(600):
        if is_so():
            return
        threading.Event().wait(0.1)
    pytest.fail("it never came")


def test_what_happens_in_a_session_is_recorded_in_order(project: Repository) -> None:
    claude_told(project, "SessionStart", source="startup", model="m-1")
    claude_told(project, "UserPromptSubmit", prompt=PROMPT, prompt_id="p-1")
    edit = {"file_path": str(project.root / "shop/tokens.py"), "old_string": "a", "new_string": "b"}
    call = {"tool_name": "Edit", "tool_input": edit, "tool_use_id": "t-1", "tool_response": {}}
    claude_told(project, "PostToolUse", **call)
    claude_told(project, "Stop", last_assistant_message="By `verify_token`.")
    claude_told(project, "SessionEnd", reason="logout")
    events = events_of(project)
    assert [(each.role, each.category) for each in events] == [
        ("system", "session-meta"),
        ("user", "prompt"),
        ("tool", "file-edit"),
        ("assistant", "answer"),
        ("system", "session-meta"),
    ]
    assert events[2].path == "shop/tokens.py"
    assert events[2].body == "-a\n+b"
    assert {each.branch for each in events} == {"main"}
    with Workspace.open(project.root) as workspace:
        (session,) = (each for each in workspace.memory.sessions() if each.id == "s-1")
    assert (session.host, session.model, session.status, session.turns) == (
        "claude",
        "m-1",
        "ended",
        1,
    )


@pytest.mark.parametrize("agent", AGENTS)
def test_recorded_events_of_every_host_are_taken(agent: str, project: Repository) -> None:
    for event, payload in recorded(agent):
        moved = json.loads(json.dumps(payload).replace("/home/ann/shop", str(project.root)))
        hooked(agent, event, moved, cwd=project.root)
    events = events_of(project)
    assert {each.role for each in events} >= {"user", "assistant", "tool", "system"}
    assert not any("codecairn" in each.tool for each in events), "a memory must not feed on itself"
    assert hooks_log() == ""


def test_event_that_is_delivered_twice_is_served_once(project: Repository) -> None:
    added(project, "Session tokens are verified in constant time", type="decision")
    payload = {"session_id": "s-1", "cwd": str(project.root), "prompt": PROMPT, "prompt_id": "p"}
    raw = json.dumps(payload).encode()
    answers: list[Any] = []

    def deliver() -> None:
        answers.append(hooked("claude", "UserPromptSubmit", raw, cwd=project.root))

    threads = [threading.Thread(target=deliver) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([each for each in events_of(project) if each.role == "user"]) == 1
    assert len(answers) == 3
    assert len([each for each in answers if context_of(each)]) == 1


@pytest.mark.parametrize(
    ("age_s", "count"), [(-60.0, 1), (3.5, 2)], ids=["at once", "seconds later"]
)
def test_same_bytes_at_once_are_one_event_and_later_another(
    project: Repository, age_s: float, count: int
) -> None:
    """The host gives this event no number of its own, so that what it says and when is all that tells two apart."""
    payload = {"session_id": "s-1", "cwd": str(project.root), "prompt": "continue with that"}
    hooked("claude", "UserPromptSubmit", payload, cwd=project.root)
    (claim,) = (state_folder() / "claims").iterdir()
    _age(claim, age_s)
    hooked("claude", "UserPromptSubmit", payload, cwd=project.root)
    other = payload | {"prompt": "continue with this"}
    hooked("claude", "UserPromptSubmit", other, cwd=project.root)
    bodies = [each.body for each in events_of(project)]
    assert bodies == ["continue with that"] * count + ["continue with this"]


def _age(file: Path, age_s: float) -> None:
    """Let a file be so many seconds old; less than none for one that stays new however slow the machine is."""
    then_s = time.time_ns() / 1_000_000_000 - age_s
    os.utime(file, (then_s, then_s))


def test_later_delivery_with_the_host_s_own_number_is_the_same_event(project: Repository) -> None:
    call = {"tool_name": "Grep", "tool_input": {"pattern": "a"}, "tool_use_id": "t-1"}
    claude_told(project, "PostToolUse", **call, tool_response={"content": "a"})
    claude_told(project, "PostToolBatch", tool_calls=[{**call, "tool_response": "a"}])
    assert len(events_of(project)) == 1


def test_same_prompt_said_again_is_another_event(project: Repository) -> None:
    for number in ("p-1", "p-2"):
        claude_told(project, "UserPromptSubmit", prompt="continue", prompt_id=number)
    assert len(events_of(project)) == 2


def test_subagent_belongs_to_its_session(project: Repository) -> None:
    claude_told(project, "UserPromptSubmit", prompt="look into the shop")
    claude_told(project, "SubagentStart", agent_id="a-1", agent_type="Explore")
    claude_told(
        project, "SubagentStop", agent_id="a-1", agent_type="Explore", last_assistant_message="x"
    )
    with Workspace.open(project.root) as workspace:
        line = workspace.memory.session("s-1")
    assert [(each.id, each.root) for each in line] == [("s-1", "s-1"), ("s-1/a-1", "s-1")]


@pytest.mark.parametrize("word", ["codecairn:off", "codecairn:skip"])
def test_user_says_what_is_left_alone(word: str, project: Repository) -> None:
    claude_told(project, "UserPromptSubmit", prompt=f"{word} my salary is 5")
    claude_told(project, "Stop", last_assistant_message="noted")
    claude_told(project, "UserPromptSubmit", prompt="the second prompt")
    claude_told(project, "Stop", last_assistant_message="answered")
    claude_told(project, "UserPromptSubmit", session="s-2", prompt="another session")
    claude_told(project, "UserPromptSubmit", prompt="codecairn:on now we go on")
    claude_told(project, "Stop", last_assistant_message="going on")
    claude_told(project, "UserPromptSubmit", prompt=f"X{word}X is no mark")
    said = [each.body for each in events_of(project)]
    is_only_one = word.endswith("skip")
    assert said == [
        *(["the second prompt", "answered"] if is_only_one else []),
        "another session",
        "codecairn:on now we go on",
        "going on",
        f"X{word}X is no mark",
    ]


def test_project_is_left_alone_by_its_settings(project: Repository) -> None:
    added(project, "Use pytest, never unittest", type="rule")
    project.write(".codecairn.toml", "[hooks]\ncapture = false\n")
    assert context_of(claude_told(project, "SessionStart", source="startup"))
    assert events_of(project) == []
    project.write(".codecairn.toml", "[hooks]\ncapture = false\ninject = false\n")
    assert claude_told(project, "SessionStart", session="s-2", source="startup") == {}
    project.write(".codecairn.toml", "")
    claude_told(project, "UserPromptSubmit", session="s-3", prompt="now it is on again")
    assert [each.body for each in events_of(project)] == ["now it is on again"]


def test_project_can_not_switch_on_what_the_user_switched_off(project: Repository) -> None:
    assert run("config", "set", "--user", "hooks.capture", "false", cwd=project.root).code == 0
    project.write(".codecairn.toml", "[hooks]\ncapture = true\n")
    claude_told(project, "UserPromptSubmit", prompt="nothing to be kept")
    assert events_of(project) == []


def test_secrets_never_reach_the_disk(project: Repository, home: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    claude_told(
        project, "UserPromptSubmit", prompt=f"use {secret} and <private>my salary</private>"
    )
    (event,) = events_of(project)
    assert secret not in event.body
    for file in home.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert secret.encode() not in content, file
            assert b"my salary" not in content, file


def test_ids_that_look_like_secrets_stay_apart(project: Repository) -> None:
    for session in ("ses_e00a570adffenGYUPOM7kbp2HA", "ses_f11b681bf00foHZVQPN8lcq3IB"):
        for number in ("call_Ab3xK9dLmQ2pR7sT1uVw", "call_Zz9yX8wV7uT6sR5qP4oN"):
            payload = {
                "session": session,
                "folder": str(project.root),
                "id": number,
                "tool": "bash",
            }
            payload |= {"input": {"command": "ls"}, "result": "a"}
            hooked("opencode", "tool", payload, cwd=project.root)
    events = events_of(project)
    assert len(events) == 4
    assert len({each.session for each in events}) == 2


def test_program_itself_serves_a_project_s_hooks(project: Repository) -> None:
    """A project's files name `codecairn` alone; the command line is not loaded for it."""
    payload = {"session_id": "s-1", "cwd": str(project.root), "last_assistant_message": "done so"}
    resolve(project.root)
    outcome = run("hook", "claude", "Stop", cwd=project.root, stdin=json.dumps(payload))
    assert (outcome.code, outcome.document, outcome.err) == (0, {}, "")
    _until(lambda: [each.body for each in events_of(project)] == ["done so"])
    assert run("hook", "--help", cwd=project.root).code == 0


@pytest.mark.parametrize(("options", "is_served"), [((), False), (("--wait",), True)])
def test_call_with_wait_has_no_deadline(
    options: tuple[str, ...], is_served: bool, project: Repository
) -> None:
    """The event comes after the deadline of a host's call."""
    resolve(project.root)
    payload = {"session_id": "s-1", "cwd": str(project.root), "last_assistant_message": "done so"}
    with subprocess.Popen(
        command("hook", *options, "claude", "Stop"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=project.root,
    ) as process:  # fmt: skip
        time.sleep(2)
        out, err = process.communicate(json.dumps(payload).encode(), timeout=60)
    assert (process.returncode, json.loads(out), err) == (0, {}, b"")
    assert [each.body for each in events_of(project)] == (["done so"] if is_served else [])
    assert ("not done within" in hooks_log()) is not is_served


GARBAGE: list[tuple[str, str, bytes]] = [
    ("claude", "UserPromptSubmit", b""),
    ("claude", "UserPromptSubmit", b"{"),
    ("claude", "UserPromptSubmit", b"\xff\xfe\x00"),
    ("claude", "UserPromptSubmit", b"[]"),
    ("claude", "UserPromptSubmit", b'{"session_id": 5, "prompt": {}}'),
    ("claude", "UserPromptSubmit", b'{"session_id": "s", "prompt": "a \\ud800 b"}'),
    ("claude", "UserPromptSubmit", b'{"session_id": "s", "prompt": "x", "cwd": "/no/such/place"}'),
    ("claude", "SessionStart", b'{"session_id": "' + b"s" * 100_000 + b'"}'),
    ("claude", "PostToolBatch", b'{"session_id": "s", "tool_calls": [[], 5, {"tool_name": []}]}'),
    ("claude", "NoSuchEvent", b'{"session_id": "s"}'),
    ("codex", "../../x", b'{"session_id": "s"}'),
    ("nobody", "UserPromptSubmit", b"{}"),
    ("../claude", "UserPromptSubmit", b"{}"),
    ("", "", b"{}"),
]


@pytest.mark.parametrize(("agent", "event", "raw"), GARBAGE)
def test_garbage_is_nobody_s_trouble(
    agent: str, event: str, raw: bytes, project: Repository
) -> None:
    assert hooked(agent, event, raw, cwd=project.root) == {}


def test_host_that_sends_nothing_is_answered_in_time(project: Repository) -> None:
    """Its standard input stays open: the deadline ends the call."""
    with subprocess.Popen(
        isolated(RUN, "claude", "Stop"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project.root,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert json.loads(process.stdout.read()) == {}
        assert process.wait(30) == 0
    assert "not done within" in hooks_log()


def test_event_that_is_late_is_recorded_all_the_same(project: Repository) -> None:
    payload = {"session_id": "s-1", "cwd": str(project.root), "prompt": "late but kept"}
    happened = str(time.time_ns() // 1_000_000 - 5_000)
    raw = json.dumps(payload).encode()
    for _ in range(2):  # by whoever was late, and by the one it was handed to
        hooked("claude", "UserPromptSubmit", raw, cwd=project.root, options=("--late", happened))
    (event,) = events_of(project)
    assert event.body == "late but kept"
    assert event.ts_ms == int(happened)


_SLOW = """
import sys
import time

run = {"__file__": sys.argv[1], "__name__": "run"}
exec(open(sys.argv[1], encoding="utf-8").read(), run)
run["enter"]()
from codecairn import _native
from codecairn.hooks import call


class Slow(type(sys)):
    def __getattr__(self, name, core=_native):
        return (lambda *_, **__: time.sleep(60)) if name == "hook" else getattr(core, name)


sys.modules["codecairn"]._native = Slow("codecairn._native")
call.main(sys.argv[2:])
"""
"""The script of hooks, with a core that takes a minute for each event."""


@pytest.mark.parametrize(
    ("late_before_s", "is_kept"),
    [
        ((), True),
        ((-60.0,) * 3, True),
        ((-60.0,) * 4, False),
        ((-60.0, 2.5, -60.0, -60.0), True),
    ],
    ids=["alone", "fourth", "fifth", "fifth, one of long ago"],
)
def test_event_that_is_not_done_in_time_is_handed_over_unless_many_are(
    project: Repository, late_before_s: tuple[float, ...], *, is_kept: bool
) -> None:
    resolve(project.root)
    for slot, age_s in enumerate(late_before_s):
        assert is_claimed("late", str(slot), within_s=2.0)
        _age(state_folder() / "claims" / state_name("late", str(slot)), age_s)
    payload = {"session_id": "s-1", "cwd": str(project.root), "prompt": "late but kept"}
    before_ms = time.time_ns() // 1_000_000
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _SLOW, str(RUN), "claude", "UserPromptSubmit"],
        cwd=project.root, input=json.dumps(payload).encode(), capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    answered_ms = time.time_ns() // 1_000_000
    assert (done.stdout, done.stderr) == (b"{}", b"")
    assert "claude UserPromptSubmit: not done within 240 ms" in hooks_log()
    assert ("given up, too many are late" in hooks_log()) is not is_kept
    if is_kept:
        _until(lambda: bool(events_of(project)))
        (event,) = events_of(project)
        assert event.body == "late but kept"
        assert before_ms <= event.ts_ms <= answered_ms
    else:
        assert events_of(project) == []


def test_database_that_can_not_be_read_is_nobody_s_trouble(project: Repository, home: Path) -> None:
    file = home / "codecairn" / "data" / "memory.db"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"this is no database" * 1000)
    assert claude_told(project, "UserPromptSubmit", prompt="hello there") == {}
    assert claude_told(project, "SessionStart", source="startup") == {}


def test_session_s_end_starts_what_nobody_waits_for(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CODECAIRN_HOOKS_BACKGROUND")
    claude_told(project, "UserPromptSubmit", prompt="please repair the rounding of prices")
    claude_told(project, "SessionEnd", reason="other")

    _until((state_folder() / "locks").exists)


def test_hook_imports_next_to_nothing(project: Repository) -> None:
    """What a call loads is what it costs."""
    resolve(project.root)
    payload = {"session_id": "s-1", "cwd": str(project.root), "prompt": PROMPT, "prompt_id": "p-1"}
    script = (
        "import posix, sys; run = {'__file__': sys.argv[1], '__name__': 'run'}; before = set(sys.modules);"
        "posix._exit = lambda code: print('\\n', *sorted(set(sys.modules) - before));"
        "exec(open(sys.argv[1]).read(), run); run['enter']();"
        "from codecairn.hooks import call; call.main(sys.argv[2:])"
    )
    arguments = ["--wait", "claude", "UserPromptSubmit"]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, str(RUN), *arguments],
        input=json.dumps(payload), capture_output=True, text=True, check=True, cwd=project.root,
    )  # fmt: skip
    loaded = set(done.stdout.splitlines()[-1].split())
    own = {"codecairn", "codecairn.hooks", "codecairn.hooks.call", "codecairn._native"}
    assert loaded - {"gc", "time"} == own
    assert [event.body for event in events_of(project)] == [PROMPT]


def _turn(project: Repository, number: int, **more: object) -> Any:
    claude_told(project, "UserPromptSubmit", prompt=f"{PROMPT} {number}", prompt_id=f"p-{number}")
    answer = {"last_assistant_message": f"By `verify_token` {number}.", "prompt_id": f"p-{number}"}
    return claude_told(project, "Stop", **answer, **more)


def test_an_agent_is_asked_for_nothing_by_default(project: Repository) -> None:
    assert [_turn(project, number) for number in range(4)] == [{}] * 4


def test_an_agent_is_asked_for_what_it_learned_once_in_so_many_prompts(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_HOOKS_ASK_EVERY", "2")
    resolve(project.root)
    answers = [_turn(project, number) for number in range(5)]
    assert [bool(answer) for answer in answers] == [False, True, False, True, False]
    assert answers[1]["decision"] == "block"
    assert answers[1]["reason"].startswith(REQUESTED)
    assert _turn(project, 6, stop_hook_active=True) == {}
    claude_told(project, "UserPromptSubmit", prompt=answers[1]["reason"], prompt_id="p-9")
    assert not any(REQUESTED in event.body for event in events_of(project))


def test_a_workspace_can_t_have_agents_asked(project: Repository) -> None:
    project.write_all({".codecairn.toml": "[hooks]\nask_every = 1\n"})
    with pytest.raises(ConfigError, match="may not be set by a workspace"):
        layers.load(project.root)
    assert [_turn(project, number) for number in range(2)] == [{}, {}]
