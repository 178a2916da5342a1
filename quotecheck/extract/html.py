"""Extract the text of a web page as a browser shows it, and what the markup says about its parts.

One parse and one iterative walk over the tree: inline tags insert nothing, blocks and `<br>` a line break,
cells a tab. No separator ever stands between text nodes, and nothing on the page is left out as
unimportant: on 13,326 strings cut from a browser's rendered text the first costs seven points of exact
matches, and a main-content extractor a fifth of the prose. What a reader does not see (title, description,
hidden parts) follows behind the visible text in regions; scripts, styles and templates are no text at all.

Where this differs from a browser's `innerText`, on purpose: closed `<details>` are kept (a reader opens
them); `<noscript>`, `<textarea>`, framed documents and shadow roots are `hidden` regions; floats, absolute
positions and the tokens of a formula insert no break (copying from the page inserts none either); letters
keep their case whatever `text-transform` says; a line break between two wide characters stays a line break.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import unescape
from itertools import chain
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from quotecheck.extract.judging import judge
from quotecheck.extract.layout import Settled, assemble, plain, settle
from quotecheck.extract.metatags import meta_tags
from quotecheck.extract.rendering import render
from quotecheck.models import Flag, Source

TITLE, DESCRIPTION, HIDDEN = "title", "description", "hidden"

_LITTLE_TEXT: Final = 400  # characters other than blanks: 10 of 1,382 real pages have fewer
_MUCH_SCRIPT: Final = 500  # characters of script in a page
_HIDDEN_PIECES: Final = 1_000  # regions; a page with more gets the rest in one
_DESCRIPTIONS: Final = frozenset(
    ("description", "og:description", "twitter:description", "citation_abstract", "dc.description")
)
_SCRIPT_TYPES: Final = frozenset(("", "module", "text/javascript", "application/javascript"))
_REFRESH: Final = re.compile(
    r"\s*(?:(\d{1,9})[\d.]*|\.[\d.]*)\s*[;,\s]\s*(?:url\s*=\s*)?(?:\"([^\"]*)|'([^']*)|(.*))",
    re.IGNORECASE | re.DOTALL,
)
_CHARACTER: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_NOT_IN_ADDRESS: Final = str.maketrans("", "", "\t\n\r")
_PARTS: Final = "title,meta[content],style,script,noscript,textarea,iframe[srcdoc],template[shadowrootmode]"
_EMPTY_ELEMENT: Final = re.compile(r"<([A-Za-z][\w:.-]*)((?:\s[^<>]*)?)/>")
_VOID: Final = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_REFRESH_HEAD: Final = 100_000  # characters searched for a refresh


def extract_html(markup: str) -> Source:
    r"""Return the visible text of a page, its regions, and the spans that its markup declares.

    >>> source = extract_html("<title>Mill</title><p>Ten<sup>6</sup> bags.<p>None left.")
    >>> source.text
    'Ten6 bags.\nNone left.\n\nMill'
    """
    page = _Page(markup)
    visible, hidden_nodes = page.visible()
    title = page.title()
    regions = [(TITLE, Settled(title)), *((DESCRIPTION, Settled(text)) for text in page.descriptions())]
    # What stands in the visible text says nothing new here, and would be counted as a second occurrence.
    regions = [(name, part) for name, part in regions if part.text and part.text not in visible.text]
    hidden = list(page.hidden(hidden_nodes))
    without_scripts = list(page.without_scripts())
    if not visible.text and not hidden and all(name == TITLE for name, _ in regions):
        # A request to switch scripts on must not pass for the text of the page.
        without_scripts = [piece for piece in without_scripts if len(piece.text) >= _LITTLE_TEXT]
    regions += hidden_regions(chain(hidden, without_scripts))
    length = len(visible.text) - sum(map(visible.text.count, " \n\t"))
    flags = (Flag.NEEDS_JAVASCRIPT,) if length < _LITTLE_TEXT and page.runs_scripts() else ()
    return replace(assemble(visible, regions), title=title or None, flags=flags)


def meta_refresh(markup: str) -> tuple[int, str] | None:
    """Return (seconds, address) of a page that sends its reader elsewhere, or None.

    The address is as written, not yet resolved against that of the page.

    >>> meta_refresh('<meta http-equiv="Refresh" content="0; url=/new.html">')
    (0, '/new.html')
    """
    for attributes in meta_tags(markup[:_REFRESH_HEAD]):
        if attributes.get("http-equiv", "").strip().lower() == "refresh":
            found = parse_refresh(attributes.get("content", ""))
            if found is not None:
                return found
    return None


def parse_refresh(value: str) -> tuple[int, str] | None:
    """Return (seconds, address) of a refresh, as a header or a tag gives it, or None without an address."""
    found = _REFRESH.match(value)
    if found is None:
        return None
    address = (found[2] or found[3] or found[4] or "").translate(_NOT_IN_ADDRESS).strip()
    return (int(found[1] or 0), address) if address else None


def render_fragment(markup: str) -> tuple[str, list[Settled]]:
    """Return the visible text of a part of a document, with its layout marks, and the texts that it hides."""
    page = _Page(markup)
    nodes: list[LexborNode] = []
    rendered = page.rendered(nodes)
    return rendered, list(page.hidden(nodes))


def with_characters(text: str) -> str:
    """Return text with the characters that it names as entities: markup that holds no tag.

    >>> with_characters("It&#8217;s R&D &amp; so.")
    'It’s R&D & so.'
    """
    return plain(_CHARACTER.sub(lambda found: unescape(found[0]), text)) if "&" in text else text


def expand_empty_elements(markup: str) -> str:
    """Write `<a/>` as `<a></a>`, as XHTML means it: an HTML parser takes it for a start tag.

    >>> expand_empty_elements("<script src='a.js'/><br/>Text")
    "<script src='a.js'></script><br/>Text"
    """
    return _EMPTY_ELEMENT.sub(_expanded, markup)


def _expanded(found: re.Match[str]) -> str:
    name, attributes = found[1], found[2]
    return found[0] if name.lower() in _VOID else f"<{name}{attributes}></{name}>"


class _Page:
    """One parsed page, asked for its parts."""

    def __init__(self, markup: str) -> None:
        # Events would let the parser copy the chosen <option>; a browser's tree after parsing has no copy.
        self._document = LexborHTMLParser(
            _encoded(markup), scripting=True, options=LexborDocumentOptions.WO_EVENTS
        )
        self._parts: dict[str | None, list[LexborNode]] = {}
        for node in self._document.css(_PARTS):
            self._parts.setdefault(node.tag, []).append(node)
        self._judged = judge(self._document, self._all("style"), has_formulas="<math" in markup)

    def _all(self, tag: str) -> list[LexborNode]:
        return self._parts.get(tag, [])

    def visible(self) -> tuple[Settled, list[LexborNode]]:
        """Return the text that a reader sees, and the elements with text that a reader does not see."""
        hidden: list[LexborNode] = []
        return settle(self.rendered(hidden)), hidden

    def rendered(self, hidden: list[LexborNode]) -> str:
        """Return the visible text with its layout marks; `hidden` receives the elements left out."""
        root = self._document.body or self._document.root
        return render(root, self._judged, hidden) if root else ""

    def hidden(self, nodes: list[LexborNode]) -> Iterator[Settled]:
        """Yield the text of hidden elements, and of what a browser shows elsewhere or to some readers."""
        waiting = list(reversed(nodes))
        while waiting:
            found: list[LexborNode] = []
            yield settle(render(waiting.pop(), self._judged, found))
            waiting += reversed(found)
        for node in self._all("textarea"):
            yield settle(node.text())
        for node in self._all("iframe"):
            yield _visible_text(node.attributes.get("srcdoc") or "")
        for node in self._all("template"):
            for fragment in node.template_fragments():
                yield settle(render(fragment, {}, []))

    def without_scripts(self) -> Iterator[Settled]:
        """Yield what the page shows only where scripts are off."""
        for node in self._all("noscript"):
            content = node.text()
            if content.strip():
                yield _visible_text(content)

    def title(self) -> str:
        """Return the page's title, white space collapsed; the titles of drawings are none."""
        for node in self._all("title"):
            if node.parent is not None and node.parent.tag in ("head", "body"):
                return " ".join(node.text().split())
        return ""

    def descriptions(self) -> list[str]:
        """Return the distinct descriptions that the page gives of itself."""
        found: dict[str, None] = {}
        for node in self._all("meta"):
            attributes = node.attributes
            name = attributes.get("name") or attributes.get("property") or ""
            if name.strip().lower() in _DESCRIPTIONS:
                found[" ".join((attributes.get("content") or "").split())] = None
        return [text for text in found if text]

    def runs_scripts(self) -> bool:
        """Tell whether scripts could make up the page: one from a file, or more than a few lines of them."""
        length = 0
        for node in self._all("script"):
            attributes = node.attributes
            if (attributes.get("type") or "").strip().lower() in _SCRIPT_TYPES:
                length += _MUCH_SCRIPT if attributes.get("src") else len(node.text())
        return length >= _MUCH_SCRIPT


def _encoded(markup: str) -> bytes:
    """Encode markup for the parser, which would do it again; lone surrogates become U+FFFD."""
    try:
        return markup.encode("utf-8")
    except UnicodeEncodeError:
        return plain(markup).encode("utf-8")


def _visible_text(markup: str) -> Settled:
    return settle(_Page(markup).rendered([]))


def hidden_regions(pieces: Iterable[Settled]) -> Iterator[tuple[str, Settled]]:
    """Yield a region for each distinct piece with text; what comes after the thousandth is put into one."""
    seen: set[str] = set()
    rest: list[str] = []
    for piece in pieces:
        if not piece.text or piece.text in seen:
            continue
        seen.add(piece.text)
        if len(seen) <= _HIDDEN_PIECES:
            yield HIDDEN, piece
        else:
            rest.append(piece.text)
    if rest:
        yield HIDDEN, Settled("\n\n".join(rest))
