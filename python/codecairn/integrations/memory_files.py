"""Files by path under `/memories` as values in the memory's log. No file on disk is read or written for them."""

from collections.abc import Sequence

from codecairn.errors import UsageError
from codecairn.integrations.key_value_log import KeyValueLog, Name
from codecairn.integrations.memory_paths import (
    ROOT,
    listed,
    missing,
    name_of,
    numbered,
    removal_note,
)
from codecairn.memory.memory import Memory

_AROUND = 2


class MemoryFiles:
    """The files of one session of the log. Every method raises `UsageError` for what can't be done."""

    def __init__(self, memory: Memory, session: str, *, host: str, is_private: bool) -> None:
        self._kept = KeyValueLog(memory, session, host=host, is_private=is_private)

    def view(self, path: str, lines: Sequence[int] | None = None) -> str:
        """A file with the numbers of its lines, from the first to the last of `lines`; or what lies in a folder."""
        name, texts = name_of(path), self._texts()
        if name in texts:
            all_lines = texts[name].split("\n")
            first, last = lines if lines and len(lines) == 2 else (1, -1)
            first, last = max(1, first), len(all_lines) if last == -1 else last
            shown = numbered(all_lines, first, last)
            return f"Here's the content of {path} with line numbers:\n{shown}"
        inside = {each: text for each, text in texts.items() if each[: len(name)] == name}
        if not inside and name != (ROOT,):
            raise missing(path)
        head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        return "\n".join([head, *listed(name, inside)])

    def create(self, path: str, text: str) -> str:
        """Create a file; returns the message for the model."""
        name, texts = name_of(path), self._texts()
        if name in texts:
            raise UsageError(f"File {path} already exists")
        self._require_free(name, path, texts)
        return removal_note(self._kept.put(name, text, text=text), text)

    def replace(self, path: str, old: str, new: str) -> str:
        """Replace the only occurrence of `old`; returns the lines around it."""
        name, text = self._file(path)
        count = text.count(old) if old else 0
        if count != 1:
            found = "did not appear verbatim" if not count else f"stands in {count} places"
            raise UsageError(f"No replacement was performed, old_str `{old}` {found} in {path}.")
        at = text[: text.index(old)].count("\n") + 1
        whole = text.replace(old, new)
        changed = str(self._kept.put(name, whole, text=new))
        shown = numbered(changed.split("\n"), max(1, at - _AROUND), at + _AROUND)
        return shown + removal_note(changed, whole)

    def insert(self, path: str, after: int, text: str) -> str:
        """Put lines after line `after`, before all others if it is 0; returns the message for the model."""
        name, old = self._file(path)
        lines = old.removesuffix("\n").split("\n") if old else []
        if not 0 <= after <= len(lines):
            raise UsageError(
                f"Invalid `insert_line` parameter: {after}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(after, text.removesuffix("\n"))
        whole = "\n".join(lines) + "\n"
        return removal_note(self._kept.put(name, whole, text=text), whole)

    def delete(self, path: str) -> None:
        """Remove a file, or a folder with all that lies in it."""
        for name in self._at(path):
            self._kept.remove(name)

    def rename(self, old: str, new: str) -> None:
        """Give a file or a folder another name."""
        source, target, texts = name_of(old), name_of(new), self._texts()
        moved = self._at(old)
        if target in texts or any(each[: len(target)] == target for each in texts):
            raise UsageError(f"The destination {new} already exists")
        if target[: len(source)] == source:
            raise UsageError(f"{old} can't be moved into itself")
        self._require_free(target, new, texts)
        for name in moved:
            self._kept.put((*target, *name[len(source) :]), texts[name], text=texts[name])
            self._kept.remove(name)

    def clear(self) -> None:
        """Remove all files."""
        for name in self._texts():
            self._kept.remove(name)

    def _texts(self) -> dict[Name, str]:
        return {name: each.value for name, each in self._kept.all().items()}

    def _file(self, path: str) -> tuple[Name, str]:
        name, texts = name_of(path), self._texts()
        if name not in texts:
            is_folder = any(each[: len(name)] == name for each in texts) or name == (ROOT,)
            raise UsageError(f"The path {path} is not a file.") if is_folder else missing(path)
        return name, texts[name]

    def _at(self, path: str) -> list[Name]:
        """The file at a path, or all files in the folder."""
        name = name_of(path)
        if name == (ROOT,):
            raise UsageError("Cannot delete or rename the /memories directory itself")
        found = [each for each in self._texts() if each[: len(name)] == name]
        if not found:
            raise missing(path)
        return found

    def _require_free(self, name: Name, path: str, texts: dict[Name, str]) -> None:
        if name == (ROOT,) or any(each[: len(name)] == name for each in texts):
            raise UsageError(f"The path {path} is a directory.")
        if any(name[: len(each)] == each for each in texts):
            raise UsageError(f"A part of {path} is a file.")
