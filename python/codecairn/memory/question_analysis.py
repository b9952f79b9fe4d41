"""Analyses a question beyond its words: a period, a request for a complete list, an overview, the current state."""

import re
from datetime import datetime

from codecairn.core.light_dataclass import dataclass
from codecairn.memory.periods.reading import read_period
from codecairn.memory.topic_expansion import expand_topic

_TYPES = {
    "decision": r"decisions?|决定|决策",
    "preference": r"preferences?|偏好|喜好",
    "rule": r"rules?|constraints?|conventions?|规则|约束|约定|规范",
    "task": r"tasks?|to-?dos?|任务|待办",
    "error-solution": r"(?:bugs?|errors?|failures?|fixes|bug fixes)|错误|修复|故障",
    "architecture": r"architecture|架构",
    "architecture-pattern": r"(?:architecture )?patterns?|recipes?|模式",
    "tech-context": r"tech(?:nology|nologies)? stack|tech context|technologies|技术栈",
    "learned-pattern": r"lessons?|learnings?|经验|教训",
    "discovery": r"discover(?:y|ies)|findings?|发现",
    "session-summary": r"(?:session )?summar(?:y|ies)|sessions?|总结|会话",
    "note": r"notes?|笔记|备注",
}
_LISTING = re.compile(
    r"^(?:please |can you |could you )*(?:list|show|enumerate|give me|tell me|print)(?: me| us)?"
    r"(?P<whole> all| every| each| the (?:complete|full|entire) list of)(?: of)?(?: the| our| my)*"
    r"(?: (?:past|previous|current|known|open|recorded|remembered))? (?P<what>.+)$"
    r"|^(?:please )?(?:list|enumerate)(?P<plain>)(?: the| our| my)* (?P<named>.+)$"
    r"|^(?:all|every)(?: the| our| my)* (?P<bare>.+)$"
    r"|^(?:请)?(?:列出|列举|显示|有哪些)?(?:所有|全部|一切)(?:的)?(?P<chinese>.+)$",
    re.IGNORECASE,
)
_OVERVIEW = re.compile(
    r"\b(?:all|every|each|across|both|overall|complete|full|entire|whole|everything|summar(?:y|ise|ize)|evolv(?:ed|e|ing)|"
    r"evolution|sequence|history|lifecycle|end[- ]to[- ]end|throughout|compared?)\b|所有|全部|整体|总结|历史|演变|完整",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:current(?:ly)?|now|nowadays|latest|still|at present|as of today|these days)\b|目前|现在|当前|最新|还在",
    re.IGNORECASE,
)
_SAYING_HOW_MUCH = re.compile(
    r"\b(?:all|every|each|across|both|overall|complete|full|entire|whole|everything|throughout|current(?:ly)?|now|latest|"
    r"still)\b|目前|现在|当前|最新|所有|全部",
    re.IGNORECASE,
)
_PROFILE_WORDS = {
    "bugs": r"\b(?:bugs?|fix(?:e[sd]|ing)?|regressions?|incidents?|hotfix(?:es)?|errors?|crash(?:e[sd]|ing)?|"
    r"fail(?:s|ed|ing|ure|ures)?|broken|exceptions?|traceback|stack ?trace|debug(?:ging)?)\b|报错|错误|崩溃|故障|修复|失败",
    "onboarding": r"\b(?:onboard(?:ing)?|overview|architecture|entry ?points?|module map|main flow|"
    r"get(?:ting)? started|new to this|how is (?:this|the) (?:project|repo|repository|code ?base) (?:organi[sz]ed|structured)|"
    r"(?:learn|understand|explain) (?:this|the) (?:project|repo|repository|code ?base))\b|学习这个项目|项目结构|架构|入门|概览",
    "implementation": r"\b(?:implement(?:s|ed|ing|ation)?|add(?:ing)? (?:an?|the|support)|build(?:ing)? an?|creat(?:e|ing) an?|"
    r"refactor(?:ing)?|extend(?:ing)?|write (?:an?|the)|introduce|migrate|rename|replace)\b|实现|新增|添加|重构|开发",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a question asks.

    Attributes:
        text: What it is about: less the words for a time that is counted from now, for a list, and for how much.
        since: Only records since this time.
        until: Only records before this time.
        around: A time that is named by its date: what is of it answers better, and the rest may.
        types: The types of facts that a complete list is asked for; none if none is.
        is_list: Whether a complete list is asked for.
        is_all: Whether nothing is asked but what was done in the period.
        is_overview: Whether answers should come from many sessions.
        belonging: What belongs to the matter of an overview, in words of its own.
        is_about_now: Whether what is newer answers better.
    """

    text: str
    since: datetime | None = None
    until: datetime | None = None
    around: tuple[datetime, datetime] | None = None
    types: tuple[str, ...] = ()
    is_list: bool = False
    is_all: bool = False
    is_overview: bool = False
    belonging: str = ""
    is_about_now: bool = False


def read_question(text: str, *, now: datetime) -> Asked:
    """Read a question; `now` has a zone, in which days begin."""
    period = read_period(text, now=now)
    since = until = around = None
    rest = text.strip()
    is_all = period is not None and period.is_all
    if period is not None and period.is_named and period.since and period.until and not is_all:
        around = (period.since, period.until)
    elif period is not None:
        since, until, rest = period.since, period.until, period.rest
    types, about = _listed(rest)
    is_overview = _OVERVIEW.search(rest) is not None
    return Asked(
        text=_about_what(about),
        since=since,
        until=until,
        around=around,
        types=types,
        is_list=bool(types),
        is_all=is_all,
        is_overview=is_overview,
        belonging=expand_topic(rest) if is_overview else "",
        is_about_now=_NOW.search(rest) is not None,
    )


def profile_of(question: str) -> str:
    """What a question is about, by the name of its profile; words count as wholes ("prefix" is no fix)."""
    counts = {
        profile: len(re.findall(words, question, re.IGNORECASE))
        for profile, words in _PROFILE_WORDS.items()
    }
    best = max(counts, key=lambda profile: counts[profile])
    return best if counts[best] else "daily"


def _about_what(text: str) -> str:
    """The question without the words that say how much, or of when, is wanted; what is remembered need not have them."""
    rest = _SAYING_HOW_MUCH.sub(" ", text)
    return rest if any(letter.isalnum() for letter in rest) else text


def _listed(text: str) -> tuple[tuple[str, ...], str]:
    """The types of facts that a complete list is asked for, and the other words of the question."""
    plain = text.strip().rstrip("?\uff1f.。!\uff01").strip()
    found = _LISTING.match(plain)
    if found is None:
        return (), text
    what = next(found[name] for name in ("what", "named", "bare", "chinese") if found[name])
    for name, words in _TYPES.items():
        head = re.match(rf"(?:的)?(?:{words})(?=\W|$|[一-鿿])", what, re.IGNORECASE)
        tail = re.search(rf"(?:{words})$", what) if found["chinese"] else None
        place = head or tail
        if place is not None:
            about = f"{what[: place.start()]} {what[place.end() :]}".strip()
            about = re.sub(
                r"^(?:about|for|on|regarding|concerning|in|of|that|关于)\b ?|的$", "", about
            )
            return _related(name), about.strip()
    return (), text


def _related(name: str) -> tuple[str, ...]:
    """A type, with those that people call by the same word."""
    families = {
        "architecture": ("architecture", "architecture-pattern"),
        "tech-context": ("tech-context", "project-config"),
    }
    return families.get(name, (name,))
