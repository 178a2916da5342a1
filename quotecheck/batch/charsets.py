"""Whether a table that is not UTF-8 is windows-1252, as spreadsheets of Western Europe save it.

Statistics alone are wrong on the few marks that a small table has: two accented letters and a pair of
quotation marks are Cyrillic to them. So the place of each byte speaks first. Western words mix ASCII letters
with others, where words of other scripts are beyond ASCII throughout; a capital behind a small letter, or a
symbol within a word, is what other charsets look like in this one.
"""

from __future__ import annotations

import re

WINDOWS_1252 = "windows-1252"

_LETTERS = rb"\xc0-\xd6\xd8-\xf6\xf8-\xff\x8a\x8c\x8e\x9a\x9c\x9e\x9f"
_WORD = re.compile(rb"[A-Za-z" + _LETTERS + rb"]{2,}")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_CONTRADICTION = re.compile(
    rb"(?<=[a-z])(?:"
    # A capital behind a small letter: "itÕs" and "cafŽ" were written on a Macintosh.
    rb"[\xc0-\xd6\xd8-\xde\x8a\x8c\x8e\x9f]"
    # A symbol or a mark between small letters, or one behind a letter that should begin a word: "sch”n" and
    # "caf‚" are of DOS, "ma³y" and "dzi¶" of Central Europe.
    rb"|[\x82-\x84\x86-\x89\x8b\x93\x94\x98\x9b\xa1-\xa9\xac\xae\xaf\xb1\xb3\xb6\xb8\xb9\xbc-\xbf\xd7\xf7]"
    rb"(?=[a-z])"
    rb"|[\x82\x84\x8b\xa1-\xa3\xa5\xa6\xac\xb6\xbf](?![\x80-\xff]))"
    # A fraction or a raised number before a letter: "¾e" is text of Central Europe.
    rb"|[\xb9\xbc-\xbe](?=[a-z])"
)
# Bytes beyond ASCII that stand together: opening marks, two letters or one symbol, closing marks. Anything
# longer is a word of another script, or characters of two bytes.
_PLAIN_RUN = re.compile(
    rb"[\x82\x84\x85\x8b\x91-\x97\xa0\xa1\xab\xbb\xbf]{0,3}"
    rb"(?:[" + _LETTERS + rb"\xaa\xba]{0,2}|[\x80\x83\x86-\x89\x98\x99\xa2-\xa9\xac-\xb9\xbc-\xbe\xd7\xf7])"
    rb"[\x80\x85\x91-\x97\x99\x9b\xa0\xa9\xab\xae\xb0\xb2\xb3\xb9\xbb]{0,3}"
)
# One in so many may be a slip of the pen: a table of ten thousand rows has some.
_TOLERATED = 10
# Which Latin letters are meant, only statistics can tell: where they speak for others, nothing is assumed.
_OTHER_LATIN = re.compile(r"windows-125[0478]|iso-8859-(?:[2349]|1[0346])|mac|cp(?:437|85\d)|macintosh|x-mac")
_LEAST_TO_NAME = 12  # bytes beyond ASCII from which on a guess is worth telling


def charset_of(sample: bytes) -> str | None:
    """Return the charset of lines with bytes beyond ASCII that are not UTF-8; None where nothing is likely.

    `windows-1252` is an answer to build on; any other is a guess, to be told and not to be followed.

    >>> charset_of("déjà vu “x”".encode("cp1252")), charset_of("caf\\x8e".encode("latin-1"))
    ('windows-1252', None)
    """
    from quotecheck.extract.decode import decode

    guess = decode(sample, "text/plain")
    runs = _HIGH_RUN.findall(sample)
    odd = len(_CONTRADICTION.findall(sample)) + sum(_PLAIN_RUN.fullmatch(run) is None for run in runs)
    if odd * _TOLERATED <= len(runs):
        reads_alike = guess.text == sample.decode("cp1252", "replace")
        if reads_alike or (not _OTHER_LATIN.match(guess.charset) and _is_western(sample)):
            return WINDOWS_1252
    is_worth_telling = guess.charset not in (WINDOWS_1252, "utf-8") and sum(map(len, runs)) >= _LEAST_TO_NAME
    return guess.charset if is_worth_telling else None


def _is_western(sample: bytes) -> bool:
    """Tell whether words with letters beyond ASCII also have some of ASCII, but for one in so many."""
    marked = [word for word in _WORD.findall(sample) if not word.isascii()]
    foreign = sum(len(_HIGH_RUN.sub(b"", word)) == 0 for word in marked)
    return foreign * _TOLERATED <= len(marked)
