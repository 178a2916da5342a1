"""`python -m quotecheck` is the command `quotecheck`."""

from __future__ import annotations

from quotecheck.cli import entry_point

if __name__ == "__main__":
    entry_point()
