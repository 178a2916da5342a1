"""The layers of the package, as pyproject.toml states them."""

from __future__ import annotations

from importlinter.cli import lint_imports


def test_layers_are_kept() -> None:
    """No module imports from a layer above its own."""
    assert lint_imports(no_cache=True) == 0
