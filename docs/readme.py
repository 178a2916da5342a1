"""Fills the outputs in README.md with what the commands print: `python docs/readme.py`. A test compares.

A block after `<!-- output: NAME -->` holds the output of the command of that name.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
_BLOCK = re.compile(r"(<!-- output: ([^>]+) -->\n```\w+\n)(.*?)(```\n)", re.DOTALL)


def filled(text: str) -> str:
    """Return the README's text with the outputs that its commands give now."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = {name: output(folder) for name, output in _OUTPUTS.items()}
    return _BLOCK.sub(lambda block: f"{block[1]}{outputs[block[2]]}{block[4]}", text)


def _audit(folder: str) -> str:
    return _run([sys.executable, "pipelines/audit.py", "--out", folder]).stderr.replace(folder, "audit")


def _check(folder: str) -> str:
    quote, source = "the log runs to 4,281 entries", "https://www.example.org/lighthouse"
    store = f"{folder}/sample.sqlite"
    return _run([sys.executable, "-m", "quotecheck", quote, source, "--store", store]).stdout


def _rag(folder: str) -> str:
    commands = re.findall(r"^echo '.*|^quotecheck rag .*", README.read_text("utf-8"), re.MULTILINE)
    quotecheck = f'quotecheck() {{ {shlex.quote(sys.executable)} -m quotecheck "$@"; }}'
    script = "\n".join([quotecheck, f"cd {shlex.quote(folder)}", *commands])
    return _run(["sh", "-c", script]).stderr


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)


# In this order: the check reads the pages that the audit has stored.
_OUTPUTS = {"make audit": _audit, "quotecheck": _check, "rag": _rag}


if __name__ == "__main__":
    README.write_text(filled(README.read_text("utf-8")), encoding="utf-8")
