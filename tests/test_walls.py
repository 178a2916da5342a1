"""Bot checks are told from pages by their machinery, never by words."""

from __future__ import annotations

import pytest

from quotecheck.sources.transport import Headers
from quotecheck.sources.walls import wall_in_body, wall_in_headers


@pytest.mark.parametrize(
    ("name", "value", "vendor"),
    [
        (b"CF-Mitigated", b"challenge", "Cloudflare"),
        (b"x-vercel-mitigated", b"challenge", "Vercel"),
        (b"x-amzn-waf-action", b"captcha", "AWS WAF"),
        (b"cf-mitigated", b"none", None),
        (b"cf-ray", b"8f0-FRA", None),
        (b"server", b"cloudflare", None),
    ],
)
def test_header_of_a_challenge_is_evidence(name: bytes, value: bytes, vendor: str | None) -> None:
    """These headers stand on answers that the protection made itself; others stand on every page."""
    assert wall_in_headers(Headers([(name, value)])) == vendor


@pytest.mark.parametrize(
    ("body", "vendor"),
    [
        (b"<script>window._cf_chl_opt={cvId:'3'};</script>", "Cloudflare"),
        (b"<form id='challenge-form' action='/?__cf_chl_f_tk=x'>", "Cloudflare"),
        (b'<script src="/.within.website/x/cmd/anubis/static/js/main.mjs">', "Anubis"),
        (b'<script id="anubis_challenge" type="application/json">{}</script>', "Anubis"),
        (b'<iframe src="/_Incapsula_Resource?CWUDNSAI=9&incident_id=42">', "Imperva"),
        (b'<script src="https://ct.captcha-delivery.com/c.js"></script>', "DataDome"),
        (b'<div id="px-captcha"></div>', "PerimeterX"),
        (b"<script>window.gokuProps = {}</script>", "AWS WAF"),
    ],
)
def test_machinery_of_a_challenge_is_evidence(body: bytes, vendor: str) -> None:
    """What runs only on the challenge itself, whatever the status."""
    assert wall_in_body(body, is_error=False) == vendor
    assert wall_in_body(body, is_error=True) == vendor


@pytest.mark.parametrize(
    "body",
    [
        b"<p>Access denied, said the miller. Are you a robot? Please enable cookies.",
        b"<title>Just a moment...</title><p>A poem about waiting.",
        b"<p>A note on Anubis and its path /.within.website/ in log files.",
        b"<p>We moved from captcha-delivery.com to our own checks.",
        b'<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><p>A short page.',
        b'<script src="https://js.datadome.co/tags.js"></script><p>A short page.',
        b'<script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3"></script><p>Short.',
        b"<script>window._pxAppId='PX1'</script><p>A short page.",
        b"",
    ],
)
def test_short_page_without_machinery_is_no_wall(body: bytes) -> None:
    """Neither words nor the scripts that vendors put into every page of a site they protect."""
    assert wall_in_body(body, is_error=False) is None


@pytest.mark.parametrize(
    ("body", "vendor"),
    [
        (b"<title>Just a moment...</title>", "Cloudflare"),
        (b"<title>Attention Required! | Cloudflare</title>", "Cloudflare"),
        (b"Reference #18.2 https://errors.edgesuite.net/18.2", "Akamai"),
        (b"<title>Sucuri WebSite Firewall - Access Denied</title>", "Sucuri"),
        (b"<title>Vercel Security Checkpoint</title>", "Vercel"),
    ],
)
def test_titles_are_evidence_beside_an_error_status(body: bytes, vendor: str) -> None:
    """Where no page was promised, the vendor's own title is enough to name it."""
    assert wall_in_body(body, is_error=True) == vendor
    assert wall_in_body(body, is_error=False) is None
