"""Builds the distributions and tries them in clean environments: their commands, versions and Pythons.

    python tests/distributions.py wheel      build wheel and sdist, install each, run the installed commands
    python tests/distributions.py lowest     run the tests with the lowest versions in pyproject.toml
    python tests/distributions.py pythons    run the tests on every Python from 3.11 that this machine has

Exits non-zero at the first thing that does not hold.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
COMPLETIONS = ("bash-completion/completions/quotecheck", "zsh/site-functions/_quotecheck")
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"},
    },
}
TEXT_CHECK = "from quotecheck import check_text; print(check_text('A grey fog came.', 'grey fog').status)"


def main(arguments: list[str]) -> int:
    """Run one of the checks."""
    checks = {"wheel": try_distributions, "lowest": try_lowest_versions, "pythons": try_pythons}
    if len(arguments) != 1 or arguments[0] not in checks:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="quotecheck-packaging-") as folder:
        checks[arguments[0]](Path(folder))
    return 0


def try_distributions(folder: Path) -> None:
    """Build wheel and sdist; check what is in them; install each and run its commands."""
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    require_contents(wheel, sdist)
    for distribution in (wheel, sdist):
        environment = folder / f"venv-{distribution.suffix[1:]}"
        run(sys.executable, "-m", "venv", str(environment))
        run(str(environment / "bin/pip"), "install", "--quiet", str(distribution))
        require_commands(environment / "bin", folder)
        print(f"{distribution.name}: installed, and its commands run")
    try_uvx(wheel, folder)


def require_contents(wheel: Path, sdist: Path) -> None:
    """Require one package in the wheel, its typing mark and data files, and no stray file in the sdist."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    require(
        {top for top in tops if not top.endswith((".dist-info", ".data"))} == {"quotecheck"},
        f"packages: {tops}",
    )
    for name in ("quotecheck/py.typed", "quotecheck/batch/assets/report.css"):
        require(name in names, f"{name} is missing in the wheel")
    with tarfile.open(sdist) as archive:
        inside = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    whole = {"quotecheck", "tests", "docs", "completions", "LICENSE", "README.md"}
    require(whole <= inside, f"the sdist holds {inside}")


def require_commands(binaries: Path, folder: Path) -> None:
    """Run the installed commands away from the checkout."""
    version = output(folder, str(binaries / "quotecheck"), "--version")
    require(version.startswith("quotecheck "), f"--version printed {version!r}")
    refused = output(folder, str(binaries / "quotecheck"), "grey fog", "http://127.0.0.1/")
    require(json.loads(refused)["reason_code"] == "address_not_public", f"the check printed {refused!r}")
    require(output(folder, str(binaries / "python"), "-c", TEXT_CHECK) == "EXACT\n", "check_text failed")
    require_server(folder, str(binaries / "quotecheck-mcp"))
    rows = folder / "rows.jsonl"
    rows.write_text('{"quote": "grey fog", "source": "notes", "text": "A grey fog came."}\n')
    summary = json.loads(output(folder, str(binaries / "quotecheck"), "batch", str(rows)))
    require(summary["statuses"]["EXACT"] == 1, f"the audit printed {summary!r}")
    for name in COMPLETIONS:
        require((binaries.parent / "share" / name).exists(), f"{name} is not installed")


def require_server(folder: Path, *command: str) -> None:
    """Require that the MCP server answers `initialize`, and writes nothing else."""
    replies = output(folder, *command, given=json.dumps(INITIALIZE) + "\n").splitlines()
    require(len(replies) == 1, f"the server wrote {replies!r}")
    require(json.loads(replies[0])["result"]["serverInfo"]["name"] == "quotecheck", replies[0])


def try_uvx(wheel: Path, folder: Path) -> None:
    """Start the server from the wheel as `uvx` does, in an environment that uv makes for it."""
    if find_spec("uv") is None:
        print("uvx: uv is not installed here, not run")
        return
    os.environ["UV_TOOL_DIR"] = str(folder / "uv-tools")
    require_server(folder, sys.executable, "-m", "uv", "tool", "run", "--from", str(wheel), "quotecheck-mcp")
    print(f"uvx --from {wheel.name} quotecheck-mcp: answers")


def try_lowest_versions(folder: Path) -> None:
    """Run the tests in an environment with the lowest versions of the declared dependencies."""
    environment = folder / "venv"
    run(sys.executable, "-m", "venv", str(environment))
    install = ("uv", "pip", "install", "--quiet", "--python", str(environment / "bin/python"))
    run(sys.executable, "-m", *install, "--resolution", "lowest-direct", f"{ROOT}[pdf,compression]")
    pinned = subprocess.run(
        [str(environment / "bin/pip"), "freeze"], capture_output=True, text=True, check=True
    ).stdout
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(line for line in pinned.splitlines() if "quotecheck" not in line))
    run(sys.executable, "-m", *install, "--constraint", str(constraints), f"{ROOT}[dev]")
    require_lowest(pinned)
    print(pinned)
    run_tests(environment)


def require_lowest(pinned: str) -> None:
    """Require that the lower bound of every dependency is the version that is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    installed = dict(line.lower().split("==") for line in pinned.splitlines() if "==" in line)
    for requirement in [*project["dependencies"], *extras["pdf"], *extras["compression"]]:
        name, bound = requirement.split(",")[0].split(">=")
        version = installed[name.lower()]
        lowest = re.sub(r"(\.0)+$", "", version) == re.sub(r"(\.0)+$", "", bound)
        require(lowest, f"{name} {version} is the lowest that could be tried, and {requirement} says less")


def run_tests(environment: Path) -> None:
    """Run the whole suite in an environment."""
    run(str(environment / "bin/python"), "-m", "pytest", "--numprocesses", "auto", "-p", "no:cacheprovider")


def try_pythons(folder: Path) -> None:
    """Run the tests on every supported Python that is installed; say which are not."""
    for version in VERSIONS:
        python = find_python(version)
        if python is None:
            print(f"Python {version}: not installed here, not run")
            continue
        environment = folder / f"venv-{version}"
        run(python, "-m", "venv", str(environment))
        run(str(environment / "bin/pip"), "install", "--quiet", f"{ROOT}[dev]")
        run_tests(environment)
        print(f"Python {version}: the tests pass")


def find_python(version: str) -> str | None:
    """Return the interpreter of a Python version: on PATH, or among those that pyenv keeps."""
    found = shutil.which(f"python{version}")
    if (
        found is not None
        and subprocess.run([found, "-c", ""], check=False, capture_output=True).returncode == 0
    ):
        return found
    kept = sorted(Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser().glob(f"versions/{version}.*"))
    return str(kept[-1] / "bin/python") if kept else None


def run(*command: str) -> None:
    """Run a command in the checkout; raise CalledProcessError if it fails."""
    subprocess.run(command, cwd=ROOT, check=True)


def output(folder: Path, *command: str, given: str = "") -> str:
    """Return what a command prints, run away from the checkout with `given` as its standard input."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=folder, env=clean, input=given, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def require(holds: bool, message: str) -> None:
    """Raise SystemExit with the message unless the condition holds."""
    if not holds:
        raise SystemExit(f"distributions: {message}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
