"""What indexing and embedding would take, reported before anything is done."""

import math
import subprocess
import sys

from codecairn.cli.embedding import provider_lines
from codecairn.core.text_format import duration
from codecairn.embedding.models import DEFAULT_MODELS, LIMITS, find_model
from codecairn.indexing.embedding_estimate import provider_estimates
from codecairn.indexing.watch import trim_heap


def test_every_provider_with_a_model_and_a_price_is_estimated_by_its_list_price() -> None:
    estimates = provider_estimates(texts=1000, tokens=2_000_000)
    assert {estimate.provider for estimate in estimates} == set(DEFAULT_MODELS)
    for estimate in estimates:
        facts = find_model(estimate.model)
        assert facts is not None
        assert facts.usd is not None
        # A subscription covers Copilot's.
        expected = 0.0 if estimate.provider == "copilot" else 2 * facts.usd
        assert math.isclose(estimate.usd, expected)


def test_time_follows_from_the_spacing_of_requests() -> None:
    by_provider = {
        estimate.provider: estimate for estimate in provider_estimates(texts=10_000, tokens=10)
    }
    limits = LIMITS["openai"]
    requests = math.ceil(10_000 / limits.batch_texts)
    assert math.isclose(by_provider["openai"].seconds, requests * limits.interval_ms / 1000)
    assert by_provider["ollama"].usd == 0


def test_nothing_new_has_no_estimate() -> None:
    assert provider_estimates(texts=0, tokens=0) == ()


def test_estimates_and_durations_read_well() -> None:
    lines = ["".join(part if isinstance(part, str) else part[0] for part in line)
             for line in provider_lines(provider_estimates(texts=1000, tokens=2_000_000))]  # fmt: skip
    assert any(line.startswith("    openai (text-embedding-3-small): $0.04") for line in lines)
    spoken = [duration(seconds) for seconds in (0.2, 1, 12.4, 180, 9000)]
    assert spoken == ["under a second", "1 second", "12 seconds", "3 minutes", "2.5 hours"]


def test_memory_is_given_back_without_harm() -> None:
    code = "from codecairn.indexing.watch import trim_heap\ntrim_heap()\nprint(sum(range(10)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "45\n"
    trim_heap()
