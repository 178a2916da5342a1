"""Response shapes: what of a server's response is text, reason, count, citation, and how it is recognised."""

from __future__ import annotations

import pytest

from quotecheck.citations.jsontext import JsonObject
from quotecheck.citations.shapes import anthropic, ollama, openai_chat, openai_responses
from quotecheck.citations.shapes.recognise import read_failure, read_response
from quotecheck.citations.shapes.response import NativeCitation
from quotecheck.citations.wire import Records

OLLAMA: JsonObject = {"model": "m", "message": {"role": "assistant", "content": "x"}, "done": True}
CHAT: JsonObject = {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "x"}}]}
RESPONSES: JsonObject = {"object": "response", "output": []}
MESSAGE: JsonObject = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "x"}]}


@pytest.mark.parametrize(
    ("record", "shapes"),
    [
        (OLLAMA, ["ollama"]),
        ({"model": "m", "response": "x", "done": False}, ["ollama"]),
        ({"model": "m", "done": True, "eval_count": 1}, ["ollama"]),
        (CHAT, ["openai_chat"]),
        ({"object": "chat.completion.chunk", "choices": []}, ["openai_chat"]),
        (RESPONSES, ["openai_responses"]),
        ({"type": "response.created"}, ["openai_responses"]),
        (MESSAGE, ["anthropic"]),
        ({"type": "content_block_stop", "index": 0}, ["anthropic"]),
        ({"answer": "x", "citations": []}, []),
        ({"response": "x"}, []),
        ({"error": "x"}, []),
    ],
)
def test_each_shape_knows_its_own_records(record: JsonObject, shapes: list[str]) -> None:
    """A record has one shape, or none."""
    modules = (ollama, openai_chat, openai_responses, anthropic)
    found = [module.__name__.rsplit(".", 1)[-1] for module in modules if module.matches(record)]
    assert found == shapes


def test_recognises_a_stream_that_begins_with_something_else() -> None:
    """The first record with a known shape decides."""
    records = Records(({"type": "ping"}, {"note": 1}, OLLAMA), is_stream=True)
    response = read_response(records)
    assert response is not None
    assert response.text == "x"


def test_recognises_nothing_in_other_objects() -> None:
    """Objects of no known shape are no response, and without an error no failure."""
    records = Records(({"a": 1},))
    assert (read_response(records), read_failure(records)) == (None, None)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("down", "down"),
        ({"message": "down"}, "down"),
        ({"code": 1}, "an error without a message"),
        ([1], "[1]"),
    ],
)
def test_failure_message(error: object, message: str) -> None:
    """The error's message is told in every form that servers give it."""
    failure = read_failure(Records(({"error": error},)))
    assert failure is not None
    assert (failure.error, failure.warnings) == (message, frozenset({"RESPONSE_ERROR"}))


def test_prompt_tokens_true_is_no_count() -> None:
    """Only whole numbers are counts."""
    assert ollama.read(Records(({**OLLAMA, "prompt_eval_count": True},))).prompt_tokens is None


def test_chat_stream_takes_the_last_usage() -> None:
    """The usage chunk at the end, without choices, gives the counts."""
    usage: JsonObject = {"choices": [], "usage": {"prompt_tokens": 5}}
    records = Records(({**CHAT, "usage": None}, usage), is_stream=True)
    assert openai_chat.read(records).prompt_tokens == 5


def test_chat_file_citation_is_a_point() -> None:
    """A file citation marks a point: it belongs to the character before it."""
    annotation: JsonObject = {"type": "file_citation", "filename": "a.txt", "file_id": "f", "index": 9}
    message: JsonObject = {"content": "x" * 20, "annotations": [annotation]}
    response = openai_chat.read(Records(({"choices": [{"index": 0, "message": message}]},)))
    assert response.citations == (NativeCitation((8, 9), name="a.txt"),)


def test_responses_citations_are_moved_behind_earlier_text() -> None:
    """Offsets of an annotation count within its part; in the whole text they begin later."""
    part: JsonObject = {"type": "output_text", "text": "It froze."}
    cited: JsonObject = {
        "type": "output_text",
        "text": "It thawed.",
        "annotations": [{"type": "url_citation", "url": "u", "start_index": 0, "end_index": 2}],
    }
    output = [{"type": "message", "content": [part, cited]}]
    response = openai_responses.read(
        Records(({"object": "response", "status": "completed", "output": output},))
    )
    assert response.citations[0].span == (9, 11)


def test_anthropic_blocks_come_in_the_order_of_their_indices() -> None:
    """Deltas of two blocks may be mixed; each block is put together by itself."""
    deltas = [(1, "thawed."), (0, "It "), (1, " Twice."), (0, "froze. It ")]
    events: list[JsonObject] = [
        {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}
        for index, text in deltas
    ]
    assert anthropic.read(Records(tuple(events), is_stream=True)).text == "It froze. It thawed. Twice."


def test_anthropic_page_and_block_locations_have_a_quote_only() -> None:
    """Locations in pages and blocks carry the document and the words, and no offsets."""
    citation: JsonObject = {
        "type": "page_location",
        "cited_text": "q",
        "document_index": 1,
        "start_page_number": 2,
    }
    block: JsonObject = {"type": "text", "text": "x", "citations": [citation]}
    response = anthropic.read(Records(({**MESSAGE, "content": [block]},)))
    assert response.citations == (NativeCitation((0, 1), index=1, quote="q"),)
