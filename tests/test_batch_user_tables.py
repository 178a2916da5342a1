"""Tables over which users of such tools stumbled, read in place: every record is accounted for."""

from __future__ import annotations

import base64
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from batch_runs import audited, results_of, work_inline
from shared_data import shared_rows

from quotecheck.errors import InvalidInput


def table_cases() -> list[dict[str, Any]]:
    rows = [row for row in shared_rows("cases/user_cases.jsonl") if row["layer"] == "table"]
    return [row for row in rows if row["input"]["type"] in ("csv", "jsonl")]


def records_of(data: bytes, form: str) -> list[dict[str, Any]]:
    """Return the records as the standard library reads them, those it cannot read left out."""
    text = data.decode("utf-8-sig", "surrogatepass")
    if form == "jsonl":
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    delimiter = ";" if ";" in text.split("\n")[0] else ","
    header, *rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    return [dict(zip(header, row, strict=True)) for row in rows if len(row) == len(header)]


def data_of(case: dict[str, Any]) -> bytes:
    raw = case["input"].get("body_b64")
    return base64.b64decode(raw) if raw else case["input"]["text"].encode("utf-8", "surrogatepass")


def written(path: Path, data: bytes) -> list[dict[str, Any]]:
    """Return the rows of a result, read as a spreadsheet or a script would."""
    if path.suffix == ".jsonl":
        return results_of(path)
    delimiter = ";" if b";" in data.split(b"\n")[0] else ","
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline=""), delimiter=delimiter))


def test_users_tables_come_out_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each record is a row with its own cells, or is rejected; a table without the columns is refused."""
    work_inline(monkeypatch)
    for case in table_cases():
        data, form = data_of(case), case["input"]["type"]
        path, output = tmp_path / f"{case['id']}.{form}", tmp_path / f"{case['id']}-out.{form}"
        path.write_bytes(data)
        if b"quote" not in data.lower():
            with pytest.raises(InvalidInput, match=r"--quote-col \(in Python: quote=\); columns found: "):
                audited(tmp_path, str(path), output=str(output))
            continue
        audited(tmp_path, str(path), output=str(output))
        readable = [record for record in records_of(data, form) if not has_half_characters(record)]
        found = written(output, data)
        names = readable[0] if readable else {}
        assert [{name: row[name] for name in names} for row in found] == readable, case["id"]
        assert found or results_of(output.with_suffix(".rejects.jsonl")), case["id"]


def has_half_characters(record: dict[str, Any]) -> bool:
    return any("\ud800" <= character <= "\udfff" for value in record.values() for character in str(value))
