"""What may never happen: a key or a text sent elsewhere, a metadata service asked, a key in words."""

import logging
from pathlib import Path

import pytest

from codecairn.errors import ConfigError, ProviderError, UnsafeEndpoint
from codecairn.remote.request import HttpRequest, Secret
from codecairn.remote.transport import Policy, Transport, is_blocked
from contract.conftest import SETUPS, Opener
from support.certificate import self_signed
from support.provider_server import KEY, Fault, ProviderServer

CUSTOM = Policy(timeout_s=2, is_custom=True)


def _request(url: str, *, key: str = "") -> HttpRequest:
    return HttpRequest(url=url, body={"input": ["x"]}, secrets=(Secret(key),) if key else ())


def test_redirect_is_not_followed(server: ProviderServer, open_with: Opener) -> None:
    elsewhere = {"Location": f"{server.url}/elsewhere/embeddings"}
    server.fault = lambda _number, _texts: Fault(status=307, headers=elsewhere)
    report = open_with(SETUPS[0]).index().embedding
    assert report is not None
    assert report.stopped == "provider"
    assert "redirects are not followed" in report.detail
    assert not [asked for asked in server.asked if "elsewhere" in asked.path]


@pytest.mark.parametrize(
    "address",
    ["169.254.169.254", "169.254.1.1", "fe80::1", "fd00:ec2::254", "100.100.100.200", "0.0.0.0",
     "::ffff:169.254.169.254"],
)  # fmt: skip
def test_link_local_and_metadata_addresses_are_blocked(address: str) -> None:
    assert is_blocked(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "192.168.1.7", "10.0.0.1", "::1", "8.8.8.8"])
def test_other_addresses_are_not(address: str) -> None:
    assert not is_blocked(address)


@pytest.mark.parametrize("host", ["169.254.169.254", "metadata.google.internal", "[fe80::1]"])
def test_custom_address_of_a_metadata_service_is_refused(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(2, 1, 6, "", (host.strip("[]"), 80))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_args, **_kwargs: found)
    with Transport("compatible", CUSTOM) as transport, pytest.raises(UnsafeEndpoint) as caught:
        transport.send(_request(f"http://{host}/v1/embeddings"))
    assert "network.allow_link_local" in caught.value.hint


def test_name_that_leads_to_a_metadata_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(2, 1, 6, "", ("169.254.169.254", 80))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_args, **_kwargs: found)
    with Transport("compatible", CUSTOM) as transport, pytest.raises(UnsafeEndpoint):
        transport.send(_request("http://models.example.com/v1/embeddings"))


def test_name_is_looked_up_once(server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> None:
    port = int(server.url.rpartition(":")[2])
    answers = iter([[(2, 1, 6, "", ("127.0.0.1", port))], [(2, 1, 6, "", ("169.254.169.254", 80))]])
    monkeypatch.setattr("socket.getaddrinfo", lambda *_args, **_kwargs: next(answers))
    from codecairn.embedding.connection import Connection
    from codecairn.embedding.models import LIMITS, Model
    from codecairn.embedding.plan import Plan

    plan = Plan(
        provider="compatible", model="m", identity="m", facts=Model(dimensions=8), dimensions=8,
        asked_dimensions=None, base_url=f"http://models.example.com:{port}/v1", is_custom=True,
        limits=LIMITS["compatible"],
    )  # fmt: skip
    connection = Connection(plan, Transport("compatible", CUSTOM))
    for _ in range(2):
        monkeypatch.setattr("socket.getaddrinfo", _only_addresses(answers))
        assert connection.embed(["x"], role="query").vectors
    connection.close()
    assert server.asked[0].headers["Host"] == f"models.example.com:{port}"


def _only_addresses(answers: object) -> object:
    import socket

    def look_up(host: str, *args: object, **kwargs: object) -> object:
        if host == "127.0.0.1":
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, args[0]))]
        return next(answers)  # type: ignore[call-overload]

    return look_up


def test_key_goes_nowhere_unencrypted_but_near(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(2, 1, 6, "", ("93.184.216.34", 80))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_args, **_kwargs: found)
    with (
        Transport("compatible", CUSTOM) as transport,
        pytest.raises(UnsafeEndpoint, match="unencrypted"),
    ):
        transport.send(_request("http://models.example.com/v1/embeddings", key=KEY))


@pytest.mark.parametrize("url", ["ftp://x/v1", "file:///etc/passwd", "http://u:p@127.0.0.1/v1"])
def test_address_of_another_form_is_refused(url: str) -> None:
    with Transport("compatible", CUSTOM) as transport, pytest.raises(UnsafeEndpoint) as caught:
        transport.send(_request(url))
    assert ":p@" not in caught.value.message


def test_key_is_in_no_error_and_no_log(
    server: ProviderServer, open_with: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = {"error": {"message": f"the key {KEY} and sk-live-0123456789abcdef are bad"}}
    server.fault = lambda _number, _texts: Fault(status=400, body=said)
    workspace = open_with(SETUPS[0])
    report = workspace.index().embedding
    status = workspace.status()
    for text in (repr(report), repr(status), repr(workspace.settings), caplog.text):
        assert KEY not in text
        assert "sk-live-0123456789abcdef" not in text
    assert "Secret(***)" in repr(Secret(KEY))


def test_certificate_is_verified(tmp_path: Path) -> None:
    """A server with a certificate of no known authority gets nothing."""
    import ssl
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer

    http = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*self_signed(tmp_path, addresses=["127.0.0.1"]))
    http.socket = context.wrap_socket(http.socket, server_side=True)
    threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
    url = f"https://127.0.0.1:{http.server_address[1]}/v1/embeddings"
    try:
        with Transport("compatible", CUSTOM) as transport, pytest.raises(ProviderError) as caught:
            transport.send(_request(url, key=KEY))
    finally:
        http.shutdown()
        http.server_close()
    assert "certificate" in caught.value.message.lower()


def test_workspace_file_can_not_decide_where_data_goes(open_with: Opener) -> None:
    workspace = open_with(SETUPS[0])
    (workspace.root / ".codecairn.toml").write_text(
        '[embedding]\nprovider = "compatible"\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    with pytest.raises(ConfigError) as caught:
        open_with(SETUPS[0])
    assert "may not be set by a workspace" in caught.value.message
