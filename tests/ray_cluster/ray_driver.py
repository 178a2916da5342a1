"""Runs pipelines/ray_audit.py as a program, on a Ray of its own whose workers may contact test servers.

    python ray_driver.py PORT HOSTS rows.jsonl -o results.parquet --store stores

HOSTS addresses from 127.0.1.1 on are exempted from the guard at PORT: here, where the plan is made, and in
each worker by a hook that Ray runs when it starts one. The pipeline finds Ray started and knows of nothing.
"""

from __future__ import annotations

import atexit
import runpy
import sys
from pathlib import Path

import ray
from ray.data.context import DataContext

from quotecheck._testing import allow_loopback_endpoints

PIPELINE = Path(__file__).resolve().parents[2] / "pipelines" / "ray_audit.py"


def exempt(port: int, hosts: int) -> None:
    """Let this process contact the test servers until it ends."""
    context = allow_loopback_endpoints(*((f"127.0.1.{number + 1}", port) for number in range(hosts)))
    context.__enter__()
    atexit.register(context.__exit__, None, None, None)


if __name__ == "__main__":
    port, hosts = int(sys.argv[1]), int(sys.argv[2])
    ray.init(
        num_cpus=2,
        object_store_memory=300_000_000,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"worker_process_setup_hook": lambda: exempt(port, hosts)},
    )
    # Far less than a block holds here: blocks that Ray splits after a shuffle must not part a bucket.
    DataContext.get_current().target_max_block_size = 20_000
    exempt(port, hosts)
    sys.argv = [str(PIPELINE), *sys.argv[3:]]
    runpy.run_path(str(PIPELINE), run_name="__main__")
