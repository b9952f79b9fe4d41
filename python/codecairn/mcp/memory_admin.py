"""The tool `memory_admin`: status, health, settings and maintenance of the memory."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from codecairn.config.layers import load
from codecairn.config.setting import as_text
from codecairn.config.settings import SETTINGS
from codecairn.config.validation import find_setting
from codecairn.core.engine import ProgressCallback
from codecairn.errors import NotIndexed, UsageError
from codecairn.mcp import memory_answers
from codecairn.mcp.answers import Answer, rows_answer
from codecairn.mcp.client_settings import change_setting
from codecairn.mcp.tool import Tool, Values, parameter
from codecairn.memory.importing.sources import SOURCES
from codecairn.operations.json_output import plain_document
from codecairn.operations.maintenance_operations import MAINTENANCE_OPERATIONS
from codecairn.operations.record_operations import RECORD_OPERATIONS
from codecairn.workspace.workspace import Workspace

_SHOWN = ("memory.", "hooks.", "extraction.", "mcp.")

_IMPORTABLE = tuple(name for name, source in SOURCES.items() if source.usual_place is not None)
"""Whose memory an agent may import: it can't name a file, so each has a place where it usually lies."""


def _status(workspace: Workspace, _values: Values) -> Answer:
    return memory_answers.memory_status_answer(workspace.memory.status())


def _doctor(workspace: Workspace, _values: Values) -> Answer:
    status = workspace.memory.status()
    try:
        found = [f"{problem.code}: {problem.detail}" for problem in workspace.doctor()]
    except NotIndexed:
        found = ["there is no index yet: `index_codebase`"]
    if status.waiting:
        found.append(f"{status.waiting:,} records wait until the database can be written: `drain`")
    if status.dead_jobs:
        found.append(f"{status.dead_jobs:,} jobs failed for good; `work` takes up what they left")
    document: dict[str, object] = {"problems": found, "database": status.path}
    return Answer(text="\n".join(found) or "nothing is wrong", document=document)


def _config_get(workspace: Workspace, values: Values) -> Answer:
    loaded = load(workspace.root)
    key = values.get("key")
    keys = [str(find_setting(str(key), source="`key`").key)] if key else list(SETTINGS)
    rows: list[dict[str, object]] = [
        {
            "key": each,
            "value": as_text(getattr(loaded.settings, SETTINGS[each].field)),
            "source": loaded.sources[each],
        }
        for each in keys
        if key or each.startswith(_SHOWN)
    ]
    lines = [f"{row['key']} = {row['value']}  ({row['source']})" for row in rows]
    return rows_answer(lines, rows, empty="")


def _config_set(workspace: Workspace, values: Values) -> Answer:
    key, value = str(values.get("key") or ""), values.get("value")
    if value is None:
        raise UsageError("`value` is missing", hint="give the setting's new value")
    done = change_setting(workspace, key, str(value))
    text = f"{key} = {done.stored}  in {done.file}; it holds from now on"
    if done.effective != done.stored:
        text = (
            f"{key} = {done.stored}  in {done.file}, but {done.source} sets it to {done.effective}"
        )
    document = {"key": key, "value": done.stored, "effective": done.effective}
    return Answer(text=text, document={**document, "file": str(done.file)})


def _costs(workspace: Workspace, _values: Values) -> Answer:
    costs = workspace.memory.upkeep.costs()
    lines = [
        f"{cost.provider} {cost.model} {cost.purpose}: {cost.input_tokens:,} tokens in, "
        f"{cost.output_tokens:,} out, ${cost.micro_usd / 1e6:.6f}"
        for cost in costs
    ]
    answer = rows_answer(
        lines, [plain_document(cost) for cost in costs], empty="no model was asked yet"
    )
    answer.document["usd"] = sum(cost.micro_usd for cost in costs) / 1e6
    return answer


def _activity(workspace: Workspace, values: Values) -> Answer:
    wanted = {name: values[name] for name in ("session", "limit") if name in values}
    return memory_answers.events_answer(RECORD_OPERATIONS["events"].run(workspace, **wanted))


def _drain(workspace: Workspace, _values: Values) -> Answer:
    before = workspace.memory.status().waiting
    workspace.memory.tidy()
    left = workspace.memory.status().waiting
    text = f"{before - left:,} waiting records taken in, {left:,} left"
    return Answer(text=text, document={"taken_in": before - left, "waiting": left})


def _work(workspace: Workspace, values: Values) -> Answer:
    wanted = {name: values[name] for name in ("session", "limit", "dry_run") if name in values}
    return memory_answers.report_answer(MAINTENANCE_OPERATIONS["work"].run(workspace, **wanted))


def _import(workspace: Workspace, values: Values) -> Answer:
    source = values.get("source")
    if not source:
        raise UsageError(
            "whose memory?",
            hint=f"give `source`, one of {', '.join(_IMPORTABLE)}; a file is for `codecairn memory import`",
        )
    dry_run = bool(values.get("dry_run"))
    return memory_answers.report_answer(
        MAINTENANCE_OPERATIONS["import"].run(workspace, source=source, dry_run=dry_run)
    )


_ACTIONS: Mapping[str, Callable[[Workspace, Values], Answer]] = MappingProxyType(
    {
        "status": _status,
        "doctor": _doctor,
        "config_get": _config_get,
        "config_set": _config_set,
        "costs": _costs,
        "activity": _activity,
        "drain": _drain,
        "work": _work,
        "import": _import,
    }
)


def _run(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
    return _ACTIONS[str(values.get("action", "status"))](workspace, values)


ADMIN_TOOL = Tool(
    name="memory_admin",
    group="memory",
    text="The memory's state and health, its settings, what it cost, what happened lately; taking in what waits, reading "
    "sessions, importing other tools' memories from their usual places.",
    run=_run,
    extra=(
        parameter("action", "What to do.", choices=tuple(_ACTIONS), default="status"),
        parameter("key", "A setting, for `config_get` and `config_set`."),
        parameter("value", "Its new value."),
        parameter("session", "Only this session, for `activity` and `work`."),
        parameter("limit", "How many at most.", value_type=int, minimum=1),
        parameter("source", "Whose memory to import.", choices=_IMPORTABLE),
        parameter("dry_run", "Only report what would be done.", value_type=bool, default=False),
    ),
    is_read_only=False,
    is_destructive=True,
    is_open_world=True,
)
