"""Fuzz the parsers that read strangers' bytes, each for so many CPU seconds.

    python tests/fuzz/run.py                          # all parsers, ten CPU minutes each
    python tests/fuzz/run.py html pdf --cpu-seconds 60

A parser is an entry of TARGETS in a file `*_targets.py` beside this one: a hypothesis strategy for its
inputs and a check that must neither raise nor hang. Prints how many inputs each one had. A failure is shrunk
and printed with the seed that finds it again; an input that runs for five minutes ends it with a traceback.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

BATCH = 2_000  # inputs between two looks at the clock
LONGEST_INPUT = 10  # CPU seconds
HANG = 300  # seconds on the clock


@dataclass(frozen=True)
class Target:
    """What a parser is given, and what must hold of its result."""

    inputs: SearchStrategy[Any]
    check: Callable[[Any], None]


def load_targets() -> dict[str, Target]:
    """Collect the targets of all files beside this one."""
    targets: dict[str, Target] = {}
    for path in sorted(Path(__file__).parent.glob("*_targets.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module  # where dataclasses look for the types of their fields
        spec.loader.exec_module(module)
        targets.update({name: Target(*parts) for name, parts in module.TARGETS.items()})
    return targets


def fuzz(name: str, target: Target, cpu_seconds: float, first_seed: int) -> int:
    """Check inputs for so many CPU seconds, and return how many there were."""
    count = 0
    started = time.process_time()
    batch = first_seed
    while time.process_time() - started < cpu_seconds:

        def check(value: Any) -> None:
            nonlocal count
            count += 1
            began = time.process_time()
            faulthandler.dump_traceback_later(HANG, exit=True)
            target.check(value)
            faulthandler.cancel_dump_traceback_later()
            seconds = time.process_time() - began
            assert seconds < LONGEST_INPUT, f"one input took {seconds:.1f} CPU seconds"

        options = settings(
            max_examples=BATCH,
            deadline=None,  # seconds on the clock depend on what else the machine does
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        )
        try:
            seed(batch)(options(given(target.inputs)(check)))()
        except BaseException:
            print(f"{name}: failed with --seed {batch} after {count:,} inputs", file=sys.stderr)
            raise
        batch += 1
    return count


def main() -> None:
    """Fuzz the targets that were named, or all."""
    targets = load_targets()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*", metavar="PARSER", help=f"of {', '.join(targets)}")
    parser.add_argument("--cpu-seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    unknown = set(options.targets) - set(targets)
    if unknown:
        parser.error(f"no such parser: {', '.join(sorted(unknown))}; there are {', '.join(targets)}")
    for name in options.targets or targets:
        started = time.process_time()
        count = fuzz(name, targets[name], options.cpu_seconds, options.seed)
        print(f"{name:12} {count:12,} inputs in {time.process_time() - started:6.0f} CPU seconds", flush=True)


if __name__ == "__main__":
    main()
