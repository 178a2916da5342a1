"""Where a Markdown answer holds something else than prose: code, links, URLs, definitions, its source list.

Brackets there are no citations, and code, definitions and the source list are no sentences. Offsets are those
of the text, and every scan takes time in proportion to its length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quotecheck.citations.limits import MAX_SPANS, at_most
from quotecheck.models import Span

_QUOTE_AND_BULLET = r"[ \t>]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?"
# A fence begins a line; models also open one at the end of a line of prose.
_FENCE_OPEN = re.compile(
    rf"^{_QUOTE_AND_BULLET}(?P<block>`{{3,}}+|~{{3,}}+)[^`\n]*$|(?<!`)(?P<glued>`{{3,}}+)[\w+#.-]*[ \t]*$",
    re.MULTILINE,
)
_LONG_RUN = re.compile("`{3,}")
_RUN = re.compile("`+")
_PARAGRAPH_END = re.compile(r"\n[ \t]*(?=\n)")

_DESTINATION = re.compile(
    r"\([ \t]*(?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*+)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
_LINK_LIKE = re.compile(r"\([ \t]*(?:<|\)|[^\s()<>]*[.:/#])")
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,500}+\](?=\()")
# A bracket belongs to a URL only behind its host; full-width punctuation and brackets end it.
_URL = re.compile(
    r"<[a-zA-Z][a-zA-Z0-9+.-]{1,20}:[^\s<>]*>"
    r"|(?<![a-zA-Z0-9])(?:https?|ftp)://[^\s/?#<>\"()\[\]{}，。；：！？、（）【】〔〕［］「」『』《》]+"
    r"(?:[/?#](?:[^\s<>\"()\[\]，。；：！？、（）【】〔〕［］「」『』《》]|\([^\s()]*\)|\[[^\s\[\]]*\])*+)?"
)

_DEFINITION = re.compile(
    r"^[ \t]{0,3}[-*+]?[ \t]*[\[［【〔](?P<label>\^[^\]\n]{1,60}|\d{1,4}|[^\]\n]{1,60}(?=\]:[ \t]*<?https?://))[\]］】〕][:：]"
    r"[^\n]*(?:\n[ \t]{2,}[^\s\-*+\[][^\n]*)*",
    re.MULTILINE,
)
_SOURCE_HEADING = re.compile(
    r"[^\w\n]{0,12}(?:"
    r"sources?(?: cited| used| consulted)?|cited sources?|references?(?: list| cited)?|list of references"
    r"|citations?|works cited|bibliography|footnotes?|endnotes?"
    r"|(?:資料|资料|引用|參考|参考)?[來来]源|[參参]考[資资]料|[參参]考文[獻献]|引用文[獻献]|[參参]考|文[獻献]|出典|引用|ソース"
    r"|참고 ?문헌|참고 ?자료|출처|quellen(?:verzeichnis|angaben)?|referenzen|literatur(?:verzeichnis)?"
    r"|références|bibliographie|fuentes|referencias|bibliografía|fonti|riferimenti|bibliografia|fontes|referências"
    r"|источники|литература|ссылки|список литературы|المصادر|المراجع|מקורות|kaynaklar|kaynakça|स्रोत|संदर्भ"
    r"|bronnen|referenties|källor|referenser|źródła|tài liệu tham khảo)[^\w\n]{0,12}",
    re.IGNORECASE,
)
_LIST_LINE = re.compile(
    r"\s*(?:$|[-*+•·‣◦–][ \t]|[-*_]{3,}\s*$|\(?\d{1,3}[.)、．:：]|\\?[\[［【〔]|[¹²³⁴-⁹]|<?https?://|<?www\."
    r"|(?:source|doc(?:ument)?|ref(?:erence)?|來源|来源|資料|资料)[ #]*\d{1,3}\b)|[ \t]{2,}\S",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Markup:
    """The parts of a text that are no prose, each ascending and without overlap.

    Attributes
    ----------
    code_blocks : fenced code; an unclosed fence runs to the end.
    definitions : lines `[n]: ...` with their continuation.
    source_list : the list of sources at the end, from its heading; empty at the end without one.
    links : links with a destination, from their opening bracket.
    opaque : all but the text of links, and inline code, images and URLs: no citation stands there.
    labels : the labels that definitions define, without their brackets.
    """

    code_blocks: tuple[Span, ...]
    definitions: tuple[Span, ...]
    source_list: Span
    links: tuple[Span, ...]
    opaque: tuple[Span, ...]
    labels: frozenset[str]


def read_markup(text: str) -> Markup:
    """Return where the text is something else than prose.

    Raises InvalidInput beyond 1,000,000 spans of one kind.

    >>> text = "Read `row[3]` first [1]."
    >>> [text[start:end] for start, end in read_markup(text).opaque]
    ['`row[3]`']
    """
    blocks = _code_blocks(text)
    found = list(_outside(_DEFINITION.finditer(text), blocks))
    definitions = _bounded(match.span() for match in found)
    source_list = (_source_list_start(text, blocks), len(text))
    hidden = merge([*blocks, *_bounded(_inline_code(text, blocks))])
    destinations = _bounded(span for span in _destinations(text) if not is_inside(span[0], hidden))
    images = _bounded(
        (match.start(), destination_end(text, match.end()) or match.end())
        for match in _outside(_IMAGE.finditer(text), hidden)
    )
    urls = _bounded(_without_punctuation(text, match) for match in _outside(_URL.finditer(text), hidden))
    return Markup(
        code_blocks=tuple(blocks),
        definitions=tuple(definitions),
        source_list=source_list,
        links=tuple((_link_start(text, start), end) for start, end in destinations),
        opaque=tuple(merge([*hidden, *definitions, source_list, *destinations, *images, *urls])),
        labels=frozenset(match["label"] for match in found),
    )


def _bounded(spans: Iterable[Span]) -> list[Span]:
    return list(at_most(MAX_SPANS, "code spans, links or URLs", spans))


def merge(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, those that touch or overlap joined, empty ones dropped."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def is_inside(position: int, spans: list[Span] | tuple[Span, ...]) -> bool:
    """Tell whether an offset lies in one of the spans, which ascend and do not overlap."""
    place = bisect_right(spans, position, key=lambda span: span[0])
    return place > 0 and position < spans[place - 1][1]


def destination_end(text: str, position: int) -> int | None:
    """Return the end of a link destination `(url "title")` that begins at `position`, or None."""
    match = _DESTINATION.match(text, position)
    return match.end() if match and _LINK_LIKE.match(text, position) else None


def _destinations(text: str) -> Iterator[Span]:
    position = 0
    while (start := text.find("](", position)) >= 0:
        end = destination_end(text, start + 1)
        if end is not None:
            yield start + 1, end
        position = start + 2 if end is None else end


def _link_start(text: str, destination: int) -> int:
    """Return where the link with a destination begins; its text is looked for in 500 characters."""
    opening = text.rfind("[", max(0, destination - 500), destination)
    return destination if opening < 0 else opening


def _without_punctuation(text: str, url: re.Match[str]) -> Span:
    """Return the span of a URL without the punctuation of the sentence that it ends."""
    start, end = url.span()
    return start, start + len(text[start:end].rstrip(".,;:!?'*_~"))


def _outside(matches: Iterable[re.Match[str]], spans: list[Span]) -> Iterator[re.Match[str]]:
    return (match for match in matches if not is_inside(match.start(), spans))


def _code_blocks(text: str) -> list[Span]:
    blocks: list[Span] = []
    position = 0
    while match := _FENCE_OPEN.search(text, position):
        position = match.end()
        run = match["block"] or match["glued"]
        if match["glued"] and _closes_on_its_line(text, match.start()):
            continue
        position = _fence_end(text, position, run, begins_line=match["block"] is not None)
        blocks.append((match.start(), position))
    return blocks


def _closes_on_its_line(text: str, position: int) -> bool:
    """Tell whether a run of back-ticks in mid-line ends a code span that begins on the same line."""
    line = text.rfind("\n", 0, position) + 1
    return sum(1 for _ in _LONG_RUN.finditer(text, line, position)) % 2 == 1


def _fence_end(text: str, position: int, run: str, *, begins_line: bool) -> int:
    closer = f"{re.escape(run[0])}{{{len(run)},}}"
    pattern = rf"^[ \t>]*{closer}[ \t]*$" if begins_line else closer
    match = re.compile(pattern, re.MULTILINE).search(text, position)
    return match.end() if match else len(text)


def _inline_code(text: str, blocks: list[Span]) -> Iterator[Span]:
    """Yield spans between two runs of equally many back-ticks in one paragraph."""
    paragraph: list[Span] = []
    ends = [match.start() for match in _PARAGRAPH_END.finditer(text)]
    previous = 0
    runs = at_most(2 * MAX_SPANS, "back-ticks", _outside(_RUN.finditer(text), blocks))
    for match in runs:
        if text[match.start() - 1 : match.start()] == "\\":
            continue
        place = bisect_right(ends, match.start())
        if place != previous:
            yield from _paired(paragraph)
            paragraph, previous = [], place
        paragraph.append(match.span())
    yield from _paired(paragraph)


def _paired(runs: list[Span]) -> Iterator[Span]:
    """Yield from each run to the next one of its length, as Markdown pairs them from left to right."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, (start, end) in enumerate(runs):
        places[end - start].append(place)
    place = 0
    while place < len(runs):
        start, end = runs[place]
        equal = places[end - start]
        following = bisect_right(equal, place)
        if following < len(equal):
            place = equal[following]
            yield start, runs[place][1]
        place += 1


def _source_list_start(text: str, blocks: list[Span]) -> int:
    """Return where the source list at the end begins, heading included; the text's length without one."""
    end = len(text)
    while end > 0:
        start = text.rfind("\n", 0, end) + 1
        if is_inside(start, blocks):
            break
        if end - start < 80 and _SOURCE_HEADING.fullmatch(text, start, end):
            return start
        if not _LIST_LINE.match(text, start, end):
            break
        end = start - 1
    return len(text)
