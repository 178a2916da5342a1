"""The public surface: its names, and what importing it costs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import quotecheck

FUNCTIONS = ("audit", "check", "check_answer", "check_text", "fetch_source")
HEAVY = ("polars", "httpx", "mcp", "tqdm")


def submodules() -> list[str]:
    """Return the dotted names of every module of the package, but the two that are programs."""
    found = pkgutil.walk_packages(quotecheck.__path__, "quotecheck.")
    return [module.name for module in found if not module.name.endswith(("__main__", "._worker"))]


def loaded_after(code: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after running the code."""
    report = "import sys; print('\\n'.join(sys.modules), file=sys.stderr)"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    return set(run.stderr.split())


def test_names_are_all_there() -> None:
    """Every name of `__all__` can be got from the package."""
    assert [name for name in quotecheck.__all__ if not hasattr(quotecheck, name)] == []


def test_unknown_name_is_an_attribute_error() -> None:
    """A misspelt public name fails as an attribute of any module does."""
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        _ = quotecheck.chek


def test_no_submodule_hides_a_public_function() -> None:
    """After importing every submodule each public function is still a function."""
    for name in submodules():
        importlib.import_module(name)
    assert [name for name in FUNCTIONS if not callable(getattr(quotecheck, name))] == []


def test_import_loads_nothing_heavy() -> None:
    """`import quotecheck` loads none of the large libraries, nor numpy."""
    assert loaded_after("import quotecheck").isdisjoint({*HEAVY, "numpy"})


def test_check_text_loads_no_table_or_network_library() -> None:
    """Matching a text needs no table, network or protocol library."""
    code = "import quotecheck; assert quotecheck.check_text('The fog was grey.', 'fog was grey')"
    assert loaded_after(code).isdisjoint(HEAVY)


def test_help_loads_no_library() -> None:
    """`--help` answers without loading the libraries that commands need."""
    code = "from quotecheck.cli import main\nmain(['--help'])\nmain(['batch', '--help'])"
    assert loaded_after(code).isdisjoint({*HEAVY, "numpy"})


@pytest.mark.parametrize("name", submodules())
def test_docstrings_run(name: str) -> None:
    """The examples of every docstring give what they say."""
    module: ModuleType = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0
