"""Every test runs in a clean environment: no proxies, no netrc, no cache of the person who runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True, scope="session")
def strict_children() -> Iterator[None]:
    """Make every warning an error in the processes that tests start, as it is in their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONWARNINGS", "error")
        yield


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Remove proxy variables and point home and cache at an empty folder."""
    for name in _PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    home: Path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.delenv("NETRC", raising=False)
