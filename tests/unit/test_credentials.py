"""Where a provider's key is found, in which order, and that nothing else is taken for one."""

import json
from pathlib import Path

import pytest

from codecairn.errors import ProviderUnauthorized
from codecairn.remote import credentials
from codecairn.remote.request import Secret


def _found(provider: str) -> str | None:
    key = credentials.find_key(provider, None)
    return key and key.reveal()


def _write(file: Path, document: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(document if isinstance(document, str) else json.dumps(document))


@pytest.fixture
def opencode(home: Path) -> Path:
    return home / ".local/share/opencode/auth.json"


@pytest.fixture
def editors(home: Path) -> Path:
    return home / ".config/github-copilot"


def test_first_of_a_provider_s_variables_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    names = credentials.VARIABLES["google"]
    for name in reversed(names):
        monkeypatch.setenv(name, f"of {name}")
        assert _found("google") == f"of {name}"
    monkeypatch.setenv(names[0], "")
    assert _found("google") == f"of {names[1]}", "an empty variable holds no key"
    assert _found("openai") is None
    given = credentials.find_key("google", Secret("given"))
    assert given is not None
    assert given.reveal() == "given"


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("xai", "XAI_API_KEY"),
        ("google", "GEMINI_API_KEY"),
        ("google", "GOOGLE_API_KEY"),
        ("google", "GOOGLE_GENERATIVE_AI_API_KEY"),
        ("copilot", "GITHUB_COPILOT_TOKEN"),
        ("voyage", "VOYAGE_API_KEY"),
        ("mistral", "MISTRAL_API_KEY"),
        ("cohere", "COHERE_API_KEY"),
        ("cohere", "CO_API_KEY"),
        ("jina", "JINA_API_KEY"),
        ("ollama", "OLLAMA_API_KEY"),
    ],
)
def test_each_provider_has_variables_of_its_own(
    provider: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "s3cret")
    assert {each for each in credentials.VARIABLES if _found(each)} == {provider}
    key = credentials.require_key(provider, None)
    assert key is not None
    assert key.reveal() == "s3cret"


@pytest.mark.parametrize(
    ("provider", "hint"),
    [
        ("openai", "set `OPENAI_API_KEY`, or sign in with `opencode auth login`"),
        ("cohere", "set `COHERE_API_KEY` or `CO_API_KEY`, or sign in with `opencode auth login`"),
        (
            "copilot",
            "sign in to Copilot in an editor or in OpenCode, or set `GITHUB_COPILOT_TOKEN`",
        ),
    ],
)
def test_missing_key_says_where_one_is_looked_for(provider: str, hint: str) -> None:
    with pytest.raises(ProviderUnauthorized, match=f"there is no key for {provider}") as caught:
        credentials.require_key(provider, None)
    assert (caught.value.hint, caught.value.provider) == (hint, provider)
    given = Secret("given")
    assert credentials.require_key(provider, given) is given


@pytest.mark.parametrize("provider", ["ollama", "compatible"])
def test_own_servers_need_no_key(provider: str) -> None:
    assert credentials.require_key(provider, None) is None


@pytest.mark.parametrize(
    ("system", "variables", "folder"),
    [
        ("posix", {}, "home/.config"),
        ("posix", {"XDG_CONFIG_HOME": "moved", "LOCALAPPDATA": "other"}, "moved"),
        ("posix", {"XDG_CONFIG_HOME": ""}, "home/.config"),
        ("nt", {}, "home/AppData/Local"),
        ("nt", {"XDG_CONFIG_HOME": "other", "LOCALAPPDATA": "moved"}, "moved"),
        ("nt", {"LOCALAPPDATA": ""}, "home/AppData/Local"),
    ],
)
def test_editors_keep_their_files_where_the_system_says(
    system: str, variables: dict[str, str], folder: str
) -> None:
    assert credentials.editors_folder(system, variables, Path("home")) == Path(folder)


def test_variable_comes_before_a_host_s_file(
    opencode: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(opencode, {"mistral": {"type": "api", "key": "of the file"}})
    assert _found("mistral") == "of the file"
    monkeypatch.setenv("MISTRAL_API_KEY", "of the variable")
    assert _found("mistral") == "of the variable"


@pytest.mark.parametrize(
    ("provider", "entry", "key"),
    [
        ("openai", {"type": "api", "key": "k"}, "k"),
        ("openai", {"type": "api", "key": ""}, None),
        ("openai", {"type": "api", "key": 7}, None),
        ("openai", {"type": "api", "refresh": "r"}, None),
        ("openai", {"type": "oauth", "refresh": "r"}, None),
        ("openai", {"type": "wellknown", "key": "k", "refresh": "r"}, None),
        ("openai", ["api", "k"], None),
        ("copilot", {"type": "oauth", "refresh": "r"}, "r"),
        ("copilot", {"type": "api", "key": "k"}, "k"),
        ("copilot", {"type": "wellknown", "refresh": "r"}, None),
    ],
)
def test_kinds_of_opencode_s_entries(
    opencode: Path, provider: str, entry: object, key: str | None
) -> None:
    _write(opencode, {{"copilot": "github-copilot"}.get(provider, provider): entry})
    assert _found(provider) == key


@pytest.mark.parametrize(
    ("document", "key"),
    [
        ({"github.com": {"oauth_token": "t"}}, "t"),
        ({"github.com:Iv1.b507": {"oauth_token": "t"}}, "t"),
        ({"github.example": {"oauth_token": "t"}}, None),
        ({"github.com.example": {"oauth_token": "t"}}, None),
        ({"github.com": {"oauth_token": ""}}, None),
        ({"github.com": {"oauth_token": 7}}, None),
        ({"github.com": "t"}, None),
        ({"other.example": {"oauth_token": "o"}, "github.com": {"oauth_token": "t"}}, "t"),
        (["github.com"], None),
        ("{", None),
        ("[" * 100_000, None),
    ],
    ids=str,
)
def test_hosts_of_an_editor_s_file(editors: Path, document: object, key: str | None) -> None:
    _write(editors / "hosts.json", document)
    assert _found("copilot") == key
    assert _found("openai") is None


def test_editors_come_before_opencode_and_apps_before_hosts(opencode: Path, editors: Path) -> None:
    _write(opencode, {"github-copilot": {"type": "oauth", "refresh": "of OpenCode"}})
    assert _found("copilot") == "of OpenCode"
    _write(editors / "hosts.json", {"github.com": {"oauth_token": "of hosts"}})
    assert _found("copilot") == "of hosts"
    _write(editors / "apps.json", {"github.com": {"oauth_token": "of apps"}})
    assert _found("copilot") == "of apps"


def test_files_lie_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    _write(tmp_path / "data/opencode/auth.json", {"openai": {"type": "api", "key": "k"}})
    _write(tmp_path / "config/github-copilot/apps.json", {"github.com": {"oauth_token": "t"}})
    assert (_found("openai"), _found("copilot")) == ("k", "t")


@pytest.mark.parametrize("provider", ["ollama", "compatible"])
def test_servers_of_one_s_own_need_no_key(provider: str) -> None:
    assert credentials.require_key(provider, None) is None
