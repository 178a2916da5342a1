"""Finding columns by name."""

from __future__ import annotations

import pytest

from quotecheck.batch.header import check_names, find_column, find_columns
from quotecheck.batch.records import ColumnNames, Columns
from quotecheck.errors import InvalidInput

NAMES = ColumnNames(quote="quote", source="source", text="text")


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (["quote"], "quote"),
        ([" Quote ", "x"], " Quote "),
        (["\nQuote", "x"], "\nQuote"),
        (["QUOTE", "quote"], "quote"),
        (["QUOTE", "Quote"], None),
        (["quotes"], None),
        ([], None),
    ],
)
def test_column_is_found_by_name(columns: list[str], found: str | None) -> None:
    """Exactly, else but for case and white space, unless two are alike."""
    assert find_column("quote", columns) == found


def test_text_column_is_used_where_it_exists() -> None:
    """A table without one is fetched for; a table with one needs no sources."""
    assert find_columns(["quote", "source"], NAMES, shown="t").text is None
    assert find_columns(["quote", "text"], NAMES, shown="t") == Columns(
        quote="quote", source=None, text="text"
    )


@pytest.mark.parametrize(
    ("columns", "names", "option"),
    [
        (["text", "url"], NAMES, "--quote-col"),
        (["quote", "url"], NAMES, "--source-col"),
        (["quote", "source"], ColumnNames(quote="quote", source="source", text="body"), "--text-col"),
        (["quote", "text"], ColumnNames(quote="quote", source="url", text="text"), "--source-col"),
    ],
)
def test_missing_column_is_named_with_its_option_and_those_found(
    columns: list[str], names: ColumnNames, option: str
) -> None:
    """The message says how to name another column, and which there are."""
    with pytest.raises(InvalidInput) as caught:
        find_columns(columns, names, shown="rows.csv")
    assert option in str(caught.value)
    assert all(repr(column) in str(caught.value) for column in columns)


def test_long_list_of_columns_is_cut_and_says_so() -> None:
    """A table of a thousand columns does not fill the screen."""
    with pytest.raises(InvalidInput, match=r"\(first 30 of 1000\)"):
        find_columns([f"c{number}" for number in range(1000)], NAMES, shown="rows.csv")


def test_one_column_for_two_purposes_is_refused() -> None:
    """A quotation checked against itself would always be exact."""
    with pytest.raises(InvalidInput, match="three different columns"):
        find_columns(
            ["quote", "source"], ColumnNames(quote="quote", source="source", text="quote"), shown="t"
        )


def test_repeated_names_are_refused_with_their_places() -> None:
    """Nobody can tell which of the two is meant."""
    with pytest.raises(InvalidInput, match="columns 2 and 4 have the same name 'note'"):
        check_names(["quote", "note", "source", "note"], "rows.csv", replace_qc=False)


def test_columns_of_an_earlier_audit_are_refused_unless_replaced() -> None:
    """Old verdicts beside new ones would be mistaken for them."""
    columns = ["quote", "source", "qc_status", "qc_row"]
    with pytest.raises(InvalidInput, match="qc_status, qc_row"):
        check_names(columns, "rows.csv", replace_qc=False)
    check_names(columns, "rows.csv", replace_qc=True)
