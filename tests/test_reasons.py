"""Every reason code has a sentence that names the host and says what to do."""

from __future__ import annotations

import pytest

from quotecheck.models import ReasonCode
from quotecheck.sources.reasons import explain, unavailable


@pytest.mark.parametrize("code", sorted(ReasonCode))
def test_sentence_names_the_host_and_a_remedy(code: ReasonCode) -> None:
    """What happened where, then what to do: two sentences."""
    sentence = explain(code, "mill.org")
    happened, remedy = sentence.split(". ", 1)
    assert "mill.org" in happened
    assert remedy[0].isupper()
    assert sentence.endswith(".")


def test_sentence_shows_what_was_seen() -> None:
    """The detail stands between the two."""
    expected = "mill.org has removed the page (HTTP 410): since May. Cite an archived copy."
    assert explain(ReasonCode.HTTP_410_GONE, "mill.org", "since May") == expected


def test_sentence_without_a_host_begins_with_a_capital() -> None:
    """Where no host is known it speaks of the source."""
    assert explain(ReasonCode.EMPTY_BODY, None).startswith("The source delivered an empty page.")


def test_error_carries_code_and_address() -> None:
    """The reason is the sentence."""
    error = unavailable(ReasonCode.HTTP_410_GONE, "mill.org", final_url="https://mill.org/x")
    assert (error.reason_code, error.final_url) == (ReasonCode.HTTP_410_GONE, "https://mill.org/x")
    assert str(error) == error.reason == explain(ReasonCode.HTTP_410_GONE, "mill.org")
