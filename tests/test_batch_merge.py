"""Shards put together: the same table as a single run, or a refusal that names what does not fit."""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from batch_runs import audited, results_of, work_inline, write_jsonl
from polars.testing import assert_frame_equal

from quotecheck.batch.gates import Gates
from quotecheck.batch.merge import gather, run_merge
from quotecheck.batch.merge_arguments import add_merge_arguments
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.shards import Shard
from quotecheck.console import ExitCode
from quotecheck.errors import InvalidInput, InvalidOption
from quotecheck.sources.store import Store

SENTENCE = "grey fog lay over the weir; a boat, a bell — “the tide” turned at dawn and no lamp was lit"
COUNT = 3


@pytest.fixture(autouse=True)
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    work_inline(monkeypatch)


def text_of(number: int) -> str:
    words = random.Random(number)
    return " ".join(words.choices(SENTENCE.split(), k=40)) + f"\nthat was night {number}"


def rows_of(count: int) -> list[dict[str, Any]]:
    """Return rows of every verdict: right, changed, of another source, invalid, unavailable, with texts."""
    order = random.Random(8)
    rows: list[dict[str, Any]] = []
    for number in range(count):
        source = order.randrange(12)
        other = order.choice([source, source, (source + 1) % 12])
        quote = " ".join(text_of(other).split()[10:18])
        row: dict[str, Any] = {
            "id": f"{number:03}",
            "quote": quote,
            "source": f"https://example.org/{source}",
        }
        match number % 9:
            case 1:
                row |= {"source": f'my "notes", {source};\nof May', "text": text_of(source)}
            case 2:
                row |= {"quote": quote + " nevertheless"}
            case 3:
                row |= {"quote": " "}
            case 4:
                row |= {"source": "http://10.0.0.1/"}
            case 5:
                row |= {"source": "no source", "note": 'has,\n"qc_row":5, in it'}
            case 6:
                row |= {"quote": f"that was night {other}", "source": "https://example.org/app"}
        rows.append(row)
    return rows


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite"
    with Store(path) as opened:
        for number in range(10):  # the last two are not in the store
            url = f"https://example.org/{number}"
            opened.put_page(url, text_of(number).encode(), content_type="text/plain", final_url=url)
        url = "https://example.org/app"
        shell = b'<title>App</title><div id="root">Loading...</div><script src="app.js"></script>'
        opened.put_page(url, shell, content_type="text/html", final_url=url)
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = write_jsonl(tmp_path / "rows.jsonl", rows_of(120))
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[17] = lines[90] = '{"quote": '
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def audit(table: Path, store: Path, name: str, **options: Any) -> Path:
    output = table.parent / name
    audited(
        table.parent, str(table), output=str(output), fetch=FetchOptions(store=store, offline=True), **options
    )
    return output


def shards_of(table: Path, store: Path, suffix: str, count: int = COUNT) -> list[Path]:
    return [audit(table, store, f"part{index}.{suffix}", shard=Shard(index, count)) for index in range(count)]


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.stem + ending)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("count", [1, COUNT])
def test_merged_shards_are_the_single_run(table: Path, store: Path, suffix: str, count: int) -> None:
    """Rows, order, sources, rejects, counts, findings elsewhere: nothing tells that there were shards."""
    whole = audit(table, store, f"whole.{suffix}")
    merged = table.parent / f"merged.{suffix}"
    shards = shards_of(table, store, suffix, count)
    assert run_merge(random.Random(count).sample(shards, count), merged) == ExitCode.OK
    if suffix == "parquet":
        assert_frame_equal(pl.read_parquet(merged), pl.read_parquet(whole))
    else:
        assert merged.read_bytes() == whole.read_bytes()
    assert_frame_equal(
        pl.read_parquet(beside(merged, ".sources.parquet")),
        pl.read_parquet(beside(whole, ".sources.parquet")),
    )
    assert beside(merged, ".rejects.jsonl").read_bytes() == beside(whole, ".rejects.jsonl").read_bytes()
    contents = [json.loads(beside(path, ".manifest.json").read_bytes()) for path in (merged, whole)]
    for name in ("versions", "inputs", "texts_digest"):
        assert contents[0][name] == contents[1][name]
    same = ("rows", "statuses", "differences", "flags", "sources", "reasons", "hosts", "examples", "notices")
    assert [contents[0]["summary"][name] for name in same] == [contents[1]["summary"][name] for name in same]
    assert contents[0]["summary"]["flags"]["found_elsewhere"] > 3


@pytest.mark.parametrize("name", ["quote", "Quote"])
def test_shards_without_rows_are_merged(tmp_path: Path, store: Path, name: str) -> None:
    """A JSONL table without rows names no columns; the others tell where the quotations stand."""
    rows = write_jsonl(tmp_path / "rows.jsonl", [{name: "no such words here", "text": text_of(1)}] * 3)
    merged, whole = tmp_path / "merged.jsonl", audit(rows, store, "whole.jsonl")
    shards = shards_of(rows, store, "jsonl", 8)
    assert not shards[0].read_bytes()
    assert run_merge(shards, merged) == ExitCode.OK
    assert merged.read_bytes() == whole.read_bytes()


def test_csv_of_a_spreadsheet_is_merged_byte_for_byte(tmp_path: Path, store: Path) -> None:
    """Semicolons, byte order mark, line breaks in cells and empty cells stay."""
    cells = [f'{row["id"]};"{row["quote"]}";"{row["source"]}"' for row in rows_of(60) if "text" not in row]
    table = tmp_path / "rows.csv"
    table.write_bytes(("\ufeffid;quote;source\r\n" + "\r\n".join(cells) + "\r\n").encode())
    whole, merged = audit(table, store, "whole.csv"), tmp_path / "merged.csv"
    run_merge(shards_of(table, store, "csv"), merged)
    assert merged.read_bytes() == whole.read_bytes()
    assert merged.read_bytes().startswith(b"\xef\xbb\xbfid;quote;source;qc_row;")
    assert b'"needs_javascript;found_elsewhere"' in merged.read_bytes()


def test_merged_manifest_says_what_it_was_put_together_from(table: Path, store: Path) -> None:
    """A merged result is a whole one, and its parts can be told."""
    merged = table.parent / "merged.jsonl"
    run_merge(shards_of(table, store, "jsonl"), merged)
    content = json.loads(beside(merged, ".manifest.json").read_bytes())
    assert content["options"]["shard"] is None
    assert content["options"]["output"] == str(merged)
    assert [shard["shard"] for shard in content["shards"]] == ["0/3", "1/3", "2/3"]
    assert sum(shard["rows"]["read"] for shard in content["shards"]) == 120


def test_gates_judge_the_whole(table: Path, store: Path) -> None:
    """What no shard failed by itself can fail the merged result."""
    shards = shards_of(table, store, "parquet")
    assert run_merge(shards, table.parent / "merged.parquet", gates=Gates(strict=True)) == ExitCode.FAILED
    gates = Gates(fail_on=("found_elsewhere",))
    assert run_merge(shards, table.parent / "merged.parquet", gates=gates) == ExitCode.FAILED


def test_missing_texts_of_a_shard_are_told(table: Path, store: Path) -> None:
    """The table is right but for what that shard's sources would have held."""
    shards = shards_of(table, store, "jsonl")
    beside(shards[1], ".texts.parquet").unlink()
    merged = table.parent / "merged.jsonl"
    assert run_merge(shards, merged) == ExitCode.OK
    notices = json.loads(beside(merged, ".manifest.json").read_bytes())["summary"]["notices"]
    assert notices[-1].startswith("quotations were not looked for in the sources of shards whose texts")
    assert notices[-1].endswith("part1.texts.parquet")
    assert len(results_of(merged)) == 118


Change = Callable[[list[Path]], list[Path]]


def edited(path: Path, **changes: Any) -> Path:
    manifest = beside(path, ".manifest.json")
    content = json.loads(manifest.read_bytes())
    for name, value in changes.items():
        content[name] |= value
    manifest.write_text(json.dumps(content), encoding="utf-8")
    return path


def as_another(shards: list[Path], shard: str) -> Path:
    """Copy the first shard with the manifest of another one."""
    copy = shards[0].with_name("copy.jsonl")
    shutil.copyfile(shards[0], copy)
    shutil.copyfile(beside(shards[0], ".manifest.json"), beside(copy, ".manifest.json"))
    return edited(copy, options={"shard": shard})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda shards: shards[:2], r"missing: shard 2/3; name the tables of all 3 shards"),
        (lambda shards: [*shards, as_another(shards, "0/3")], r"shard 0/3 comes twice: .*part0.* and .*copy"),
        (lambda shards: [as_another(shards, "0/5"), *shards[1:]], r"part1.jsonl is shard 1/3, .*one of 5"),
        (
            lambda shards: [shards[0], edited(shards[1], options={"near_threshold": 0.8}), shards[2]],
            r"part1.jsonl does not belong to .*part0.jsonl: .* other options \(near_threshold 0.9 and 0.8\)",
        ),
        (
            lambda shards: [shards[0], shards[1], edited(shards[2], versions={"rapidfuzz": "1"})],
            r"part2.jsonl does not belong .*other versions \(rapidfuzz .* and 1\)",
        ),
        (
            lambda shards: [write_jsonl(shards[2].with_name("plain.jsonl"), [{"quote": "a"}])],
            r"plain.jsonl has no qc_ columns",
        ),
    ],
)
def test_shards_that_do_not_fit_are_refused(table: Path, store: Path, change: Change, message: str) -> None:
    """The message names the shard and what is wrong with it; nothing is written."""
    shards = change(shards_of(table, store, "jsonl"))
    with pytest.raises(InvalidInput, match=message):
        run_merge(shards, table.parent / "merged.jsonl")
    assert not list(table.parent.glob("merged*"))


def test_shard_of_another_input_is_refused(table: Path, store: Path) -> None:
    """Equal names do not make equal tables."""
    shards = shards_of(table, store, "jsonl")
    table.write_text(table.read_text(encoding="utf-8").replace("night", "evening"), encoding="utf-8")
    shards[1] = audit(table, store, "other.jsonl", shard=Shard(1, COUNT))
    with pytest.raises(InvalidInput, match=r"other\.jsonl does not belong .* another input"):
        gather(shards)


def test_whole_result_is_no_shard(table: Path, store: Path) -> None:
    """What a single run wrote needs no merging."""
    with pytest.raises(InvalidInput, match=r"whole\.jsonl is a whole result, not a shard"):
        gather([audit(table, store, "whole.jsonl")])


def test_shard_that_lost_rows_is_refused(table: Path, store: Path) -> None:
    """A table that was edited would leave rows out of the result."""
    shards = shards_of(table, store, "jsonl")
    lines = shards[1].read_text(encoding="utf-8").splitlines(keepends=True)
    shards[1].write_text("".join(lines[1:]), encoding="utf-8")
    with pytest.raises(
        InvalidInput, match=r"part1\.jsonl has \d+ rows, its manifest says \d+: audit this shard"
    ):
        gather(shards)


def test_rows_out_of_order_are_refused(table: Path, store: Path) -> None:
    """A table that was sorted anew is not what the audit wrote."""
    shards = shards_of(table, store, "jsonl")
    lines = shards[1].read_text(encoding="utf-8").splitlines(keepends=True)
    shards[1].write_text("".join(lines[::-1]), encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"row \d+ stands in two shards, or out of order"):
        run_merge(shards, table.parent / "merged.jsonl")
    assert not list(table.parent.glob("merged*"))


@pytest.mark.parametrize("name", ["merged.csv", "merged", "part0.jsonl"])
def test_output_that_cannot_be_is_refused(table: Path, store: Path, name: str) -> None:
    """Another format, or a shard itself."""
    with pytest.raises(InvalidOption, match=r"(the shards are jsonl|is a shard)"):
        run_merge(shards_of(table, store, "jsonl"), table.parent / name)


@pytest.mark.parametrize("ending", [".sources.parquet", ".rejects.jsonl"])
def test_file_missing_beside_a_shard_is_named(table: Path, store: Path, ending: str) -> None:
    """What the merged result needs must be there."""
    shards = shards_of(table, store, "jsonl")
    beside(shards[2], ending).unlink()
    with pytest.raises(InvalidInput, match=f"part2{ending} is missing: copy it here"):
        run_merge(shards, table.parent / "merged.jsonl")


def test_arguments_are_parsed() -> None:
    """Shards, output and gates."""
    parser = argparse.ArgumentParser()
    add_merge_arguments(parser)
    parsed = parser.parse_args(["a.csv", "b.csv", "-o", "c.csv", "--max-not-found", "5%"])
    assert (parsed.shards, parsed.output) == ([Path("a.csv"), Path("b.csv")], Path("c.csv"))
    assert str(parsed.max_not_found) == "5%"
