"""The audit's views for people and CI systems: the HTML report, the JUnit file, workflow annotations.

All are made from the same cards: the first rows of each verdict, never the whole table.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from quotecheck.batch.annotations import LISTED as ANNOTATED
from quotecheck.batch.annotations import annotation_lines
from quotecheck.batch.cards import read_cards
from quotecheck.batch.junit import LISTED as CASES
from quotecheck.batch.junit import junit_xml
from quotecheck.batch.options import STDIN, BatchOptions
from quotecheck.batch.report_page import Page, render
from quotecheck.batch.rundir import RunPaths
from quotecheck.batch.summary import Summary
from quotecheck.models import Status
from quotecheck.sources.store import Store, default_store_path


def report_html(paths: RunPaths, options: BatchOptions, summary: Summary) -> bytes:
    """Return the HTML report of a finished run."""
    with _texts(paths, options) as stores:
        cards = read_cards(paths, stores)
    page = Page(
        title=_title(options),
        finished=f"{datetime.now(UTC):%d %B %Y, %H:%M} UTC",
        counts=_counts(summary),
        rejected=summary.counts.rejected,
        flags=dict(summary.counts.flags),
        hosts=tuple((host.host, host.rows, host.reason) for host in summary.hosts),
        equal_pages=tuple(
            (pages.host, pages.sources, pages.rows, pages.example) for pages in summary.equal_pages
        ),
        equal_pages_total=summary.equal_pages_total,
        gates=tuple((f"{gate.name}: {gate.detail}", gate.passed) for gate in summary.gates),
        cards=cards,
    )
    return render(page).encode()


def junit_report(paths: RunPaths, options: BatchOptions, summary: Summary) -> bytes:
    """Return the JUnit file of a finished run."""
    cards = read_cards(paths, (), listed=CASES)
    return junit_xml(_title(options), _counts(summary), cards, seconds=summary.seconds)


def workflow_annotations(paths: RunPaths, summary: Summary) -> Iterator[str]:
    """Yield the lines that annotate a GitHub workflow run with the problems of a finished run."""
    cards = read_cards(paths, (), listed=ANNOTATED)
    return annotation_lines(_counts(summary), cards)


def _counts(summary: Summary) -> dict[Status, int]:
    return {Status(status): count for status, count in summary.counts.statuses.items()}


def _title(options: BatchOptions) -> str:
    first = "standard input" if options.inputs[0] == STDIN else Path(options.inputs[0]).name
    return first if len(options.inputs) == 1 else f"{first} and {len(options.inputs) - 1} more"


@contextmanager
def _texts(paths: RunPaths, options: BatchOptions) -> Iterator[list[Store]]:
    """Open the stores that hold the texts of a run; on a cluster they are many, in folders."""
    fetched_nothing = paths.empty_store.exists()
    store = paths.empty_store if fetched_nothing else options.fetch.store or default_store_path()
    folders = [folder for folder in (store, paths.root / "files") if folder.is_dir()]
    files = [path for path in (paths.texts, store) if path.is_file()]
    files += [path for folder in folders for path in sorted(folder.glob("*.sqlite"))]
    with ExitStack() as stack:
        yield [stack.enter_context(Store(path, read_only=True)) for path in files]
