"""Tests of the points that an alignment is likely to pass."""

from __future__ import annotations

from quotecheck.text.pins import Pin, Pins, aligned_pins, common_pins, shared_pins

FOX = "the quick brown fox jumps over the lazy dog"
LONG = " ".join(f"{number} grey ships lay in the harbour of {number * number}" for number in range(11, 40))


def on_equal_letters(quote: str, text: str, pins: Pins | None) -> bool:
    assert pins is not None
    return all(quote[pin.quote_at] == text[pin.text_at] for pin in pins)


def test_shared_pins_of_a_short_quote_lie_in_a_shared_piece() -> None:
    """One pin serves for both ends, inside a piece that quotation and text have in common."""
    pins = shared_pins("a quick brown fix jumps", FOX, 0, len(FOX), 0)
    assert on_equal_letters("a quick brown fix jumps", FOX, pins)
    assert pins is not None
    assert pins.first == pins.last


def test_shared_pins_stay_inside_the_stretch() -> None:
    """A piece that occurs outside the stretch alone is not used."""
    assert shared_pins("quick brown", FOX, 20, len(FOX), 0) is None


def test_shared_pins_of_a_long_quote_lie_near_its_ends() -> None:
    """Two pins, so that what lies beyond them is short; the piece nearest to its place is taken."""
    text = "x" * 200 + LONG + "y" * 200
    pins = shared_pins(LONG, text, 0, len(text), 40)
    assert pins == Pins(Pin(64, 264), Pin(len(LONG) - 64, len(LONG) + 136))


def test_shared_pins_of_unrelated_strings_are_none() -> None:
    """Without a shared piece there is no pin."""
    assert shared_pins("zzzzzzzzzz", FOX, 0, len(FOX), 0) is None
    assert shared_pins(LONG, "q" * 3_000, 0, 3_000, 40) is None


def test_aligned_pins_lie_in_the_longest_run() -> None:
    """An alignment finds a pin where no piece is shared."""
    pins = aligned_pins("qu-ck b-own f-x j-mps", FOX, 0, len(FOX))
    assert on_equal_letters("qu-ck b-own f-x j-mps", FOX, pins)


def test_aligned_pins_of_a_long_quote_come_from_a_sample() -> None:
    """Of a long quotation a part in the middle is aligned."""
    text = "x" * 300 + LONG.replace("a", "-") + "y" * 300
    pins = aligned_pins(LONG, text, 0, len(text))
    assert on_equal_letters(LONG, text, pins)
    assert pins is not None
    assert pins.first.text_at - pins.first.quote_at == 300
    assert aligned_pins(LONG, "short", 0, 5) is None


def test_aligned_pins_of_strings_with_nothing_in_common_are_none() -> None:
    """Not one equal letter: no pin."""
    assert aligned_pins("zzz", "qqq", 0, 3) is None


def test_common_pins_are_passed_by_all_windows() -> None:
    """The first and the last point that alignments of all windows pass, within the range."""
    text = f"aa {FOX} bb"
    pins = common_pins(FOX, text, [(0, len(text)), (3, len(text)), (3, 46)], 10, 40)
    assert pins == Pins(Pin(7, 10), Pin(37, 40))
    assert common_pins(FOX, text, [(0, 3), (3, 46)], 0, 46) is None
