"""The fourteen `mem_*` tools of codex-mem."""

from collections.abc import Callable

from codecairn.mcp.compatibility import codex_mem_reading as reading
from codecairn.mcp.compatibility import codex_mem_writing as writing
from codecairn.mcp.compatibility.shared_format import Document, json_tool
from codecairn.mcp.tool import Tool, Values, parameter
from codecairn.operations.operation import Parameter
from codecairn.workspace.workspace import Workspace


def _tool(
    name: str,
    text: str,
    make: Callable[[Workspace, Values], Document],
    *parameters: Parameter,
    is_read_only: bool = False,
    is_destructive: bool = False,
    needs_index: bool = False,
) -> Tool:
    return json_tool(
        name,
        text,
        make,
        parameters,
        failed=lambda message: {"error": message},
        is_read_only=is_read_only,
        is_destructive=is_destructive,
        needs_index=needs_index,
    )


def _count(name: str, text: str, least: int, most: int) -> Parameter:
    return parameter(name, text, value_type=int, minimum=least, maximum=most)


_PROJECT = parameter("project", "A label of the caller's; all of the workspace's if not given.")
_SESSION = parameter("session_id", "The session.", is_required=True)
_TITLE = parameter("title", "A few words.")
_CONTENT = parameter("content", "What was said.")
_PRIVATE = parameter("include_private", "Include private records.", value_type=bool)
_ALPHA = parameter(
    "alpha",
    "How much words count beside meaning, to order by these two alone.",
    value_type=float,
    minimum=0,
    maximum=1,
)
_QUERY = parameter("query", "What to look for.", is_required=True)
_SEARCH = (
    _QUERY,
    _PROJECT,
    parameter("session_id", "Only this session's events."),
    parameter("since", "Only records since this time."),
    parameter("until", "Only records before this time."),
    _PRIVATE,
    _count("limit", "How many at most; 20 if not given.", 1, 200),
    _ALPHA,
)
_UNUSED = "Taken, without effect: the profile of the question decides."

TOOLS = (
    _tool(
        "mem_search",
        "Titles of what is remembered about something, with what each would cost to read.",
        reading.search,
        *_SEARCH,
        is_read_only=True,
    ),
    _tool(
        "mem_nl_search",
        'The same for a question in plain words ("bugs of last week"), with snippets.',
        reading.nl_search,
        *_SEARCH,
        _count("snippet_chars", "Characters of a snippet; 240 if not given.", 32, 8_000),
        is_read_only=True,
    ),
    _tool(
        "mem_timeline",
        "What happened before and after something remembered.",
        reading.timeline,
        parameter("id", "E<n> or O<n>.", is_required=True),
        _PROJECT,
        _count("before", "How many before it; 5 if not given.", 0, 200),
        _count("after", "How many after it; 5 if not given.", 0, 200),
        _PRIVATE,
        _count("snippet_chars", "Characters of a snippet; 240 if not given.", 32, 4_000),
        is_read_only=True,
    ),
    _tool(
        "mem_get_observations",
        "What is remembered under some ids, in full.",
        reading.get_observations,
        parameter("ids", "E<n> and O<n>.", is_list=True, is_required=True),
        _PROJECT,
        parameter("compact", "Snippets instead of full texts.", value_type=bool),
        _PRIVATE,
        _count("snippet_chars", "Characters of a snippet; 240 if not given.", 32, 8_000),
        is_read_only=True,
    ),
    _tool(
        "mem_ask",
        "Memory and code for a question, fused into one prompt.",
        reading.ask,
        parameter("question", "What is asked.", is_required=True),
        _PROJECT,
        parameter("session_id", "Only this session's events, for the memory's part."),
        _count("search_limit", "How many memories are looked for.", 1, 200),
        _count("detail_limit", "How many of them are read.", 1, 100),
        _count("code_top_k", _UNUSED, 1, 200),
        _count("code_module_limit", _UNUSED, 1, 100),
        parameter("repo_index_dir", "Taken, without effect: the workspace's own index is read."),
        _ALPHA,
        _PRIVATE,
        _count("snippet_chars", "Characters of a snippet.", 32, 8_000),
        parameter("prompt_style", _UNUSED, choices=("compact", "legacy")),
        parameter("mapping_fallback", _UNUSED, choices=("auto", "off")),
        parameter("mapping_debug", _UNUSED, value_type=bool),
        parameter("prompt_only", "Only the prompt.", value_type=bool),
        is_read_only=True,
        needs_index=True,
    ),
    _tool("mem_config_get", "The settings.", writing.config_get, is_read_only=True),
    _tool(
        "mem_config_set",
        "Change the settings: in the workspace's file, and in this server at once.",
        writing.config_set,
        parameter("channel", "stable or beta.", choices=("stable", "beta")),
        _count("viewer_refresh_sec", "Taken, without effect: no page polls.", 1, 60),
        parameter("beta_endless_mode", "For sessions that never end.", value_type=bool),
    ),
    _tool(
        "mem_session_start",
        "A session begins.",
        writing.session_start,
        _SESSION,
        _PROJECT,
        _TITLE,
        _CONTENT,
    ),
    _tool(
        "mem_user_prompt_submit",
        "The user said something.",
        writing.user_prompt_submit,
        _SESSION,
        parameter("prompt", "What.", is_required=True),
        _PROJECT,
        _TITLE,
    ),
    _tool(
        "mem_post_tool_use",
        "A tool was used.",
        writing.post_tool_use,
        _SESSION,
        parameter("tool_name", "Which.", is_required=True),
        parameter("content", "Its output.", is_required=True),
        _PROJECT,
        _TITLE,
        parameter("file_path", "The file concerned."),
        parameter("exit_code", "The exit code of a command.", value_type=int),
        parameter("tags", "Words to find it by.", is_list=True),
        parameter(
            "privacy_tags",
            "no_mem, block, skip: keep nothing; private, sensitive, secret: on request only; redact, mask: hide more.",
            is_list=True,
        ),
        parameter("compact", "Whether the output is made short.", value_type=bool),
        _count("compact_chars", "The number of characters that are kept.", 128, 20_000),
    ),
    _tool("mem_stop", "The agent answered.", writing.stop, _SESSION, _PROJECT, _TITLE, _CONTENT),
    _tool(
        "mem_session_end",
        "A session ends, and is summarised.",
        writing.session_end,
        _SESSION,
        _PROJECT,
        parameter("skip_summary", "No summary.", value_type=bool),
    ),
    _tool(
        "mem_summarize_session",
        "Summarise a session.",
        writing.summarize_session,
        _SESSION,
        _PROJECT,
    ),
    _tool(
        "mem_export_session",
        "A session as one document.",
        writing.export_session,
        _SESSION,
        _PROJECT,
        _PRIVATE,
        parameter(
            "anonymize",
            "Without names of people and places; on if not given.",
            choices=("on", "off"),
        ),
        _count("max_events", "The newest; 1000 if not given.", 1, 5_000),
        _count("max_observations", "The newest; 500 if not given.", 1, 5_000),
        parameter("output_path", "A new file inside the workspace to write it to."),
        _count("indent", "Blanks a level, in the file.", 0, 8),
    ),
)
