"""Planning: one pass over the input that sorts rows into buckets by source.

A row whose quotation or source cannot be used is INVALID and never fetched. All rows of one source share a
bucket, so that a worker prepares each text once. Buckets are frozen on disk: a resumed run never plans again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from quotecheck.batch.intermediate import scan_plan
from quotecheck.batch.interrupt import Interrupt
from quotecheck.batch.options import OnBadRow
from quotecheck.batch.records import QUOTE, SOURCE, TEXT, WRONG, WRONG_CODE, Batch, Reject, TableReader
from quotecheck.batch.rundir import RunPaths, publish, write_atomically
from quotecheck.batch.shards import Shard
from quotecheck.errors import InvalidInput, InvalidQuote, InvalidSource
from quotecheck.sources.reference import parse_reference
from quotecheck.sources.store import Store, sha256
from quotecheck.text.match import validate_quote

TEXT_KEY = "text:"
_BUCKET_BYTES = 4_000_000
_MOST_BUCKETS = 128
# Rows, and bytes of quotations, held before they go to their buckets' files.
_PIECE_ROWS = 262_144
_PIECE_BYTES = 128_000_000
_MOST_REMEMBERED = 200_000


@dataclass(frozen=True, slots=True)
class Plan:
    """Figures of a complete plan.

    `records` counts all of the input, rejected ones and the `others` that belong to other shards included;
    everything else counts what this run works on, `texts` the rows that brought their text.
    """

    records: int
    others: int
    rejected: int
    invalid: int
    texts: int
    sources: int
    buckets: int
    notices: tuple[str, ...]

    @property
    def rows(self) -> int:
        """The records that this run answers for, rejected ones included."""
        return self.records - self.others

    @classmethod
    def load(cls, paths: RunPaths) -> Plan | None:
        """Return the plan of a run, or None while it is not complete."""
        if not paths.plan.exists():
            return None
        stored: dict[str, Any] = json.loads(paths.plan.read_text(encoding="utf-8"))
        return cls(**{**stored, "notices": tuple(stored["notices"])})


def bucket_count(input_bytes: int, workers: int) -> int:
    """Return how many buckets to use: enough for all workers, each small enough for memory."""
    return max(2 * workers, min(input_bytes // _BUCKET_BYTES, _MOST_BUCKETS))


def make_plan(
    table: TableReader,
    paths: RunPaths,
    *,
    buckets: int,
    on_bad_row: OnBadRow,
    interrupt: Interrupt,
    shard: Shard | None = None,
) -> Plan:
    """Read the table, write its rows into bucket files, and return the figures. Raises InvalidInput.

    All rejected records are kept, also those of other shards: whoever reads the input must skip them.
    """
    _drop_incomplete(paths)
    with (
        Store(paths.texts) as texts,
        paths.rejects.open("w", encoding="utf-8", errors="backslashreplace") as rejects,
    ):
        planner = _Planner(paths, texts, buckets, shard)
        for batch in table.wanted():
            interrupt.check()
            planner.add(batch)
            for reject in batch.rejects:
                if on_bad_row is OnBadRow.FAIL:
                    place = f"{reject.file or 'standard input'}, line {reject.line}"
                    raise InvalidInput(
                        f"{place}: {reject.reason}: correct it, or leave out --on-bad-row fail"
                    )
                rejects.write(_reject_line(reject))
        planner.flush()
    sources = _write_sources(paths, planner.spellings)
    plan = Plan(
        records=planner.records,
        others=planner.others,
        rejected=planner.rejected,
        invalid=planner.invalid,
        texts=planner.texts,
        sources=sources,
        buckets=buckets,
        notices=tuple(table.notices()),
    )
    write_atomically(paths.plan, json.dumps(asdict(plan)).encode())
    return plan


def read_rejects(paths: RunPaths, shard: Shard | None = None) -> Iterator[Reject]:
    """Yield the records that could not be read, in order; those of one shard, or all."""
    for reject in _all_rejects(paths):
        if shard is None or shard.holds(None, reject.row):
            yield reject


def write_rejects(rejects: Iterable[Reject], path: Path) -> None:
    """Write records that could not be read as JSONL."""
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(map(_reject_line, rejects))


def _reject_line(reject: Reject) -> str:
    return json.dumps(asdict(reject), ensure_ascii=False) + "\n"


def _all_rejects(paths: RunPaths) -> Iterator[Reject]:
    with paths.rejects.open(encoding="utf-8") as lines:
        for line in lines:
            yield Reject(**json.loads(line))


def _drop_incomplete(paths: RunPaths) -> None:
    shutil.rmtree(paths.root / "plan", ignore_errors=True)
    for suffix in ("", "-wal", "-shm"):
        paths.texts.with_name(paths.texts.name + suffix).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _Named:
    """What a spelling names: a source, and why the guard refuses it if it does; or why it names none."""

    key: str | None = None
    code: str | None = None
    wrong: str | None = None
    refusal: tuple[str, str] | None = None


class _Spellings:
    """What spellings of sources name; each is parsed once while not too many are known."""

    def __init__(self) -> None:
        self._known: dict[str | None, _Named] = {}

    def named(self, spelling: str | None) -> _Named:
        """Return what a spelling names."""
        return self._known.get(spelling) or self._parsed(spelling)

    def _parsed(self, spelling: str | None) -> _Named:
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        try:
            reference = parse_reference(spelling or "")
        except InvalidSource as error:
            named = _Named(code=error.reason_code, wrong=str(error))
        else:
            refusal = reference.refusal and (str(reference.refusal[0]), reference.refusal[1])
            named = _Named(reference.key, refusal=refusal)
        self._known[spelling] = named
        return named


class _Planner:
    """Turns batches into planned rows and spills them to their buckets."""

    def __init__(self, paths: RunPaths, texts: Store, buckets: int, shard: Shard | None) -> None:
        self.records = self.others = self.rejected = self.invalid = self.texts = 0
        self._paths = paths
        self._store = texts
        self._buckets = buckets
        self._shard = shard
        self._held: list[pl.DataFrame] = []
        self._pieces = 0
        self.spellings = _Spellings()

    def add(self, batch: Batch) -> None:
        planned = self._own_rows(self._planned(batch))
        rejects = sum(self._shard is None or self._shard.holds(None, item.row) for item in batch.rejects)
        self.records += batch.cells.height + len(batch.rejects)
        self.others += batch.cells.height - planned.height + len(batch.rejects) - rejects
        self.rejected += rejects
        self.invalid += planned[WRONG_CODE].count()
        self.texts += int(planned["key"].str.starts_with(TEXT_KEY).sum())
        self._held.append(planned)
        if (
            sum(frame.height for frame in self._held) >= _PIECE_ROWS
            or sum(frame.estimated_size() for frame in self._held) >= _PIECE_BYTES
        ):
            self.flush()

    def flush(self) -> None:
        """Write the held rows into one new file of each bucket."""
        if not self._held:
            return
        rows = pl.concat(self._held)
        bucket = pl.when(pl.col("key").is_null()).then(pl.col("row")).otherwise(pl.col("key").hash(seed=1))
        parted = rows.with_columns(bucket=bucket % self._buckets).partition_by(
            "bucket", as_dict=True, include_key=False
        )
        for (number,), frame in parted.items():
            folder = self._paths.bucket(int(number))
            folder.mkdir(parents=True, exist_ok=True)
            frame.write_parquet(folder / f"{self._pieces:06}.parquet", compression_level=1)
        self._pieces += 1
        self._held = []

    def _planned(self, batch: Batch) -> pl.DataFrame:
        cells = batch.cells.with_columns(row=batch.rows, line=batch.lines, file=pl.lit(batch.file, pl.String))
        cells = _joined(cells, TEXT, self._text_keys(cells[TEXT]))
        cells = _joined(cells, SOURCE, self._source_keys(cells.filter(pl.col(TEXT).is_null())[SOURCE]))
        cells = _joined(cells, QUOTE, _quote_problems(cells[QUOTE]))
        fetched = pl.col(TEXT).is_null()
        # What is wrong with the quotation goes before what is wrong with the source.
        return cells.select(
            "row",
            "file",
            "line",
            QUOTE,
            SOURCE,
            pl.coalesce("text_key", pl.when(fetched).then("source_key")).alias("key"),
            pl.coalesce(WRONG_CODE, "quote_code", pl.when(fetched).then("source_code")).alias(WRONG_CODE),
            pl.coalesce(WRONG, "quote_wrong", pl.when(fetched).then("source_wrong")).alias(WRONG),
        )

    def _own_rows(self, planned: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of this shard."""
        shard = self._shard
        if shard is None:
            return planned
        rows = zip(planned["key"], planned["row"], strict=True)
        return planned.filter(pl.Series([shard.holds(key, row) for key, row in rows], dtype=pl.Boolean))

    def _text_keys(self, texts: pl.Series) -> pl.DataFrame:
        """Store the texts of this shard; return the key of each text."""
        distinct = texts.drop_nulls().unique()
        keys = [TEXT_KEY + sha256(text.encode("utf-8", "surrogatepass")) for text in distinct]
        own = [self._shard is None or self._shard.holds(key, 0) for key in keys]
        if any(own):
            self._store.put_texts(distinct.filter(pl.Series(own)))
        return pl.DataFrame({TEXT: distinct, "text_key": pl.Series(keys, dtype=pl.String)})

    def _source_keys(self, sources: pl.Series) -> pl.DataFrame:
        """Return the key of each source string, or why it names no source."""
        distinct = sources.unique()
        named = [self.spellings.named(spelling) for spelling in distinct]
        return pl.DataFrame(
            {
                SOURCE: distinct,
                "source_key": [item.key for item in named],
                "source_code": [item.code for item in named],
                "source_wrong": [item.wrong for item in named],
            },
            schema_overrides=dict.fromkeys(("source_key", "source_code", "source_wrong"), pl.String),
        )


def _joined(cells: pl.DataFrame, column: str, found: pl.DataFrame) -> pl.DataFrame:
    if found.is_empty():
        return cells.with_columns(
            pl.lit(None, dtype).alias(name) for name, dtype in found.schema.items() if name != column
        )
    return cells.join(found, on=column, how="left", maintain_order="left", nulls_equal=True)


def _quote_problems(quotes: pl.Series) -> pl.DataFrame:
    """Return the quotations that hold nothing to look for, with reason code and sentence."""
    # Whatever holds a Latin letter or a digit can be looked for; only the others cost a look at each.
    doubtful = quotes.filter(~quotes.str.contains("[0-9A-Za-z]").fill_null(False)).unique()
    problems: list[tuple[str | None, str, str]] = []
    for quote in doubtful:
        try:
            validate_quote(quote or "")
        except InvalidQuote as error:
            sentence = str(error) if quote and not quote.isspace() else "the quotation is blank"
            problems.append((quote, error.reason_code, sentence))
    schema = {QUOTE: pl.String, "quote_code": pl.String, "quote_wrong": pl.String}
    return pl.DataFrame(problems, schema=schema, orient="row")


def _write_sources(paths: RunPaths, spellings: _Spellings) -> int:
    """Write the distinct sources in order of first appearance; return how many come from elsewhere.

    Which addresses the guard refuses is decided here: workers never decide it.
    """
    sources = (
        scan_plan(paths)
        .filter(pl.col(WRONG_CODE).is_null())
        .group_by("key")
        .agg(
            pl.col(SOURCE).sort_by("row").first(),
            pl.col("row").min().alias("first_row"),
            pl.len().alias("rows"),
            pl.col("bucket").first(),
        )
        .sort("first_row")
        .collect(engine="streaming")
    )
    is_text = pl.col("key").str.starts_with(TEXT_KEY)
    fetched = sources.select(pl.when(~is_text).then(SOURCE)).to_series()
    refusals = [spellings.named(spelling).refusal for spelling in fetched]
    sources = sources.with_columns(
        pl.Series("refused_code", [refusal and refusal[0] for refusal in refusals], pl.String),
        pl.Series("refused", [refusal and refusal[1] for refusal in refusals], pl.String),
    )
    temporary = paths.temporary / "sources.parquet"
    sources.write_parquet(temporary)
    publish(temporary, paths.sources)
    return sources.filter(~is_text).height
