"""Where the shared data sets are, for tests that read them in place; such tests skip where absent."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared_path(name: str) -> Path:
    """Return the path of a shared file or folder, or skip the test with the reason."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"needs the shared data set {name}, which is not beside this checkout")
    return path


def shared_rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a shared JSONL file (gzip by its name), or skip the test."""
    path = shared_path(name)
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in raw.decode("utf-8", "surrogatepass").split("\n") if line]
