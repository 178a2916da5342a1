"""What a report warns of: everything about an answer that makes its citations less than they seem."""

from __future__ import annotations

from enum import StrEnum


class AnswerWarning(StrEnum):
    """A warning of a report; those in `FATAL` keep an answer from being ok."""

    NO_CITATIONS = "NO_CITATIONS"
    EMPTY_ANSWER = "EMPTY_ANSWER"
    TRUNCATED = "TRUNCATED"
    STREAM_INCOMPLETE = "STREAM_INCOMPLETE"
    JSON_INVALID = "JSON_INVALID"
    RESPONSE_ERROR = "RESPONSE_ERROR"
    REFUSAL = "REFUSAL"
    CONTENT_FILTER = "CONTENT_FILTER"
    TOOL_CALLS_ONLY = "TOOL_CALLS_ONLY"
    EMPTY_SOURCE = "EMPTY_SOURCE"
    DUPLICATE_SOURCES = "DUPLICATE_SOURCES"
    ZERO_BASED = "ZERO_BASED"
    FOREIGN_MARKERS = "FOREIGN_MARKERS"
    MULTIPLE_CHOICES = "MULTIPLE_CHOICES"
    OFFSET_MISMATCH = "OFFSET_MISMATCH"
    PROMPT_SHORTER_THAN_SOURCES = "PROMPT_SHORTER_THAN_SOURCES"


FATAL = frozenset(
    {
        AnswerWarning.TRUNCATED,
        AnswerWarning.STREAM_INCOMPLETE,
        AnswerWarning.JSON_INVALID,
        AnswerWarning.RESPONSE_ERROR,
        AnswerWarning.EMPTY_ANSWER,
    }
)

EXPLANATIONS = {
    AnswerWarning.NO_CITATIONS: "the answer cites nothing",
    AnswerWarning.EMPTY_ANSWER: "the answer is empty",
    AnswerWarning.TRUNCATED: "the generation limit was reached: the answer may break off",
    AnswerWarning.STREAM_INCOMPLETE: "the saved response is not whole: part of the answer may be missing",
    AnswerWarning.JSON_INVALID: "the answer is no valid JSON: only its complete citations were read",
    AnswerWarning.RESPONSE_ERROR: "the server reported an error",
    AnswerWarning.REFUSAL: "the model refused to answer",
    AnswerWarning.CONTENT_FILTER: "the server's content filter cut the answer",
    AnswerWarning.TOOL_CALLS_ONLY: "the model called tools and gave no answer",
    AnswerWarning.EMPTY_SOURCE: "a source has no text, so nothing can be quoted from it",
    AnswerWarning.DUPLICATE_SOURCES: "two sources have the same text: a number may stand for either",
    AnswerWarning.ZERO_BASED: "the answer seems to count sources from 0: check with --first-number 0",
    AnswerWarning.FOREIGN_MARKERS: (
        "the answer holds marks in a provider's own numbering, which cannot be mapped to the sources"
    ),
    AnswerWarning.MULTIPLE_CHOICES: "the response holds several choices: only the first was read",
    AnswerWarning.OFFSET_MISMATCH: "a citation's offsets do not lead to its quoted words",
    AnswerWarning.PROMPT_SHORTER_THAN_SOURCES: (
        "the prompt had too few tokens to hold the sources: the server may have cut it"
    ),
}
