"""The least that each data set may come to, kept in a file beside the benchmark and never lowered.

A floor holds for one content of its set, named by the SHA-256 of the set's files: were a set changed so that
its score rises or falls, comparing the two would tell nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Floor:
    """How many rows of a set were right, and of which content of the set."""

    sha256: str
    rows: int
    right: int


def read_floors(path: Path) -> dict[str, Floor]:
    """Return the floors of a file by the name of their set; none where the file is missing."""
    if not path.exists():
        return {}
    return {name: Floor(**kept) for name, kept in json.loads(path.read_text("utf-8")).items()}


def write_floors(path: Path, floors: Mapping[str, Floor]) -> None:
    """Write floors in the order of their names, one field a line, so that a change is seen in a diff."""
    kept = {name: asdict(floor) for name, floor in sorted(floors.items())}
    path.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def problem_of(name: str, found: Floor, floor: Floor | None) -> str | None:
    """Return what is wrong with the result of a set, as a sentence; None where its floor holds."""
    if floor is None:
        return f"{name}: has no floor yet: --update makes {found.right} of {found.rows} right its floor"
    if found.sha256 != floor.sha256:
        return (
            f"{name}: the set has changed (SHA-256 {found.sha256[:12]}, was {floor.sha256[:12]}), so "
            f"its floor says nothing: --update makes {found.right} of {found.rows} right the new one"
        )
    if found.right < floor.right:
        return f"{name}: {found.right} of {found.rows} right, and its floor is {floor.right}"
    return None


def raised(floors: Mapping[str, Floor], found: Mapping[str, Floor]) -> dict[str, Floor]:
    """Return the floors with each result in the place of its set's floor, unless that would lower it.

    Sets that were not read keep theirs.
    """
    return {
        **floors,
        **{name: floor for name, floor in found.items() if not _lowers(floor, floors.get(name))},
    }


def _lowers(found: Floor, floor: Floor | None) -> bool:
    return floor is not None and found.sha256 == floor.sha256 and found.right < floor.right
