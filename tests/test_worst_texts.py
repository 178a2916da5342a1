"""The memory that the worst texts take beside themselves, each measured in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from worst_texts import KINDS

from quotecheck.models import Status

PROBE = Path(__file__).with_name("worst_texts.py")
LIMIT = 150  # megabytes beside the text


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is read from /proc")
@pytest.mark.parametrize("kind", KINDS)
def test_worst_texts_take_bounded_memory(kind: str) -> None:
    """Five million characters, or bytes, of the worst kinds end with a verdict within the limit."""
    done = subprocess.run([sys.executable, PROBE, kind], capture_output=True, text=True, check=True)
    status, megabytes = done.stdout.split()
    assert status in (Status.NEAR, Status.NOT_FOUND)
    assert float(megabytes) < LIMIT
