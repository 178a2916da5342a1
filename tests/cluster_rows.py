"""A table with every kind of row that an audit knows, and what is compared of two audits of it."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
from batch_runs import results_of
from loopback_pages import Pages

# What two audits of equal pages may differ in.
_OF_THE_MOMENT = ("seconds", "files", "sources_by_host", "fetched")
_SYLLABLES = [first + second for first in "bdfgklmnprstv" for second in ("a", "en", "i", "or", "u")]


class Texts(Pages):
    """Pages of some sentences of made-up words; page 7 and 17 and 27 say the same."""

    def body(self, number: int) -> str:
        """Return what stands on a page."""
        return "".join(f"<p>{sentence(number, place)}</p>" for place in range(12))


def sentence(number: int, place: int) -> str:
    """Return one sentence of a page."""
    number = 7 if number in (17, 27) else number
    words = random.Random(100 * number + place)
    chosen = words.choices(_SYLLABLES, k=24)
    return " ".join(first + second for first, second in zip(chosen[::2], chosen[1::2], strict=True)) + "."


def rows_over(pages: Pages, sources: int, rows: int) -> list[dict[str, str | None]]:
    """Return rows over pages: exact, near, absent, found elsewhere, invalid, refused, with a text."""
    order = random.Random(11)
    made: list[dict[str, str | None]] = []
    for row in range(rows):
        number, place = order.randrange(sources), order.randrange(12)
        words = sentence(number, place).split(" ")
        quote = (
            " ".join(words),
            " ".join([*words[:4], "otherwise", *words[5:]]),
            f"the weir keeper {row} never wrote a word of this",
            sentence((number + 3) % sources, place),
        )[row % 4]
        made.append({"id": f"{row:04}", "quote": quote, "source": pages.url(number), "text": None})
    said = "An old boat, moored.\nNothing else."
    made[5:5] = [
        {"id": "a", "quote": "  ", "source": pages.url(1), "text": None},
        {"id": "b", "quote": "grey fog", "source": "no source at all", "text": None},
        {"id": "c", "quote": "grey fog", "source": None, "text": None},
        {"id": "d", "quote": "grey fog", "source": "http://10.0.0.1/", "text": None},
        {"id": "e", "quote": "grey fog", "source": f"ftp://example.org/{rows}", "text": None},
        {"id": "f", "quote": "old boat, moored", "source": "a note", "text": said},
        {"id": "g", "quote": "young boat, moored", "source": pages.url(2), "text": said},
        {"id": "h", "quote": sentence(3, 1), "source": "a note", "text": said},
        {"id": "i", "quote": "old boat, moored", "source": pages.url(2), "text": None},
    ]
    return made


def write_table(path: Path, rows: list[dict[str, str | None]]) -> Path:
    """Write rows as their name says; in JSONL and CSV two more records cannot be read."""
    match path.suffix:
        case ".parquet":
            pl.DataFrame(rows, infer_schema_length=None).write_parquet(path)
        case ".jsonl":
            lines = [json.dumps(row) for row in rows]
            lines[3:3] = ['{"quote": "cut off', "[1, 2]"]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        case _:
            with path.open("w", encoding="utf-8", newline="") as stream:
                writer = csv.writer(stream)
                writer.writerow(rows[0])
                for number, row in enumerate(rows):
                    writer.writerow(row.values())
                    if number in (2, 9):
                        writer.writerow(["one", "cell", "too", "many", "here"])
    return path


def everything(table: Path) -> dict[str, Any]:
    """Return all that an audit wrote, but for what depends on the moment."""
    stem = table.with_suffix("")
    manifest = json.loads(Path(f"{stem}.manifest.json").read_text(encoding="utf-8"))
    summary = {name: value for name, value in manifest["summary"].items() if name not in _OF_THE_MOMENT}
    return {
        "rows": [_lasting(row, "qc_fetched_at") for row in results_of(table)],
        "sources": [_lasting(row, "fetched_at") for row in results_of(Path(f"{stem}.sources.parquet"))],
        "rejects": Path(f"{stem}.rejects.jsonl").read_text(encoding="utf-8"),
        "summary": summary,
        "texts_digest": manifest["texts_digest"],
    }


def _lasting(row: Mapping[str, Any], moment: str) -> dict[str, Any]:
    """Return a row with whether there is a moment in place of which."""
    return {**row, moment: row[moment] not in (None, "")}
