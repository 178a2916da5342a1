"""`python -m quotecheck.mcp_server` is the command `quotecheck-mcp`."""

from __future__ import annotations

from quotecheck.mcp_server import entry_point

if __name__ == "__main__":
    entry_point()
