"""Pages on the loopback interface for tests of the MCP server, and the command that may fetch them.

Run as a script it is that command: `python tests/mcp_pages.py PORT` serves MCP with one loopback port
exempted from the address check, which no option and no variable of the real command can do.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Page:
    """What one path delivers: a body after a delay, with a status and perhaps a `location`."""

    body: str = ""
    status: int = 200
    phrase: str | None = None
    location: str | None = None
    delay: float = 0.0
    content_type: str = "text/html; charset=utf-8"


@dataclass
class PageServer:
    """A running server: its pages by path, the paths asked for, and what clients did not wait for."""

    port: int = 0
    pages: dict[str, Page] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    abandoned: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str) -> str:
        """Return the address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def serve(self, body: str = "", **options: Any) -> str:
        """Deliver a page at a new path and return its address."""
        path = f"/{len(self.pages)}"
        self.pages[path] = Page(body, **options)
        return self.url(path)

    def requests_for(self, url: str) -> int:
        """Return how often an address was fetched."""
        return sum(self.url(path) == url for path in self.requests)


@contextmanager
def page_server() -> Iterator[PageServer]:
    """Run a server of pages on a free loopback port."""
    site = PageServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append(self.path)
            page = site.pages.get(self.path, Page(status=404))
            if page.delay and _client_leaves(self, page.delay):
                site.abandoned.set()
                return
            body = page.body.encode("utf-8", "surrogatepass")
            self.send_response(page.status, page.phrase)
            self.send_header("Content-Type", page.content_type)
            self.send_header("Content-Length", str(len(body)))
            if page.location is not None:
                self.send_header("Location", page.location)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()


def _client_leaves(handler: BaseHTTPRequestHandler, seconds: float) -> bool:
    """Wait, and tell whether the client closed the connection meanwhile."""
    handler.connection.settimeout(seconds)
    try:
        return len(handler.connection.recv(1)) == 0
    except TimeoutError:
        return False
    except OSError:
        return True
    finally:
        handler.connection.settimeout(None)


def _serve_mcp(port: int) -> int:
    from quotecheck._testing import allow_loopback_endpoints
    from quotecheck.mcp_server import main

    with allow_loopback_endpoints(("127.0.0.1", port)):
        return main()


if __name__ == "__main__":
    sys.exit(_serve_mcp(int(sys.argv[1])))
