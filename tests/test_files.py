"""Local files below one folder, and nothing outside of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from servers import Server, fetch, redirect

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.fetched import Fetched


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a page, beside a secret."""
    folder = tmp_path / "root"
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "weir.html").write_text("<p>Fog.", "utf-8")
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    return folder


def _failure(root: Path | None, source: str, **options: int) -> SourceUnavailable:
    with pytest.raises(SourceUnavailable) as caught:
        fetch(source, files_root=root, **options)
    return caught.value


def test_file_below_the_folder_is_read(root: Path) -> None:
    """By a path from the folder, or by its whole path; the name tells the type."""
    for source in ("file:notes/weir.html", f"file://{root}/notes/weir.html", "file:notes/../notes/weir.html"):
        fetched: Fetched = fetch(source, files_root=root)
        assert (fetched.body, fetched.content_type) == (b"<p>Fog.", "text/html")
        assert fetched.final_url == (root / "notes" / "weir.html").as_uri()


def test_no_file_is_read_without_a_folder() -> None:
    """The default: sources come from strangers."""
    error = _failure(None, "file:///etc/hosts")
    assert error.reason_code is ReasonCode.FILE_OUTSIDE_ROOT
    assert "--files-root" in error.reason


@pytest.mark.parametrize(
    "source",
    [
        "file:../secret.txt",
        "file:notes/../../secret.txt",
        "file:%2e%2e/secret.txt",
        "file:///etc/hosts",
        "file:missing.txt",
        "file:notes",
        "file:.",
        "file:",
        "file:notes/weir.html/x",
        "file:a%00b",
    ],
)
def test_path_that_leads_out_or_nowhere_is_refused(root: Path, source: str) -> None:
    """One reason for all of them: whether something exists outside is nobody's business."""
    error = _failure(root, source)
    assert error.reason_code is ReasonCode.FILE_OUTSIDE_ROOT


@pytest.mark.parametrize("target", ["../secret.txt", "/etc/hosts", "loop"])
def test_link_that_leads_out_is_refused(root: Path, target: str) -> None:
    """Also where the link itself lies inside."""
    (root / "loop").symlink_to(target)
    assert _failure(root, "file:loop").reason_code is ReasonCode.FILE_OUTSIDE_ROOT


def test_linked_folder_that_leads_out_is_refused(root: Path) -> None:
    """A link in the middle of the path is a link."""
    (root / "up").symlink_to("..")
    assert _failure(root, "file:up/secret.txt").reason_code is ReasonCode.FILE_OUTSIDE_ROOT


def test_link_that_stays_inside_is_followed(root: Path) -> None:
    """A folder may be organised with links."""
    (root / "today.html").symlink_to("notes/weir.html")
    assert fetch("file:today.html", files_root=root).body == b"<p>Fog."


def test_link_that_is_swapped_in_after_the_check_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between resolving and opening, the page becomes a link to the secret."""
    real = Path.resolve
    page = root / "notes" / "weir.html"

    def resolve(path: Path, strict: bool = False) -> Path:
        resolved = real(path, strict=strict)
        if resolved.name == "weir.html":
            page.unlink()
            page.symlink_to("../../secret.txt")
        return resolved

    monkeypatch.setattr(Path, "resolve", resolve)
    assert _failure(root, "file:notes/weir.html").reason_code is ReasonCode.FILE_OUTSIDE_ROOT


def test_pipe_is_no_file(root: Path) -> None:
    """Opening it would wait for a writer."""
    os.mkfifo(root / "pipe")
    assert _failure(root, "file:pipe").reason_code is ReasonCode.FILE_OUTSIDE_ROOT


def test_file_over_the_limit_is_refused(root: Path) -> None:
    """The same limit as for pages."""
    assert _failure(root, "file:notes/weir.html", max_bytes=6).reason_code is ReasonCode.TOO_LARGE_DECLARED
    assert fetch("file:notes/weir.html", files_root=root, max_bytes=7).body == b"<p>Fog."


def test_file_that_says_it_is_empty_is_not_cut() -> None:
    """The system makes up some files while they are read, and gives them no size."""
    if not Path("/proc/self/maps").exists():
        pytest.skip("this system has no /proc")
    error = _failure(Path("/proc/self"), "file:maps", max_bytes=50)
    assert error.reason_code is ReasonCode.TOO_LARGE_DECLARED


def test_empty_file_is_no_source(root: Path) -> None:
    """Nothing in it could be quoted."""
    (root / "empty.txt").write_text(" \n", "utf-8")
    assert _failure(root, "file:empty.txt").reason_code is ReasonCode.EMPTY_BODY


def test_redirect_never_leads_to_a_file(root: Path) -> None:
    """The folder is for sources that the caller names, not for what a server says."""
    location = (root / "notes" / "weir.html").as_uri()
    with Server({"*": redirect(location)}) as server, pytest.raises(SourceUnavailable) as caught:
        fetch(server.url(), server, files_root=root)
    assert caught.value.reason_code is ReasonCode.REDIRECT_NOT_ALLOWED
