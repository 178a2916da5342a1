"""Tell a bot check from a page, by evidence that only a bot check has.

A wall that is read as the source would make every true quotation NOT_FOUND. Words alone are no evidence: an
article may say "access denied". So a wall is a header that the protection sets for its own answers, or the
machinery of its page; with an ordinary status the page must also hold next to no text. Nothing is done to
get past a wall.
"""

from __future__ import annotations

import re
from typing import Protocol

# An interstitial holds a few sentences. Pages with more text are never refused, whatever scripts they carry.
MOST_WALL_TEXT = 2000
_SEARCHED_BYTES = 20_000

# Headers that mark an answer as made by the protection, with what their value must hold.
_HEADERS = (
    ("cf-mitigated", "challenge", "Cloudflare"),
    ("x-vercel-mitigated", "challenge", "Vercel"),
    ("x-amzn-waf-action", "", "AWS WAF"),
)

# Machinery that stands in the challenge alone. Deliberately absent: scripts that the same vendors put into
# every page of a site they protect (/challenge-platform/scripts/, tags.js, client/main.min.js).
_MACHINERY = (
    (
        re.compile(rb"_cf_chl_opt|/challenge-platform/h/|id=[\"']challenge-(?:form|error-text)", re.I),
        "Cloudflare",
    ),
    (re.compile(rb"=[\"']?[^\"'<>= ]*/\.within\.website/|id=[\"']?anubis_challenge", re.I), "Anubis"),
    (re.compile(rb"_Incapsula_Resource\?[^\"'<>]*(?:incident_id|edet=)", re.I), "Imperva"),
    (re.compile(rb"[\"'/.]captcha-delivery\.com[\"'/]", re.I), "DataDome"),
    (re.compile(rb"id=[\"']?px-captcha", re.I), "PerimeterX"),
    (re.compile(rb"window\.gokuProps|awsWafCookieDomainList", re.I), "AWS WAF"),
)
# Enough beside an error status, where no page was promised anyway.
_SIGNS = (
    (re.compile(rb"<title>\s*Just a moment\.\.\.", re.I), "Cloudflare"),
    (re.compile(rb"<title>\s*Attention Required! \| Cloudflare", re.I), "Cloudflare"),
    (re.compile(rb"errors\.edgesuite\.net", re.I), "Akamai"),
    (re.compile(rb"<title>\s*Sucuri WebSite Firewall", re.I), "Sucuri"),
    (re.compile(rb"<title>\s*Vercel Security Checkpoint", re.I), "Vercel"),
)


class HeaderLookup(Protocol):
    """Anything that finds a header by its name."""

    def get(self, name: str) -> str | None:
        """Return the first header of that name."""


def wall_in_headers(headers: HeaderLookup) -> str | None:
    """Return whose bot check the headers announce, or None."""
    for name, value, vendor in _HEADERS:
        sent = headers.get(name)
        if sent is not None and value in sent.lower():
            return vendor
    return None


def wall_in_body(body: bytes, *, is_error: bool) -> str | None:
    """Return whose bot check the markup is that of, or None.

    For an answer that is no error (`is_error` false) it is one only if the page holds little text.
    """
    head = body[:_SEARCHED_BYTES]
    marks = (*_MACHINERY, *_SIGNS) if is_error else _MACHINERY
    return next((vendor for mark, vendor in marks if mark.search(head)), None)
