"""Prove the guard on a network of our own: real names, real addresses, real TLS, no test switch.

Makes a small internet out of network namespaces: one namespace is the world, with name server, web servers at
public-looking addresses and listeners at private ones; the other is the machine of a user. There the command
line and the library run as anybody would run them. Run by `make test-network`, as root or where user
namespaces are allowed; anywhere else it says why it is skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSIDE = "--inside"


def main() -> int:
    """Enter namespaces of our own, or say why that is not possible; return the exit code."""
    if INSIDE in sys.argv:
        return _inside()
    enter = _way_in()
    if isinstance(enter, str):
        print(f"test-network: skipped: {enter}")
        return 0
    return subprocess.run([*enter, sys.executable, __file__, INSIDE], check=False).returncode


def _way_in() -> list[str] | str:
    """Return the command that enters new namespaces, or why there is none."""
    if sys.platform != "linux":
        return "network namespaces exist on Linux only"
    for tool in ("ip", "unshare", "mount"):
        if shutil.which(tool) is None:
            return f"the program {tool} is not installed (packages iproute2, util-linux)"
    ways = [["unshare", "--net", "--mount"]]
    ways += [["unshare", "--map-root-user", "--net", "--mount"]] if os.geteuid() else []
    for way in ways:
        # What is needed inside: a veth pair, and a resolv.conf of our own.
        probe = "ip link add cable type veth peer name home && mount --bind /etc/hosts /etc/resolv.conf"
        if subprocess.run([*way, "sh", "-c", probe], capture_output=True, check=False).returncode == 0:
            return way
    return "this system does not let us make network namespaces"


def _inside() -> int:
    """Run the world here and the client in a namespace beside it."""
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    import world

    with world.running() as directory:
        command = ["unshare", "--net", sys.executable, str(HERE / "client.py"), str(directory)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as client:
            assert client.stdin is not None
            while client.poll() is None and not (directory / "client-is-there").exists():
                time.sleep(0.01)  # until then it may still be in our own namespace
            world.connect(client.pid)
            client.stdin.write("connected\n")
            client.stdin.close()
            failed = client.wait()
        return 1 if failed or not world.left_private_hosts_alone() else 0


if __name__ == "__main__":
    sys.exit(main())
