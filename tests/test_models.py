"""The values that travel."""

from __future__ import annotations

import json
import pickle

from quotecheck import CheckResult, Difference, Flag, ReasonCode, Source, SourceUnavailable, Status
from quotecheck.models import Closest, WordDifference

FIXED = ["status", "char_start", "char_end", "similarity", "snippet", "source_final_url", "reason"]


def test_result_fields_start_with_the_seven_fixed_ones() -> None:
    """The order of the first seven fields never changes."""
    assert list(CheckResult(Status.NOT_FOUND).to_dict())[:7] == FIXED


def test_result_to_dict_is_plain_json() -> None:
    """Enums, tuples and nested records become plain JSON values."""
    difference = WordDifference(Difference.WORDS, "a", "b", 0, 1, 4, 5)
    result = CheckResult(
        Status.NEAR, flags=(Flag.REPEATED,), differences=(difference,), closest=Closest(1, 2, "x")
    )
    plain = result.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["flags"] == ["repeated"]
    assert plain["differences"][0]["kind"] == "words"  # type: ignore[index]


def test_text_digest_takes_lone_surrogates() -> None:
    """A lone surrogate is data: the digest of its text is defined."""
    assert len(Source("a\ud800b").text_sha256) == 64


def test_unavailable_survives_a_process_border() -> None:
    """The error keeps its fields when it is pickled."""
    error = SourceUnavailable(ReasonCode.HTTP_410_GONE, "gone", final_url="https://example.org/")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.reason_code, copy.reason, copy.final_url) == (error.reason_code, "gone", error.final_url)
