"""The manifest of an audit: what was audited, with what, and what the result rests on.

Two audits with equal inputs, options and texts digest give equal tables.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import polars as pl

from quotecheck import __version__
from quotecheck.batch.summary import Summary
from quotecheck.extract.document import EXTRACTOR_VERSION

MANIFEST_VERSION = 1
_LIBRARIES = ("polars", "rapidfuzz", "httpx", "selectolax", "numpy")


def versions() -> dict[str, str]:
    """Return the versions of everything that a result may depend on."""
    found = {"quotecheck": __version__, "extractor": EXTRACTOR_VERSION, "python": platform.python_version()}
    return found | {name: version(name) for name in _LIBRARIES}


def texts_digest(sources: pl.DataFrame) -> str:
    """Return one digest over which text, or which reason for none, each source gave."""
    rows = sources.select("source_key", pl.coalesce("text_sha256", "reason_code")).sort("source_key")
    digest = hashlib.sha256()
    for key, found in rows.iter_rows():
        digest.update(json.dumps([key, found]).encode())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What one stage of the run cost this process: seconds on the clock and of CPU."""

    name: str
    seconds: float
    cpu_seconds: float


def manifest(
    *,
    identity: Mapping[str, Any],
    finished_at: str,
    sources: pl.DataFrame,
    summary: Summary,
    stages: Iterable[Stage],
) -> bytes:
    """Return the manifest as JSON."""
    content = {
        "manifest_version": MANIFEST_VERSION,
        "started_at": identity["started_at"],
        "finished_at": finished_at,
        "versions": identity["versions"],
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
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n"
