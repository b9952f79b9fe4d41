"""Questions in other languages than English, about code that is written in English."""

import pytest

from codecairn import Workspace
from codecairn.core.types.hits import SearchResult
from codecairn.search.result_notes import freshness_notes
from support.repository import Repository

FILES = {
    "queue.py": "def delete_queue(name):\n    '''Remove a queue and all messages in it.'''\n",
    "passwords.py": "def check_password(user, password):\n    '''Verify the password of a user.'''\n",
    "cache.py": "DEFAULT_CACHE_SIZE = 64\n\n\ndef cache_size(settings):\n    return settings.get('size')\n",
    "parsing.py": "def parse_header(text):\n    '''Read the fields of a header.'''\n",
}


@pytest.fixture
def code(folder: Repository) -> Repository:
    for path, text in FILES.items():
        folder.write(path, text)
    return folder


def _search(repository: Repository, question: str) -> SearchResult:
    with Workspace.open(repository.root) as workspace:
        return workspace.search(question)


@pytest.mark.parametrize(
    ("question", "path", "language"),
    [
        ("Wo wird die Warteschlange gelöscht?", "queue.py", "German"),
        ("¿Dónde se comprueba la contraseña del usuario?", "passwords.py", "Spanish"),
        ("où le mot de passe est-il vérifié", "passwords.py", "French"),
        ("где проверяется пароль пользователя", "passwords.py", "Russian"),
        ("默认缓存大小是多少", "cache.py", "Chinese"),
        ("キャッシュのサイズはどこで決まる", "cache.py", "Japanese"),
        ("캐시 크기의 기본값은 무엇인가", "cache.py", "Korean"),
    ],
)
def test_the_english_code_is_found(
    code: Repository, question: str, path: str, language: str
) -> None:
    result = _search(code, question)
    assert result.hits[0].path == path
    assert any(note.startswith(f"read as {language}, ") for note in freshness_notes(result))


def test_code_in_the_language_of_the_question_is_found_as_well(code: Repository) -> None:
    code.write("rechnung.py", "def rechnung_stornieren(nummer):\n    pass\n")
    assert _search(code, "Wo kann man eine Rechnung stornieren?").hits[0].path == "rechnung.py"


def test_a_question_in_english_has_no_note(code: Repository) -> None:
    assert freshness_notes(_search(code, "where is the queue deleted")) == []
