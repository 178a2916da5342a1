"""Which addresses are public; whole URLs and redirects are in test_guard.py."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.errors import SourceUnavailable
from quotecheck.sources.addresses import require_public, why_not_public


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("127.0.0.1", "loopback"),
        ("100.64.1.1", "shared address space"),
        ("168.63.129.16", "cloud platform"),
        ("::", "unspecified"),
        ("::ffff:127.0.0.1", "IPv4-mapped"),
        ("::ffff:0:127.0.0.1", "IPv4-translated"),
        ("64:ff9b::127.0.0.1", "NAT64 of loopback"),
        ("2001:db8::1", "documentation"),
        ("2a00::5efe:8.8.8.8", "ISATAP"),
        ("4000::1", "not global unicast"),
        ("fe80::1%eth0", "zone id"),
        ("example.org", "not an IP address"),
    ],
)
def test_why_not_public_names_the_kind_of_address(address: str, why: str) -> None:
    """The words go into the reason, so that a person sees what the name led to."""
    assert why_not_public(address) == why


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::8.8.8.8", "192.0.1.0"])
def test_why_not_public_is_none_for_public_addresses(address: str) -> None:
    """Public addresses, also where a network with IPv6 only reaches them through NAT64."""
    assert why_not_public(address) is None


# Multicast, 6to4 and NAT64 addresses are "global" for Python and refused here; so are a few special ranges.
@given(st.ip_addresses())
def test_no_address_is_public_that_python_calls_private(address: ipaddress.IPv4Address) -> None:
    """The table is at least as strict as `ipaddress`, apart from NAT64 of public addresses."""
    nat64 = address in ipaddress.ip_network("64:ff9b::/96") if address.version == 6 else False
    if address.is_private or address.is_multicast or (address.is_reserved and not nat64):
        assert why_not_public(str(address)) is not None


@given(st.ip_addresses(v=4))
def test_no_translated_form_is_more_public_than_its_address(address: ipaddress.IPv4Address) -> None:
    """Mapped, compatible, translated, 6to4 and NAT64 forms never open a way around the IPv4 table."""
    number = int(address)
    forms = [0xFFFF << 32, 0, 0xFFFF0000 << 32, 0x2002 << 112, 0x64FF9B << 96]
    for prefix in forms:
        form = prefix | (number << 80 if prefix >> 112 == 0x2002 else number)
        if why_not_public(str(address)) is not None:
            assert why_not_public(str(ipaddress.IPv6Address(form))) is not None


def test_require_public_names_host_and_address() -> None:
    """The sentence says what the name resolved to, and what to do."""
    with pytest.raises(SourceUnavailable, match=r"intra\.mill\.org .*10\.0\.0\.7, private.*save the text"):
        require_public("10.0.0.7", 80, host="intra.mill.org")


def test_require_public_explains_the_answer_of_a_dns_filter() -> None:
    """0.0.0.0 is what filters answer for names that they block; a user would not guess it."""
    with pytest.raises(SourceUnavailable, match="a DNS filter answers so"):
        require_public("0.0.0.0", 80, host="ads.mill.org")
