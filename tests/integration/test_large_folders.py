"""What a large first index costs besides its result."""

import random
import threading

import pytest

from codecairn import Workspace
from support.repository import Repository

FILES = 3_000
WORDS = 4_000
# The log is moved into the database at 32 MB; one batch may come on top before that happens.
MAX_LOG_BYTES = 96 << 20


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_log_of_a_large_first_index_stays_bounded(repository: Repository) -> None:
    chance = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    for number in range(FILES):
        words = ("".join(chance.choices(letters, k=8)) for _ in range(WORDS))
        repository.write(f"notes/{number}.txt", "\n".join(words))
    largest = 0
    done = threading.Event()

    def look(log: str) -> None:
        nonlocal largest
        while not done.wait(0.02):
            path = repository.root / log
            largest = max(largest, path.stat().st_size if path.exists() else 0)

    watcher = threading.Thread(target=look, args=(".codecairn/index.db-wal",))
    watcher.start()
    try:
        with Workspace.open(repository.root) as workspace:
            assert workspace.index().files == FILES
    finally:
        done.set()
        watcher.join()
    assert 0 < largest < MAX_LOG_BYTES
