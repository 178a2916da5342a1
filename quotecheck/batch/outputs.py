"""Where the results of an audit go: names derived from the table's name, and the checks before any work."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from quotecheck.batch.inputs import RESULT_MARK, InputFile
from quotecheck.batch.options import STDOUT, BatchOptions, TableFormat
from quotecheck.batch.parquet_files import require_name
from quotecheck.batch.rundir import write_atomically
from quotecheck.batch.tables import FORMAT_OF_KIND
from quotecheck.errors import InvalidInput, InvalidOption

FORMAT_OF_SUFFIX = {
    ".csv": TableFormat.CSV,
    ".tsv": TableFormat.CSV,
    ".jsonl": TableFormat.JSONL,
    ".ndjson": TableFormat.JSONL,
    ".parquet": TableFormat.PARQUET,
    ".pq": TableFormat.PARQUET,
}
# Endings of the names of what stands beside a result table.
SOURCES, REJECTS, MANIFEST = ".sources.parquet", ".rejects.jsonl", ".manifest.json"
TEXTS = ".texts.parquet"  # of a shard: what other shards' quotations are looked for in


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files of one audit; `table` is None for standard output, which has none of the others."""

    table: Path | None
    format: TableFormat
    sources: Path | None
    rejects: Path | None
    manifest: Path | None
    run_dir: Path | None
    only_problems: Path | None
    report: Path | None
    junit: Path | None
    texts: Path | None  # of a shard

    def paths(self) -> list[Path]:
        """Return the files that a finished run has written or removed."""
        named = (
            self.texts,
            self.sources,
            self.rejects,
            self.table,
            self.only_problems,
            self.report,
            self.junit,
            self.manifest,
        )
        return [path for path in named if path is not None]


def plan_outputs(options: BatchOptions, files: list[InputFile]) -> Outputs:
    """Return where results go. Raises InvalidOption, and InvalidInput where they cannot be written."""
    if options.output == STDOUT:
        assert options.format is not None
        outputs = Outputs(
            table=None,
            format=options.format,
            sources=None,
            rejects=None,
            manifest=None,
            run_dir=options.run_dir,
            only_problems=options.only_problems,
            report=None,
            junit=options.junit,
            texts=None,
        )
        _check(outputs, options, files)
        return outputs
    table = Path(options.output) if options.output else _derived(options, files[0])
    form = options.format or _format_of(table)
    outputs = Outputs(
        table=table,
        format=form,
        sources=beside(table, SOURCES),
        rejects=beside(table, REJECTS),
        manifest=beside(table, MANIFEST),
        run_dir=options.run_dir or beside(table, ".run"),
        only_problems=options.only_problems,
        report=beside(table, ".report.html") if options.report else None,
        junit=options.junit,
        texts=None if options.shard is None else beside(table, TEXTS),
    )
    _check(outputs, options, files)
    return outputs


def beside(table: Path, ending: str) -> Path:
    """Return the path of what belongs to a result table.

    >>> beside(Path("audit/results.csv"), MANIFEST).as_posix()
    'audit/results.manifest.json'
    """
    stem = table.with_suffix("") if table.suffix.lower() in FORMAT_OF_SUFFIX else table
    return stem.with_name(stem.name + ending)


def _derived(options: BatchOptions, first: InputFile) -> Path:
    form = options.format or FORMAT_OF_KIND[first.kind]
    given = Path(options.inputs[0])
    base = given if given.is_dir() else first.path
    name = base.name
    for suffix in (".gz", ".zst"):
        name = name.removesuffix(suffix)
    suffix = Path(name).suffix.lower()
    kept = suffix if FORMAT_OF_SUFFIX.get(suffix) is form else f".{form}"
    stem = name if base.is_dir() else Path(name).stem
    shard = "" if options.shard is None else f".{options.shard.index}-of-{options.shard.count}"
    return base.with_name(f"{stem}{RESULT_MARK}{shard}{kept}")


def _format_of(table: Path) -> TableFormat:
    form = FORMAT_OF_SUFFIX.get(table.suffix.lower())
    if form is None:
        raise InvalidOption(
            f"{table}: the name does not tell the format: use .csv, .jsonl or .parquet, or add --format"
        )
    return form


def _check(outputs: Outputs, options: BatchOptions, files: list[InputFile]) -> None:
    store = options.fetch.store
    if store is not None and store.resolve() in {file.path.resolve() for file in files}:
        raise InvalidOption(f"{store} is an input: give the store another name")
    require_places([*outputs.paths(), options.summary_json], files, store=store)


def require_places(
    paths: Iterable[Path | None], files: Iterable[InputFile], *, store: Path | None = None
) -> None:
    """Raise InvalidOption where results would replace inputs, the store or each other, else InvalidInput."""
    inputs = {file.path.resolve() for file in files}
    seen = set() if store is None else {store.resolve()}
    for path in filter(None, paths):
        if path.resolve() in inputs:
            raise InvalidOption(f"{path} is an input: it would be replaced; give the result another name")
        if path.resolve() in seen:
            raise InvalidOption(f"two results would be written to {path}: give each a name of its own")
        seen.add(path.resolve())
        require_place(path)


def require_place(path: Path) -> None:
    """Raise InvalidInput where no file can be put in place at `path`, or would replace what is no file."""
    require_name(path)
    if str(path) == STDOUT:
        raise InvalidInput("- is standard output for -o alone: name a file for every other result")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder: name a file for the result")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        what = "a link" if path.is_symlink() else "no regular file"
        raise InvalidInput(
            f"{path} is {what}, and the result would replace it: name the file itself"
            " (-o - is standard output)"
        )
    if not path.parent.is_dir():
        raise InvalidInput(f"{path} cannot be written: the folder {path.parent} does not exist")
    if not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"{path} cannot be written: no permission for the folder {path.parent}")


def write_json_file(path: Path, value: object) -> None:
    """Put a JSON file in place, in UTF-8. Raises InvalidInput where it cannot be written."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    try:
        write_atomically(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror or error}") from error
