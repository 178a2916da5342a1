"""Which tables that are not UTF-8 are windows-1252."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import webencodings

from quotecheck.batch.charsets import charset_of

TEXTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data/charset_texts.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(
    "text",
    [
        "déjà vu “x”", "un air de déjà vu", "Le café était déjà fermé à midi", "où il a été né", "à é ê",
        "für die größere Straße", "el niño comió aquí", "här är det bra på sjön", "não é eficaz em crianças",
        "it’s “good” – for us…", "“x”", "costs 5 € and 10 £ now", "at 37 °C ± 2 in all", "« où »",
        "word—word and well…maybe", "½ cup, 3×5, §4", "kWh/m²a", "L’ÉTÉ À LA MER", "créée à Noël",
    ],
)  # fmt: skip
def test_western_text_is_read(text: str) -> None:
    """Few letters with marks, symbols alone, and quotation marks around short words are no other charset."""
    assert charset_of(text.encode("cp1252")) == "windows-1252"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("it’s good for us", "mac-roman"),
        ("le café fermé", "mac-roman"),
        ("für schöne Tage", "mac-roman"),
        ("schön für größere", "cp850"),
        ("le café déjà fermé", "cp850"),
        ("mały dom", "cp1250"),
        ("že lidé", "iso-8859-2"),
        ("серый туман", "cp1251"),
        ("серый туман", "koi8-r"),
        ("серый туман", "cp866"),
        ("the word “туман” is old", "cp1251"),
        ("γκρίζα ομίχλη", "cp1253"),
        ("ערפל אפור", "cp1255"),
        ("ضباب رمادي", "cp1256"),
        ("หมอกสีเทา", "cp874"),
        ("灰色的雾", "gbk"),
        ("灰色の霧", "shift_jis"),
        ("灰色の霧", "euc-jp"),
        ("회색 안개", "euc-kr"),
        ("灰色的霧", "big5"),
    ],
)
def test_text_in_another_charset_is_not_read_as_western(text: str, codec: str) -> None:
    """Other scripts and other machines leave bytes where western text has none; a few name no charset."""
    assert charset_of(text.encode(codec)) != "windows-1252"


def test_one_slip_in_many_words_changes_nothing() -> None:
    """A typing error is no sign of another charset."""
    assert charset_of(("déjà vu, " * 20 + "le“mot").encode("cp1252")) == "windows-1252"


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: str(case["lang"]))
def test_whole_sentences_are_read_as_western_exactly_if_they_are(case: dict[str, object]) -> None:
    """Twenty words tell the charsets of all languages apart: none is misread, and no western one refused."""
    assert isinstance(case["charsets"], list)
    assert isinstance(case["text"], str)
    for label in case["charsets"]:
        encoding = webencodings.lookup(label)
        data = case["text"].encode(encoding.codec_info.name if encoding else label)
        if label == "utf-8" or data.isascii():
            continue
        same = data.decode("cp1252", "replace") == case["text"]
        assert (charset_of(data) == "windows-1252") == same, label
