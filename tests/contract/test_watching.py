"""A watch beside a provider: texts are listed as they come, and nothing is sent."""

import queue

from codecairn.indexing.watch import Update
from contract.conftest import FUNCTIONS, SETUPS, Opener, function
from support.provider_server import ProviderServer
from support.watched import PATIENCE_S

OPENAI = SETUPS[0]


def test_watch_lists_texts_and_leaves_sending_them_to_index(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(OPENAI)
    workspace.index()
    sent = len(server.asked)
    updates: queue.Queue[Update] = queue.Queue()
    with workspace.watch(on_update=updates.put) as watch:
        assert watch.ready.wait(PATIENCE_S)
        assert updates.get(timeout=PATIENCE_S).report.pending == 0
        (workspace.root / "later.py").write_text(function(FUNCTIONS))
        update = updates.get(timeout=PATIENCE_S)
    assert (update.report.added, update.report.pending) == (1, 1)
    assert len(server.asked) == sent
    embedding = workspace.index().embedding
    assert embedding is not None
    assert (embedding.embedded, embedding.pending) == (1, 0)


def test_watch_makes_the_list_of_a_provider_that_is_new(
    server: ProviderServer, open_with: Opener
) -> None:
    plain = open_with(OPENAI, embedding__provider="builtin", embedding__base_url="")
    plain.index()
    chosen = open_with(OPENAI)
    with chosen.watch() as watch:
        assert watch.ready.wait(PATIENCE_S)
    status = chosen.status().embedding
    assert status is not None
    assert status.state.pending == status.state.texts >= FUNCTIONS
    assert server.asked == []
