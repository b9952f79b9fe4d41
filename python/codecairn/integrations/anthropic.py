"""The memory tool of Anthropic's SDK (`pip install anthropic`), with its files in codecairn's memory.

from anthropic import Anthropic
from codecairn import Workspace
from codecairn.integrations.anthropic import CodecairnMemoryTool

with Workspace.open(".") as workspace:
    Anthropic().beta.messages.run_tools(
        model="claude-sonnet-5-5",
        max_tokens=1024,
        messages=[{"role": "user", "content": "Remember that we deploy on Fridays."}],
        tools=[CodecairnMemoryTool(workspace.memory)],
        betas=["context-management-2025-06-27"],
    ).until_done()
"""

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from codecairn.errors import UsageError
from codecairn.integrations.memory_files import MemoryFiles
from codecairn.memory.memory import Memory


class CodecairnMemoryTool(BetaAbstractMemoryTool):
    """Files under `/memories`: names in the memory's log, none of them on the disk. Without what privacy takes out.

    What the model writes is remembered, too: found by the memory's search. What it deletes stays in the log until
    `memory.purge(session=...)` removes it for good.

    Args:
        memory: The project's memory.
        name: Which files they are: the session in the memory's log.
        is_private: Remembered for those only who ask for private records.
        cache_control: As Anthropic's SDK takes it.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        name: str = "anthropic-memories",
        is_private: bool = False,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = MemoryFiles(memory, name, host="anthropic", is_private=is_private)

    def execute(self, command: object) -> str:
        """Run the model's command; an error is its result.

        Raises:
            ToolError: If it can't be done.
        """
        try:
            return str(super().execute(command))  # type: ignore[arg-type, unused-ignore]
        except UsageError as err:
            raise ToolError(": ".join(filter(None, (err.message, err.hint)))) from err

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """A file with the numbers of its lines, or what lies in a folder."""
        return self._files.view(command.path, command.view_range)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """A new file."""
        told = self._files.create(command.path, command.file_text)
        return f"File created successfully at: {command.path}{told}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace the only occurrence of a text."""
        shown = self._files.replace(command.path, command.old_str, command.new_str)
        return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Lines after a line."""
        told = self._files.insert(command.path, command.insert_line, command.insert_text)
        return f"The file {command.path} has been edited.{told}"

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """A file, or a folder with all that lies in it."""
        self._files.delete(command.path)
        return f"Successfully deleted {command.path}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """A file or a folder gets another name."""
        self._files.rename(command.old_path, command.new_path)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Nothing is left."""
        self._files.clear()
        return "All memory cleared"
