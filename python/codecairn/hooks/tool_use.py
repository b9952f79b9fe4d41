"""Records of tool calls, in one form for all hosts.

Of a file that is read only the name is recorded, as its text is in the project; of an edit, the change. Results of our own server
are not recorded, because a memory must not feed on itself.
"""

from codecairn.hooks.event import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecairn.hooks.event import Record

_PATHS = ("file_path", "filePath", "absolute_path", "notebook_path", "target_file", "path")
_COMMANDS = ("command", "cmd", "pattern", "query", "url", "prompt", "description")
_READS = ("read", "view", "read_file", "read_many_files", "notebookread", "ls", "list_directory")
_PASSING = ("waitformcpservers", "toolsearch")
"""Tools of hosts that do nothing to the project."""
_HEAD, _TAIL = 60_000, 60_000
_PATCH_MARKS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")


def tool_records(
    tool: str, given: object, result: object, *, hook: str, error: str = ""
) -> "list[Record]":
    """What to record of a tool's use; nothing of our own."""
    name = tool.lower()
    if not tool or "codecairn" in name or name in _PASSING:
        return []
    patch = patch_of(given)
    if patch:
        return _patched(tool, patch, hook=hook, error=error)
    record: Record = {"hook": hook, "role": "tool", "tool": tool}
    record["command"] = _command(given)
    record["path"] = path_of(given)
    code = _exit_code(result, error)
    if code is not None:
        record["exit_code"] = code
    if error:
        record["body"] = bounded(error)
        record["category"] = "error"
    elif name not in _READS:
        record["body"] = bounded(_changed(given) or output_of(result))
    return [{key: value for key, value in record.items() if value != ""}]


def path_of(given: object) -> str:
    """The file that a tool was asked to use."""
    found = text_of(given, *_PATHS)
    if found:
        return found
    patch = patch_of(given)
    return _patched_files(patch)[0][0] if patch else ""


def patch_of(given: object) -> str:
    """The patch that a tool was asked to apply, in the form of `apply_patch`."""
    if not isinstance(given, (dict, str)):
        return ""
    text = given if isinstance(given, str) else _command(given) or text_of(given, "input", "patch")
    at = text.find("*** Begin Patch")
    return text[at:] if at >= 0 and _patched_files(text[at:]) else ""


def output_of(result: object) -> str:
    """A tool's output as text, however its host wraps it."""
    if isinstance(result, str):
        return result
    if isinstance(result, list):
        return "\n".join(filter(None, (output_of(part) for part in result)))
    if not isinstance(result, dict):
        return ""
    streams = [text_of(result, "stdout"), text_of(result, "stderr")]
    if any(streams):
        return "\n".join(filter(None, streams))
    for member in ("llmContent", "output", "content", "text", "result", "returnDisplay", "message"):
        inner = output_of(result.get(member))
        if inner:
            return inner
    return ""


def bounded(text: str) -> str:
    """A very long text without its middle: both ends are more informative, and processing all of it takes too long."""
    if len(text) <= _HEAD + _TAIL:
        return text
    return f"{text[:_HEAD]}\n[... {len(text) - _HEAD - _TAIL} characters ...]\n{text[-_TAIL:]}"


def changes_of(edits: object) -> str:
    """What was replaced by what, as lines of a diff."""
    lines = []
    for edit in edits if isinstance(edits, list) else []:
        old, new = text_of(edit, "old_string"), text_of(edit, "new_string")
        lines += [f"-{line}" for line in old.splitlines()]
        lines += [f"+{line}" for line in new.splitlines()]
    return "\n".join(lines)


def _command(given: object) -> str:
    if isinstance(given, dict):
        for name in ("command", "cmd"):
            words = given.get(name)
            if isinstance(words, list):
                return " ".join(word for word in words if isinstance(word, str))
    return text_of(given, *_COMMANDS)


def _changed(given: object) -> str:
    if not isinstance(given, dict):
        return ""
    several = changes_of(given.get("edits"))
    if several:
        return several
    old = text_of(given, "old_string", "oldString")
    new = text_of(given, "new_string", "newString")
    return changes_of([{"old_string": old, "new_string": new}])


def _exit_code(result: object, error: str) -> int | None:
    if isinstance(result, dict):
        for name in ("exit_code", "exitCode", "exit"):
            if isinstance(result.get(name), int):
                return int(result[name])
        inner = _exit_code(result.get("metadata"), "")
        if inner is not None:
            return inner
    if error:
        return _code_in(error[:400])
    # What a program prints may speak of other programs' exit codes: only a whole line at an end of it is the host's.
    lines = output_of(result).strip().splitlines()
    for line in lines[:1] + lines[-1:]:
        if line.lower().startswith("exit code") and line.rstrip()[-1:].isdigit():
            return _code_in(line)
    return None


def _code_in(text: str) -> int | None:
    for mark in ("exit code ", "exit code: ", "exited with code "):
        _, found, rest = text.lower().partition(mark)
        digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
        if found and digits:
            return int(digits[:9])
    return None


def _patched(tool: str, patch: str, *, hook: str, error: str) -> "list[Record]":
    records: list[Record] = []
    for path, body in _patched_files(patch):
        record: Record = {"hook": hook, "role": "tool", "tool": tool, "path": path}
        record["category"] = "error" if error else "file-edit"
        record["body"] = bounded(f"{error}\n{body}" if error else body)
        records.append(record)
    return records


def _patched_files(patch: str) -> "list[tuple[str, str]]":
    """The files of a patch, each with its part."""
    files: list[tuple[str, str]] = []
    lines: list[str] = []
    for line in patch.splitlines():
        mark = next((mark for mark in _PATCH_MARKS if line.startswith(mark)), "")
        if mark:
            lines = []
            files.append((line[len(mark) :].strip(), ""))
        elif files and not line.startswith("*** "):
            lines.append(line)
            files[-1] = (files[-1][0], "\n".join(lines))
    return files
