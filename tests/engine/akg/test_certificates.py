"""OpenSearch behind TLS: the commands verify it, say what is wrong with a certificate, and when one expires."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from akg.certificates import WARN_DAYS, first_expiry, read_certificates
from akg.commands.exporter import OperatorMetrics
from api.settings import Settings
from tests.support.operator_session import OperatorSession
from tests.support.serving import free_port
from tests.support.tls import issue, tls_proxy

DAYS = {"fresh": WARN_DAYS + 10, "old": WARN_DAYS - 10, "expired": -1}


@dataclass(frozen=True, slots=True)
class Guarded:
    """Servers with a certificate of each age, by name, and the files of two authorities."""

    urls: dict[str, str]
    authority: Path
    other: Path


@pytest.fixture(scope="module")
def guarded(operator: OperatorSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("tls")
    authority = trustme.CA()
    for name, each in (("ca", authority), ("other", trustme.CA())):
        each.cert_pem.write_to_path(str(folder / f"{name}.pem"))
    urls = {}
    with ExitStack() as stack:
        for name, days in DAYS.items():
            certificate, key = issue(authority, folder, name, days)
            port = stack.enter_context(tls_proxy(operator.url, certificate, key, folder / name))
            urls[name] = f"https://localhost:{port}"
        yield Guarded(urls, folder / "ca.pem", folder / "other.pem")


def environ(url: str, authority: Path) -> dict[str, str]:
    return {"AKG_OPENSEARCH_URL": url, "AKG_OPENSEARCH_CA_FILE": str(authority)}


def test_status_says_when_the_first_certificate_expires(operator: OperatorSession, guarded: Guarded) -> None:
    output = operator.run("status", environ=environ(guarded.urls["fresh"], guarded.authority))
    assert f"2 certificates, the first expires in {DAYS['fresh']} days" in output
    assert "The certificate of" not in output


def test_status_warns_thirty_days_ahead(operator: OperatorSession, guarded: Guarded) -> None:
    output = operator.run("status", environ=environ(guarded.urls["old"], guarded.authority))
    day = (datetime.now(UTC) + timedelta(days=DAYS["old"], hours=1)).strftime("%Y-%m-%d")
    warning = f"! The certificate of {guarded.urls['old']} expires in {DAYS['old']} days, on {day}. Renew it:"
    assert warning in " ".join(output.split())


def test_status_watches_the_public_certificate_too(operator: OperatorSession, guarded: Guarded) -> None:
    variables = environ(guarded.urls["fresh"], guarded.authority)
    output = operator.run("status", environ={**variables, "AKG_PUBLIC_URL": guarded.urls["expired"]})
    assert f"! The certificate of {guarded.urls['expired']} expired on " in output
    away = f"https://localhost:{free_port()}"
    output = operator.run("status", environ={**variables, "AKG_PUBLIC_URL": away})
    assert f"! The certificate of {away} cannot be read: " in output


@pytest.mark.parametrize(
    ("server", "authority", "message"),
    [
        ("fresh", "other", "set AKG_OPENSEARCH_CA_FILE to the file of its authority"),
        ("expired", "ca", "certificate has expired. Renew the certificate of OpenSearch"),
        ("name", "ca", "In AKG_OPENSEARCH_URL, use a name that is in the certificate of OpenSearch"),
        ("plain", "ca", "OpenSearch speaks no TLS there: use http://"),
    ],
)
@pytest.mark.parametrize("command", ["status", "node status", "index list"])
def test_a_certificate_that_cannot_be_trusted_is_refused(
    operator: OperatorSession, guarded: Guarded, server: str, authority: str, message: str, command: str
) -> None:
    urls = {
        **guarded.urls,
        "name": guarded.urls["fresh"].replace("localhost", "127.0.0.1"),
        "plain": operator.url.replace("http:", "https:"),
    }
    file = {"ca": guarded.authority, "other": guarded.other}[authority]
    output = operator.run(*command.split(), code=3, environ=environ(urls[server], file))
    assert message in " ".join(output.split())
    assert "_ssl.c" not in output


def test_the_exporter_has_the_time_of_the_first_expiry_also_of_an_expired_one(guarded: Guarded) -> None:
    for name, days in DAYS.items():
        settings = Settings(opensearch_url=(guarded.urls[name],), opensearch_ca_file=guarded.authority)
        families = OperatorMetrics(settings, lambda: datetime.now(UTC)).collect()
        values = {sample.name: sample.value for family in families for sample in family.samples if not sample.labels}
        left = values["akg_certificate_expiry_timestamp_seconds"] - datetime.now(UTC).timestamp()
        assert days * 86400 <= left <= days * 86400 + 3600
        assert values["akg_opensearch_up"] == (name != "expired")


def test_of_two_authorities_in_one_file_the_later_counts(guarded: Guarded, tmp_path: Path) -> None:
    both, now = tmp_path / "both.pem", datetime.now(UTC)
    old, _ = issue(trustme.CA(), tmp_path, "old", -1)
    both.write_text(old.read_text() + guarded.authority.read_text())
    certificates = read_certificates(Settings(opensearch_ca_file=both), ())
    assert (first := first_expiry(certificates)) is not None
    assert first > now
    both.write_text("nothing")
    (broken,) = read_certificates(Settings(opensearch_ca_file=both), ())
    assert (broken.place, broken.expires) == ("AKG_OPENSEARCH_CA_FILE", None)
