"""Read from a page's own style sheets which elements they surely do not display, and which they may show.

An element counts as hidden only where no other rule could win: hiding asks for a rule without conditions
whose whole selector is understood, showing is assumed of every rule that could match, in a media query, a
nested rule or a selector half understood. What is in doubt stays text: a word that a browser shows must not
vanish. Sheets in other files and scripts are not seen; the caller decides what to make of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from quotecheck.extract.declarations import in_place_of_comment, split_declarations

Attributes = Mapping[str, str | None]


class Weight(NamedTuple):
    """What decides between two rules: the greater one wins."""

    important: int
    ids: int
    classes: int
    tags: int
    place: int  # among all rules of the page


# Above all rules: what is written on the element itself, unless a rule is important.
INLINE_STYLE: Final = Weight(0, 1 << 40, 0, 0, 0)
# Below all rules: what a browser does by itself, as for the attribute `hidden`.
BY_DEFAULT: Final = Weight(-1, 0, 0, 0, 0)
_STRONGEST: Final = Weight(3, 0, 0, 0, 0)

_IDENT: Final = r"-?[A-Za-z_][\w-]*+"
# Each way begins with a letter of its own, so that the search skips what begins with none of them.
_ADDRESS: Final = r"""\(\s*+[^"'()\s][^"'()]*+\)"""
_OPAQUE: Final = re.compile(
    rf"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|url{_ADDRESS}|URL{_ADDRESS}""",
    re.DOTALL,
)
_OF_INTEREST: Final = ("display", "visibility", "all:", "\\")
_ALL: Final = re.compile(r"all\s*:")
_PROPERTIES: Final = re.compile(r"\b(display|visibility|all)\s*:", re.IGNORECASE)
_STATEMENTS: Final = re.compile(r"(?:\s++|<!--|-->|@[^;{}]*+;)*+")
_PRINT: Final = re.compile(r"@media\s+(?:only\s+)?print", re.IGNORECASE)
_NO_ELEMENTS: Final = re.compile(r"@(?:font-face|page|property|counter-style|font-feature)", re.IGNORECASE)
_FRAMES: Final = re.compile(r"@(?:-[a-z]+-)?keyframes", re.IGNORECASE)
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|(.))", re.DOTALL)
# Selectors that are surely without an error; one in error voids its whole rule.
_PSEUDO: Final = (
    "hover|focus|focus-within|focus-visible|active|visited|link|target|first-child|last-child|only-child"
    "|first-of-type|last-of-type|empty|checked|disabled|enabled|root|before|after|first-line|first-letter"
)
_PART: Final = (
    rf"""[.#]{_IDENT}|\[\s*{_IDENT}\s*(?:[~|^$*]?=\s*(?:""|{_IDENT})\s*)?\]|::?(?:{_PSEUDO})(?![\w(-])"""
    rf"|:not\([.#]?{_IDENT}\)"
)
_COMPOUND: Final = rf"(?:(?:\*|{_IDENT})(?:{_PART})*+|(?:{_PART})++)"
_VALID: Final = re.compile(rf"\s*+{_COMPOUND}(?:(?:\s*+[>+~]\s*+|\s++){_COMPOUND})*+\s*+", re.IGNORECASE)
_ONE_ELEMENT: Final = re.compile(rf"({_IDENT})?((?:[.#]{_IDENT}|\[{_IDENT}\])+)")
_NAME: Final = re.compile(r"[.#\[](?:[\w-]|[^\x00-\x7f])+")
_ATTRIBUTE: Final = re.compile(r"\[\s*([\w-]+)\s*(?:[~|^$*]?=[^\]]*)?\]")
_TAG: Final = re.compile(r"[A-Za-z][\w-]*")
_TAGS: Final = re.compile(r"(?<![.#:\[\w-])[A-Za-z]")
_GROUP: Final = re.compile(r"\([^()]*\)")
_NO_ELEMENT: Final = re.compile(r"::|:(?:before|after|first-line|first-letter)\b|:host\b", re.IGNORECASE)
_COMBINATOR: Final = re.compile(r"[\s>+~|]+")
_KEY: Final = re.compile(rf"[.#]?{_IDENT}")
_HIDING_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "display": ("none",),
    "visibility": ("hidden", "collapse"),
    "all": (),
}
# Stands for all the properties that say where an element is, and what of it is clipped.
_PLACE: Final = "place"
_PLACING: Final = re.compile(
    r"position|clip|clip-path|left|right|top|bottom|inset|text-indent|text-align|margin.*|padding.*"
    r"|transform|translate"
)
_BOXES: Final = frozenset(
    ("none", "block", "inline-block", "flow-root", "list-item", "flex", "inline-flex", "grid", "inline-grid")
)
_ESCAPED_SIGNS: Final = 0xE000  # where escaped punctuation waits, so that it separates nothing
_MOST_SELECTORS: Final = 100
_MOST_NESTED_GROUPS: Final = 8
_MOST_BLOCKS: Final = 50_000  # in all sheets of a page; of one with more nothing is known
_MOST_STEPS: Final = 500_000  # rules looked at for one page; what is left then stays text


class _Context(Enum):
    """Where a rule stands."""

    PLAIN = auto()  # in nothing: it holds without conditions
    GROUP = auto()  # in `@media`, `@supports`, `@layer` and the like
    NESTED = auto()  # in another rule, whose selector adds to its own
    FRAMES = auto()  # a step of an animation, which may be that of any element
    SILENT = auto()  # says nothing about an element on a screen


@dataclass(slots=True)
class _Block:
    prelude: str
    context: _Context
    parts: list[str] = field(default_factory=list)  # declarations of its own
    is_simple: bool = True  # closed, and without blocks in it


class _Target(NamedTuple):
    """What a rule asks of an element: a tag (empty for any), and names such as `.a`, `#b` and `[c`.

    `above` are names that the elements around it must have between them.
    """

    tag: str
    names: frozenset[str]
    above: frozenset[str] = frozenset()


_ANY: Final = _Target("", frozenset())


@dataclass(slots=True)
class StyleSheets:
    """The rules of a page that hide elements, and those that may show them."""

    _hiding: dict[str, tuple[_Target, Weight]] = field(default_factory=dict)  # by selector
    _showing: dict[str, dict[str, dict[_Target, Weight]]] = field(default_factory=dict)  # property, key
    _waiting: list[tuple[_Block, str, int, int]] = field(default_factory=list)  # until they are asked for
    _sheets: list[tuple[str, int]] = field(default_factory=list)  # with the number of rules before it
    _rules: int = 0
    _braces: int = 0
    _steps: int = 0

    def hiding_selector(self) -> str:
        """Return a selector for the elements that may be hidden; empty for none."""
        return ",".join(self._hiding)

    def hide(self, node: LexborNode, attributes: Attributes, *, over: Weight = BY_DEFAULT) -> bool:
        """Return whether a browser surely does not display an element, going by these sheets alone.

        `over` is the weight of what else displays it, such as its own style.
        """
        names = _names_of(attributes)
        tag = node.tag or ""
        self._steps += len(self._hiding)
        weights = [
            weight
            for target, weight in self._hiding.values()
            if target.names <= names and target.tag in ("", tag)
        ]
        heaviest = max(weights, default=over)
        if heaviest <= over:
            return False
        return not self.may_show(node, attributes, "display", over=heaviest, in_any_state=True)

    def may_show(
        self,
        node: LexborNode,
        attributes: Attributes,
        name: str,
        *,
        over: Weight,
        in_any_state: bool = False,
    ) -> bool:
        """Return whether a rule that could match an element may outweigh `over` and show it.

        `name` is the property: `display`, `visibility` or `place`. `in_any_state` says that the elements
        around may get classes that they do not have, as a menu does that opens.
        """
        showing = self._all_showing().get(name)
        if self._braces > _MOST_BLOCKS:
            return True
        if not showing:
            return False
        if self._steps > _MOST_STEPS:
            return True
        tag = (node.tag or "").lower()
        names = {each.lower() for each in _names_of(attributes)}
        for key in ("*", tag, *names):
            for target, weight in showing.get(key, {}).items():
                self._steps += 1
                if weight <= over or target.tag not in ("", tag) or not target.names <= names:
                    continue
                if in_any_state or not target.above or self._stand_above(node, target.above):
                    return True
        return False

    def may_move(self, node: LexborNode, attributes: Attributes, *, over: Weight) -> bool:
        """Return whether a rule may undo the place that a style attribute gives an element.

        `over` is the weight of its `display`, for an element that is no box has no place of its own.
        """
        self._read_places()
        return self.may_show(node, attributes, _PLACE, over=over) or self.may_show(
            node, attributes, "display", over=INLINE_STYLE
        )

    def _read_places(self) -> None:
        """Read the sheets again, for important rules that few pages need."""
        for sheet, place in self._sheets:
            for block in _blocks(sheet, ("important",)):
                if block is not None and block.context is not _Context.SILENT:
                    _, shows = _read_declarations(";".join(block.parts))
                    if _PLACE in shows:
                        self._waiting.append((block, _PLACE, shows[_PLACE], place))
        self._sheets.clear()

    def _stand_above(self, node: LexborNode, wanted: frozenset[str]) -> bool:
        """Return whether elements around a node have these names, which are in lower case."""
        missing = set(wanted)
        outer = node.parent
        while missing and outer is not None:
            self._steps += 1
            if outer.is_element_node:
                missing -= {name.lower() for name in _names_of(outer.attributes)}
            outer = outer.parent
        return not missing

    def showing_visibility(self) -> str | None:
        """Return a selector for the elements that may be made visible: empty for none, None for any."""
        if self._braces > _MOST_BLOCKS:
            return None
        keys = list(self._all_showing().get("visibility", {}))
        return ",".join(keys) if all(map(_KEY.fullmatch, keys)) else None

    def read(self, style: LexborNode) -> None:
        """Read one `<style>` element."""
        sheet = _with_plain_names(style.text(deep=False))
        if not _is_of_interest(sheet) and "important" not in sheet:
            return
        use = _use_of(style)
        if use is _Context.SILENT:
            return
        self._braces += max(map(sheet.count, "{}"))
        if self._braces > _MOST_BLOCKS:
            return
        sheet, is_sound = _without_opaque(sheet)
        self._sheets.append((sheet, self._rules))
        may_hide = use is _Context.PLAIN and is_sound and _is_balanced(sheet)
        for block in _blocks(sheet):
            self._rules += 1
            if block is None:  # a closing brace too many: the next selector takes it in
                may_hide = False
            elif block.context is not _Context.SILENT:
                self._read_block(block, may_hide=may_hide)

    def _read_block(self, block: _Block, *, may_hide: bool) -> None:
        written = ";".join(block.parts)
        if not _is_of_interest(written):
            return
        hides, shows = _read_declarations(written)
        if hides is not None and may_hide and block.is_simple and block.context is _Context.PLAIN:
            self._note_hiding(block.prelude, hides)
        self._waiting += ((block, name, important, self._rules) for name, important in shows.items())

    def _note_hiding(self, prelude: str, important: int) -> None:
        selectors = [selector.strip() for selector in prelude.split(",")]
        if not all(map(_VALID.fullmatch, selectors)):
            return
        for selector in selectors:
            found = _ONE_ELEMENT.fullmatch(selector)
            if found and (selector in self._hiding or len(self._hiding) < _MOST_SELECTORS):
                target = _Target((found[1] or "").lower(), frozenset(_NAME.findall(found[2])))
                weight = _weigh(selector, important, self._rules)
                self._hiding[selector] = target, max(weight, self._hiding.get(selector, (target, weight))[1])

    def _all_showing(self) -> Mapping[str, Mapping[str, Mapping[_Target, Weight]]]:
        """Return the rules that may show, by property and by one of the names that they ask for."""
        for block, name, important, place in self._waiting:
            if block.context is not _Context.PLAIN:
                important *= 2  # layers turn the order of important rules around
            by_key = self._showing.setdefault(name, {})
            for target, weight in _targets(block, important, place):
                names = sorted(each for each in target.names if each[0] != "[")
                known = by_key.setdefault(names[0] if names else target.tag or "*", {})
                known[target] = max(weight, known.get(target, weight))
        self._waiting.clear()
        return self._showing


def read_style_sheets(styles: Iterable[LexborNode]) -> StyleSheets:
    """Return what the `<style>` elements of a page, in document order, say about what is displayed."""
    sheets = StyleSheets()
    for style in styles:
        sheets.read(style)
    return sheets


def _use_of(style: LexborNode) -> _Context:
    """Return how a browser uses a sheet: as it is, perhaps, or not at all on a screen."""
    attributes = style.attributes
    kind = attributes.get("type")
    if kind and kind.lower() != "text/css":
        return _Context.SILENT
    parent = style.parent
    while parent is not None:
        if parent.tag in ("math", "template"):
            return _Context.GROUP
        parent = parent.parent
    media = {part.strip() for part in (attributes.get("media") or "").lower().split(",")}
    if media == {"print"}:
        return _Context.SILENT
    is_alternative = bool(attributes.get("title"))
    return _Context.PLAIN if media & {"", "all", "screen"} and not is_alternative else _Context.GROUP


def _with_plain_names(sheet: str) -> str:
    """Write the names of the properties that count here in lower case, with their colon right behind."""
    lower = sheet.lower()
    is_plain = all(lower.count(name) == sheet.count(name) for name in ("display", "visibility"))
    if is_plain and not _ALL.search(lower):
        return sheet
    return _PROPERTIES.sub(lambda found: f"{found[1].lower()}:", sheet)


def _is_of_interest(text: str) -> bool:
    return any(map(text.__contains__, _OF_INTEREST))


def _without_opaque(sheet: str) -> tuple[str, bool]:
    """Take out comments, and what is in strings and addresses; return also whether all strings end."""
    is_sound = "@namespace" not in sheet.lower()

    def replaced(found: re.Match[str]) -> str:
        nonlocal is_sound
        text = found[0]
        if text.startswith("/*"):
            return in_place_of_comment(found)
        if text[0] in "\"'" and (len(text) < 2 or text[-1] != text[0]):
            is_sound = False
        return '""' if text[0] in "\"'" else "url()"

    return _OPAQUE.sub(replaced, sheet), is_sound


def _is_balanced(sheet: str) -> bool:
    """Return whether no bracket is left open, which would take in the rules behind it."""
    parts = sheet.replace("{", "}").split("}")
    return all(
        part.count("(") == part.count(")") and part.count("[") == part.count("]")
        for part in parts
        if "(" in part or "[" in part
    )


def _blocks(sheet: str, words: tuple[str, ...] = _OF_INTEREST) -> Iterator[_Block | None]:
    """Yield the blocks of a sheet with their declarations, inner ones first; None for a brace too many.

    Blocks in which none of the words stands are left out.
    """
    opened: list[_Block] = []
    *parts, rest = sheet.split("}")
    for part in parts:
        if not any(map(part.__contains__, words)) and part.count("{") == 1:
            if opened:
                opened[-1].is_simple = False
            continue
        _open_blocks(part, opened)
        yield opened.pop() if opened else None
    _open_blocks(rest, opened)
    for block in opened:
        block.is_simple = False
    yield from reversed(opened)


def _open_blocks(part: str, opened: list[_Block]) -> None:
    """Open the blocks that begin in a part of a sheet without closing braces, and note declarations."""
    *preludes, declarations = part.split("{")
    for prelude in preludes:
        if opened:
            own, _, prelude = prelude.rpartition(";")
            opened[-1].parts.append(own)
            opened[-1].is_simple = False
        else:
            statements = _STATEMENTS.match(prelude)
            prelude = prelude[statements.end() :] if statements else prelude
        opened.append(_Block(prelude, _context(prelude.strip(), opened[-1] if opened else None)))
    if opened:
        opened[-1].parts.append(declarations)


def _context(prelude: str, outer: _Block | None) -> _Context:
    if outer is not None and outer.context in (_Context.SILENT, _Context.FRAMES):
        return outer.context
    if _PRINT.fullmatch(prelude) or _NO_ELEMENTS.match(prelude):
        return _Context.SILENT
    if _FRAMES.match(prelude):
        return _Context.FRAMES
    if outer is None:
        return _Context.GROUP if prelude.startswith("@") else _Context.PLAIN
    in_rule = outer.context is _Context.NESTED or not outer.prelude.lstrip().startswith("@")
    return _Context.NESTED if in_rule else _Context.GROUP


def _read_declarations(written: str) -> tuple[int | None, dict[str, int]]:
    """Return whether declarations hide an element, and the properties by which they may show one.

    Each with 1 for what is important and 0 for what is not. Values that are not known may show.
    """
    hides: int | None = None
    shows: dict[str, int] = {}
    for declaration in split_declarations(_unescaped(written).lower()):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if "!" in value and _PLACING.fullmatch(name):
            shows[_PLACE] = 1
        if name not in _HIDING_VALUES or not value:
            continue
        value, sign, note = (part.strip() for part in value.partition("!"))
        if sign and note != "important":
            continue  # in error
        important = int(bool(sign))
        if name == "display" and value not in _BOXES:
            shows[_PLACE] = max(important, shows.get(_PLACE, 0))
        if value not in _HIDING_VALUES[name]:
            for shown in ("display", "visibility", _PLACE) if name == "all" else (name,):
                shows[shown] = max(important, shows.get(shown, 0))
        elif name == "display":
            hides = max(important, hides or 0)
            if shows.get("display", 0) <= important:
                shows.pop("display", None)
    if hides is not None and shows.get("display", -1) >= hides:
        hides = None
    elif hides:
        shows.pop("display", None)
    return hides, shows


def _targets(block: _Block, important: int, place: int) -> Iterator[tuple[_Target, Weight]]:
    """Yield the elements that a rule could match, with the greatest weight that it could have."""
    prelude = _ESCAPE.sub(_hidden_sign, block.prelude).strip()
    bare = prelude
    for _ in range(_MOST_NESTED_GROUPS):
        if "(" not in bare:
            break
        bare = _GROUP.sub("", bare)
    if block.context is _Context.FRAMES or prelude.startswith("@") or "(" in bare:
        yield _ANY, _STRONGEST
        return
    for selector in bare.split(","):
        if _NO_ELEMENT.search(selector):
            continue
        if block.context is _Context.NESTED:
            weight = Weight(important, INLINE_STYLE.ids - 1, 0, 0, place)
        else:
            weight = _weigh(selector if bare is prelude else prelude, important, place)
        yield _target(selector), weight


def _target(selector: str) -> _Target:
    """Return what the last compound of a selector asks of an element, as far as it is understood."""
    selector = _ATTRIBUTE.sub(r"[\1", selector).strip()
    if "]" in selector:
        return _ANY
    *outer, subject = _COMBINATOR.split(selector)
    tag = _TAG.match(subject)
    is_beside = "+" in selector or "~" in selector
    above = frozenset() if is_beside else _names_in(" ".join(outer))
    return _Target(tag[0].lower() if tag else "", _names_in(subject), above)


def _names_in(selector: str) -> frozenset[str]:
    return frozenset(_shown_signs(name).lower() for name in _NAME.findall(selector))


def _weigh(selector: str, important: int, place: int) -> Weight:
    """Return the weight of a selector, or of the heaviest in a list; more for one only half understood."""
    classes = sum(map(selector.count, ".[:"))
    return Weight(important, selector.count("#"), classes, len(_TAGS.findall(selector)), place)


def _names_of(attributes: Attributes) -> set[str]:
    """Return the names by which a selector can find an element: classes, id and attributes."""
    names = {f".{name}" for name in (attributes.get("class") or "").split()}
    if identity := attributes.get("id"):
        names.add(f"#{identity}")
    return names | {f"[{name}" for name in attributes}


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _shown_signs(_hidden_sign(found)), text) if "\\" in text else text


def _hidden_sign(escape: re.Match[str]) -> str:
    """Return an escaped character; for punctuation a stand-in that separates nothing."""
    code = int(escape[1], 16) if escape[1] else ord(escape[2])
    if code < 0x80:
        return chr(code) if chr(code).isalnum() or chr(code) in "-_" else chr(_ESCAPED_SIGNS + code)
    return chr(code) if code <= 0x10FFFF else "\ufffd"


def _shown_signs(text: str) -> str:
    if text.isascii():
        return text
    return "".join(
        chr(ord(char) - _ESCAPED_SIGNS) if 0 <= ord(char) - _ESCAPED_SIGNS < 0x80 else char for char in text
    )
