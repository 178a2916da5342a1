"""Read the `<meta>` tags of a page's head without parsing the page.

Two decisions come before the parser can be used: which charset the bytes have, and whether the page sends
the reader elsewhere at once. Both need only a bounded look at the first kilobytes, so neither can be made
slow by the rest of the page. What stands in comments, scripts, styles, titles, templates, `<noscript>` and
the attributes of other tags is no tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

# Attributes up to the end of a tag: a value in quotation marks may hold ">" and what looks like another tag.
_ATTRIBUTES = r"""(?:[^>=]++|=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>]*+))*+"""
# Elements whose content is no markup for a browser that runs scripts. An unclosed one reaches to the end.
_RAW = "script|style|title|noscript|textarea|xmp|iframe|noembed|noframes"
_TAG = re.compile(
    rf"""
      <!--(?:-?>|.*?(?:--!?>|\Z))
    | <({_RAW})(?=[\s/>]){_ATTRIBUTES}>.*?(?:</\1(?=[\s/>]){_ATTRIBUTES}|\Z)
    | <plaintext(?=[\s/>]).*
    | <meta(?=[\s/>])(?P<meta>{_ATTRIBUTES})
    | <base(?=[\s/>])(?P<base>{_ATTRIBUTES})
    | <(?P<template>/?template)(?=[\s/>]){_ATTRIBUTES}
    | </?[a-z]{_ATTRIBUTES}
    | <(?:[!?]|/[^>])[^>]*
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"""([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s>]+)))?""")
_XML_ENCODING = re.compile(r"""\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']\s*([\w.:-]+)""", re.IGNORECASE)
_CONTENT_CHARSET = re.compile(r"""charset\s*=\s*(?:["']\s*)?([^\s;"']+)""", re.IGNORECASE)


def meta_tags(head: str) -> Iterator[dict[str, str]]:
    """Yield the attributes of each `<meta>` tag, names in lower case, the first of two equal names."""
    return (_attributes(tag["meta"]) for tag in _tags(head) if tag["meta"])


def base_address(head: str) -> str | None:
    """Return the address that relative ones start from: that of the first `<base>` tag with one, or None."""
    found = (_attributes(tag["base"]).get("href") for tag in _tags(head) if tag["base"])
    return next((address for address in found if address is not None), None)


def _tags(head: str) -> Iterator[re.Match[str]]:
    """Yield the tags that are part of the page, those of templates left out."""
    templates = 0  # open around the tag
    for tag in _TAG.finditer(head):
        if tag["template"]:
            templates = max(0, templates + (-1 if tag["template"].startswith("/") else 1))
        elif not templates:
            yield tag


def _attributes(written: str) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(written):
        attributes.setdefault(name.lower(), unescape(double or single or bare))
    return attributes


def charset_in_content_type(content_type: str | None) -> str | None:
    """Return the charset label of a Content-Type value, as it was written, or None."""
    found = _CONTENT_CHARSET.search(content_type or "")
    return found[1] if found else None


def declared_charsets(head: str) -> Iterator[str]:
    """Yield the charset labels of an XML declaration and of each `<meta>`, as they are written."""
    xml = _XML_ENCODING.match(head)
    if xml:
        yield xml[1]
    for attributes in meta_tags(head):
        if attributes.get("charset"):
            yield attributes["charset"]
        elif attributes.get("http-equiv", "").strip().lower() == "content-type":
            label = charset_in_content_type(attributes.get("content"))
            if label:
                yield label
