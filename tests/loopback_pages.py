"""A server of numbered pages on many loopback addresses, which stand for hosts; it logs what is asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from batch_driver import address


class Pages(ThreadingHTTPServer):
    """Serves page N at /N on every loopback address, after `delay` seconds; one page in ten is missing."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, hosts: int) -> None:
        self.asked: list[str] = []
        self.delay = 0.0
        self.hosts = hosts
        super().__init__(("0.0.0.0", 0), _Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, *arguments: object) -> None:
        """Clients that were killed went away in the middle of an answer."""

    def url(self, number: int) -> str:
        """Return the address of a page: each has its host."""
        return f"http://{address(number % self.hosts)}:{self.port}/{number}"

    def body(self, number: int) -> str:
        """Return what stands on a page."""
        return f"<p>Page {number} tells of the grey fog over weir number {number}."


class _Handler(BaseHTTPRequestHandler):
    server: Pages

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        time.sleep(self.server.delay)
        number = int(self.path[1:])
        body = self.server.body(number).encode()
        self.send_response(404 if number % 10 == 9 else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None: ...


@contextmanager
def serving(server: Pages) -> Iterator[Pages]:
    """Serve in a thread inside the context."""
    with server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()
