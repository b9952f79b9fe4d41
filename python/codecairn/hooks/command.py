"""`codecairn hook AGENT EVENT`: the host's JSON on standard input, its answer on standard output, always exit code 0.

After an error the host gets an empty answer within the deadline, and the error is logged. An event that is not recorded by the
deadline is handed to a background process.
"""

import time
from _thread import allocate_lock, start_new_thread

from codecairn.hooks import state
from codecairn.hooks.fast_json import dumps, loads
from codecairn.hooks.os_subset import SEPARATOR, expanduser, join, leave, normpath, os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecairn._native import Memory
    from codecairn.hooks.event import HookEvent, Payload
    from codecairn.hooks.project_config import ProjectConfig

AGENTS = ("claude", "codex", "opencode", "gemini", "cursor", "hermes")
"""The hosts whose events are understood."""

DEADLINE_S = 0.24
"""When the host is answered at the latest; starting an interpreter takes the rest of 300 ms."""

LATE = "--late"
"""Given with a time by a hook that was too late: the event is recorded as of then, without an answer."""

WAIT = "--wait"
"""Said by people who try it out: there is no deadline."""

NEUTRAL = "{}"
"""The answer that every host takes for none."""

_MAX_BYTES = 32_000_000
_CLAIM_S = 3.0

_LEFT_OPEN: "list[Memory]" = []
"""The memory is never closed: the last to close a database moves its log into it, which takes three waits for the disk instead
of one. A recorded event is durable in the log; the next process, or the maintenance of the memory, moves it."""


class Call:
    """One event of one agent, and what became of it."""

    def __init__(self, agent: str, event: str, *, late_ms: int) -> None:
        self.agent = agent
        self.event = event
        self.is_late = late_ms > 0
        self.happened_ms = late_ms or state.now_ms()
        self.raw = b""
        self.is_recorded = False
        self._answer = allocate_lock()

    def answer(self, text: str) -> bool:
        """Answer the host, unless that was done."""
        if not self._answer.acquire(blocking=False):
            return False
        if not self.is_late:
            try:
                os.write(1, text.encode("ascii", "replace"))
            except OSError:
                return True
        return True


def main(arguments: "list[str]") -> None:
    """Serve one call and end the process."""
    *options, agent, event = ["", "", *arguments]
    late_ms = int(options[-1]) if LATE in options else 0
    call = Call(agent, event, late_ms=late_ms)
    if not late_ms and WAIT not in options:
        start_new_thread(_watch, (call,))
    try:
        text = serve(call)
    except BaseException as err:  # noqa: BLE001 - the outer edge: no host is ever troubled
        state.log(f"{agent} {event}: {type(err).__name__}: {err}")
        text = NEUTRAL
    if not call.answer(text):
        time.sleep(DEADLINE_S)  # the watch ends this process when it has handed the event over
    leave(0)


def serve(call: Call) -> str:
    """Record what happened and say what to put before the agent."""
    if call.agent not in AGENTS:
        state.log(f"unknown agent `{call.agent}`")
        return NEUTRAL
    call.raw = _read_all()  # first of all: what was not read by the deadline can't be handed over
    host = __import__(f"codecairn.hooks.{call.agent}", fromlist=["translate"])
    payload = loads(call.raw.decode("utf-8", "replace"))
    hook_event: HookEvent | None = (
        host.translate(call.event, payload) if isinstance(payload, dict) else None
    )
    if hook_event is None:
        return NEUTRAL
    from codecairn.hooks import opt_out, project_config
    from codecairn.hooks.event import ANCHORED, REQUESTED

    hook_event.folder = hook_event.folder or os.getcwd()
    hook_event.host = call.agent
    project = project_config.find(hook_event.folder)
    is_own = hook_event.prompt.startswith(REQUESTED)
    if is_own or not (project.captures or project.injects) or opt_out.is_off(hook_event):
        return _reply(host, call, "")
    hook_event.path = _relative(hook_event.path, hook_event.folder, project.root)
    has_nothing_to_show = hook_event.wants == ANCHORED and not project_config.may_have_facts(
        project, hook_event.path
    )
    if has_nothing_to_show:
        hook_event.wants = ""
    if (has_nothing_to_show and not hook_event.records) or _is_served_elsewhere(
        call, payload, project
    ):
        return _reply(host, call, "")
    if not call.is_late and not state.claimed(
        call.agent, call.event, str(call.raw), within_s=_CLAIM_S
    ):
        return _reply(host, call, "")
    return _reply(host, call, _remembered(call, hook_event, project))


def _remembered(call: Call, hook_event: "HookEvent", project: "ProjectConfig") -> str:
    """Look up and record: a prompt that is recorded already would be the best answer to itself."""
    from codecairn import _native

    memory = _native.Memory(project.memory, project.root, project.options)
    _LEFT_OPEN.append(memory)
    hook_event.session = _native.pseudonym(hook_event.session)
    hook_event.parent = _native.pseudonym(hook_event.parent)
    text = ""
    is_shown = project.injects and hook_event.wants and not call.is_late
    if is_shown and not hook_event.loses_context:
        text = _looked_up(call, memory, hook_event, project)
    if project.captures:
        _record(call, memory, _events(call, hook_event, project, _native.git_head(project.root)))
    _start_due_work(hook_event, project)
    if is_shown and hook_event.loses_context:
        text = _looked_up(call, memory, hook_event, project)
    for note in hook_event.notes:  # now that its session is known
        memory.note_injection(dumps(note))
    if project.asks_every and not call.is_late and not hook_event.parent:
        text = text or _asked(hook_event, project.asks_every)
    if project.routes and hook_event.prompt and hook_event.wants and not call.is_late:
        from codecairn.hooks.routing import hint

        text = "\n\n".join(filter(None, (text, hint(hook_event))))
    return text


def _asked(hook_event: "HookEvent", every: int) -> str:
    """What an agent is asked for at the end of its turn."""
    from codecairn.hooks import asking

    if hook_event.prompt:
        asking.count(hook_event)
    return asking.request(hook_event, every=every) if hook_event.is_turn_end else ""


def _start_due_work(hook_event: "HookEvent", project: "ProjectConfig") -> None:
    is_due = hook_event.is_opening or hook_event.is_closing or hook_event.loses_context
    if not project.works or not (is_due or (hook_event.is_turn_end and project.has_models)):
        return
    from codecairn.hooks import processes

    if is_due:
        processes.work(project, session=hook_event.session if hook_event.loses_context else "")
    else:
        processes.work_when_quiet(project)


def _record(call: Call, memory: "Memory", events: "list[Payload]") -> None:
    for event in events:
        memory.record(dumps(event))
    call.is_recorded = True


def _looked_up(
    call: Call, memory: "Memory", hook_event: "HookEvent", project: "ProjectConfig"
) -> str:
    from codecairn.hooks.context import context_for

    try:
        return context_for(memory, hook_event, project)
    except Exception as err:  # noqa: BLE001 - an agent without context goes on, one without an answer does not
        state.log(f"{call.agent} {call.event}: no context: {type(err).__name__}: {err}")
        hook_event.notes.clear()
        return ""


def _events(
    call: Call, hook_event: "HookEvent", project: "ProjectConfig", head: "tuple[str, str]"
) -> "list[Payload]":
    # Who hands an event over may have recorded it as well; equal keys are kept once.
    digest = state.name_of(str(call.raw), str(call.happened_ms))
    events = []
    for number, record in enumerate(hook_event.records):
        event = _event(record, call, hook_event, project)
        event["branch"], event["commit"] = head
        event["key"] = state.name_of(event.get("key") or f"{digest}:{number}")
        events.append(event)
    return events


def _event(
    record: "Payload", call: Call, hook_event: "HookEvent", project: "ProjectConfig"
) -> "Payload":
    event = {
        "session": hook_event.session,
        "parent_session": hook_event.parent or None,
        "host": call.agent,
        "model": hook_event.model,
        "ts_ms": call.happened_ms,
        **record,
    }
    if event.get("path"):
        event["path"] = _relative(event["path"], hook_event.folder, project.root)
    for name, value in event.items():
        if isinstance(value, str):  # halves of characters, which JSON may hold
            event[name] = value.encode("utf-8", "replace").decode("utf-8")
    return event


def _relative(path: str, folder: str, root: str) -> str:
    """A file's name inside the workspace; its whole path if it lies elsewhere."""
    if not path:
        return ""
    full = normpath(join(folder, path))
    whole = full
    if not full.startswith(root + SEPARATOR):
        from os.path import realpath

        whole = realpath(full)
    inside = whole.startswith(root + SEPARATOR)
    return whole[len(root) + 1 :].replace(SEPARATOR, "/") if inside else full


def _reply(host: object, call: Call, text: str) -> str:
    return dumps(host.reply(call.event, text))  # type: ignore[attr-defined]


def _is_served_elsewhere(call: Call, payload: "Payload", project: "ProjectConfig") -> bool:
    """Whether Cursor plays Claude Code's hooks to us and has our own as well."""
    if call.agent == "cursor" or "cursor_version" not in payload:
        return False
    for folder in (expanduser("~"), project.root):
        if b"hook cursor" in state.head_of(join(folder, ".cursor", "hooks.json")):
            return True
    return False


def _read_all() -> bytes:
    parts: list[bytes] = []
    size = 0
    while size <= _MAX_BYTES:
        part = os.read(0, 1_048_576)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    raise ValueError("the event is too large")


def _watch(call: Call) -> None:
    """At the deadline: answer, hand the event to another process, and exit."""
    time.sleep(DEADLINE_S)
    if not call.answer(NEUTRAL):
        return
    try:
        state.log(f"{call.agent} {call.event}: not done within {DEADLINE_S * 1000:.0f} ms")
        if call.raw and not call.is_recorded:
            from codecairn.hooks import processes

            processes.hand_over([str(call.happened_ms), call.agent, call.event], call.raw)
    finally:
        leave(0)
