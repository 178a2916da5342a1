"""The layers of the package, as pyproject.toml states them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[1]
# What pipelines may use: the public names, and the two modules for engines of clusters.
PUBLIC = {"quotecheck", "quotecheck.batch.blocks", "quotecheck.batch.cluster"}


def test_layers_are_kept() -> None:
    """No module imports from a layer above its own."""
    assert lint_imports(no_cache=True) == 0


@pytest.mark.parametrize("path", sorted((ROOT / "pipelines").glob("*.py")), ids=lambda path: path.name)
def test_pipelines_use_the_public_interface_only(path: Path) -> None:
    """Whoever writes one of their own can do all that ours do."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    modules = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    modules |= {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    assert {module for module in modules if module.partition(".")[0] == "quotecheck"} <= PUBLIC
