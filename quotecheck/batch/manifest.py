"""The manifest of an audit: what was audited, with what, and what the result rests on.

Two audits with equal inputs, options and texts digest give equal tables.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from quotecheck.batch.engine import Stage
from quotecheck.batch.summary import Summary
from quotecheck.batch.work import WorkDone
from quotecheck.text.lexicon import LANGUAGES

MANIFEST_VERSION = 1


def texts_digest(sources: pl.DataFrame) -> str:
    """Return one digest over which text, or which reason for none, each source gave."""
    rows = sources.select("source_key", pl.coalesce("text_sha256", "reason_code")).sort("source_key")
    digest = hashlib.sha256()
    for key, found in rows.iter_rows():
        digest.update(json.dumps([key, found]).encode())
    return digest.hexdigest()


def manifest(
    *,
    identity: Mapping[str, Any],
    finished_at: str,
    sources: pl.DataFrame,
    summary: Summary,
    stages: Iterable[Stage],
    workers: WorkDone,
    shards: Sequence[Mapping[str, Any]] = (),
) -> bytes:
    """Return the manifest as JSON; `shards` are those that a merged result was put together from."""
    content = {
        "manifest_version": MANIFEST_VERSION,
        "started_at": identity["started_at"],
        "finished_at": finished_at,
        "versions": identity["versions"],
        "negation_and_modality_languages": list(LANGUAGES),  # no flag in another one is not "no change"
        "inputs": identity["inputs"],
        "options": identity["options"],
        "texts_digest": texts_digest(sources),
        "summary": summary.to_dict(),
        "stages": [
            {
                "name": stage.name,
                "seconds": round(stage.seconds, 3),
                "cpu_seconds": round(stage.cpu_seconds, 3),
            }
            for stage in stages
        ],
        "workers": {
            "cpu_seconds": round(workers.worker_cpu_seconds, 3),
            "matching_cpu_seconds": round(workers.matching_seconds, 3),
            "searching_cpu_seconds": round(workers.searching_seconds, 3),
            "peak_bytes": workers.worker_peak_bytes,
        },
        **({"shards": list(shards)} if shards else {}),
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n"
