"""Turns on a running event loop."""

from __future__ import annotations

import asyncio
import time

from quotecheck.sources.hosts import HostQueues
from quotecheck.sources.turns import Turns


def _turns(*, concurrency: int = 9, per_host: int = 9, interval: float = 0.0) -> Turns:
    return Turns(HostQueues(concurrency=concurrency, per_host=per_host, interval=interval))


def test_turns_of_one_host_are_limited() -> None:
    """No more than allowed run at once, and all of them get their turn."""
    running = most = done = 0

    async def work(turns: Turns) -> None:
        nonlocal running, most, done
        async with turns.turn("mill.org"):
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1
            done += 1

    async def run() -> None:
        turns = _turns(per_host=3)
        await asyncio.gather(*[work(turns) for _ in range(30)])

    asyncio.run(run())
    assert (most, done) == (3, 30)


def test_interval_is_kept_by_the_clock() -> None:
    """Four starts at one host are three intervals."""

    async def run() -> float:
        turns = _turns(interval=0.05)
        began = time.monotonic()
        for _ in range(4):
            async with turns.turn("mill.org"):
                pass
        return time.monotonic() - began

    assert asyncio.run(run()) >= 0.15


def test_cancelled_waiter_loses_no_turn() -> None:
    """Cancelled while waiting, or at the very moment of the grant: the next one gets the turn."""

    async def enter(turns: Turns) -> None:
        async with turns.turn("mill.org"):
            pass

    async def run() -> None:
        turns = _turns(per_host=1)
        async with turns.turn("mill.org"):
            waiting = [asyncio.create_task(enter(turns)) for _ in range(3)]
            await asyncio.sleep(0)
            waiting[1].cancel()
            await asyncio.sleep(0)
        waiting[0].cancel()  # it was granted a turn just now and has not run since
        await asyncio.wait_for(waiting[2], 5)
        assert turns.queues.waiting == 0

    asyncio.run(run())


def test_failing_work_gives_its_turn_back() -> None:
    """An exception ends the turn like a return."""

    async def run() -> None:
        turns = _turns(per_host=1)
        for _ in range(3):
            try:
                async with turns.turn("mill.org"):
                    raise KeyError
            except KeyError:
                pass

    asyncio.run(run())


def test_held_turn_keeps_others_waiting() -> None:
    """Handling a result uses up one of the turns of all hosts."""

    async def run() -> list[str]:
        turns, order = _turns(concurrency=1), []

        async def enter() -> None:
            async with turns.turn("mill.org"):
                order.append("turn")

        with turns.held():
            waiting = asyncio.create_task(enter())
            await asyncio.sleep(0.01)
            order.append("handled")
        await waiting
        return order

    assert asyncio.run(run()) == ["handled", "turn"]


def test_turn_inside_a_held_one_takes_its_place() -> None:
    """Who handles a result and asks for something more does not wait for itself; others wait as before."""

    async def run() -> list[str]:
        turns, order = _turns(concurrency=1), []

        async def enter() -> None:
            async with turns.turn("weir.org"):
                order.append("other")

        with turns.held():
            async with turns.turn("mill.org"):
                order.append("own")
            waiting = asyncio.create_task(enter())
            await asyncio.sleep(0.01)
            order.append("handled")
        await waiting
        return order

    assert asyncio.run(run()) == ["own", "handled", "other"]
