"""Killed in the middle and started again: only what was missing is paid for, counted at the server."""

import os
import subprocess
import sys
from collections import Counter

from contract.conftest import FUNCTIONS, SETUPS, Opener
from support.provider_server import KEY, ProviderServer

OPENAI = SETUPS[0]


def test_kill_in_the_middle_pays_only_for_what_was_missing(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(OPENAI)  # its settings are those of the process below
    server.delay_s = 0.15
    environment = {
        **os.environ,
        "OPENAI_API_KEY": KEY,
        "CODECAIRN_EMBEDDING_PROVIDER": "openai",
        "CODECAIRN_EMBEDDING_BASE_URL": f"{server.url}/v1",
        "CODECAIRN_EMBEDDING_DIMENSIONS": "8",
        "CODECAIRN_EMBEDDING_INTERVAL_MS": "0",
        "CODECAIRN_EMBEDDING_CONCURRENCY": "1",
        "CODECAIRN_EMBEDDING_BATCH_TEXTS": "2",
    }
    command = [sys.executable, "-m", "codecairn", "index", str(workspace.root)]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while len(server.embeddings) < 4 and process.poll() is None:
        process_is_young()
    process.kill()
    process.wait()
    server.delay_s = 0.0
    paid = Counter(server.embedded)
    assert 0 < len(paid) < FUNCTIONS
    report = workspace.index().embedding
    assert report is not None
    assert (report.pending, report.failed) == (0, 0)
    times = Counter(server.embedded)
    assert len(times) >= FUNCTIONS
    twice = {text for text, count in times.items() if count > 1}
    # Only the one request that was under way may have been answered to nobody.
    assert len(twice) <= 2
    assert workspace.doctor() == ()
    status = workspace.status().embedding
    assert status is not None
    assert status.state.is_active


def process_is_young() -> None:
    """Lets the other process run for a moment."""
    os.sched_yield() if hasattr(os, "sched_yield") else None
