"""`python -m quotecheck.mcp_server` is the command `quotecheck-mcp`."""

from __future__ import annotations

import sys

from quotecheck.mcp_server import main

if __name__ == "__main__":
    sys.exit(main())
