"""The dictionary of other languages is learnt from messages."""

import struct

import pytest

from benches.quality.translation import alignment, measuring, tokens, writing
from benches.quality.translation.alignment import Language
from benches.quality.translation.sources import Message

MESSAGES = [
    ("The file could not be opened: {0}", "Die Datei konnte nicht geöffnet werden: {0}"),
    ("The file was deleted", "Die Datei wurde gelöscht"),
    ("The queue was deleted", "Die Warteschlange wurde gelöscht"),
    ("Open the queue", "Die Warteschlange öffnen"),
    ("Open the file", "Die Datei öffnen"),
    ("No file", "Keine Datei"),
]


def _german() -> tuple[Language, list[tokens.Pair]]:
    pairs = [
        tokens.split_pair("de", Message(english=english, foreign=foreign))
        for english, foreign in MESSAGES * 3
    ]
    return alignment.learn("de", pairs), pairs


def test_words_that_come_together_stand_for_each_other() -> None:
    german, pairs = _german()
    first = {word: english[0][0] for word, english in german.words.items()}
    assert {word: first[word] for word in ("datei", "warteschlange", "gelöscht", "öffnen")} == {
        "datei": "file",
        "warteschlange": "queue",
        "gelöscht": "deleted",
        "öffnen": "open",
    }
    assert "recall" in measuring.measure(german, pairs)


def test_placeholders_and_markup_are_no_words() -> None:
    message = Message(
        english="Can't open `x` in {folder} (%s)", foreign="<b>Fehler</b> in {folder}"
    )
    pair = tokens.split_pair("de", message)
    assert pair.english == ["can", "t", "open", "in"]
    assert pair.foreign == ["fehler", "in"]


def test_endings_are_cut_off_where_the_rest_is_a_word() -> None:
    texts = [["파일을"], ["파일은"], ["파일"], ["파일"], ["파일"], ["서버"]]
    assert tokens.without_endings(texts)[0] == ["파일"]


@pytest.mark.parametrize(
    ("one", "other", "are_forms"),
    [
        ("check", "checked", True),
        ("delete", "deleting", True),
        ("file", "filter", True),
        ("set", "send", False),
        ("in", "into", False),
    ],
)
def test_forms_of_a_word_begin_alike(one: str, other: str, are_forms: bool) -> None:
    assert writing.are_forms(one, other) is are_forms


def test_a_second_meaning_needs_a_share() -> None:
    assert writing.meanings([("check", 0.4), ("test", 0.3), ("checks", 0.2)]) == ["check", "test"]
    assert writing.meanings([("check", 0.8), ("test", 0.2)]) == ["check"]


def test_the_file_has_a_head_and_the_words_of_english_first() -> None:
    file = writing.dictionary([_german()[0]])
    assert struct.unpack_from("<8sII", file) == (b"CAIRNDIC", 1, 1)
    code, words, characters = struct.unpack_from("<8sII", file, 16)
    english = file[32 + 4 * words :][:characters].decode()
    assert code == b"en".ljust(8, b"\0")
    assert "deleted" in english
    assert "file" in english
