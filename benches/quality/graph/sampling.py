"""Take a sample of call sites that is the same each time and lies all over the project."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

from benches.quality.graph.grammar import Site

_TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|testdata|examples?|fixtures?|benches|benchmarks?)/"
    r"|(^|/)(test_[^/]*|[^/]*([._-](test|spec)|Tests?)\.[^/.]+|conftest\.py)$"
)
# A file may give this many times its even share.
_SHARES_PER_FILE = 4
# Tests may be most of a project's calls; they are no more than this of a sample.
_MAX_TEST_SHARE = 0.5


def is_test(path: str) -> bool:
    """Whether a path is that of a test, an example or a benchmark."""
    return _TEST.search(path) is not None


def sample(sites: Sequence[Site], *, size: int) -> list[Site]:
    """Choose sites by the hash of their places; tests get no more than their share of all sites, nor than half."""
    files = len({site.place.path for site in sites})
    if not files:
        return []
    per_file = max(2, -(-size * _SHARES_PER_FILE // files))
    share = sum(is_test(site.place.path) for site in sites) / len(sites)
    tests_left = int(size * min(share, _MAX_TEST_SHARE))
    taken: list[Site] = []
    from_file: Counter[str] = Counter()
    for site in sorted(sites, key=_hash):
        path = site.place.path
        if len(taken) == size:
            break
        if from_file[path] == per_file or (is_test(path) and not tests_left):
            continue
        tests_left -= is_test(path)
        from_file[path] += 1
        taken.append(site)
    return sorted(taken)


def _hash(site: Site) -> bytes:
    place = site.place
    return hashlib.sha256(f"{place.path}:{place.line}:{place.column}".encode()).digest()
