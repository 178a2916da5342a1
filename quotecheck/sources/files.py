"""Local files as sources, below one folder that the caller named and nowhere else.

The path is resolved first, so links inside the folder work; then it is opened from the folder down without
following any link, so nobody can swap one in between to lead out.
"""

from __future__ import annotations

import mimetypes
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

from quotecheck.models import ReasonCode
from quotecheck.sources.fetched import Fetched
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.reference import Reference

_OPENS_STEP_BY_STEP = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


def read_file(root: Path | None, reference: Reference, *, max_bytes: int) -> Fetched:
    """Return the bytes of a `file:` source. Blocks on the disk.

    Raises SourceUnavailable: `file_outside_root` where no folder was named or the path leads out of it or to
    no file, `too_large_declared`, `empty_body`.
    """
    name = reference.key.removeprefix("file:")
    if root is None:
        raise unavailable(ReasonCode.FILE_OUTSIDE_ROOT, name, "no such folder was named")
    try:
        base = root.resolve(strict=True)
        path = (base / name).resolve(strict=True)
        descriptor = _open_below(base, path)
    except (OSError, ValueError, RuntimeError):
        # Missing, outside, a loop of links, a folder, a pipe, no permission: which one is nobody's business.
        detail = "there is no such file that may be read"
        raise unavailable(ReasonCode.FILE_OUTSIDE_ROOT, name, detail) from None
    with os.fdopen(descriptor, "rb") as file:
        body = file.read(max_bytes + 1)
        size = max(len(body), os.fstat(descriptor).st_size)  # some files say 0, others grow
        if size > max_bytes:
            detail = f"{size / 1e6:.1f} MB; the limit is {max_bytes / 1e6:g} MB"
            raise unavailable(ReasonCode.TOO_LARGE_DECLARED, name, detail)
    if not body.strip():
        raise unavailable(ReasonCode.EMPTY_BODY, name)
    return Fetched(
        reference=reference,
        final_url=path.as_uri(),
        status=200,
        content_type=mimetypes.guess_type(path.name)[0],
        body=body,
        wire_bytes=len(body),
        hops=(),
        fetched_at=datetime.now(UTC),
    )


def _open_below(base: Path, path: Path) -> int:
    """Open the ordinary file `path` below `base`; both are resolved. Raises OSError, ValueError."""
    *folders, name = path.relative_to(base).parts
    if not _OPENS_STEP_BY_STEP:
        return _ordinary(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)))
    here = os.open(base, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
        # Not blocking: opening a pipe would wait for a writer.
        return _ordinary(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here))
    finally:
        os.close(here)


def _ordinary(descriptor: int) -> int:
    """Return the descriptor of an ordinary file; close that of anything else and raise OSError."""
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError("not an ordinary file")
