"""From a comment, a commit's subject or an identifier to what somebody would have asked for.

A query is one line of plain words: no comment marks, no markup, no tags, and nothing but the first paragraph.
"""

from __future__ import annotations

import re

MAX_QUERY_CHARS = 240
MIN_QUERY_WORDS = 2
# Two of three tokens must be words: commented-out code and tables are not questions.
MIN_WORD_SHARE = 0.66

_MARKS = re.compile(
    r"""^\s*(?:/\*[*!]*|\*+/|//[/!]*|--+\[*\[?|\{-+|-+\}|\#+[!:|]?|;+|%+|\*+(?!\*)|[|^]\s
        |@(?:module|type|short|macro)?doc\s*(?:~[sS])?|[rRuUbB]{0,2}\"{3}|[rR]?'{3})[ \t]?""",
    re.MULTILINE | re.VERBOSE,
)
_END_MARKS = re.compile(r"\*+/\s*$|-\}\s*$|\]\]\s*$|\"{3}\s*$|'{3}\s*$|#+\s*$", re.MULTILINE)
_HASKELL_MARK = re.compile(r"^\s*[|^*$]\s+", re.MULTILINE)
# What follows is parameters, examples and cross references.
_BREAK = re.compile(
    r"\n\s*(?:\n|[@\\]\w+|:\w+|\.\.\s|Args:|Arguments|Parameters|Returns|Raises|Yields|Examples?\b|Note:|See also"
    r"|#\s|-\s+(?:Parameter|Returns|Note|Throws)|=begin|>>>|```|~~~|\$\s|={3,}|-{3,}|\*\s|\d+[.)]\s)"
)
_LEADING_TAG = re.compile(
    r"^\s*(?:[@\\](?:brief|summary|short|desc(?:ription)?|internal|public|private)\b|<summary>)\s*"
)
_LINKS = re.compile(
    r"\{@\w+\s+([^}]*)\}|\[([^\]]*)\]\([^)]*\)|\[([^\]]*)\]\[[^\]]*\]|<see\s+cref=\"(?:\w:)?([^\"]*)\"\s*/>"
)
_ROLES = re.compile(r":[\w:]+:`~?([^`]*)`")
_TAGS = re.compile(r"</?[A-Za-z][^<>]{0,80}>|https?://\S+|[`*]+")
_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[a-z)\"'\]])[.!?]\s+(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]{2,}")
_REFUSED = re.compile(
    r"copyright|licen[cs]e|spdx|@author|all rights reserved|generated|do not edit|\b(?:todo|fixme|xxx|hack)\b|eslint|prettier|"
    r"pylint|noqa|type:\s*ignore|nolint|rubocop|phpcs|phpstan|psalm|istanbul|webpack\w*:|@inheritdoc|swiftlint|clang-format|"
    r"shellcheck|region\b|pragma|nosec|deprecated|^see\b|^same as\b|^overrid|^\W*end\b|^\W*class:|^(?:public|private|static) ",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_SUBJECT_PREFIX = re.compile(r"^(?:\[[^\]]{1,30}\]\s*)*(?:[\w./-]+(?:\(([^)]*)\))?!?:\s+)?")
_SUBJECT_END = re.compile(r"\s*\(?(?:#|gh-|GH-)\d+\)?\.?\s*$|\s*\[[^\]]*\]\s*$")
_ROUTINE = re.compile(
    r"\b(?:bump|release|changelog|version|merge|typos?|revert|lint|format(?:ting)?|ci|deps|dependenc|upgrade|readme|docs?|"
    r"spelling|whitespace|cleanup|clean up|style|rename|wip|prepare|translations?|copyright|licen[cs]e|update \S+ to)\b",
    re.IGNORECASE,
)


def of_comment(comment: str) -> str:
    """The first paragraph of a comment as a query; empty if it says nothing that anybody would look for."""
    text = _END_MARKS.sub("", comment)
    text = _MARKS.sub("", text)
    text = _HASKELL_MARK.sub("", text).strip().strip("\"'")
    text = _LEADING_TAG.sub("", text.strip())
    return plain(_BREAK.split(text + "\n", maxsplit=1)[0])


def of_subject(subject: str) -> str:
    """A commit's subject without prefixes and numbers; empty for routine work, whose words tell nothing of the code."""
    text = _SUBJECT_END.sub("", subject.strip())
    prefix = _SUBJECT_PREFIX.match(text)
    if prefix and prefix.end():
        text = f"{prefix.group(1) or ''} {text[prefix.end() :]}"
    return "" if _ROUTINE.search(text) else plain(text)


def of_name(qualified_name: str) -> str:
    """The last two parts of a qualified name, in words."""
    parts = re.split(r"[.:/#]+", qualified_name)[-2:]
    words = [word.lower() for part in parts for word in _PARTS.findall(part)]
    fresh = [word for i, word in enumerate(words) if word not in words[:i]]
    return " ".join(fresh) if len(fresh) >= MIN_QUERY_WORDS and len(" ".join(fresh)) > 7 else ""


def plain(text: str) -> str:
    """One line of prose: the sentences that fit, or nothing if it is refused."""
    text = _LINKS.sub(lambda match: next((g for g in match.groups() if g), ""), text)
    text = _TAGS.sub(" ", _ROLES.sub(r"\1", text))
    text = _SPACE.sub(" ", text).strip(" -=*#/|:;,.")
    if _REFUSED.search(text[:200]):
        return ""
    kept = ""
    for sentence in _SENTENCE.split(text):
        if kept and len(kept) + len(sentence) > MAX_QUERY_CHARS:
            break
        kept = f"{kept}. {sentence}" if kept else sentence
    kept = kept[:MAX_QUERY_CHARS]
    words = _WORD.findall(kept)
    letters = sum(map(len, words))
    dense = kept.replace(" ", "")
    if len(words) < MIN_QUERY_WORDS or len(dense) < 10 or letters < MIN_WORD_SHARE * len(dense):
        return ""
    return kept
