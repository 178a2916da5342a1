"""Writes docs/reference.md from the code: `python docs/reference.py`. A test compares the two."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from quotecheck.batch.columns import RESULT_SCHEMA
from quotecheck.cli import build_parser
from quotecheck.console import ExitCode
from quotecheck.models import Difference, Flag, ReasonCode, Status
from quotecheck.sources.reasons import explain

TARGET = Path(__file__).with_name("reference.md")

STATUSES = {
    Status.EXACT: "some reading of the source contains some reading of the quotation",
    Status.NEAR: "a passage is similar enough, or differs only in a harmless class; never a pass",
    Status.NOT_FOUND: "the source was read and no passage qualifies",
    Status.SOURCE_UNAVAILABLE: "the source could not be read: `reason_code` says why",
    Status.INVALID: "rows of a table only: no quotation or no source to check",
}
DIFFERENCES = {
    Difference.NONE: "EXACT: the same characters",
    Difference.TYPOGRAPHY: "EXACT: white space, quotation marks, dashes, invisible or compatible characters",
    Difference.LAYOUT: "EXACT: a line break, a hyphen at a line end, or marks declared as apparatus",
    Difference.REFERENCE_MARK: "NEAR: a mark such as [12] on one side only",
    Difference.ELISION: "NEAR: shortened with an ellipsis",
    Difference.EDITORIAL: "NEAR: an editor's brackets",
    Difference.SPACING: "NEAR: equal but for spaces",
    Difference.PUNCTUATION: "NEAR: only punctuation differs",
    Difference.CASE: "NEAR: only letter case differs",
    Difference.DIACRITICS: "NEAR: only accents or vowel points differ",
    Difference.WORDS: "NEAR: words differ",
}
FLAGS = {
    Flag.NUMBER_CHANGED: "a number, sign, decimal or relation differs",
    Flag.NEGATION_CHANGED: "a negation was added, dropped or turned",
    Flag.MODALITY_CHANGED: "must, may, shall, should, can ... differ",
    Flag.UNIT_CHANGED: "a unit of measure or currency differs",
    Flag.NEGATION_NEARBY: "a negation stands just outside the passage",
    Flag.NEGATION_ELIDED: "the words that an ellipsis leaves out hold a negation",
    Flag.CUTS_WORD: "an end of the passage falls inside a word",
    Flag.CUTS_NUMBER: "an end of the passage falls inside a number",
    Flag.SHORT_QUOTE: "fewer than 3 words, or 6 CJK characters: weak evidence",
    Flag.REPEATED: "the passage occurs more than once",
    Flag.SUPERSCRIPT_DIGITS: "the markup raises or lowers digits of the passage",
    Flag.ABSTRACT_ONLY: "an abstract was read, not the paper",
    Flag.OUTSIDE_VISIBLE_TEXT: "the words stand only in the title, the description or a hidden part",
    Flag.NEEDS_JAVASCRIPT: "the page has next to no text before scripts run",
    Flag.BEST_NOT_PROVEN: "the text is too repetitive to prove which passage is the best",
    Flag.NEAR_NOT_SEARCHED: "the quotation is too long to look for near passages",
    Flag.FOUND_ELSEWHERE: "tables only: the words stand in another source of the same table",
}
EXIT_CODES = {
    ExitCode.OK: "finished, and every gate held",
    ExitCode.FAILED: "finished, and a gate (`--strict`, `--fail-on`, a limit) did not hold",
    ExitCode.USAGE: "wrong arguments, or an input or output that cannot be read or written",
    ExitCode.UNFINISHED: "did not finish; the last line says how to go on",
    ExitCode.INTERRUPTED: "interrupted with Ctrl-C; the same command goes on",
}
COLUMNS = {
    "qc_row": "0-based number of the record over the whole input, unreadable records counted",
    "qc_file": "file of the record; null for a frame",
    "qc_line": "its first line (CSV, JSONL), else its number in the file, from 1",
    "qc_status": "the verdict",
    "qc_similarity": "0 to 1; null where no text was read",
    "qc_char_start": "start of the passage in the source's text, in code points; null unless EXACT or NEAR",
    "qc_char_end": "its end, exclusive",
    "qc_snippet": "the source's own wording",
    "qc_difference": "the most severe class of difference; null where there is no passage",
    "qc_flags": "observations that do not change the verdict; in CSV joined by `;`",
    "qc_differences": "every difference of a NEAR, with offsets on both sides",
    "qc_segments": "the parts of a shortened quotation, as [start, end]",
    "qc_occurrences": "how often an EXACT passage occurs; 1 for NEAR, else 0",
    "qc_region": "`title`, `description` or `hidden`; null for the visible text",
    "qc_page": "page of a PDF, from 1",
    "qc_closest": "NOT_FOUND: the closest passage, where its similarity is at least 0.5",
    "qc_reason_code": "why the source is unavailable or the row invalid",
    "qc_reason": "the same as a sentence that says what to do",
    "qc_source_key": "equal for all spellings of one source",
    "qc_final_url": "address after redirects; null where nothing was fetched",
    "qc_passage_url": "address that takes a browser to the passage (web pages)",
    "qc_text_sha256": "SHA-256 of the text that the offsets refer to",
    "qc_fetched_at": "when the source was fetched, UTC",
    "qc_found_in": "other sources of the table in which a NOT_FOUND quotation stands",
}

COMPLETIONS = (
    "Completions for three shells are installed below `share` of the Python environment, here called `ENV`:",
    "",
    "- bash: `source ENV/share/bash-completion/completions/quotecheck`",
    "- zsh: `fpath+=ENV/share/zsh/site-functions`, before `compinit`",
    "- fish: `source ENV/share/fish/vendor_completions.d/quotecheck.fish`",
)


def reference() -> str:
    """Return the reference as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Reference"
    yield ""
    yield "Written from the code by `python docs/reference.py`. Nested values are JSON in CSV files."
    yield from _table("Verdicts", "status", STATUSES)
    yield from _table("Classes of difference, from harmless to severe", "difference", DIFFERENCES)
    yield from _table("Flags", "flag", FLAGS)
    yield from _table("Exit codes", "code", {str(int(code)): text for code, text in EXIT_CODES.items()})
    yield from _table(
        "Reason codes", "reason_code", {code: explain(code, "HOST").replace("|", "/") for code in ReasonCode}
    )
    yield from ("", "For rows that are INVALID: `blank_quote`, `blank_source`, `not_a_source`.")
    yield from ("", "## Columns of a result table", "", "After all columns of the input, unchanged.", "")
    yield from ("| column | type | meaning |", "|---|---|---|")
    for name, dtype in RESULT_SCHEMA.items():
        yield f"| `{name}` | {_dtype(str(dtype))} | {COLUMNS[name]} |"
    yield from ("", "## Commands")
    yield from ("", *COMPLETIONS)
    for name, parser in _commands(build_parser()):
        yield from ("", f"### quotecheck {name}", "", parser.description or "", "")
        yield from _options(parser)


def _table(title: str, name: str, meanings: Mapping[Any, str]) -> Iterator[str]:
    yield from ("", f"## {title}", "", f"| {name} | meaning |", "|---|---|")
    yield from (f"| `{key}` | {meaning} |" for key, meaning in meanings.items())


def _dtype(text: str) -> str:
    return text.partition("(")[0]


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    actions = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]
    if not actions:
        return
    yield from ("| argument | meaning |", "|---|---|")
    for action in actions:
        yield f"| {_spelling(action)} | {(action.help or '').replace('%%', '%').replace('|', '/')} |"


def _spelling(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"`{action.metavar or action.dest}`"
    choices = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else None
    value = "" if action.nargs == 0 else f" {action.metavar or choices or action.dest.upper()}"
    return "`" + ", ".join(action.option_strings) + value.replace("|", " or ").replace("%%", "%") + "`"


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
