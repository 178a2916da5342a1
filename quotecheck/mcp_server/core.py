"""The rest of the package, imported in a thread after the server has started, and its one client.

Clients give up on a server that answers late, and network, extraction and matching take a second to import.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from quotecheck.console import ExitCode, say
from quotecheck.models import Source

if TYPE_CHECKING:
    from quotecheck.single import Client


class Core:
    """Loads the core once; modules of the core are cheap to import after `ready` only."""

    def __init__(self) -> None:
        self._loaded = anyio.Event()
        self._client: Client | None = None

    async def run(self) -> None:
        """Load the core, then keep its client open until cancelled."""
        try:
            await anyio.to_thread.run_sync(import_core)
        except Exception as error:  # a library that is damaged or too old fails in many ways
            say(f"quotecheck-mcp: cannot start, the installation is incomplete: {error!r}")
            # As for an interrupt: the thread that reads stdin would hold up any other way out.
            os._exit(ExitCode.USAGE)
        from quotecheck.single import Client

        async with Client() as self._client:
            self._loaded.set()
            await anyio.sleep_forever()

    async def ready(self) -> None:
        """Return when the core is loaded."""
        await self._loaded.wait()

    async def fetch_source(self, source: str) -> Source:
        """Return the text of `source`; raises what `quotecheck.Client.fetch_source` raises."""
        await self.ready()
        assert self._client is not None
        return await self._client.fetch_source(source)


def import_core() -> None:
    """Import everything that a call needs, so that no call imports on the event loop."""
    import quotecheck.citations.review
    import quotecheck.extract.document
    import quotecheck.single  # noqa: F401
