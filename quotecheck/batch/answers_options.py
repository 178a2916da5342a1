"""The options of `quotecheck batch --kind answers`. Light: nothing of the engine is imported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quotecheck.batch.options import STDIN, STDOUT, OnBadRow, TableFormat, check_threshold
from quotecheck.errors import InvalidOption

ANSWER_GATES = ("uncited_sentences", "uncited_sources")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersOptions:
    """Options of `run_answers`; `inputs` are JSONL files, folders, glob patterns, or `-` for standard input.

    Attributes
    ----------
    output : the table `answers`; None derives the name from the first input. The tables `citations` and
        `sentences` are named after it.
    format : form of the tables; None takes it from the output's name, else JSONL.
    sources : file with the sources of all rows that have none of their own.
    inline_quotes, first_number, near_threshold : as for `quotecheck.check_answer`.
    workers : processes that review; None takes one for each core.
    strict : every answer must be ok, and nothing rejected (unless `on_bad_row` skips bad rows).
    fail_on : names of `ANSWER_GATES` of which no answer may have one.
    report : also write an HTML report.
    """

    inputs: tuple[str, ...]
    output: str | None = None
    format: TableFormat | None = None
    sources: Path | None = None
    inline_quotes: bool = False
    first_number: int = 1
    near_threshold: float = 0.90
    on_bad_row: OnBadRow = OnBadRow.REPORT
    workers: int | None = None
    strict: bool = False
    fail_on: tuple[str, ...] = ()
    report: bool = False
    summary_json: Path | None = None

    def __post_init__(self) -> None:
        check_threshold(self.near_threshold)
        if self.first_number < 0:
            raise InvalidOption(f"first_number is {self.first_number}: it must be 0 or more")
        if self.workers is not None and self.workers < 1:
            raise InvalidOption(f"workers is {self.workers}: it must be at least 1")
        if self.output == STDOUT:
            raise InvalidOption("the answers give three tables: name a file with -o, not standard output")
        if STDIN in self.inputs and len(self.inputs) > 1:
            raise InvalidOption("standard input (-) cannot be read together with other inputs")
        if self.output is None and STDIN in self.inputs:
            raise InvalidOption("standard input has no name to derive the output's from: give -o")
        unknown = [name for name in self.fail_on if name not in ANSWER_GATES]
        if unknown:
            raise InvalidOption(f"{unknown[0]!r}: give a comma list of {', '.join(ANSWER_GATES)}")
