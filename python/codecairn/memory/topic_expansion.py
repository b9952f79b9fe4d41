"""Expands a broad topic of a question to the terms that its memories use.

"What is the complete tech stack?" is answered by choices of a database or a framework, and "the history of the deployment" by
built images: memories of a broad topic rarely contain its name.
"""

import re

_BELONGING = {
    r"tech(?:nology)? stack|technologies|技术栈": "framework language database ORM cache library authentication payments "
    "email logging deployment",
    r"evolve[ds]?|evolving|evolution|history of|历史|演变": "started switched migrated added fixed replaced completed",
    r"set(?:ting)? ?up|from scratch|get(?:ting)? started|搭建": "install configure environment variables commands run start "
    "migrations",
    r"external services?|integrations?|integrates?|集成": "third-party provider API key payments email webhook",
    r"tests?|testing|测试": "tests pytest fixtures mock coverage test data",
    r"(?:overall|current|final|feature|project) (?:state|status)|(?:state|status) of (?:the|our|both|all)|进展": "completed done in progress pending next steps",
    r"environment variables?|env vars?|环境变量": "env var KEY SECRET URL",
    r"secur(?:e|ed|ity)|安全": "authentication authorization token cookie password role admin rate limit secret signature",
    r"deploy(?:ed|ments?)?|infrastructure|部署": "production Docker container image server proxy health check release",
    r"performance|optimi[sz]ations?|性能": "slow fast latency index cache query duplicate speed",
    r"data models?|schemas?|数据模型": "model table column field index migration",
    r"endpoints?|routes?|接口": "GET POST PUT DELETE",
    r"bugs?|problems?|issues?|问题|缺陷": "error failing wrong cause fix fixed",
    r"preferences?|conventions?|偏好|约定": "prefer always never instead of",
}
_MATTERS = [
    (re.compile(rf"(?<![a-z0-9])(?:{named})(?![a-z0-9])", re.IGNORECASE), words)
    for named, words in _BELONGING.items()
]


def expand_topic(question: str) -> str:
    """Words for what belongs to the matters that a question names; none if it names none that is known here."""
    return " ".join(words for named, words in _MATTERS if named.search(question))
