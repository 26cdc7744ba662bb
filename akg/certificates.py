"""When certificates expire: those that OpenSearch and the public URL send, and those in the files of the settings."""

import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509

from akg.download import without_secrets
from api.settings import Settings

WARN_DAYS = 30
TIMEOUT_SECONDS = 5
HTTPS_PORT = 443
ADVICE = "Renew it: docs/how-to/use-tls.md."


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate of a place, which is a URL or the setting of a file. `expires` is None if it cannot be read."""

    place: str
    expires: datetime | None
    cause: str = ""


def read_certificates(settings: Settings, urls: tuple[str, ...]) -> list[Certificate]:
    """Return the certificate of each https URL of OpenSearch, of the public URL, and of each file."""
    served = dict.fromkeys(url for url in (*urls, settings.public_url) if url.startswith("https://"))
    files = {
        "AKG_OPENSEARCH_CA_FILE": settings.opensearch_ca_file,
        "AKG_OPENSEARCH_CLIENT_CERT": settings.opensearch_client_cert,
    }
    return [
        *(_served(url) for url in served),
        *(_stored(name, path) for name, path in files.items() if path is not None),
    ]


def _served(url: str) -> Certificate:
    """Read the certificate of a server without a check, so that an expired one can be read; nothing is sent."""
    parts = urlsplit(url)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    address = (parts.hostname or "", parts.port or HTTPS_PORT)
    try:
        with (
            socket.create_connection(address, TIMEOUT_SECONDS) as connection,
            context.wrap_socket(connection, server_hostname=parts.hostname) as tls,
        ):
            content = tls.getpeercert(binary_form=True)
        if content is None:
            return Certificate(without_secrets(url), None, "it sent none")
        return Certificate(without_secrets(url), x509.load_der_x509_certificate(content).not_valid_after_utc)
    except (OSError, ValueError) as error:
        return Certificate(without_secrets(url), None, str(error))


def _stored(name: str, path: Path) -> Certificate:
    """Read the certificates of a file. While authorities change, it has the old and the new one: the later counts."""
    try:
        stored = x509.load_pem_x509_certificates(path.read_bytes())
        return Certificate(name, max(certificate.not_valid_after_utc for certificate in stored))
    except (OSError, ValueError) as error:
        return Certificate(name, None, str(error))


def expiry_warnings(certificates: list[Certificate], now: datetime) -> Iterator[str]:
    """Yield a warning for each certificate that has expired, expires soon or cannot be read."""
    for certificate in certificates:
        if certificate.expires is None:
            yield f"The certificate of {certificate.place} cannot be read: {certificate.cause}."
        elif certificate.expires <= now:
            yield f"The certificate of {certificate.place} expired on {_date(certificate.expires)}. {ADVICE}"
        elif certificate.expires - now < timedelta(days=WARN_DAYS):
            when = f"in {(certificate.expires - now).days} days, on {_date(certificate.expires)}"
            yield f"The certificate of {certificate.place} expires {when}. {ADVICE}"


def first_expiry(certificates: list[Certificate]) -> datetime | None:
    """Return when the first of these certificates expires; None if none can be read."""
    return min((certificate.expires for certificate in certificates if certificate.expires is not None), default=None)


def _date(time: datetime) -> str:
    return time.strftime("%Y-%m-%d")
