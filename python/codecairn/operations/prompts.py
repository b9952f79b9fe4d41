"""Defines the MCP prompts that users select in their agent."""

from collections.abc import Mapping
from types import MappingProxyType

from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt; `argument` is the word that people give it, empty for none."""

    name: str
    text: str
    argument: str
    argument_text: str
    is_required: bool
    template: str

    def filled(self, value: str) -> str:
        """The text for the model."""
        return self.template.format(value=value.strip())


PROMPTS: Mapping[str, Prompt] = MappingProxyType(
    {
        prompt.name: prompt
        for prompt in (
            Prompt(
                name="search",
                text="Find code by what it does",
                argument="query",
                argument_text="What the code does.",
                is_required=True,
                template="Use `codebase_search` to find: {value}\n"
                "Read what is needed around the best results, then answer with paths and lines.",
            ),
            Prompt(
                name="find",
                text="Find code by meaning and by exact text",
                argument="query",
                argument_text="What to find.",
                is_required=True,
                template="Find everything about: {value}\n"
                "Begin with `codebase_search`, then search exactly for the names that it shows, so that no use is missed.",
            ),
            Prompt(
                name="definition",
                text="Show where a symbol is defined",
                argument="query",
                argument_text="The symbol's name.",
                is_required=True,
                template="Use `implementation_lookup` for `{value}` and explain what it does, with path and lines.",
            ),
            Prompt(
                name="index",
                text="Bring the index up to date",
                argument="options",
                argument_text="`force` to read every file again, `estimate` to report only what it would do.",
                is_required=False,
                template="Call `index_codebase` (options: {value}), or run `codecairn index` if that tool is not offered, "
                "and report what changed.",
            ),
            Prompt(
                name="status",
                text="Show the state of the index",
                argument="",
                argument_text="",
                is_required=False,
                template="Call `index_status`, or run `codecairn status` if that tool is not offered, and report in two "
                "sentences whether the index is complete and fresh.",
            ),
        )
    }
)
"""Every prompt by name."""
