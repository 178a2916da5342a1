"""Numbers and units: tables of sentence pairs in many languages and scripts."""

from __future__ import annotations

import pytest
from flag_pairs import flags_between, rows

from quotecheck.models import Flag


@pytest.mark.parametrize("pair", rows("numbers_changed.jsonl"), ids=lambda pair: pair["quote"][:40])
def test_number_changed(pair: dict[str, str | bool]) -> None:
    """The flag is raised for another value, sign, relation or range, not for another way of writing one."""
    found = Flag.NUMBER_CHANGED in flags_between(str(pair["source"]), str(pair["quote"]))
    assert found is pair["changed"]


@pytest.mark.parametrize("pair", rows("units_changed.jsonl"), ids=lambda pair: pair["quote"][:40])
def test_unit_changed(pair: dict[str, str | bool]) -> None:
    """The flag is raised for another unit or a lost one, not for a unit spelled out."""
    found = Flag.UNIT_CHANGED in flags_between(str(pair["source"]), str(pair["quote"]))
    assert found is pair["changed"]


def test_unit_that_goes_with_its_number_is_the_numbers_matter() -> None:
    """A measure that is left out as a whole changes the numbers alone."""
    source = "The beam of 5 cm was cut and taken home."
    assert flags_between(source, "The beam was cut and taken home.") == {Flag.NUMBER_CHANGED}


def test_numbers_of_reference_marks_do_not_count() -> None:
    """A note's number is no number of the sentence, added, lost or changed."""
    source = "Rents fell by half[12] in the two years after the fire."
    assert flags_between(source, "Rents fell by half[13] in the two years after the fire.") == set()


def test_page_number_inside_the_passage_is_no_change() -> None:
    """A number alone on its line belongs to the page."""
    source = "The northern wall\n\n14\n\nhad been rebuilt."
    assert flags_between(source, "The northern wall had been rebuilt.") == set()


def test_number_inside_the_line_is_a_change() -> None:
    """The same number in the sentence counts."""
    source = "The northern wall 14\nhad been rebuilt."
    assert flags_between(source, "The northern wall had been rebuilt.") == {Flag.NUMBER_CHANGED}
