"""Prove that the tests notice when the guard is taken apart.

Copies the package and its tests to a temporary folder, checks that the guard's tests pass there, then
disables one part of the guard after the other and expects them to fail. Run by `make mutation`; exits 1 if
any change goes unnoticed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("tests/test_guard.py", "tests/test_addresses.py", "tests/test_url.py", "tests/test_tls.py")


@dataclass(frozen=True, slots=True)
class Mutation:
    """One part of the guard, taken out: `before` stands once in `module` and becomes `after`."""

    what: str
    module: str
    before: str
    after: str


MUTATIONS = (
    Mutation(
        "no address is checked",
        "addresses.py",
        "if why is not None and not is_exempt(address, port):",
        "if False:",
    ),
    Mutation(
        "every address is exempt",
        "addresses.py",
        "return (address, port) in _exempt_endpoints",
        "return True",
    ),
    Mutation(
        "an exemption is for all ports",
        "addresses.py",
        "return (address, port) in _exempt_endpoints",
        "return address in {exempt for exempt, _ in _exempt_endpoints}",
    ),
    Mutation(
        "only the first address of an answer is checked",
        "resolver.py",
        "for address in addresses:",
        "for address in addresses[:1]:",
    ),
    Mutation(
        "the connection resolves the name again",
        "dial.py",
        "candidates = interleaved(addresses)[:MAX_ADDRESSES]",
        "candidates = [host]",
    ),
    Mutation(
        "answers are not kept",
        "resolver.py",
        "if answer is not None and answer.kept_until > time.monotonic()",
        "if False",
    ),
    Mutation("the peer is not compared", "dial.py", "if peer not in addresses:", "if False:"),
    Mutation(
        "this machine is not recognised",
        "dial.py",
        "if peer == connection.getsockname()[0] and not is_exempt(peer, port):",
        "if False:",
    ),
    Mutation("credentials pass", "url.py", 'if "@" in parts.group(2):', "if False:"),
    Mutation("special names pass", "url.py", "if last in _SPECIAL_USE:", "if False:"),
    Mutation("every port passes", "url.py", "or port in _BLOCKED_PORTS:", "and False:"),
    Mutation(
        "literal addresses are not checked",
        "url.py",
        'if ":" in host or _PLAIN_IPV4.fullmatch(host):',
        "if False:",
    ),
    Mutation(
        "certificates are not verified",
        "transport.py",
        "ssl_context=ssl_context,\n",
        "ssl_context=ssl._create_unverified_context(),\n",
    ),
)


def main() -> int:
    """Run the tests on the copy and on each mutation of it; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copy = Path(folder)
        for name in ("quotecheck", "tests", "pyproject.toml", "README.md", "LICENSE"):
            _copy(ROOT / name, copy / name)
        if _failed_tests(copy):
            print("The guard's tests fail without any change: nothing can be proved.")
            return 1
        unnoticed = [mutation.what for mutation in MUTATIONS if not _is_noticed(copy, mutation)]
    if unnoticed:
        print(f"NOT NOTICED: {'; '.join(unnoticed)}")
        return 1
    print(f"All {len(MUTATIONS)} changes to the guard make the tests fail.")
    return 0


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    elif source.exists():
        shutil.copy(source, target)


def _is_noticed(copy: Path, mutation: Mutation) -> bool:
    path = copy / "quotecheck" / "sources" / mutation.module
    original = path.read_text("utf-8")
    if original.count(mutation.before) != 1:
        raise SystemExit(f"{mutation.module} does not hold once: {mutation.before}")
    path.write_text(original.replace(mutation.before, mutation.after), "utf-8")
    try:
        failed = _failed_tests(copy)
    finally:
        path.write_text(original, "utf-8")
    print(f"{'noticed by ' + failed if failed else 'NOT NOTICED'}: {mutation.what}", flush=True)
    return bool(failed)


def _failed_tests(copy: Path) -> str:
    """Return the name of the first test that fails in the copy, or an empty string."""
    tests = [name for name in TESTS if (copy / name).exists()]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    # `-m pytest` puts the working directory first on the path, so the copy is what is imported.
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    where = subprocess.run(
        [sys.executable, "-c", "import quotecheck; print(quotecheck.__file__)"],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    if not Path(where.stdout.strip()).is_relative_to(copy.resolve()):
        raise SystemExit(f"the tests would import {where.stdout.strip()}, which is not the copy")
    run = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    failures = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if run.returncode == 0:
        return ""
    if not failures:
        raise SystemExit(f"pytest ended with {run.returncode}:\n{run.stdout}\n{run.stderr}")
    return failures[0].partition(" - ")[0].split("::")[-1][:60]


if __name__ == "__main__":
    sys.exit(main())
