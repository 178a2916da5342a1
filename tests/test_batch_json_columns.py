"""JSON records as typed columns."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from quotecheck.batch.json_columns import JsonColumns
from quotecheck.errors import InvalidInput


@pytest.mark.parametrize(
    ("values", "dtype", "cells"),
    [
        (["a", "b"], pl.String, ["a", "b"]),
        ([1, None], pl.Int64, [1, None]),
        ([1, 2.5], pl.Float64, [1, 2.5]),
        ([True, False], pl.Boolean, [True, False]),
        ([None, None], pl.String, [None, None]),
        ([True, 1], pl.String, ["true", "1"]),
        (["007", 7], pl.String, ["007", "7"]),
        ([[1, "é"], {"a": None}], pl.String, ['[1, "é"]', '{"a": null}']),
        ([2**53 + 1], pl.Int64, [2**53 + 1]),
        ([2**53 + 1, 0.5], pl.String, ["9007199254740993", "0.5"]),
        ([2**70], pl.String, ["1180591620717411303424"]),
        ([-(2**63)], pl.String, ["-9223372036854775808"]),
    ],
)
def test_type_holds_every_value_exactly(values: list[Any], dtype: Any, cells: list[object]) -> None:
    """No value is rounded, cut or turned into another; what fits no type is text."""
    columns = JsonColumns()
    for value in values:
        columns.observe({"x": value})
    assert columns.schema() == {"x": dtype}
    assert [columns.cells({"x": value})[0] for value in values] == cells


def test_mixed_columns_are_named_in_a_notice() -> None:
    """A change of form is never silent; plain columns are not mentioned."""
    columns = JsonColumns()
    columns.observe({"id": 1, "tags": ["a"], "name": "x"})
    columns.observe({"id": "b"})
    (notice,) = columns.notices()
    assert notice.endswith(": 'id', 'tags'")


def test_half_characters_are_replaced_and_counted() -> None:
    """A typed table cannot hold them."""
    columns = JsonColumns()
    columns.observe({"x": "a\ud800b"})
    assert columns.cells({"x": "a\ud800b"}) == ("a\ufffdb",)
    assert "1 values" in columns.notices()[0]


def test_records_with_too_many_names_are_refused() -> None:
    """Names that are data make no columns."""
    with pytest.raises(InvalidInput, match="write the result as JSONL"):
        JsonColumns().observe({str(number): 1 for number in range(5_001)})


def test_name_with_half_a_character_is_refused() -> None:
    """No typed table can have it; JSONL can."""
    with pytest.raises(InvalidInput, match="write the result as JSONL"):
        JsonColumns().observe({"a\ud800": 1})
