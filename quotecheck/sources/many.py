"""Many sources, each fetched once, handed over as soon as it is in.

Sources wait as small records; a task for one begins when its first host has a place. Places are given round
robin over the hosts, so a long list for one host neither fills the window nor starves the others, and a task
leaves its place when its first host has answered: a redirect to a slow host keeps nobody waiting here.
PubMed records travel up to 200 in a call.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

import anyio
import anyio.abc
import anyio.lowlevel

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources import efetch
from quotecheck.sources.chain import Manner
from quotecheck.sources.documents import Documents
from quotecheck.sources.fetched import Fetched, FetchRequest, Outcome
from quotecheck.sources.hosts import HostQueues
from quotecheck.sources.reasons import TRANSIENT, unavailable
from quotecheck.sources.reference import Reference, SourceKind, require_fetchable

Handle = Callable[[FetchRequest, Outcome], Awaitable[None]]

# Tasks that look up their first host or wait for it; more of them only cost memory. A host gets its places
# in a row, so that its connections are used again before others push them out.
_PLACES = 256
_PLACES_PER_HOST = 8
# Records waiting for a place; more are taken from the caller's iterable when there is room.
_WAITING = 20_000
_TAKEN_AT_ONCE = 100


@dataclass(eq=False, slots=True)
class _Job:
    """One source, or the PubMed records of one call, that waits for a place at its first host."""

    requests: list[FetchRequest]
    host: str
    has_place: bool = True


class ManyFetches:
    """One call of `Fetcher.fetch_many`."""

    def __init__(self, documents: Documents, handle: Handle, tasks: anyio.abc.TaskGroup) -> None:
        self._documents = documents
        self._handle = handle
        self._tasks = tasks
        self._places = HostQueues[_Job](
            concurrency=_PLACES,
            per_host=_PLACES_PER_HOST,
            interval=0.0,
            presets=False,
            in_row=_PLACES_PER_HOST,
        )
        self._records: list[FetchRequest] = []
        self._room = anyio.Event()

    async def take_in(self, requests: Iterable[FetchRequest]) -> None:
        """Start fetching; when the task group ends, each request has been handled."""
        for number, request in enumerate(requests, 1):
            if request.reference.kind is SourceKind.PUBMED and request.reference.refusal is None:
                self._records.append(request)
                if len(self._records) == efetch.IDS_PER_CALL:
                    await self._add_records()
            else:
                await self._add([request])
            if number % _TAKEN_AT_ONCE == 0:
                await anyio.lowlevel.checkpoint()
            while self._places.waiting >= _WAITING:
                self._room = anyio.Event()
                await self._room.wait()
        if self._records:
            await self._add_records()

    async def _add_records(self) -> None:
        records, self._records = self._records, []
        await self._add(records)

    async def _add(self, requests: list[FetchRequest]) -> None:
        try:
            host = _first_host(requests[0].reference)
        except SourceUnavailable as error:
            await self._handle(requests[0], error)
            return
        self._places.add(host, _Job(requests, host))
        self._start()

    def _start(self) -> None:
        while (job := self._places.take(time.monotonic())) is not None:
            self._tasks.start_soon(self._run, job)
        if self._places.waiting < _WAITING:
            self._room.set()

    def _leave_place(self, job: _Job) -> None:
        if job.has_place:
            job.has_place = False
            self._places.release(job.host, time.monotonic())
            self._start()

    async def _run(self, job: _Job) -> None:
        try:
            if len(job.requests) == 1:
                await self._run_one(job)
            else:
                await self._run_records(job)
        finally:
            self._leave_place(job)

    async def _run_one(self, job: _Job) -> None:
        request = job.requests[0]
        outcome = await self._outcome(request, job, self._documents.session.limits.max_bytes)
        # What is being handled counts as running: a slow handler slows the fetches down, not memory up.
        with self._documents.session.turns.held():
            await self._handle(request, outcome)

    async def _outcome(self, request: FetchRequest, job: _Job, max_bytes: int) -> Outcome:
        manner = Manner(patient=True, max_bytes=max_bytes, left_host=lambda: self._leave_place(job))
        try:
            return await self._documents.read(request, manner)
        except SourceUnavailable as error:
            return error
        except Exception as error:  # a fault of ours must cost one source, not the run
            detail = f"{type(error).__name__}: {error}"
            return unavailable(ReasonCode.INTERNAL_ERROR, job.host, detail)

    async def _run_records(self, job: _Job) -> None:
        call = FetchRequest(
            efetch.call_for([request.reference for request in job.requests], self._documents.session.contact)
        )
        outcome = await self._outcome(call, job, efetch.MAX_BYTES_PER_CALL)
        if isinstance(outcome, Fetched):
            await self._hand_over_records(job, outcome)
        elif isinstance(outcome, SourceUnavailable) and outcome.reason_code in TRANSIENT:
            for request in job.requests:
                await self._handle(request, outcome)
        else:
            # One number may have spoilt the call: ask for each half.
            middle = len(job.requests) // 2
            for part in (job.requests[:middle], job.requests[middle:]):
                await self._add(part)

    async def _hand_over_records(self, job: _Job, call: Fetched) -> None:
        with self._documents.session.turns.held():
            records = efetch.records_of(call)
            for request in job.requests:
                record = records.get(efetch.pmid(request.reference))
                if record is None:  # alone, the answer says whether there is none
                    await self._add([request])
                    continue
                outcome: Outcome
                try:
                    outcome = efetch.record_fetched(call, record, request.reference)
                except SourceUnavailable as error:
                    outcome = error
                await self._handle(request, outcome)


def _first_host(reference: Reference) -> str:
    """Return at whose place a source waits first; files wait at none. Raises SourceUnavailable."""
    url = require_fetchable(reference)
    return url.partition("//")[2].partition("/")[0]
