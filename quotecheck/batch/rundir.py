"""The state of a run on disk: what was planned and what is done, safe against being killed at any moment.

    lock            held by the process that works on the run
    run.json        what is audited, with which options: another input or other options are refused
    incoming        standard input, spooled
    plan/           rows of each bucket: <bucket>/<piece>.parquet
    plan.json       written last: the plan is complete
    texts.sqlite    texts that came with the rows
    store.sqlite    an empty store, where no source is to be fetched
    sources.parquet distinct sources in order of first appearance
    rejects.jsonl   records that could not be read
    parts/          results of each bucket (<bucket>.parquet, there only when complete) and its sources
    elsewhere.parquet  which other sources hold what was not found; rests on the results of all buckets
    texts.parquet   the texts of a shard's sources
    temporary/      files being written; dropped at the next start

A file appears under its name only by fsync and rename, so that whatever has a name is whole.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from quotecheck.batch.parquet_files import require_name
from quotecheck.errors import InvalidInput

_COMPARED = {
    "inputs": "another input",
    "options": "other options",
    "versions": "another version of quotecheck or its libraries",
}


@dataclass(frozen=True, slots=True)
class RunPaths:
    """Where the pieces of a run lie below its folder."""

    root: Path

    @property
    def identity(self) -> Path:
        """What is audited, with which options."""
        return self.root / "run.json"

    @property
    def incoming(self) -> Path:
        """Standard input while it is spooled; it survives the beginning of a run."""
        return self.root / "incoming"

    @property
    def plan(self) -> Path:
        """The record that the plan is complete, with its figures."""
        return self.root / "plan.json"

    @property
    def texts(self) -> Path:
        """The store of texts that came with the rows."""
        return self.root / "texts.sqlite"

    @property
    def empty_store(self) -> Path:
        """The store of a run that fetches nothing, which then needs no other."""
        return self.root / "store.sqlite"

    @property
    def sources(self) -> Path:
        """The distinct sources."""
        return self.root / "sources.parquet"

    @property
    def rejects(self) -> Path:
        """The records that could not be read."""
        return self.root / "rejects.jsonl"

    @property
    def parts(self) -> Path:
        """The folder of finished results."""
        return self.root / "parts"

    @property
    def elsewhere(self) -> Path:
        """Which other sources hold the quotation of a row."""
        return self.root / "elsewhere.parquet"

    @property
    def kept_texts(self) -> Path:
        """The texts of a shard's sources, for when the shards are merged."""
        return self.root / "texts.parquet"

    @property
    def temporary(self) -> Path:
        """The folder of files being written."""
        return self.root / "temporary"

    def bucket(self, number: int) -> Path:
        """Return the folder with the planned rows of a bucket."""
        return self.root / "plan" / f"{number:05}"

    def pieces(self, number: int) -> list[Path]:
        """Return the files with the planned rows of a bucket, in order."""
        return sorted(self.bucket(number).glob("*.parquet"))

    def planned_buckets(self) -> list[int]:
        """Return the buckets that have rows."""
        return sorted(int(path.name) for path in (self.root / "plan").glob("*"))

    def part(self, number: int) -> Path:
        """Return the results of a bucket; they exist only when complete."""
        return self.parts / f"{number:05}.parquet"

    def part_sources(self, number: int) -> Path:
        """Return what a bucket's sources were found to be; put in place before its results."""
        return self.parts / f"{number:05}.sources"

    def finished_buckets(self) -> set[int]:
        """Return the buckets whose results are complete."""
        return {int(path.stem) for path in self.parts.glob("*.parquet")}


class RunDirectory:
    """A run's folder, locked for this process until `close`.

    Raises InvalidInput where another process holds it, or where the folder holds something else.
    """

    def __init__(self, root: Path) -> None:
        self.paths = RunPaths(root)
        self.is_resumed = False
        self._lock_path = root / "lock"
        self._lock = _acquire(root, self._lock_path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def begin(self, identity: Mapping[str, Any], *, restart: bool = False) -> None:
        """Begin a new run, or go on with the one that is here.

        Raises InvalidInput where that one has another identity; its `started_at` and `run` may differ.
        """
        if restart:
            self._clear()
        self.is_resumed = self.paths.identity.exists()
        if self.is_resumed:
            self._require_same(identity)
        else:
            self._clear()
            write_atomically(self.paths.identity, json.dumps(identity, indent=1).encode())
        shutil.rmtree(self.paths.temporary, ignore_errors=True)
        for folder in (self.paths.temporary, self.paths.parts):
            folder.mkdir(exist_ok=True)

    def identity(self) -> dict[str, Any]:
        """Return what the run was started with."""
        loaded: dict[str, Any] = json.loads(self.paths.identity.read_text(encoding="utf-8"))
        return loaded

    def forget(self) -> None:
        """Let `close` delete the folder: the run has finished, or has nothing worth going on with."""
        self.paths.identity.unlink(missing_ok=True)

    def close(self) -> None:
        """Let another process work on the run; delete the folder if it holds none.

        Killed meanwhile, this leaves a folder without identity, which the next run takes over.
        """
        if not self.paths.identity.exists() and self._lock_path.exists():
            self.paths.incoming.unlink(missing_ok=True)
            self._clear()
            self._lock_path.unlink()  # last, since it says that the folder is ours
            self.paths.root.rmdir()
        self._lock.close()

    def _clear(self) -> None:
        kept = {self._lock_path.name, self.paths.incoming.name}
        for path in self.paths.root.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name not in kept:
                path.unlink()

    def _require_same(self, identity: Mapping[str, Any]) -> None:
        found = self.identity()
        changed = [
            what
            for name, what in _COMPARED.items()
            if found.get(name) != json.loads(json.dumps(identity[name]))
        ]
        if changed:
            raise InvalidInput(
                f"{self.paths.root} holds an unfinished run with {' and '.join(changed)}: finish it with the "
                "same command as before, or drop it with --restart (fetched sources stay in the store)"
            )


def _acquire(root: Path, path: Path) -> IO[bytes]:
    require_name(root)
    try:
        root.mkdir(parents=True, exist_ok=True)
        stranger = next(root.iterdir(), None)
        if stranger is not None and not path.exists():
            raise InvalidInput(f"{root} is not the folder of a run (it holds {stranger.name}): name another")
        lock = path.open("ab")
    except OSError as error:
        raise InvalidInput(f"{root} cannot hold the state of the run: {error.strerror or error}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise InvalidInput(
            f"another process is working on {root}: wait for it, or give this run another output or --run-dir"
        ) from None
    return lock


def write_atomically(path: Path, data: bytes) -> None:
    """Put a file in place complete or not at all."""
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(data)
    publish(temporary, path)


def publish(temporary: Path, path: Path) -> None:
    """Give a written file its name, after its content has reached the disk."""
    descriptor = os.open(temporary, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    temporary.replace(path)
