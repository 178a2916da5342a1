"""TLS is verified, always, with the name of the URL; a failure says what is wrong."""

from __future__ import annotations

import datetime
import ssl
from pathlib import Path

import pytest
import trustme
from servers import Server, fetch, page

from quotecheck.errors import InvalidOption, SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources import tls
from quotecheck.sources.client import Fetcher


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def trusting(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority.configure_trust(context)
    return context


def _server(certificate: trustme.LeafCert) -> Server:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return Server({"*": page("Fog.")}, tls=context)


def _failure(
    server: Server, trusting: ssl.SSLContext | None, host: str = "a.fixture.org"
) -> SourceUnavailable:
    with server, pytest.raises(SourceUnavailable) as caught:
        fetch(server.url(host=host), server, tls_context=trusting)
    assert server.requests == []
    assert host in caught.value.reason
    return caught.value


def test_certificate_for_the_name_is_accepted(authority: trustme.CA, trusting: ssl.SSLContext) -> None:
    """The connection goes to an address; certificate and SNI are about the name."""
    asked = []
    with _server(authority.issue_cert("a.fixture.org")) as server:
        assert server._tls is not None
        server._tls.sni_callback = lambda connection, name, context: asked.append(name)
        assert fetch(server.url(host="a.fixture.org"), server, tls_context=trusting).body == b"Fog."
        assert server.requests[0].headers["host"] == f"a.fixture.org:{server.port}"
    assert asked == ["a.fixture.org"]


def test_certificate_for_another_name_is_refused(authority: trustme.CA, trusting: ssl.SSLContext) -> None:
    """Also where the address is right."""
    error = _failure(_server(authority.issue_cert("b.fixture.org")), trusting)
    assert error.reason_code is ReasonCode.TLS_HOSTNAME_MISMATCH


def test_expired_certificate_is_refused(authority: trustme.CA, trusting: ssl.SSLContext) -> None:
    """The sentence says that it is the date."""
    past = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    error = _failure(_server(authority.issue_cert("a.fixture.org", not_after=past)), trusting)
    assert error.reason_code is ReasonCode.TLS_CERTIFICATE_EXPIRED


def test_certificate_of_the_future_is_refused(authority: trustme.CA, trusting: ssl.SSLContext) -> None:
    """Its date is wrong, too."""
    future = datetime.datetime(2999, 1, 1, tzinfo=datetime.UTC)
    later = datetime.datetime(2999, 2, 1, tzinfo=datetime.UTC)
    certificate = authority.issue_cert("a.fixture.org", not_before=future, not_after=later)
    assert _failure(_server(certificate), trusting).reason_code is ReasonCode.TLS_CERTIFICATE_EXPIRED


def test_unknown_issuer_is_refused(authority: trustme.CA) -> None:
    """An authority of one's own is not trusted by default."""
    error = _failure(_server(authority.issue_cert("a.fixture.org")), None)
    assert error.reason_code is ReasonCode.TLS_UNTRUSTED_ISSUER
    assert "leaves out a certificate in between" in error.reason


def test_missing_intermediate_is_refused(authority: trustme.CA, trusting: ssl.SSLContext) -> None:
    """Browsers fetch what the server left out; here that would be an unguarded request."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    leaf = authority.create_child_ca().issue_cert("a.fixture.org")
    with leaf.private_key_and_cert_chain_pem.tempfile() as whole:
        pem = Path(whole).read_text("ascii")
    end = "-----END CERTIFICATE-----\n"
    with trustme.Blob((pem.partition(end)[0] + end).encode()).tempfile() as leaf_only:
        context.load_cert_chain(leaf_only)
    error = _failure(Server({"*": page()}, tls=context), trusting)
    assert error.reason_code is ReasonCode.TLS_UNTRUSTED_ISSUER


def test_plain_http_on_the_port_is_a_failed_handshake(trusting: ssl.SSLContext) -> None:
    """The server does not speak TLS at all."""
    with Server({"*": page()}) as server, pytest.raises(SourceUnavailable) as caught:
        fetch(f"https://a.fixture.org:{server.port}/", server, tls_context=trusting)
    assert caught.value.reason_code is ReasonCode.TLS_HANDSHAKE_FAILED


def test_old_protocol_is_a_failed_handshake(authority: trustme.CA, trusting: ssl.SSLContext) -> None:
    """A server that knows only TLS 1.2 and a client that wants 1.3 do not meet."""
    server = _server(authority.issue_cert("a.fixture.org"))
    assert server._tls is not None
    server._tls.maximum_version = ssl.TLSVersion.TLSv1_2
    strict = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority.configure_trust(strict)
    strict.minimum_version = ssl.TLSVersion.TLSv1_3
    assert _failure(server, strict).reason_code is ReasonCode.TLS_HANDSHAKE_FAILED


def test_own_authority_can_be_named_by_ssl_cert_file(
    authority: trustme.CA, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As for every OpenSSL program; it adds an issuer and switches nothing off."""
    roots = tmp_path / "roots.pem"
    authority.cert_pem.write_to_path(str(roots))
    monkeypatch.setenv("SSL_CERT_FILE", str(roots))
    tls.default_context.cache_clear()
    try:
        with _server(authority.issue_cert("a.fixture.org")) as server:
            assert fetch(server.url(host="a.fixture.org"), server).body == b"Fog."
        assert _failure(_server(trustme.CA().issue_cert("a.fixture.org")), None).reason_code is (
            ReasonCode.TLS_UNTRUSTED_ISSUER
        )
    finally:
        tls.default_context.cache_clear()


def test_context_that_does_not_verify_is_refused() -> None:
    """Verification cannot be switched off, not even by a caller."""
    lax = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    lax.check_hostname = False
    with pytest.raises(InvalidOption, match="does not verify"):
        Fetcher(tls_context=lax)
    lax.verify_mode = ssl.CERT_NONE
    with pytest.raises(InvalidOption, match="does not verify"):
        Fetcher(tls_context=lax)
