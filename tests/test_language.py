"""Which languages a text is taken to be in."""

from __future__ import annotations

import pytest

from quotecheck.text.language import lexicons_at


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("The board did not agree to the sale.", ["en"]),
        ("Der Rat hat dem Verkauf nicht zugestimmt.", ["de"]),
        ("Le conseil n'a pas voté la dépense dans la salle.", ["fr"]),
        ("El consejo no aprobó el gasto de las obras.", ["es"]),
        ("O conselho não aprovou a despesa das obras.", ["pt"]),
        ("Il consiglio non approvò la spesa delle opere.", ["it"]),
        ("Meclis bu harcamayı onaylamadı ve oturum bitti.", ["tr"]),
        ("Комиссия не рекомендовала", ["ru"]),
        ("לא אישרה", ["he"]),
        ("لم يوافق المجلس", ["ar"]),
        ("مجلس هزینه را تصویب نکرد و گفت", []),
        ("परिषद ने", ["hi"]),
        ("议会没有批准", ["zh"]),
        ("議会は承認しなかった", ["ja"]),
        ("의회는 승인하지", ["ko"]),
        ("12.5 %", []),
    ],
)
def test_languages_of_a_text(text: str, codes: list[str]) -> None:
    """Scripts tell most languages, frequent words those in Latin script; Persian is no Arabic."""
    assert [found.code for found in lexicons_at(text, 0, "")] == codes


def test_quotation_counts_where_the_text_says_little() -> None:
    """Names alone leave every Latin language open; the quotation may settle it."""
    assert len(lexicons_at("Garibaldi, Caprera", 0, "")) > 1
    assert [found.code for found in lexicons_at("Garibaldi, Caprera", 0, "Der Rat ist nicht da")] == ["de"]


def test_text_far_from_the_place_does_not_count() -> None:
    """The page around a quotation may be in another language."""
    text = "Der Rat hat nicht zugestimmt. " * 40 + "The board did not agree to the sale of it. " * 20
    assert [found.code for found in lexicons_at(text, len(text) - 100, "")] == ["en"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Jamais assinou a ordem de fechamento.", "pt"),
        ("Kuyuda su yoktur.", "tr"),
        ("A ponte poderia levar duas carroças.", "pt"),
    ],
)
def test_few_signs_leave_the_next_best_language_in(text: str, code: str) -> None:
    """A short sentence may look like another language by one word."""
    assert code in {lexicon.code for lexicon in lexicons_at(text, 0, "")}


def test_portuguese_is_not_read_with_the_negators_of_its_neighbours() -> None:
    """In Portuguese "no" says "in the"."""
    codes = {lexicon.code for lexicon in lexicons_at("O barco ficou no cais e na doca.", 0, "")}
    assert "pt" in codes
    assert "es" not in codes
