"""Reviewing some rows of a set of answers: the job of a worker process.

The worker leaves the three tables in files, so that only figures, rejects and the cards of the HTML report
cross the pipe. A row that cannot be reviewed is rejected alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from quotecheck.batch.answers_page import AnswerCard, card_of
from quotecheck.batch.answers_tables import TABLES, Record, frame_of
from quotecheck.batch.json_reader import BadRecord, Line, parse_record
from quotecheck.batch.records import Reject
from quotecheck.citations.bulk import GroupSummary, RowRecords, read_row, records_of, summarize
from quotecheck.citations.review import Reviewer, ReviewOptions
from quotecheck.citations.sources import Sources
from quotecheck.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of the input, its row number in the whole input, and the name of its file."""

    row: int
    file: str | None
    line: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkTask:
    """Rows to review; `sources` are for rows without their own, `parts` names a file for each table.

    `cards` is how many answers of each kind (ok, not ok) are wanted for the HTML report.
    """

    lines: tuple[PlacedLine, ...]
    options: ReviewOptions
    sources: Sources | None
    parts: dict[str, Path]
    cards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedChunk:
    """What reviewing some rows came to: group figures, counts, rejects in order, cards.

    `gates` counts the answers that have what a gate of `ANSWER_GATES` names.
    """

    groups: list[GroupSummary]
    results: dict[str, int]
    warnings: dict[str, int]
    gates: dict[str, int]
    rejects: list[Reject]
    cards: list[AnswerCard]


def review_chunk(task: ChunkTask) -> ReviewedChunk:
    """Review rows and write their records. Raises OSError."""
    chunk = _Chunk(task)
    for placed in task.lines:
        chunk.add(placed)
    return chunk.finished()


class _Chunk:
    """Collects what a chunk of rows comes to."""

    def __init__(self, task: ChunkTask) -> None:
        self._task = task
        self._rows: list[RowRecords] = []
        self._rejects: list[Reject] = []
        self._cards: list[AnswerCard] = []
        self._listed: Counter[bool] = Counter()
        # The sources of all rows are prepared once.
        self._shared = None if task.sources is None else Reviewer(task.sources, task.options)

    def add(self, placed: PlacedLine) -> None:
        """Review a row, or reject it."""
        try:
            row = read_row(parse_record(placed.line), sources=self._task.sources)
            shares = self._shared is not None and row.sources is self._task.sources
            reviewer = self._shared if shares and self._shared else Reviewer(row.sources, self._task.options)
            report = reviewer.review(row.answer)
        except (BadRecord, InvalidInput) as error:
            self._rejects.append(Reject(placed.row, placed.file, placed.line.number, str(error)))
            return
        records = records_of(row, placed.row, report, reviewer.sources)
        self._rows.append(records)
        if self._listed[report.ok] < self._task.cards:
            self._listed[report.ok] += 1
            self._cards.append(card_of(records.answer, report, reviewer.sources))

    def finished(self) -> ReviewedChunk:
        """Write the parts of the tables and return the figures."""
        records: dict[str, list[Record]] = {
            "answers": [row.answer for row in self._rows],
            "citations": [citation for row in self._rows for citation in row.citations],
            "sentences": [sentence for row in self._rows for sentence in row.sentences],
        }
        for table in TABLES:
            frame_of(table, records[table]).write_parquet(self._task.parts[table])
        answers = [row.answer for row in self._rows]
        return ReviewedChunk(
            groups=list(summarize(answers).values()),
            results=dict(Counter(citation.result for row in self._rows for citation in row.citations)),
            warnings=dict(Counter(warning for answer in answers for warning in answer.warnings)),
            gates={
                "uncited_sentences": sum(answer.n_cited_sentences < answer.n_sentences for answer in answers),
                "uncited_sources": sum(bool(answer.uncited_sources) for answer in answers),
            },
            rejects=self._rejects,
            cards=self._cards,
        )
