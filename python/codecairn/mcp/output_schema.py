"""The JSON schemas of tools' results, for programs that read `structuredContent`.

A schema names the fields of the document and their types. No field is required: an error has `error`, `message` and `hint` in their
place, and a call during the first index has its progress. Models are not shown these schemas by most hosts, so they have no texts.
"""

from collections.abc import Mapping

_TYPES: Mapping[str, Mapping[str, object]] = {
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "object": {"type": "object"},
    "objects": {"type": "array", "items": {"type": "object"}},
    "texts": {"type": "array", "items": {"type": "string"}},
    "list": {"type": "array"},
    "any": {},
}

_SEARCH = "query: text, branch: text, stale: texts, unchecked: count, confidence: number?, results: objects"
_ROWS = "results: objects"
_FACT = (
    "id: text, version: count, project: text, scope: text, type: text, title: text, text: text, tags: texts, "
    "subject: text, predicate: text, origin: text, maker: text, confidence: number, is_pinned: flag, is_private: flag, "
    "state: text, branch: text, commit: text, valid_from_ms: count, invalid_at_ms: count?, superseded_by: text?, "
    "recorded_ms: count, retracted_ms: count?, expires_ms: count?, reason: text, sources: list, meta: object"
)
_RECORDED = "seq: count?, is_kept: flag, is_waiting: flag"
_PACK = (
    "subject: text, route: text, token_budget: count, tokens: count, is_exact: flag, sections: objects, "
    "left_out: list, notes: texts, unresolved_count: count"
)
_EVENT = "session_id: text, event_kind: text, id: text?, summary: object?, status: text"
_SETTINGS = "channel: text, viewer_refresh_sec: count, beta_endless_mode: flag"
_EPISODES = "message: text, nodes: objects, edges: objects, facts: objects, episodes: objects"
_MEM_SEARCH = (
    "query: text, stage: text, parsed: object, filters: object, auto_seeded: flag, db_counts: object, "
    "results: objects, token_estimate_total: count"
)

_FIELDS: Mapping[str, str] = {
    "codebase_search": _SEARCH,
    "codebase_peek": _SEARCH,
    "implementation_lookup": _SEARCH,
    "find_similar": _SEARCH,
    "codebase_context": _PACK,
    "codebase_edit_context": _PACK,
    "call_graph": "direction: text, symbols: objects, also: list, uses: objects, possible: objects, outside: list, "
    "left_out: count, further: list, unresolved: list, unresolved_count: count, "
    "into_tests: count, more: object",
    "call_graph_path": "source: text, target: text, hops: objects, is_reversed: flag, possible: objects, more: object",
    "code_communities": "symbols: count, total: count, communities: objects, couplings: objects, "
    "couplings_left_out: count, more: object",
    "code_uses": "name: text, counts: list, total: count, files: count, places: objects, left_out: count, more: object",
    "pr_impact": "subject: text, compared: text, index: text, files: texts, not_indexed: texts, touched: objects, "
    "dependents: objects, top_level: list, possible: objects, unresolved: list, unresolved_count: count, into_tests: count, tests: list, test_files: list, "
    "communities: objects, hubs: list, risk: text, reasons: texts, conflicts: list, notes: texts, more: object",
    "index_visualize": "file: text, symbols: count, links: count",
    "list_knowledge_bases": _ROWS,
    "add_knowledge_base": "base: object, index: object",
    "remove_knowledge_base": "name: text, path: text, source: text",
    "index_codebase": "branch: text, files: count, added: count, modified: count, removed: count, renamed: count, "
    "unchanged: count, parsed: count, reused: count, rejected: count, chunks: count, new_chunks: count, "
    "embedded: count, pending: count, skipped: count, size_bytes: count, seconds: number, diagnostics: count, "
    "crashed: objects, "
    "embedding: object?, texts: count, tokens: count, providers: list",
    "index_status": "root: text, store: text, branch: text, head: text?, format: count, generation: count, "
    "files: count, blobs: count, chunks: count, texts: count, vectors: count, pending: count, symbols: count, "
    "branches: list, languages: objects, skipped: list, coarse: count, unparsed: list, crashed: objects, store_bytes: count, "
    "segments: count, embedder: text, dimensions: count, indexed_at_ns: count, indexing: text, notes: texts, "
    "lossy: list, embedding: object?, spending: list, knowledge: objects, outgoing: texts, memory_embedding: object?, "
    "vector_method: text, done: count, total: count",
    "index_health_check": "problems: objects, garbage: object",
    "index_skips": _ROWS,
    "index_metrics": "results: objects, effectiveness: object",
    "index_logs": _ROWS,
    "ask": "question: text, profile: text, token_budget: count, tokens: count, pieces: objects, coverage: objects, "
    "unknown_words: texts, searches: count, notes: texts",
    "memory_search": "is_answered: flag, period: text, notes: texts, results: objects",
    "memory_add": "id: text, is_new: flag, is_waiting: flag, is_version: flag, ended: texts, may_contradict: texts",
    "memory_get": _ROWS,
    "memory_why": "id: text, versions: objects, sources: objects, standing: object, shown: objects, rank: count?, "
    "found: object?, gate: object?",
    "memory_timeline": _ROWS,
    "memory_list": _ROWS,
    "memory_update": _FACT,
    "memory_forget": _FACT,
    "memory_notes": _ROWS,
    "memory_context": "placement: text, text: text, tokens: count, items: objects, is_repeated: flag",
    "memory_record": f"{_RECORDED}, facts: list",
    "memory_session": f"results: objects, {_RECORDED}, facts: list, schema: text, project: text, sessions: objects, "
    "events: objects, anchors: object",
    "memory_init": "is_new_project: flag, files: texts, facts: count, known: count, asked: count, obstacle: text, hint: text",
    "memory_admin": "results: objects, problems: list, project: text, facts: count, events: count, sessions: count, "
    "waiting: count, key: text, value: text, effective: text, file: text, usd: number, obstacle: text",
    "memory": "success: flag, message: text, id: text, scope: text, type: text, query: text, count: count, "
    "results: objects, memories: objects, profile: object, commands: objects, scopes: object, types: texts",
    "mem_search": _MEM_SEARCH,
    "mem_nl_search": _MEM_SEARCH,
    "mem_timeline": "anchor: object, before: objects, after: objects",
    "mem_get_observations": "count: count, skipped_ids: list, items: objects",
    "mem_ask": "question: text, layer1_search: object, layer3_observations: objects, repo_context: objects, "
    "mapping_decision: object, coverage_gate: object, prompt_plan: objects, prompt_metrics: object, "
    "suggested_prompt: text, token_estimate: count, forced_next_input: text",
    "mem_config_get": _SETTINGS,
    "mem_config_set": _SETTINGS,
    "mem_session_start": _EVENT,
    "mem_user_prompt_submit": _EVENT,
    "mem_post_tool_use": _EVENT,
    "mem_stop": _EVENT,
    "mem_session_end": _EVENT,
    "mem_summarize_session": _EVENT,
    "mem_export_session": "schema: text, session_id: text, anonymized: flag, sessions: objects, events: any, "
    "observations: any, output_path: text",
    "add_memory": _EPISODES,
    "search_nodes": _EPISODES,
    "search_memory_facts": _EPISODES,
    "get_episodes": _EPISODES,
    "get_episode_entities": _EPISODES,
    "add_triplet": _EPISODES,
    "delete_episode": _EPISODES,
    "delete_entity_edge": _EPISODES,
    "clear_graph": _EPISODES,
    "get_entity_edge": "uuid: text, group_id: text, source_node_uuid: text, target_node_uuid: text, created_at: text, "
    "name: text, fact: text, episodes: list, expired_at: text?, valid_at: text?, invalid_at: text?, attributes: object",
    "summarize_saga": "message: text, uuid: text, name: text, summary: text",
    "get_status": "status: text, message: text",
}
"""The fields of each tool's document; `?` marks those that may be null."""


def output_schema(tool: str) -> dict[str, object]:
    """The JSON schema of what a tool returns as `structuredContent`."""
    fields = (field.strip().split(": ") for field in _FIELDS[tool].split(","))
    return {"type": "object", "properties": {name: _type(kind) for name, kind in fields}}


def _type(kind: str) -> dict[str, object]:
    schema = dict(_TYPES[kind.removesuffix("?")])
    return {**schema, "type": [schema["type"], "null"]} if kind.endswith("?") else schema
