"""The jobs that a worker can do, by name, with the limits under which it does them.

Function and result type are named, not imported: the parent needs the type alone, a worker loads a function
when it is first asked for, and the layers above this one stay unknown to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from quotecheck.extract.document import extract
from quotecheck.models import Source


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run of a job may use: CPU seconds, bytes beside those in use at its start, seconds in all."""

    cpu_seconds: int
    memory_bytes: int
    wall_seconds: int


@dataclass(frozen=True, slots=True)
class Job:
    """A function of one argument and the type of its result, as `module:name`."""

    function: str
    result: str
    limits: Limits | None = None


@dataclass(frozen=True, slots=True)
class ExtractTask:
    """The arguments of `quotecheck.extract.document.extract`."""

    body: bytes
    content_type: str | None
    url: str | None = None


# A page of 5 MB takes half a second and 240 MB at worst if it means no harm.
EXTRACTION_LIMITS: Final = Limits(cpu_seconds=5, memory_bytes=512 << 20, wall_seconds=120)

JOBS: Final = {
    "extract": Job("quotecheck.workers.jobs:run_extract", "quotecheck.models:Source", EXTRACTION_LIMITS),
    "match_bucket": Job("quotecheck.batch.match:match_bucket", "quotecheck.batch.match:MatchedBucket"),
    "search_part": Job("quotecheck.batch.searching:search_part", "quotecheck.batch.searching:SearchedPart"),
    "review_answers": Job(
        "quotecheck.batch.answers_chunk:review_chunk", "quotecheck.batch.answers_chunk:ReviewedChunk"
    ),
}


def run_extract(task: ExtractTask) -> Source:
    """Extract the text of a body. Raises SourceUnavailable."""
    return extract(task.body, task.content_type, url=task.url)


def load_function(job: Job) -> Callable[[Any], object]:
    """Import the function of a job."""
    function: Callable[[Any], object] = _load(job.function)
    return function


def load_result_type(job: Job) -> object:
    """Import the type of a job's result."""
    return _load(job.result)


def _load(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
