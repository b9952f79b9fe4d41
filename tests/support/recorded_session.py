"""A session in a memory, described in a few lines."""

from codecairn import Workspace
from codecairn.core.types.memory import Fact

TURNS = (
    "Which port should the service use? Let us settle on 8443 for the api gateway in all environments.",
    "The gateway listens on 8443 now, and the health check was moved along with it.",
)
"""A prompt that settles something, and its answer."""


def tell(workspace: Workspace, session: str, *turns: str, ended: bool = False) -> list[int]:
    """Record turns ("user" and "assistant" in turn); returns the numbers of their events."""
    seqs = []
    for at, text in enumerate(turns):
        role = "user" if at % 2 == 0 else "assistant"
        recorded = workspace.memory.record(
            session, text, role=role, key=f"{session}-{at}-{text[:20]}"
        )
        assert recorded.seq is not None
        seqs.append(recorded.seq)
    if ended:
        workspace.memory.record(session, hook="SessionEnd", role="system", category="session-meta")
    return seqs


def extracted(workspace: Workspace, *, with_history: bool = False) -> list[Fact]:
    """Facts that a model made, the oldest first; summaries are left out."""
    found = workspace.memory.list(with_history=with_history, with_private=True, limit=1000)
    return [
        fact for fact in reversed(found) if fact.maker == "model" and fact.type != "session-summary"
    ]
