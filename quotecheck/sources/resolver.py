"""Host names to addresses, every one of which was checked.

Lookups run in threads of their own: in the event loop's default executor forty dead names hold up forty good
ones until the deadline. An answer is kept for the run, so a name that answers differently a second time
(DNS rebinding) cannot move a later connection.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
from collections import OrderedDict
from dataclasses import dataclass

import anyio

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.addresses import require_public
from quotecheck.sources.lookups import Lookup, LookupThreads
from quotecheck.sources.reasons import unavailable

LOOKUP_SECONDS = 5.0
LOOKUPS_AT_ONCE = 64
# EAI_SYSTEM: the resolver itself could not work (out of descriptors, say), so the name is not to blame.
_TEMPORARY = (socket.EAI_AGAIN, getattr(socket, "EAI_SYSTEM", socket.EAI_AGAIN))
_KEPT_NAMES = 20_000
_KEEP_ANSWER = 3600.0
_KEEP_NOT_FOUND = 60.0
_KEEP_TEMPORARY = 2.0


def system_lookup(host: str) -> list[str]:
    """Return the addresses that the system's resolver gives for `host`, IPv4 and IPv6, in its order."""
    # The last dot makes the name absolute: search domains of the machine are never tried.
    found = socket.getaddrinfo(host + ".", None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found if entry[0] in (socket.AF_INET, socket.AF_INET6)]


@dataclass(frozen=True, slots=True)
class _Answer:
    addresses: tuple[str, ...]
    failure: SourceUnavailable | None
    kept_until: float
    seconds: float


class Resolver:
    """Resolves names once per run and checks the addresses at each use.

    `lookup` is a blocking function from a host name to addresses; it raises `socket.gaierror` as
    `socket.getaddrinfo` does.
    """

    def __init__(self, lookup: Lookup | None = None) -> None:
        self._threads = LookupThreads(system_lookup if lookup is None else lookup)
        self._slots = asyncio.Semaphore(LOOKUPS_AT_ONCE)
        self._answers: OrderedDict[str, _Answer] = OrderedDict()
        self._asking: dict[str, anyio.Event] = {}

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """Return the addresses of `host`, all of them public.

        Raises SourceUnavailable: `address_not_public` if a single one is not, or a code of failed DNS.
        """
        addresses = (host,) if _is_address(host) else (await self._answer(host, LOOKUP_SECONDS)).addresses
        for address in addresses:
            require_public(address, port, host=host)
        return addresses

    async def prepare(self, host: str, port: int, *, within: float) -> float:
        """Look `host` up, so that `addresses` can answer at once; return how many seconds that took.

        Waiting until a lookup can begin does not count. Raises SourceUnavailable as `addresses` does.
        """
        seconds = 0.0
        if not _is_address(host) and self._kept(host) is None:
            seconds = (await self._answer(host, min(within, LOOKUP_SECONDS))).seconds
        await self.addresses(host, port)
        return seconds

    def forget(self, host: str) -> None:
        """Ask again for `host` next time: none of its addresses could be reached."""
        self._answers.pop(host, None)

    def forget_failure(self, host: str) -> None:
        """Ask again for `host` next time if the last lookup failed; an answer with addresses stays."""
        answer = self._answers.get(host)
        if answer is not None and answer.failure is not None:
            del self._answers[host]

    async def _answer(self, host: str, within: float) -> _Answer:
        while (answer := self._kept(host)) is None:
            if (asked := self._asking.get(host)) is not None:
                await asked.wait()
                continue
            done = self._asking[host] = anyio.Event()
            try:
                async with self._slots:
                    answer = await self._ask(host, within)
                self._keep(host, answer)
                break
            finally:
                del self._asking[host]
                done.set()
        if answer.failure is not None:
            raise SourceUnavailable(answer.failure.reason_code, answer.failure.reason)
        return answer

    def _kept(self, host: str) -> _Answer | None:
        answer = self._answers.get(host)
        return answer if answer is not None and answer.kept_until > time.monotonic() else None

    def _keep(self, host: str, answer: _Answer) -> None:
        self._answers[host] = answer
        self._answers.move_to_end(host)
        if len(self._answers) > _KEPT_NAMES:
            self._answers.popitem(last=False)

    async def _ask(self, host: str, within: float) -> _Answer:
        began = time.monotonic()
        try:
            with anyio.fail_after(within):
                found = await self._threads.run(host)
        except TimeoutError:
            return _failed(ReasonCode.DNS_TIMEOUT, host, f"no answer in {within:.1f} s", _KEEP_TEMPORARY)
        except socket.gaierror as error:
            if error.errno in _TEMPORARY:
                return _failed(ReasonCode.DNS_TEMPORARY_FAILURE, host, error.strerror or "", _KEEP_TEMPORARY)
            return _failed(ReasonCode.DNS_NOT_FOUND, host, "", _KEEP_NOT_FOUND)
        except (OSError, UnicodeError) as error:
            return _failed(ReasonCode.DNS_TEMPORARY_FAILURE, host, str(error), _KEEP_TEMPORARY)
        addresses = tuple(dict.fromkeys(map(_canonical, found)))
        if not addresses:
            return _failed(ReasonCode.DNS_NOT_FOUND, host, "it has no address", _KEEP_NOT_FOUND)
        now = time.monotonic()
        return _Answer(addresses, None, now + _KEEP_ANSWER, now - began)


def _failed(code: ReasonCode, host: str, detail: str, keep: float) -> _Answer:
    return _Answer((), unavailable(code, host, detail), time.monotonic() + keep, 0.0)


def _canonical(address: str) -> str:
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return address  # not an address: the check refuses it


def _is_address(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdigit()
