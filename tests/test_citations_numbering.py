"""What references mean: numbers, ranges, labels, locators, names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.citations.numbering import Numbering, Reference
from quotecheck.citations.sources import read_sources

THREE = Numbering(read_sources(["a", "b", "c"]))
NAMED = Numbering(
    read_sources([{"id": "ice", "url": "u/1", "text": "a"}, {"id": "7", "title": "Two", "text": "b"}])
)


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        ("1", (1,)), (" 2 ", (2,)), ("1,2", (1, 2)), ("1 - 3", (1, 2, 3)), ("2, 2", (2,)), ("1—2", (1, 2)),
        ("1 bis 3", (1, 2, 3)), ("1到3", (1, 2, 3)), ("1與2", (1, 2)), ("Source 1-Source 3", (1, 2, 3)),
        ("Documents: 1 and 2", (1, 2)), ("see Source 2", (2,)), ("cf. 2", (2,)), ("²", None), ("1 2", None),
        ("2, page 3", (2,)), ("2, lines 3-5", (2,)), ("2, ch. 4, 5", (2,)), ("2, emphasis added", (2,)),
        ("2 of 3", None), ("1st", None), ("1:3", None), ("1:", None), ("1,", None), (",1", None), ("", None),
        ("1..3", None), ("1/2", None), ("1-2-3", None), ("1, two", None), ("0", (0,)), ("0, 1", None),
        ("12345", None),
    ],
)  # fmt: skip
def test_of_marker(content: str, numbers: tuple[int, ...] | None) -> None:
    """The text between brackets is read as a whole, or it is no mark."""
    assert THREE.of_marker(content) == numbers


def test_of_marker_with_ids() -> None:
    """An id is its source; a number that no source has may be an id."""
    assert [NAMED.of_marker(content) for content in ("ice", "Source: ice", "7", "2", "snow")] == [
        (1,),
        (1,),
        (2,),
        (2,),
        None,
    ]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (2, [(2, (2,))]), (9, [(9, ())]), (2.0, [(2, (2,))]), (2.5, [("2.5", ())]), ("2", [(2, (2,))]),
        ("[2]", [(2, (2,))]), ("#2", [(2, (2,))]), ("【2】", [(2, (2,))]), ("[[2]]", [(2, (2,))]), (True, []),
        ("2-3", [(2, (2,)), (3, (3,))]), ([1, "2"], [(1, (1,)), (2, (2,))]), ("", [("", ())]),
        ("x", [("x", ())]), (None, []), ([], []),
        ({"id": 2}, [(2, (2,))]), ([[2]], [(2, (2,))]),
        (10**30, [("1" + "0" * 30, ())]),
        ({"other": 2}, []), (-1, [(-1, ())]), (float("inf"), [("Infinity", ())]),
    ],
)  # fmt: skip
def test_of_value(value: object, found: list[tuple[object, tuple[int, ...]]]) -> None:
    """A JSON value gives one reference for each number in it, or the name that no source has."""
    assert [(reference.given, reference.numbers) for reference in THREE.of_value(value)] == found


PLACES = [("ice", 1), ("u/1", 1), ("Two", 2), ("[ice]", 1), (7, 2), ("7", 2), (2, 2)]


@pytest.mark.parametrize(("value", "number"), PLACES)
def test_of_value_with_names(value: object, number: int) -> None:
    """Ids, URLs and titles are names; a number is a position first."""
    assert NAMED.of_value(value)[0].numbers == (number,)


def test_shared_name_stands_for_all() -> None:
    """A name that two sources share may mean either."""
    shared = Numbering(read_sources([{"id": "book", "text": "a"}, {"id": "book", "text": "b"}]))
    assert shared.of_value("book") == [Reference("book", (1, 2))]


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=6),
    st.sampled_from([", ", ",", "; ", " and ", "、", " & "]),
)
def test_lists_are_read_in_order(numbers: list[int], separator: str) -> None:
    """Any list of numbers is read in order, each number once."""
    content = separator.join(str(number) for number in numbers)
    assert THREE.of_marker(content) == tuple(dict.fromkeys(numbers))


@given(st.text(max_size=120))
def test_any_content_is_read_or_refused(content: str) -> None:
    """No content is an error."""
    assert THREE.of_marker(content) is None or all(isinstance(n, int) for n in THREE.of_marker(content) or ())
    assert isinstance(THREE.of_value(content), list)
