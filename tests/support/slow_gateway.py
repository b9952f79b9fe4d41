"""A gateway to an S3 server that lets each request wait, as a slow line or a busy store does."""

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def slow_gateway(port: int, *, delay_s: float) -> Iterator[str]:
    """The endpoint of a gateway to the server at a port of this machine; each answer begins `delay_s` late."""

    class Handler(BaseHTTPRequestHandler):
        """Passes requests on."""

        protocol_version = "HTTP/1.1"

        def _pass_on(self) -> None:
            time.sleep(delay_s)
            length = int(self.headers.get("Content-Length") or 0)
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request(
                self.command, self.path, self.rfile.read(length) or None, dict(self.headers)
            )
            answer = connection.getresponse()
            body = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in {"transfer-encoding", "connection", "content-length"}:
                    self.send_header(name, value)
            given = answer.getheader("Content-Length") if self.command == "HEAD" else None
            self.send_header("Content-Length", given or str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            connection.close()

        do_GET = do_PUT = do_HEAD = do_DELETE = _pass_on  # noqa: N815 - the names of http.server

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
