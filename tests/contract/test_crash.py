"""Killed in the middle and started again: only what was missing is paid for, counted at the server."""

import os
import signal
import subprocess
import sys
from collections import Counter

from codecairn import Workspace
from contract.conftest import FUNCTIONS, SETUPS, Opener
from support.provider_server import KEY, ProviderServer

OPENAI = SETUPS[0]


def _started(server: ProviderServer, workspace: Workspace) -> "subprocess.Popen[str]":
    """`codecairn index` as a process of its own, with the settings of the workspace here, waiting for its provider."""
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
    fourth = server.reached(4)
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert fourth.wait(60), "the process asks for vectors"
    return process


def test_interrupt_in_the_middle_ends_soon_and_keeps_what_was_paid_for(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(OPENAI)
    server.delay_s = 0.15
    process = _started(server, workspace)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in said
    server.delay_s = 0.0
    paid_before = len(server.embedded)
    assert paid_before >= 8, "what was under way has been waited for"
    report = workspace.index().embedding
    assert report is not None
    assert report.pending == 0
    assert len(server.embedded) == paid_before + report.embedded
    assert workspace.doctor() == ()


def test_kill_in_the_middle_pays_only_for_what_was_missing(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(OPENAI)
    server.delay_s = 0.15
    process = _started(server, workspace)
    process.kill()
    process.communicate()
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
