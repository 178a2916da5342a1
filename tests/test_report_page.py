"""The report as a page: everything escaped, marks in place, limits said."""

from __future__ import annotations

import re

from quotecheck.batch.html import clip
from quotecheck.batch.report_page import Card, Mark, Page, Passage, render
from quotecheck.models import Status


def page(*cards: Card, **more: object) -> Page:
    """Return a page whose counts are those of its cards."""
    counts: dict[Status, int] = {}
    for card in cards:
        counts[card.status] = counts.get(card.status, 0) + 1
    return Page(**{"title": "rows.jsonl", "finished": "today", "counts": counts, "cards": cards, **more})


def card(**more: object) -> Card:
    """Return a near card with the given fields."""
    return Card(**{"row": 1, "status": Status.NEAR, "quote": "q", "source": "https://example.org/", **more})


def test_render_escapes_every_string() -> None:
    """Markup in a row or a source is shown, not run."""
    evil = '<img src=x onerror="alert(1)">'
    fields = {"quote": evil, "source": evil, "place": evil, "reason": evil, "reason_code": evil}
    html = render(page(card(**fields, passage=Passage(evil, evil, evil)), title=evil))
    assert "<img" not in html


def test_render_marks_what_differs() -> None:
    """A mark becomes a deletion in the quotation and an insertion in the passage."""
    passage = Passage("fell to ", "12 %", " of", (Mark(0, 2, True),))
    html = render(page(card(quote="72 %", marks=(Mark(0, 2),), passage=passage)))
    assert "<del>72</del> %" in html
    assert '<ins class="meaning">12</ins> %' in html


def test_render_shows_control_and_direction_characters_by_number() -> None:
    """A character that could turn the text round is shown by its number; joiners stay."""
    html = render(page(card(quote="a\u202eb\u200dc\x00d\ud800e")))
    assert re.findall(r">U\+(\w+)<", html) == ["202E", "0000", "D800"]
    assert "b\u200dc" in html


def test_render_links_only_web_addresses() -> None:
    """A source of another scheme is text, never a link."""
    assert "<a " not in render(page(card(link="javascript:alert(1)")))
    assert 'href="https://example.org/#:~:text=q"' in render(
        page(card(link="https://example.org/#:~:text=q"))
    )


def test_render_says_what_is_not_listed() -> None:
    """The page says how many of how many rows it lists."""
    html = render(page(card(), counts={Status.NEAR: 1200}))
    assert "Near: first 1 of 1,200" in html


def test_render_policy_allows_only_its_own_style_and_script() -> None:
    """The content policy names digests, and no inline permission."""
    html = render(page())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    assert policy[1].startswith("default-src &#x27;none&#x27;")
    assert "unsafe" not in policy[1]


def test_clip_marks_both_cuts() -> None:
    """Text that goes on is cut with an ellipsis on its side."""
    assert clip("one two three four", (8, 13), 4) == ("…two ", " fou…")
    assert clip("one two", (0, 7), 4) == ("", "")
