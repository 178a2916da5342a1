"""Verified TLS: trusted issuers, the name of the URL, and what a failed handshake means.

The issuers are those of the file SSL_CERT_FILE (or the folder SSL_CERT_DIR) where that is set, else the
list of the package certifi.
"""

from __future__ import annotations

import functools
import ssl

import httpx

from quotecheck.errors import InvalidOption, SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.reasons import unavailable

# OpenSSL's X509_V_ERR_... numbers (x509_vfy.h).
_CODES = {
    9: ReasonCode.TLS_CERTIFICATE_EXPIRED,  # not yet valid
    10: ReasonCode.TLS_CERTIFICATE_EXPIRED,
    62: ReasonCode.TLS_HOSTNAME_MISMATCH,
    64: ReasonCode.TLS_HOSTNAME_MISMATCH,  # IP address mismatch
}


@functools.cache
def default_context() -> ssl.SSLContext:
    """Return the process's one verifying context: making one costs 40 ms of CPU."""
    return httpx.create_ssl_context()


def verifying(context: ssl.SSLContext) -> ssl.SSLContext:
    """Return `context`. Raises InvalidOption if it does not verify certificate and name."""
    if context.verify_mode is not ssl.CERT_REQUIRED or not context.check_hostname:
        raise InvalidOption("the TLS context does not verify certificates and host names, so it is not used")
    return context


def handshake_failure(host: str, error: Exception) -> SourceUnavailable:
    """Return what a failed TLS handshake with `host` means."""
    if isinstance(error, ssl.SSLCertVerificationError):
        code = _CODES.get(error.verify_code, ReasonCode.TLS_UNTRUSTED_ISSUER)
        return unavailable(code, host, error.verify_message.rstrip("."))
    if isinstance(error, ssl.SSLError):
        return unavailable(ReasonCode.TLS_HANDSHAKE_FAILED, host, error.reason or "")
    return unavailable(ReasonCode.TLS_HANDSHAKE_FAILED, host, "the server closed the connection")
