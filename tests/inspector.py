"""Try the MCP server with the MCP Inspector, a client that shares no code with it (`make test-inspector`).

npm installs the Inspector into a folder of the Python environment, in the newest version that the Node.js of
this machine runs. Without npm nothing is tried, and the reason is printed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp_pages import page_server

PACKAGE = "@modelcontextprotocol/inspector"
FOLDER = Path(sys.prefix) / "inspector"
PAGES = Path(__file__).with_name("mcp_pages.py")


def main() -> int:
    """Run all checks and return the exit code: 1 where one does not hold."""
    npm = shutil.which("npm")
    if npm is None:
        print("skipped: npm is not installed, so the MCP Inspector cannot be")
        return 0
    inspector = install(npm)
    with page_server() as site, tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "mcp.json")
        server = {"command": sys.executable, "args": [str(PAGES), str(site.port)]}
        config.write_text(json.dumps({"mcpServers": {"quotecheck": server}}))
        client = Inspector(inspector, config)
        url = site.serve("<p>At dawn the fog was grey and low.</p>")
        failures = [name for name, holds in checks(client, url) if not report(name, holds)]
    return 1 if failures else 0


def install(npm: str) -> Path:
    """Install the Inspector unless it is there, and return its command."""
    command = FOLDER / "node_modules" / ".bin" / "mcp-inspector"
    if not command.exists():
        FOLDER.mkdir(exist_ok=True)
        subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--prefix", str(FOLDER), PACKAGE], check=True
        )
    return command


class Inspector:
    """The Inspector's command line; every request is a process with a server of its own."""

    def __init__(self, command: Path, config: Path) -> None:
        self._start = [str(command), "--cli", "--config", str(config), "--server", "quotecheck"]

    def request(self, method: str, *options: str) -> dict[str, Any]:
        """Send one request and return its result."""
        command = [*self._start, "--method", method, *options]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        try:
            result: dict[str, Any] = json.loads(run.stdout)
        except ValueError:
            sys.exit(
                f"{method}: no JSON from the Inspector (exit {run.returncode})\n{run.stdout}{run.stderr}"
            )
        return result

    def call(self, tool: str, **arguments: str) -> dict[str, Any]:
        """Call a tool and return its result."""
        pairs = [part for name, value in arguments.items() for part in ("--tool-arg", f"{name}={value}")]
        return self.request("tools/call", "--tool-name", tool, *pairs)


def checks(client: Inspector, url: str) -> list[tuple[str, bool]]:
    """Return what was checked, and whether it holds."""
    tools = client.request("tools/list")["tools"]
    exact = client.call("check_quote", quote="the fog was grey", source=url)
    wrong = client.call("check_quote", quote="the fog was grey", source="a page about fog")
    answer = client.call(
        "check_answer", sources='["The fog was grey."]', answer="It was grey. [1] It rose. [2]"
    )
    return [
        ("tools/list names both tools", [tool["name"] for tool in tools] == ["check_quote", "check_answer"]),
        ("both tools have an output schema", all(tool.get("outputSchema") for tool in tools)),
        ("check_quote finds a quotation", exact["structuredContent"]["status"] == "EXACT"),
        (
            "the text block is the same record",
            json.loads(exact["content"][0]["text"]) == exact["structuredContent"],
        ),
        ("a source that is none is an error", wrong["isError"] and "doi:10" in wrong["content"][0]["text"]),
        ("check_answer finds the unknown number", answer["structuredContent"]["unknown_numbers"] == [2]),
    ]


def report(name: str, holds: bool) -> bool:
    """Print one line and return whether the check holds."""
    print(f"{'ok    ' if holds else 'FAILED'} {name}")
    return holds


if __name__ == "__main__":
    sys.exit(main())
