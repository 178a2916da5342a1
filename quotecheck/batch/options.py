"""Everything that a batch audit can be told, checked once, before anything is read."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

from quotecheck.batch.gates import Gates
from quotecheck.batch.shards import Shard
from quotecheck.errors import InvalidOption
from quotecheck.sources.stored import PAGE_MAX_AGE


class TableFormat(StrEnum):
    """The form of a result table."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


class OnBadRow(StrEnum):
    """What a record that cannot be read as a row does to the run."""

    REPORT = "report"  # goes to the rejects; --strict fails
    SKIP = "skip"  # goes to the rejects; no gate minds
    FAIL = "fail"  # stops the run before anything is fetched


STDIN = "-"
STDOUT = "-"
DEFAULT_QUOTE_COLUMN = "quote"
DEFAULT_SOURCE_COLUMN = "source"
DEFAULT_TEXT_COLUMN = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """How sources are read; the defaults are polite and safe.

    Attributes
    ----------
    store : file of fetched sources; None takes the one in the user's cache directory.
    offline : fetch nothing, use whatever the store holds.
    refresh : fetch every source again.
    retry_unavailable : fetch again what could not be fetched before.
    max_age : a stored page older than this is asked for again.
    concurrency, per_host : fetches at once, in all and on one host.
    contact : mail address or URL that is named to servers.
    files_root : folder below which `file:` sources may be read; None reads none. They are read anew in each
        run, also offline, and kept with the run alone.
    doi_fallback : where the page of a DOI cannot be read, read its open abstract in place of it.
    """

    store: Path | None = None
    offline: bool = False
    refresh: bool = False
    retry_unavailable: bool = False
    max_age: timedelta = PAGE_MAX_AGE
    concurrency: int = 32
    per_host: int = 4
    contact: str | None = None
    files_root: Path | None = None
    doi_fallback: bool = False

    def __post_init__(self) -> None:
        require_positive("concurrency", self.concurrency)
        require_positive("per_host", self.per_host)
        if self.max_age < timedelta(0):
            raise InvalidOption(f"max_age is {self.max_age}: it must not be negative")
        if self.offline and (self.refresh or self.retry_unavailable):
            raise InvalidOption("offline fetches nothing: leave out refresh and retry_unavailable")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """Options of `run_batch`; `inputs` are files, folders, glob patterns, or `-` for standard input.

    Attributes
    ----------
    output : the result table; None derives the name from the first input, `-` is standard output.
    format : form of the table; None takes it from the output's name, else from the input.
    quote_col, source_col, text_col : column names. Rows whose text is not null are checked against it and
        nothing is fetched. A column named `text` is used where it exists; `text_col=None` ignores it.
    near_threshold : least similarity of NEAR, 0.5 to 1.0.
    replace_qc : drop columns of an earlier audit (`qc_...`) from the input.
    run_dir : where the state of the run is kept until it has finished; None puts it beside the output.
    restart : drop the state of an unfinished run.
    workers : processes that extract and match; None takes one for each core.
    shard : audit only the rows of this part of the sources; `merge` puts the parts together.
    only_problems : a second table with the rows that are not EXACT.
    report : also write an HTML report beside the result table.
    junit : also write the problems as a JUnit file.
    annotations : print the problems as annotations of a GitHub workflow run.
    """

    inputs: tuple[str, ...]
    output: str | None = None
    format: TableFormat | None = None
    quote_col: str = DEFAULT_QUOTE_COLUMN
    source_col: str = DEFAULT_SOURCE_COLUMN
    text_col: str | None = DEFAULT_TEXT_COLUMN
    near_threshold: float = 0.90
    on_bad_row: OnBadRow = OnBadRow.REPORT
    replace_qc: bool = False
    run_dir: Path | None = None
    restart: bool = False
    workers: int | None = None
    shard: Shard | None = None
    fetch: FetchOptions = field(default_factory=FetchOptions)
    gates: Gates = field(default_factory=Gates)
    only_problems: Path | None = None
    summary_json: Path | None = None
    report: bool = False
    junit: Path | None = None
    annotations: bool = False

    def __post_init__(self) -> None:
        if not self.inputs:
            raise InvalidOption("no input: name a table, a folder, a glob pattern, or - for standard input")
        if STDIN in self.inputs and len(self.inputs) > 1:
            raise InvalidOption("standard input (-) cannot be read together with other inputs")
        if self.output == "":
            raise InvalidOption("the output has no name: give -o a file, or leave it out")
        check_threshold(self.near_threshold)
        if self.workers is not None:
            require_positive("workers", self.workers)
        if self.output == STDOUT and self.report:
            raise InvalidOption("the report stands beside the result table: give -o a file")
        if self.output == STDOUT and self.format is None:
            raise InvalidOption("-o - needs --format csv, jsonl or parquet")
        if self.output == STDOUT and self.shard is not None:
            raise InvalidOption(
                "a shard cannot go to standard output: merge needs the files beside its table"
            )
        if self.output is None and STDIN in self.inputs:
            raise InvalidOption("standard input has no name to derive the output's from: give -o")


def check_threshold(value: float) -> None:
    """Raise InvalidOption unless `value` is a least similarity for NEAR."""
    if not 0.5 <= value <= 1.0:
        raise InvalidOption(f"near_threshold is {value!r}: it must be a number from 0.5 to 1.0")


def worker_count(wanted: int | None) -> int:
    """Return how many worker processes to use: `wanted`, else the cores this process may run on."""
    if wanted is not None:
        return wanted
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def require_positive(name: str, value: int) -> None:
    """Raise InvalidOption unless `value` is at least 1."""
    if value < 1:
        raise InvalidOption(f"{name} is {value}: it must be at least 1")
