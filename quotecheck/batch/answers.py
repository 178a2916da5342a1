"""Reviewing a set of answers from files to tables: `quotecheck batch --kind answers`.

Rows are read line by line and reviewed in worker processes, a thousand at a time. Nothing is fetched, so a
run that is stopped begins again; its outputs appear complete or not at all.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

import anyio
from tqdm import tqdm

from quotecheck.batch.answers_chunk import ChunkTask, PlacedLine, ReviewedChunk, review_chunk
from quotecheck.batch.answers_options import AnswersOptions
from quotecheck.batch.answers_page import AnswerCard, AnswersPage, render
from quotecheck.batch.answers_summary import AnswersSummary, summary_of
from quotecheck.batch.answers_tables import TABLES, write_parts
from quotecheck.batch.engine import identity_of
from quotecheck.batch.inputs import InputFile, expand_inputs, fingerprint, recognise
from quotecheck.batch.interrupt import Interrupt, Interrupted, interruptible
from quotecheck.batch.json_reader import lines_of, refuse_single_object
from quotecheck.batch.options import STDIN, BatchOptions, OnBadRow, TableFormat, worker_count
from quotecheck.batch.outputs import FORMAT_OF_SUFFIX, beside, plan_outputs, require_places, write_json_file
from quotecheck.batch.records import Reject
from quotecheck.batch.rundir import publish
from quotecheck.citations.arguments import read_text
from quotecheck.citations.review import ReviewOptions
from quotecheck.citations.sources import Sources, read_sources
from quotecheck.console import ExitCode, read_stdin, say, write_summary
from quotecheck.errors import InvalidInput
from quotecheck.workers import WorkerDied, WorkerFailed, WorkerPool

_CHUNK_ROWS = 1_000
_CHUNK_BYTES = 8_000_000
# How many answers that are ok, and that are not, the HTML report lists.
_LISTED = {True: 50, False: 200}
INVALID_ROW = "INVALID_ROW"

# Where a chunk's tables are, and what else it came to.
Reviewed: TypeAlias = tuple[dict[str, Path], ReviewedChunk]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOutputs:
    """The files of one review."""

    tables: dict[str, Path]
    format: TableFormat
    rejects: Path
    report: Path | None
    manifest: Path

    def paths(self) -> list[Path]:
        """Return all files, in the order in which they get their names."""
        others = (self.rejects, self.report, self.manifest)
        return [*self.tables.values(), *(path for path in others if path is not None)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersOutcome:
    """How a review ended; without a summary it did not finish."""

    exit_code: ExitCode
    summary: AnswersSummary | None = None


def run_answers(options: AnswersOptions, *, progress: bool | None = None) -> AnswersOutcome:
    """Review a set of answers, write the tables, print the summary.

    `progress` shows a bar (True), nothing (False), or a bar on a terminal (None). Raises InvalidInput and
    InvalidOption before anything is written; a full disk or Ctrl-C is an outcome with its exit code.
    """
    try:
        with Interrupt() as interrupt, tempfile.TemporaryDirectory(prefix="quotecheck-") as folder:
            summary = _Review(options, Path(folder), interrupt, progress).run()
    except (Interrupted, KeyboardInterrupt):
        say("interrupted: nothing was written; the same command begins again")
        return AnswersOutcome(exit_code=ExitCode.INTERRUPTED)
    except (OSError, WorkerFailed, WorkerDied) as error:
        say(f"the review did not finish, nothing was written: {error}")
        return AnswersOutcome(exit_code=ExitCode.UNFINISHED)
    if options.summary_json is not None:
        write_json_file(options.summary_json, summary.to_dict())
    write_summary(summary.to_dict(), summary.lines())
    passed = all(gate.passed for gate in summary.gates)
    return AnswersOutcome(exit_code=ExitCode.OK if passed else ExitCode.FAILED, summary=summary)


class _Review:
    """One run over an input; everything it writes stays in a folder of its own until it is complete."""

    def __init__(
        self, options: AnswersOptions, folder: Path, interrupt: Interrupt, progress: bool | None
    ) -> None:
        self._options = options
        self._folder = folder
        self._interrupt = interrupt
        terminal = sys.stderr is not None and sys.stderr.isatty()
        self._bar_wanted = terminal if progress is None else progress
        self._listed: Counter[bool] = Counter()

    def run(self) -> AnswersSummary:
        """Review the input and write the outputs. Raises InvalidInput, Interrupted, OSError."""
        started = time.monotonic()
        files = self._files()
        outputs = _outputs(self._options, files)
        identity = identity_of([fingerprint(file) for file in files], _decisive(self._options))
        reviewed = anyio.run(interruptible, self._interrupt, partial(self._review, self._tasks(files)))
        summary = summary_of(
            [chunk for _, chunk in reviewed],
            self._options,
            files=[str(path) for path in outputs.paths()],
            seconds=time.monotonic() - started,
        )
        self._write(outputs, reviewed, summary, identity)
        return summary

    def _files(self) -> list[InputFile]:
        if STDIN in self._options.inputs:
            path = self._folder / "incoming"
            path.write_bytes(read_stdin())
            files = [InputFile(path, None, recognise(path, "standard input"))]
        else:
            files = expand_inputs(self._options.inputs)
        for file in files:
            if file.kind != "json":
                raise InvalidInput(
                    f"{file.shown} is {file.kind}: answers are read from JSONL or a JSON array"
                )
            refuse_single_object(file)
        return files

    def _tasks(self, files: list[InputFile]) -> Iterator[ChunkTask]:
        options = ReviewOptions(
            inline_quotes=self._options.inline_quotes,
            first_number=self._options.first_number,
            near_threshold=self._options.near_threshold,
        )
        sources = _sources_for_all(self._options)
        for number, lines in enumerate(_chunked(_placed(files))):
            wanted = [limit - self._listed[is_ok] for is_ok, limit in _LISTED.items()]
            yield ChunkTask(
                lines=lines,
                options=options,
                sources=sources,
                parts={table: self._folder / f"{table}.{number:06}.parquet" for table in TABLES},
                cards=max(0, *wanted) if self._options.report else 0,
            )

    async def _review(self, tasks: Iterator[ChunkTask]) -> list[Reviewed]:
        """Review chunks in worker processes, a single one in this process; return them in order."""
        first = list(islice(tasks, 2))
        if len(first) < 2:
            return [(task.parts, self._checked(review_chunk(task))) for task in first]
        done: dict[int, Reviewed] = {}
        workers = worker_count(self._options.workers)
        # Two chunks for each worker are in memory: one that is reviewed, one that waits.
        slots = anyio.Semaphore(2 * workers)

        async def review(number: int, task: ChunkTask) -> None:
            chunk = await pool.run("review_answers", task, retries=1)
            assert isinstance(chunk, ReviewedChunk)
            done[number] = (task.parts, self._checked(chunk))
            bar.update(len(task.lines))
            slots.release()

        with tqdm(unit=" answers", disable=not self._bar_wanted, file=sys.stderr) as bar:
            async with WorkerPool(workers) as pool, anyio.create_task_group() as group:
                for number, task in enumerate(chain(first, tasks)):
                    await slots.acquire()
                    group.start_soon(review, number, task)
        return [done[number] for number in sorted(done)]

    def _checked(self, chunk: ReviewedChunk) -> ReviewedChunk:
        """Count a chunk's cards; raises InvalidInput where its first reject is to stop the run."""
        self._listed.update(card.ok for card in chunk.cards)
        if chunk.rejects and self._options.on_bad_row is OnBadRow.FAIL:
            reject = chunk.rejects[0]
            place = f"{reject.file or 'standard input'}, line {reject.line}"
            raise InvalidInput(f"{place}: {reject.reason}: correct it, or leave out --on-bad-row fail")
        return chunk

    def _write(
        self,
        outputs: AnswerOutputs,
        reviewed: Sequence[Reviewed],
        summary: AnswersSummary,
        identity: dict[str, object],
    ) -> None:
        """Write all outputs beside their places, then give them their names."""
        written = {path: path.with_name(path.name + ".tmp") for path in outputs.paths()}
        try:
            for table, path in outputs.tables.items():
                write_parts([parts[table] for parts, _ in reviewed], table, written[path], outputs.format)
            written[outputs.rejects].write_bytes(b"".join(_reject_line(reject) for reject in summary.rejects))
            if outputs.report is not None:
                page = _page(self._options, reviewed, summary)
                written[outputs.report].write_text(render(page), "utf-8", "replace")
            manifest = {"kind": "answers", **identity, "summary": summary.to_dict()}
            written[outputs.manifest].write_bytes(_json_bytes(manifest))
            for path, temporary in written.items():
                publish(temporary, path)
        finally:
            for temporary in written.values():
                temporary.unlink(missing_ok=True)


def _outputs(options: AnswersOptions, files: list[InputFile]) -> AnswerOutputs:
    """Return where results go. Raises InvalidOption, and InvalidInput where they cannot be written."""
    planned = plan_outputs(
        BatchOptions(
            inputs=options.inputs, output=options.output, format=options.format, report=options.report
        ),
        files,
    )
    assert planned.table is not None
    assert planned.rejects is not None
    assert planned.manifest is not None
    suffix = (
        planned.table.suffix if planned.table.suffix.lower() in FORMAT_OF_SUFFIX else f".{planned.format}"
    )
    tables = {name: beside(planned.table, f".{name}{suffix}") for name in TABLES} | {"answers": planned.table}
    outputs = AnswerOutputs(
        tables=tables,
        format=planned.format,
        rejects=planned.rejects,
        report=planned.report,
        manifest=planned.manifest,
    )
    require_places([*outputs.paths(), options.summary_json], files)
    return outputs


def _sources_for_all(options: AnswersOptions) -> Sources | None:
    """Return the text of the file with the sources of all rows, or None. Raises InvalidInput."""
    if options.sources is None:
        return None
    text = read_text("--sources", str(options.sources))
    read_sources(text)
    return text


def _placed(files: Iterable[InputFile]) -> Iterator[PlacedLine]:
    row = 0
    for file in files:
        for line in lines_of(file):
            yield PlacedLine(row, file.name, line)
            row += 1


def _chunked(lines: Iterable[PlacedLine]) -> Iterator[tuple[PlacedLine, ...]]:
    """Yield lines in groups that hold few enough rows and bytes for one worker."""
    chunk: list[PlacedLine] = []
    size = 0
    for placed in lines:
        chunk.append(placed)
        size += len(placed.line.raw)
        if len(chunk) == _CHUNK_ROWS or size >= _CHUNK_BYTES:
            yield tuple(chunk)
            chunk, size = [], 0
    if chunk:
        yield tuple(chunk)


def _decisive(options: AnswersOptions) -> dict[str, object]:
    """Return the options that decide what is in the tables."""
    return {
        "inline_quotes": options.inline_quotes,
        "first_number": options.first_number,
        "near_threshold": options.near_threshold,
        "sources": None if options.sources is None else str(options.sources),
    }


def _page(options: AnswersOptions, reviewed: Iterable[Reviewed], summary: AnswersSummary) -> AnswersPage:
    cards: list[AnswerCard] = []
    listed: Counter[bool] = Counter()
    for card in (card for _, chunk in reviewed for card in chunk.cards):
        listed[card.ok] += 1
        if listed[card.ok] <= _LISTED[card.ok]:
            cards.append(card)
    first = "standard input" if options.inputs[0] == STDIN else Path(options.inputs[0]).name
    return AnswersPage(
        title=first if len(options.inputs) == 1 else f"{first} and {len(options.inputs) - 1} more",
        finished=f"{datetime.now(UTC):%d %B %Y, %H:%M} UTC",
        answers=summary.answers,
        answers_ok=summary.answers_ok,
        rejected=len(summary.rejects),
        warnings=dict(summary.warnings),
        groups=summary.groups,
        gates=tuple((f"{gate.name}: {gate.detail}", gate.passed) for gate in summary.gates),
        cards=tuple(cards),
    )


def _reject_line(reject: Reject) -> bytes:
    return _json_bytes({**asdict(reject), "reason_code": INVALID_ROW}, indent=None)


def _json_bytes(value: object, *, indent: int | None = 2) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "backslashreplace") + b"\n"
