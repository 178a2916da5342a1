"""Found elsewhere: quotations that their own source lacks and another source of the batch has.

Fabricated is not misattributed. When all rows are matched, every text of the batch is asked for all
quotations that were not found, at once (`text.many_quotes`); what may stand there the matcher decides, so a
finding is an EXACT verdict. Costs are bounded, and whatever a bound leaves out is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from quotecheck.batch.columns import ROW
from quotecheck.batch.found import FoundSource
from quotecheck.batch.intermediate import FOUND_SCHEMA, scan_plan, scan_results
from quotecheck.batch.plan import TEXT_KEY
from quotecheck.batch.records import QUOTE
from quotecheck.batch.rundir import RunPaths
from quotecheck.models import Source, Status
from quotecheck.text.many_quotes import ManyQuotes
from quotecheck.text.match import PreparedText

MOST_QUOTES = 500_000  # distinct quotations that are looked for: their index takes 200 bytes each
LISTED = 10  # sources that a row names
# Candidates of one quotation in one part of the sources that the matcher may turn down.
MOST_FAILURES = 1_000

ABSENT_SCHEMA: dict[str, pl.DataType] = {ROW: pl.UInt64(), QUOTE: pl.String()}
HIT_SCHEMA: dict[str, pl.DataType] = {"quote": pl.UInt32(), "order": pl.UInt64(), "name": pl.String()}


class NamedSource(NamedTuple):
    """A source of the batch: the row where it first appears, what results call it, and its text."""

    order: int
    name: str
    source: Source


@dataclass(frozen=True, slots=True)
class Hits:
    """Which quotations stand in which sources of one part of the batch (`HIT_SCHEMA`), and what was left out.

    `turned_down` are the numbers of quotations that had too many candidates, `sources_cut` counts texts that
    were not searched to the end, `unsearchable` quotations that cannot be looked for, and `failed` tells that
    the part was not searched at all.
    """

    frame: pl.DataFrame
    turned_down: tuple[int, ...] = ()
    sources_cut: int = 0
    unsearchable: int = 0
    failed: bool = False


@dataclass(frozen=True, slots=True)
class FoundElsewhere:
    """The sources that hold the quotation of a row (`FOUND_SCHEMA`), and what is to be said about it."""

    rows: pl.DataFrame
    notices: tuple[str, ...] = ()


class Searcher:
    """Looks for quotations in many sources; built once and used for all parts of a batch."""

    def __init__(self, quotes: pl.Series) -> None:
        self._quotes = quotes
        self._index = ManyQuotes(quotes.to_list())

    def search(self, sources: Iterable[NamedSource]) -> Hits:
        """Return which quotations stand exactly in these sources, which come by ascending order.

        Of one quotation, no more than one source beyond those that are `LISTED` is looked for.
        """
        names: dict[int, set[str]] = {}
        failures: Counter[int] = Counter()
        hits: list[tuple[int, int, str]] = []
        cut = 0
        for order, name, source in sources:
            looked = self._index.look(source)
            cut += looked.is_cut
            prepared = PreparedText(source)
            for number in looked.candidates:
                known = names.setdefault(number, set())
                if name in known or len(known) > LISTED or failures[number] >= MOST_FAILURES:
                    continue
                if _stands(self._quotes[number], prepared):
                    known.add(name)
                    hits.append((number, order, name))
                else:
                    failures[number] += 1
        turned_down = tuple(number for number, count in failures.items() if count >= MOST_FAILURES)
        frame = pl.DataFrame(hits, schema=HIT_SCHEMA, orient="row")
        return Hits(frame, turned_down, cut, self._index.unsearchable)


def _stands(quote: str, prepared: PreparedText) -> bool:
    try:
        return prepared.find_exact(quote) is not None
    except Exception:  # a fault of ours costs one finding, not the run
        return False


def named(found: FoundSource) -> NamedSource | None:
    """Return a source with the name that `qc_found_in` gives it; None where it could not be read.

    The name is its key; a text that came with its rows has the name that the first of them gave it.
    """
    if found.source is None:
        return None
    spelled = found.row["source"] if found.key.startswith(TEXT_KEY) else ""
    return NamedSource(found.row["first_row"], spelled or found.key, found.source)


def absent_rows(paths: RunPaths) -> pl.DataFrame:
    """Return the rows of a finished run whose quotation was not found (`ABSENT_SCHEMA`), in row order."""
    absent = scan_results(paths).filter(pl.col("qc_status").cast(pl.String) == Status.NOT_FOUND).select(ROW)
    quotes = scan_plan(paths).select(pl.col("row").alias(ROW), QUOTE)
    return absent.join(quotes, on=ROW).select(list(ABSENT_SCHEMA)).collect(engine="streaming").sort(ROW)


def wanted_quotes(absent: pl.DataFrame) -> pl.Series:
    """Return the distinct quotations that are looked for, in order of first appearance."""
    return absent[QUOTE].unique(maintain_order=True).head(MOST_QUOTES)


def collected(absent: pl.DataFrame, quotes: pl.Series, parts: Sequence[Hits]) -> FoundElsewhere:
    """Return what all parts of the search found, row by row: the same however the batch was parted."""
    all_hits = pl.concat([pl.DataFrame(schema=HIT_SCHEMA), *(part.frame for part in parts)])
    names = (
        all_hits.sort("order")
        .unique(["quote", "name"], keep="first", maintain_order=True)
        .group_by("quote", maintain_order=True)
        .agg(pl.col("name").head(LISTED).alias("found_in"), pl.len().alias("sources"))
    )
    numbered = pl.DataFrame({QUOTE: quotes, "number": pl.Series(range(len(quotes)), dtype=pl.UInt32)})
    rows = absent.join(numbered, on=QUOTE).join(names, left_on="number", right_on="quote")
    return FoundElsewhere(
        rows.select(list(FOUND_SCHEMA)).sort(ROW),
        tuple(_notices(parts, quotes, absent, names.filter(pl.col("sources") > LISTED).height)),
    )


def _notices(parts: Sequence[Hits], quotes: pl.Series, absent: pl.DataFrame, unlisted: int) -> Iterator[str]:
    """Yield what the bounds of the search left out, for people."""
    total = absent[QUOTE].n_unique()
    turned_down = {number for part in parts for number in part.turned_down}
    if len(quotes) < total:
        yield f"looked for in other sources: first {len(quotes):,} of {total:,} quotations not found"
    if count := max((part.unsearchable for part in parts), default=0):
        yield f"{count:,} quotations of raised digits or fractions alone were not looked for in other sources"
    if count := len(turned_down):
        yield f"{count:,} quotations resemble too much elsewhere to be looked for in all other sources"
    if count := sum(part.sources_cut for part in parts):
        yield f"{count:,} sources were not searched to the end for quotations of other rows"
    if count := sum(part.failed for part in parts):
        yield f"{count:,} of {len(parts):,} parts of the sources were not searched for other rows' quotations"
    if unlisted:
        yield f"{unlisted:,} quotations stand in many other sources: the first {LISTED} of them are named"
