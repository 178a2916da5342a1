"""Audit a data set of (quote, source) rows into one folder: `make audit`, or with DATASET=path.

Without a data set it audits the sample beside this file, offline, from the stored pages of its sources.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from quotecheck import BatchOptions, FetchOptions, QuotecheckError, Store, import_folder, run_batch

SAMPLE = Path(os.path.relpath(Path(__file__).parent / "sample"))


def main() -> int:
    """Run the audit and return the exit code of `quotecheck batch`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", help="CSV, JSONL, JSON or Parquet; a folder or a glob pattern")
    parser.add_argument("--out", type=Path, default=Path("audit"), help="folder for the results (audit)")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    try:
        return audit_dataset(arguments.dataset, arguments.out)
    except QuotecheckError as error:
        print(f"audit: {error}", file=sys.stderr)
        return 2


def audit_dataset(dataset: str | None, folder: Path) -> int:
    """Audit `dataset`, or the sample, and write the table and what belongs to it into `folder`."""
    output = str(folder / "results.parquet")
    if dataset is not None:
        return int(run_batch(BatchOptions(inputs=(dataset,), output=output, report=True)).exit_code)
    pages = folder / "sample.sqlite"
    with Store(pages) as store:
        import_folder(store, SAMPLE / "sources.jsonl")
    options = BatchOptions(
        inputs=(str(SAMPLE / "rows.jsonl"),),
        output=output,
        report=True,
        fetch=FetchOptions(store=pages, offline=True),
    )
    return int(run_batch(options).exit_code)


if __name__ == "__main__":
    sys.exit(main())
