"""The worker pool: limits, deaths, cancellation, hostile pages, and hosts of every kind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import anyio
import pytest
from pdf_files import lines, make_pdf

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode, Source
from quotecheck.workers import WorkerDied, WorkerFailed, WorkerPool, extract_bounded
from quotecheck.workers import bounded as bounded_module
from quotecheck.workers.jobs import JOBS, Job, Limits

T = TypeVar("T")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers need descriptors to be inherited")

_TIGHT = Limits(cpu_seconds=1, memory_bytes=256 << 20, wall_seconds=60)


@pytest.fixture(autouse=True)
def jobs_for_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the jobs of `worker_jobs` under their names."""
    for name in ("echo", "pid", "refuse", "fail", "sleep", "die", "die_once", "standard_streams"):
        monkeypatch.setitem(JOBS, name, Job(f"worker_jobs:{name}", "builtins:object"))
    for name in ("spin", "grow"):
        monkeypatch.setitem(JOBS, name, Job(f"worker_jobs:{name}", "builtins:object", _TIGHT))
    monkeypatch.setitem(JOBS, "mistyped", Job("worker_jobs:echo", "quotecheck.models:Source"))


def _in_pool(work: Callable[[WorkerPool], Awaitable[T]], size: int = 1) -> T:
    async def run() -> T:
        async with WorkerPool(size) as pool:
            return await work(pool)

    return anyio.run(run)


def test_run_returns_the_result() -> None:
    """A job gets its payload and gives its result; one worker serves call after call."""

    async def work(pool: WorkerPool) -> tuple[object, object, object]:
        return await pool.run("echo", [1, 2]), await pool.run("pid", None), await pool.run("pid", None)

    result, first, second = _in_pool(work)
    assert result == [1, 2]
    assert first == second != os.getpid()


def test_run_uses_as_many_workers_as_it_may() -> None:
    """Calls at the same time run in different processes, never in more than the pool's size."""
    pids: list[object] = []

    async def one(pool: WorkerPool) -> None:
        await pool.run("sleep", 0.1)
        pids.append(await pool.run("pid", None))

    async def work(pool: WorkerPool) -> None:
        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(one, pool)

    _in_pool(work, size=2)
    assert len(set(pids)) == 2


def test_run_raises_what_the_source_lacks() -> None:
    """SourceUnavailable comes back with code, reason and address."""
    with pytest.raises(SourceUnavailable, match="nothing there") as refusal:
        _in_pool(lambda pool: pool.run("refuse", "nothing there"))
    assert refusal.value.reason_code is ReasonCode.NO_TEXT
    assert refusal.value.final_url == "https://example.org/"


def test_run_shows_the_traceback_of_a_bug() -> None:
    """Another exception is WorkerFailed with the worker's traceback, and the worker lives on."""

    async def work(pool: WorkerPool) -> object:
        first = await pool.run("pid", None)
        with pytest.raises(WorkerFailed, match="ZeroDivisionError: by nought"):
            await pool.run("fail", "by nought")
        return first, await pool.run("pid", None)

    first, second = _in_pool(work)  # type: ignore[misc]
    assert first == second


def test_run_refuses_an_answer_of_another_type() -> None:
    """An answer that is not of the job's type is the end of its worker, not a value."""

    async def work(pool: WorkerPool) -> None:
        before = await pool.run("pid", None)
        with pytest.raises(WorkerDied, match="no <class"):
            await pool.run("mistyped", [1])
        assert await pool.run("pid", None) != before

    _in_pool(work)


def test_run_outside_of_the_context() -> None:
    """A pool that is not open says how to use it."""
    with pytest.raises(RuntimeError, match="async context manager"):
        anyio.run(WorkerPool(1).run, "echo", [])


def test_run_ends_a_job_over_its_seconds() -> None:
    """A job that uses up its CPU seconds dies, is not retried, and the next one works."""

    async def work(pool: WorkerPool) -> object:
        with pytest.raises(WorkerDied) as death:
            await pool.run("spin", None, retries=1)
        assert death.value.over_limit
        return await pool.run("echo", [1])

    assert _in_pool(work) == [1]


def test_run_refuses_memory_over_the_limit() -> None:
    """Memory beyond the limit is not given out: the job fails, the machine does not."""
    with pytest.raises(WorkerFailed, match="MemoryError"):
        _in_pool(lambda pool: pool.run("grow", None))


def test_run_ends_a_job_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that neither works nor answers is ended by the clock."""
    hanging = Job("worker_jobs:sleep", "builtins:object", Limits(1, 1 << 28, wall_seconds=1))
    monkeypatch.setitem(JOBS, "sleep", hanging)
    with pytest.raises(WorkerDied, match="more than 1 seconds") as death:
        _in_pool(lambda pool: pool.run("sleep", 60))
    assert death.value.over_limit


def test_run_tells_the_last_words_of_a_worker() -> None:
    """What a worker wrote to standard error before it died is in the message."""
    with pytest.raises(WorkerDied, match=f"status -{int(signal.SIGSEGV)}. last words") as death:
        _in_pool(lambda pool: pool.run("die", None))
    assert not death.value.over_limit


def test_run_retries_as_often_as_asked(tmp_path: Path) -> None:
    """Work whose worker was killed is done by another one, if the caller asked for it."""
    assert _in_pool(lambda pool: pool.run("die_once", str(tmp_path / "a"), retries=1))
    with pytest.raises(WorkerDied):
        _in_pool(lambda pool: pool.run("die_once", str(tmp_path / "b")))


def test_run_replaces_a_worker_that_was_killed_while_idle() -> None:
    """A worker that died between two calls costs no call."""

    async def work(pool: WorkerPool) -> tuple[object, object]:
        first = await pool.run("pid", None)
        assert isinstance(first, int)
        os.kill(first, signal.SIGKILL)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        return first, await pool.run("pid", None)

    first, second = _in_pool(work)
    assert first != second


def test_run_cancelled_kills_the_worker() -> None:
    """A cancelled call does not leave its worker at work, and the pool goes on."""

    async def work(pool: WorkerPool) -> tuple[object, object]:
        first = await pool.run("pid", None)
        with anyio.move_on_after(0.2):
            await pool.run("sleep", 60)
        return first, await pool.run("pid", None)

    first, second = _in_pool(work)
    assert first != second
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)  # type: ignore[arg-type]


def test_pool_leaves_no_process_behind() -> None:
    """At the end of the context all workers are gone."""
    pid = _in_pool(lambda pool: pool.run("pid", None))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)  # type: ignore[arg-type]


def test_worker_has_no_standard_streams() -> None:
    """A worker reads nothing from standard input, and what it writes to standard output is lost."""
    assert _in_pool(lambda pool: pool.run("standard_streams", None)) == [5, 0]


def test_worker_ends_with_its_parent(tmp_path: Path) -> None:
    """A worker at work ends when its parent is killed."""
    script = """
        import anyio, os
        from quotecheck.workers import WorkerPool
        from quotecheck.workers.jobs import JOBS, Job
        for name in ("pid", "sleep"):
            JOBS[name] = Job(f"worker_jobs:{name}", "builtins:object")
        async def main():
            async with WorkerPool(1) as pool:
                print(await pool.run("pid", None), flush=True)
                await pool.run("sleep", 60)
        anyio.run(main)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], env=_environment(), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()
    for _ in range(200):
        if not _is_running(worker):
            return
        anyio.run(anyio.sleep, 0.05)
    pytest.fail(f"worker {worker} outlived its parent")


def _is_running(pid: int) -> bool:
    """Tell whether a process runs; one that ended and that nobody waited for does not."""
    try:
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat").read_text("ascii")
    except ProcessLookupError:
        return False
    except OSError:  # no /proc here
        return True
    return status.rpartition(")")[2].split()[0] != "Z"


def _extract(body: bytes, content_type: str | None = "text/html") -> Source:
    return _in_pool(lambda pool: extract_bounded(pool, body, content_type, url="https://example.org/"))


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<p>A page.", "text/html"),
        (b"<p>A page." + b"<b></b>" * 20_000, "text/html"),
        (make_pdf([lines("A page.")]), None),
    ],
    ids=["light page", "heavy page", "pdf"],
)
def test_extract_bounded(body: bytes, content_type: str | None) -> None:
    """Light pages, heavy pages and PDF give the same kind of source, wherever they are read."""
    source = _extract(body, content_type)
    assert (source.text, source.final_url) == ("A page.", "https://example.org/")


def test_extract_bounded_takes_light_pages_in_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A light page needs no worker; a heavy one is never parsed in the process."""
    monkeypatch.setattr(bounded_module, "extract", lambda body, content_type, url: Source("in process"))
    assert _extract(b"<p>A page.").text == "in process"
    assert _extract(b"<p>A page." + b"<b></b>" * 20_000).text == "A page."


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<div>" * 100_000 + b"deep", "text/html"),
        (b"<p " + b" ".join(b"a%d" % number for number in range(500_000)) + b">", "text/html"),
        (b"<p>" + b"".join(b"<b x=%d>" % n for n in range(4000)) + b"<p>x" * 4000, "text/html"),
        (b'<!DOCTYPE p [<!ENTITY a "' + b"a" * 100_000 + b'">]><p>' + b"&a;" * 20_000, "text/xml"),
    ],
    ids=["100,000 nested elements", "500,000 attributes", "16 million copies", "entity bomb"],
)
def test_extract_bounded_hostile_page(
    body: bytes, content_type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hostile pages end as `extraction_limit`, and the next page is fine."""
    limits = Limits(cpu_seconds=1, memory_bytes=512 << 20, wall_seconds=60)  # in place of 5, to save time
    monkeypatch.setitem(JOBS, "extract", replace(JOBS["extract"], limits=limits))

    async def work(pool: WorkerPool) -> Source:
        with pytest.raises(SourceUnavailable) as refusal:
            await extract_bounded(pool, body, content_type)
        assert refusal.value.reason_code is ReasonCode.EXTRACTION_LIMIT
        return await extract_bounded(pool, b"<p>A page." + b"<b></b>" * 20_000, "text/html")

    assert _in_pool(work).text == "A page."


def test_extraction_has_the_limits_of_the_contract() -> None:
    """Five seconds and 512 MB."""
    limits = JOBS["extract"].limits
    assert limits is not None
    assert (limits.cpu_seconds, limits.memory_bytes) == (5, 512 << 20)


@pytest.mark.parametrize("pattern", [b"<br>", b"<p>word ", b"<p hidden>x", b"\xe9 &#120;"])
def test_extract_bounded_five_megabytes(pattern: bytes) -> None:
    """Five megabytes of one thing are read to the end, within the limits."""
    source = _extract(pattern * (5_000_000 // len(pattern)) + b"<p>the end")
    assert "the end" in source.text


def test_extract_bounded_without_working_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Content that kills two workers is itself the cause."""
    monkeypatch.setitem(JOBS, "extract", Job("worker_jobs:die", "builtins:object"))
    with pytest.raises(SourceUnavailable) as refusal:
        _extract(b"<b></b>" * 20_000)
    assert refusal.value.reason_code is ReasonCode.EXTRACTION_LIMIT


def test_extract_bounded_in_a_worker_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller with many fetches on its loop can have light pages extracted by workers, too."""
    monkeypatch.setattr(bounded_module, "extract", lambda body, content_type, url: Source("in process"))
    source = _in_pool(lambda pool: extract_bounded(pool, b"<p>A page.", "text/html", cheap_in_thread=False))
    assert source.text == "A page."


def test_extract_bounded_with_a_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug of an extractor is a reason, in a thread and in a worker, and keeps its traceback as cause."""

    def fail(body: bytes, content_type: str | None, *, url: str | None) -> None:
        raise IndexError("secret of the page")

    monkeypatch.setattr(bounded_module, "extract", fail)
    monkeypatch.setitem(JOBS, "extract", Job("worker_jobs:fail", "builtins:object"))
    for body in (b"<p>light", b"<b></b>" * 20_000):
        with pytest.raises(SourceUnavailable) as refusal:
            _extract(body)
        assert refusal.value.reason_code is ReasonCode.INTERNAL_ERROR
        assert "secret" not in refusal.value.reason
        assert refusal.value.__cause__ is not None


_MAIN = """
import anyio
from quotecheck.workers import WorkerPool, extract_bounded

async def main():
    async with WorkerPool(1) as pool:
        source = await extract_bounded(pool, b"<p>A page." + b"<b></b>" * 20_000, "text/html")
        print(source.text, flush=True)
"""


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}


def _run_host(arguments: list[str], script: str = "", cwd: Path | None = None) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        input=script,
        env=_environment(),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_worker_from_a_script_without_main_guard(tmp_path: Path) -> None:
    """The script runs once: a worker never imports it."""
    script = tmp_path / "script.py"
    script.write_text("print('once')\n" + _MAIN + "\nanyio.run(main)\n")
    assert _run_host([str(script)]) == "once\nA page.\n"


def test_worker_from_a_command_string() -> None:
    """`python -c` works."""
    assert _run_host(["-c", _MAIN + "\nanyio.run(main)"]) == "A page.\n"


def test_worker_from_standard_input() -> None:
    """A program that is piped into the interpreter works."""
    assert _run_host(["-"], _MAIN + "\nanyio.run(main)\n") == "A page.\n"


def test_worker_from_an_interactive_shell() -> None:
    """An interactive shell works, and workers take nothing from its input."""
    assert "A page." in _run_host(["-q", "-i"], _MAIN + "\n\nanyio.run(main)\n\nprint('after')\n")


def test_worker_from_a_notebook() -> None:
    """Code that is executed inside a running event loop works."""
    host = f"""
        import asyncio, ast
        cells = {[_MAIN, "await main()"]!r}
        async def notebook():
            names = {{"__name__": "__main__"}}
            for cell in cells:
                code = compile(cell, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                result = eval(code, names)
                if asyncio.iscoroutine(result):
                    await result
        asyncio.run(notebook())
    """
    assert _run_host(["-c", textwrap.dedent(host)]) == "A page.\n"


def test_worker_in_a_folder_with_names_of_modules(tmp_path: Path) -> None:
    """Files in the current folder are not taken for modules of the standard library."""
    (tmp_path / "json.py").write_text("raise SystemExit('taken')")
    (tmp_path / "quotecheck.py").write_text("raise SystemExit('taken')")
    script = tmp_path / "run" / "script.py"
    script.parent.mkdir()
    script.write_text(_MAIN + "\nanyio.run(main)\n")
    assert _run_host([str(script)], cwd=tmp_path) == "A page.\n"
