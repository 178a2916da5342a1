"""Folding said one character at a time: slow, obvious, and the oracle of the fast one.

It shares no table and no code with the package: sets are written out or asked of `unicodedata` here.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

DOUBLE_QUOTES = "“”„‟«»״"
SINGLE_QUOTES = "‘’‚‛‹›ʼʻ׳"
DASHES = "‐‑‒–—―−﹘﹣－"
TILDES = "∼〜～"
GUILLEMETS = "«»‹›"
HYPHENS = "-‐‑﹣－"
LINE_ENDS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
SHARED_PUNCTUATION = "“”‘’…—·"
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ᵢₙ"
SKIN_TONES = "🏻🏼🏽🏾🏿"


@dataclass
class Item:
    """A visible character, its place in the original, and whether a joiner stood before it."""

    char: str
    start: int
    end: int
    joined: bool = False


def naive_fold(text: str) -> tuple[str, list[int], list[int], list[int]]:
    """Return folded text, start and end of each character's original span, and breaks."""
    items = visible(text)
    clusters = clustered(items)
    held = held_numbers(clusters)
    out: list[tuple[str, int, int]] = []
    for number, cluster in enumerate(clusters):
        start, end = span_of_sequence(clusters, number)
        for char in image(cluster, held=number in held):
            out.append((char, start, end))
    out, breaks = spaces(text, out)
    out, breaks = guillemets(text, out, breaks)
    if out and out[0][0] == " ":
        out, breaks = out[1:], [place - 1 for place in breaks]
    if out and out[-1][0] == " ":
        out = out[:-1]
    return "".join(o[0] for o in out), [o[1] for o in out], [o[2] for o in out], breaks


def invisible(char: str) -> bool:
    code = ord(char)
    return (
        char in "\u00ad\u034f\u061c\u0640\u115f\u1160\u17b4\u17b5\u3164\ufeff\uffa0"
        or 0x180B <= code <= 0x180F
        or 0x200B <= code <= 0x200F
        or 0x202A <= code <= 0x202E
        or 0x2060 <= code <= 0x206F
        or 0xFE00 <= code <= 0xFE0F
        or 0xFFF0 <= code <= 0xFFF8
        or 0x1BCA0 <= code <= 0x1BCA3
        or 0x1D173 <= code <= 0x1D17A
        or 0xE0000 <= code <= 0xE0FFF
    )


def visible(text: str) -> list[Item]:
    """Rule 5: drop invisible characters, and the line end right behind a soft hyphen."""
    items: list[Item] = []
    place, joined = 0, False
    while place < len(text):
        char = text[place]
        if char == "\u00ad":
            stop = place
            while stop < len(text) and (invisible(text[stop]) or text[stop].isspace()):
                stop += 1
            run = text[place:stop]
            behind_word = not (items and items[-1].char.isspace())
            beside = (items[-1].char if items else "") + text[stop : stop + 1]
            in_number = len(beside) == 2 and all(unicodedata.category(c) == "Nd" for c in beside)
            if behind_word and not in_number and any(c in LINE_ENDS for c in run):
                joined = joined or "\u200d" in run
                place = stop
                continue
        if invisible(char):
            joined = joined or char == "\u200d"
        else:
            items.append(Item(char, place, place + 1, joined))
            joined = False
        place += 1
    return items


def compatible(char: str) -> str:
    code = ord(char)
    if 0x3131 <= code <= 0x318E:
        return char
    if 0xFFA1 <= code <= 0xFFDC and unicodedata.decomposition(char):
        return chr(int(unicodedata.decomposition(char).split()[-1], 16))
    form = unicodedata.normalize("NFKC", char)
    if form != " " and form.startswith(" "):
        return unicodedata.normalize("NFC", char)
    return form


def is_mark(char: str) -> bool:
    if invisible(char):
        return False
    first = compatible(char).replace("\u0640", "")[0]
    code = ord(first)
    jamo = 0x1161 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7C6 or 0xD7CB <= code <= 0xD7FB
    return unicodedata.category(first).startswith("M") or jamo


def clustered(items: list[Item]) -> list[list[Item]]:
    clusters: list[list[Item]] = []
    for item in items:
        if is_mark(item.char) and clusters and not clusters[-1][0].char.isspace():
            clusters[-1].append(item)
        else:
            clusters.append([item])
    return clusters


def is_symbol(cluster: list[Item]) -> bool:
    return unicodedata.category(cluster[-1].char).startswith("S")


def regional(cluster: list[Item]) -> bool:
    return len(cluster) == 1 and "\U0001f1e6" <= cluster[0].char <= "\U0001f1ff"


def span_of_sequence(clusters: list[list[Item]], number: int) -> tuple[int, int]:
    """Return the span of a cluster, or of the emoji sequence that it belongs to."""
    first = last = number
    while first > 0 and continues_emoji(clusters, first):
        first -= 1
    while last + 1 < len(clusters) and continues_emoji(clusters, last + 1):
        last += 1
    return clusters[first][0].start, clusters[last][-1].end


def continues_emoji(clusters: list[list[Item]], number: int) -> bool:
    cluster, before = clusters[number], clusters[number - 1]
    head = cluster[0]
    if regional([head]) and len(before) == 1:
        count = 0
        while number - 1 - count >= 0 and regional(clusters[number - 1 - count]):
            count += 1
        if count % 2 == 1:
            return True
    if not unicodedata.category(head.char).startswith("S") or not is_symbol(before):
        return False
    return head.joined or head.char in SKIN_TONES


def digit_edges(char: str) -> tuple[bool, bool]:
    if unicodedata.category(char) == "Nd":
        return True, True
    form = image_alone(char)
    return form[:1].isdecimal(), form[-1:].isdecimal()


def held_numbers(clusters: list[list[Item]]) -> set[int]:
    """Rule 1's trap: ² in 10² and ½ in 2½ stay, for they are not 102 and 21/2.

    Marks do not part two digits, but vowel signs and jamo that are letters do.
    """
    row = [
        (item.char, number)
        for number, cluster in enumerate(clusters)
        for item in cluster
        if not is_mark(item.char) or unicodedata.category(item.char).startswith("L")
    ]
    found = set()
    for place, (char, number) in enumerate(row):
        if unicodedata.category(char) == "Nd":
            continue
        first = last = place
        while char in RAISED and first > 0 and row[first - 1][0] in RAISED:
            first -= 1
        while char in RAISED and last + 1 < len(row) and row[last + 1][0] in RAISED:
            last += 1
        starts, ends = (True, True) if char in RAISED else digit_edges(char)
        before = first > 0 and digit_edges(row[first - 1][0])[1]
        after = last + 1 < len(row) and digit_edges(row[last + 1][0])[0]
        if (starts and before) or (ends and after):
            found.add(number)
    return found


def image(cluster: list[Item], *, held: bool) -> str:
    composed = unicodedata.normalize("NFC", "".join(item.char for item in cluster))
    parts = [image_alone(char) for char in composed]
    if held:
        parts[0] = composed[0]
    return unicodedata.normalize("NFC", "".join(parts))


def image_alone(char: str) -> str:
    if char.isspace():
        return " "
    out = ""
    for part in compatible(char):
        if part.isspace():
            out += " "
        elif part in DOUBLE_QUOTES:
            out += '"'
        elif part in SINGLE_QUOTES:
            out += "'"
        elif part in DASHES:
            out += "-"
        elif part in TILDES:
            out += "~"
        elif not invisible(part):
            out += part
    return out


def is_wide(char: str) -> bool:
    code = ord(char)
    return (
        0x2E80 <= code <= 0x2FFF
        or 0x3001 <= code <= 0x312F
        or 0x31A0 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0xFE30 <= code <= 0xFE4F
        or 0xFF01 <= code <= 0xFF9F
        or 0xFFE0 <= code <= 0xFFE6
        or 0x1AFF0 <= code <= 0x1B16F
        or 0x1F200 <= code <= 0x1F2FF
        or 0x20000 <= code <= 0x3FFFF
    )


Out = list[tuple[str, int, int]]


def spaces(text: str, out: Out) -> tuple[Out, list[int]]:
    """Rule 2: single spaces, and which of them (or of the hyphens before them) a line break put there."""
    result: Out = []
    breaks: list[int] = []
    place = 0
    while place < len(out):
        stop = place
        while stop < len(out) and out[stop][0] == " ":
            stop += 1
        if stop == place:
            result.append(out[place])
            place += 1
            continue
        run = [text[start] for _, start, _ in out[place:stop]]
        if place > 0 and stop < len(out) and any(char in LINE_ENDS for char in run):
            whole = text[out[place][1] : out[stop - 1][2]]
            if both_wide(text, out, place, stop):
                breaks.append(len(result))
            elif broken_word(text, out, place, stop) and one_line_end(whole, run):
                breaks.append(len(result) - 1)
        result.append((" ", out[place][1], out[stop - 1][2]))
        place = stop
    return result, breaks


def both_wide(text: str, out: Out, place: int, stop: int) -> bool:
    left, right = place - 1, stop
    if out[left][0].isdecimal() and out[right][0].isdecimal():
        return False
    if all(is_wide(text[out[side][1]]) for side in (left, right)):
        return True
    while left >= 0 and text[out[left][1]] in SHARED_PUNCTUATION:
        left -= 1
    while right < len(out) and text[out[right][1]] in SHARED_PUNCTUATION:
        right += 1
    if left < 0 or right >= len(out):
        return False
    return is_wide(text[out[left][1]]) and is_wide(text[out[right][1]])


def broken_word(text: str, out: Out, place: int, stop: int) -> bool:
    return (
        place >= 2
        and text[out[place - 1][1]] in HYPHENS
        and unicodedata.category(text[out[place - 2][1]]).startswith("L")
        and unicodedata.category(text[out[stop][1]]).startswith("L")
    )


def one_line_end(whole: str, run: list[str]) -> bool:
    if sum(char in LINE_ENDS for char in run) == 1:
        return True
    plain = whole.replace("\r\n", "\n").replace("\f", "")
    return sum(char in LINE_ENDS for char in plain) <= 1


def guillemets(text: str, out: Out, breaks: list[int]) -> tuple[Out, list[int]]:
    """Rule 2: no space just inside « » and ‹ ›, in either direction of use."""
    dropped = set()
    for place, (_, start, _) in enumerate(out):
        if not is_guillemet(text, out, place):
            continue
        left, right = place - 1, place + 1
        while left >= 0 and is_guillemet(text, out, left):
            left -= 1
        while right < len(out) and is_guillemet(text, out, right):
            right += 1
        before = out[left][0] if left >= 0 else " "
        after = out[right][0] if right < len(out) else " "
        word = unicodedata.category(after).startswith("L") or unicodedata.category(after) == "Nd"
        if text[start] in "«‹" and before in " '\"([{-":
            dropped.add(place + 1)
        if text[start] in "»›" and not word:
            dropped.add(place - 1)
    dropped &= set(range(len(out)))
    dropped = {place for place in dropped if out[place][0] == " "}
    kept = [o for place, o in enumerate(out) if place not in dropped]
    return kept, [place - sum(d < place for d in dropped) for place in breaks]


def is_guillemet(text: str, out: Out, place: int) -> bool:
    return out[place][0] in "\"'" and text[out[place][1]] in GUILLEMETS
