"""The MCP server as a process: what it loads, what it writes where, and how it ends."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

import pytest

import quotecheck
from quotecheck.mcp_server import main

SERVER = [sys.executable, "-m", "quotecheck.mcp_server"]
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}
# Loading waits for a file, prints as a careless library does, and then goes on.
SLOW_SERVER = """
import pathlib, sys, time
from quotecheck.mcp_server import core, main
load = core.import_core
def load_slowly():
    print("loaded \\N{CHECK MARK}", end="")
    while not pathlib.Path(sys.argv[1]).exists():
        time.sleep(0.01)
    load()
core.import_core = load_slowly
sys.exit(main())
"""


def run(code: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python code whose stdin is at its end."""
    options = {"stdin": subprocess.DEVNULL, **options}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60, **options
    )


@dataclass
class Story:
    """What one server said before its first request, on its streams, and at its end."""

    before: bytes = b""
    replies: list[dict[str, Any]] = field(default_factory=list)
    rest: bytes = b""
    errors: bytes = b""
    exit_code: int | None = None


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Talk to a server that loads slowly: two requests before it has loaded, one after."""
    gate = tmp_path_factory.mktemp("gate") / "open"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    story = Story()
    with subprocess.Popen([sys.executable, "-c", SLOW_SERVER, str(gate)], **pipes) as server:  # type: ignore[call-overload]
        ready, _, _ = select.select([server.stdout], [], [], 1.0)
        story.before = os.read(server.stdout.fileno(), 1000) if ready else b""

        def ask(number: int, method: str, **params: object) -> None:
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(request).encode() + b"\n")
            server.stdin.flush()
            story.replies.append(json.loads(server.stdout.readline()))

        ask(1, "initialize", **INITIALIZE)
        ask(2, "tools/list")
        gate.touch()
        ask(3, "tools/call", name="check_quote", arguments={"quote": "a fog", "source": "http://10.0.0.1/"})
        server.stdin.close()
        story.rest, story.errors = server.stdout.read(), server.stderr.read()
        story.exit_code = server.wait(20)
    return story


def test_server_is_silent_before_the_first_request(story: Story) -> None:
    """A client that has not spoken reads nothing."""
    assert story.before == b""


def test_server_answers_before_it_has_loaded(story: Story) -> None:
    """Handshake and tool list do not wait for the core."""
    assert [reply["id"] for reply in story.replies] == [1, 2, 3]
    assert len(story.replies[1]["result"]["tools"]) == 2


def test_call_waits_for_the_core(story: Story) -> None:
    """A call that comes early is served when the core is there."""
    assert story.replies[2]["result"]["structuredContent"]["status"] == "SOURCE_UNAVAILABLE"


def test_tools_list_is_short_on_the_wire(story: Story) -> None:
    """The whole reply stays below 4,000 bytes."""
    assert len(json.dumps(story.replies[1], separators=(",", ":"), ensure_ascii=False).encode()) < 4000


def test_stray_output_goes_to_stderr_in_ascii(story: Story) -> None:
    """What a library prints, flushed or not, never reaches the client's stream."""
    assert (story.rest, story.errors) == (b"", b"loaded \\u2713")


def test_end_of_stdin_ends_the_server(story: Story) -> None:
    """A client ends the server by closing its stdin."""
    assert story.exit_code == 0


BROKEN = [b"not json", b"\xff\xfe", b"[]", b"{}", b'{"jsonrpc":"2.0","id":7}', b"[" * 5_000, b'"\\ud83d']


def test_half_a_character_and_broken_lines_do_not_end_a_conversation() -> None:
    """Cut emoji, as JavaScript writes them, are answered; lines that are no requests keep nothing from it."""
    inner = json.dumps({"citations": [{"source": 1, "quote": "so is \ud83d the ice"}]})
    answers = ["Thin ice [1] \ud83d", inner, "\ude00"]
    requests = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}]
    for number, answer in enumerate(answers, 1):
        call = {"name": "check_answer", "arguments": {"sources": ["Thin ice \ud83d"], "answer": answer}}
        requests.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call})
    lines = [line for request in requests for line in (json.dumps(request).encode(), *BROKEN)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(SERVER, **pipes) as server:  # type: ignore[call-overload]
        server.stdin.write(b"\n".join(lines) + b"\n")
        server.stdin.flush()
        results: dict[int, Any] = {}
        while len(results) < len(requests):
            reply = json.loads(server.stdout.readline())
            if reply.get("id") is not None:
                results[reply["id"]] = reply.get("result")
        server.stdin.close()
        assert server.wait(20) == 0
    assert [results[number]["structuredContent"]["ok"] for number in (1, 2, 3)] == [True, False, False]


def test_end_of_stdin_before_anything_else_is_no_error() -> None:
    """A client may think better of it."""
    ended = subprocess.run(SERVER, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_interrupt_ends_the_server() -> None:
    """Ctrl-C works although a thread waits for stdin."""
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        server.send_signal(signal.SIGINT)
        assert server.wait(10) == 130


def test_start_loads_only_mcp_and_the_standard_library() -> None:
    """Until the server runs, nothing of the core or its libraries is loaded."""
    code = (
        "import sys, mcp.server; mcp.server.MCPServer('other'); before = set(sys.modules)\n"
        "from quotecheck.mcp_server.server import build_server; build_server()\n"
        "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(new - sys.stdlib_module_names))"
    )
    assert run(code).stdout.strip() == "['quotecheck']"


def test_importing_the_module_loads_no_mcp() -> None:
    """The command line can name the server without paying for it."""
    code = "import sys, quotecheck.mcp_server; print('mcp' in sys.modules)"
    assert run(code).stdout == "False\n"


def test_missing_sdk_is_said_on_stderr() -> None:
    """Without its SDK the server says so and exits with 2."""
    code = "import sys; sys.modules['mcp'] = None\nfrom quotecheck.mcp_server import main; sys.exit(main())"
    ended = run(code)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "the installation is incomplete" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_missing_library_of_the_core_is_said_on_stderr() -> None:
    """A library that is missing ends the server also while its client waits."""
    code = (
        "import sys; sys.modules['rapidfuzz'] = None\n"
        "from quotecheck.mcp_server import main; sys.exit(main())"
    )
    reader, writer = os.pipe()
    ended = run(code, stdin=reader)
    os.close(writer)
    os.close(reader)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "rapidfuzz" in ended.stderr


def test_closed_stdin_is_said_on_stderr() -> None:
    """Without a stdin there is nobody to serve."""
    code = "import sys; sys.stdin = None\nfrom quotecheck.mcp_server import main; sys.exit(main())"
    ended = run(code)
    assert (ended.returncode, ended.stderr.split(":")[0]) == (2, "quotecheck-mcp")


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """A person can ask for the version."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"quotecheck-mcp {quotecheck.__version__}\n"


def test_unknown_option_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt option does not leave a server waiting for a client."""
    assert main(["--port", "80"]) == 2
    assert "unrecognized arguments: --port 80" in capsys.readouterr().err
