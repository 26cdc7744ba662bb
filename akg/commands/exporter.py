"""`akg exporter`: metrics of what no service can see, for Prometheus: disks, snapshots and the rule files.

Each scrape reads OpenSearch with one client that repeats nothing. A part that cannot be read has no values and is named
by `akg_exporter_failed`, so that an alert never rests on an old value.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

import typer
from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from akg.certificates import first_expiry, read_certificates
from akg.connection import command_settings, engine_urls
from akg.console import stderr, stop_on_sigterm
from api.engine.client import FastSerializer, authentication
from api.settings import Settings, SettingsError, mappings_folder
from api.telemetry.prometheus import serve_metrics
from indexer.release.cluster_status import ClusterStatus, read_status
from indexer.release.releases import Releases
from indexer.snapshots.snapshots import Snapshots
from indexer.synonyms.lint import errors
from indexer.synonyms.publish import live_difference
from indexer.synonyms.rule_files import read_rule_files
from schema.errors import AkgError

log = logging.getLogger("akg.exporter")

DEFAULT_PORT = 9465
TIMEOUT_SECONDS = 5  # of a request; Prometheus waits 30 seconds for a scrape
DESCRIPTIONS = {
    "akg_opensearch_up": "1 if OpenSearch responds.",
    "akg_opensearch_disk_used_ratio": "Used share of the fullest disk.",
    "akg_live_release_age_seconds": "Time since the live release was built.",
    "akg_live_release_has_snapshot": "1 if there is a complete snapshot of the live release.",
    "akg_certificate_expiry_timestamp_seconds": "When the first certificate expires, of OpenSearch, "
    "AKG_PUBLIC_URL and the files of the settings; none without TLS.",
    "akg_rule_file_differences": "Synonym rules that the files add to the live rules, or lack.",
    "akg_rule_file_errors": "Errors in the files of synonym rules.",
}
FAILED = "akg_exporter_failed"
FAILED_DESCRIPTION = (
    "1 if a part (certificates, cluster, snapshots, rules) could not be read; its metrics are absent then."
)
FAILURES = (OpenSearchException, AkgError, OSError)

HostOption = Annotated[str, typer.Option("--host", help="Address to listen on.")]
PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port of /metrics; 0 takes any free one.")]


def exporter(host: HostOption = "127.0.0.1", port: PortOption = DEFAULT_PORT) -> None:
    """Serve metrics of disks, snapshots and the rule files for Prometheus."""
    stop_on_sigterm()
    logging.getLogger("opensearch").addHandler(logging.NullHandler())  # it logs each failed request
    with command_settings() as settings:
        registry = CollectorRegistry()
        registry.register(OperatorMetrics(settings, partial(datetime.now, UTC)))
        try:
            stop = serve_metrics(registry, host, port)
        except OSError as error:
            raise SettingsError(
                f"Cannot listen on port {port} of {host}: {error.strerror}. Set --port to another one."
            ) from None
        stderr.print(f"Metrics on http://{host}:{port}/metrics", markup=False)
        try:
            threading.Event().wait()
        finally:
            stop()


class CertificateError(AkgError):
    """A certificate could not be read."""


@dataclass(frozen=True, slots=True)
class OperatorMetrics(Collector):
    """Reads the metrics at each scrape. `now` returns the time in UTC."""

    settings: Settings
    now: Callable[[], datetime]

    def collect(self) -> Iterable[Metric]:
        """Return the metrics that can be read."""
        values, failed = self._read()
        for name, value in values.items():
            yield GaugeMetricFamily(name, DESCRIPTIONS[name], value=value)
        family = GaugeMetricFamily(FAILED, FAILED_DESCRIPTION, labels=("part",))
        for part, has_failed in failed.items():
            family.add_metric((part,), has_failed)
        yield family

    def _read(self) -> tuple[dict[str, float], dict[str, bool]]:
        """Return the values by name, and whether each part failed."""
        values: dict[str, float] = {"akg_opensearch_up": 0}
        failed: dict[str, bool] = {}
        # An expired certificate keeps the client from connecting, so this part does not need it.
        self._read_part("certificates", partial(certificate_values, self.settings), values, failed)
        try:
            client = connect_once(self.settings)
            client.info()
        except FAILURES:
            return values, failed
        values["akg_opensearch_up"] = 1
        with client:
            for part, read in self._parts(client).items():
                self._read_part(part, read, values, failed)
        return values, failed

    def _read_part(
        self,
        part: str,
        read: Callable[[], Iterator[tuple[str, float]]],
        values: dict[str, float],
        failed: dict[str, bool],
    ) -> None:
        try:
            values.update(read())
        except FAILURES as error:
            log.warning("cannot read %s: %s", part, type(error).__name__)
            failed[part] = True
        else:
            failed[part] = False

    def _parts(self, client: OpenSearch) -> dict[str, Callable[[], Iterator[tuple[str, float]]]]:
        def status() -> ClusterStatus:
            return read_status(Releases(client, self.settings.alias), self.settings.usage_index)

        return {
            "cluster": lambda: cluster_values(status(), self.now()),
            "snapshots": lambda: snapshot_values(client, self.settings),
            "rules": lambda: rule_values(client, self.settings),
        }


def connect_once(settings: Settings) -> OpenSearch:
    """Return a client that sends each request once; raise NodeError if the local node does not run."""
    return OpenSearch(
        hosts=list(engine_urls(settings)),
        **authentication(settings),
        serializer=FastSerializer(),
        timeout=TIMEOUT_SECONDS,
        max_retries=0,
    )


def cluster_values(cluster: ClusterStatus, now: datetime) -> Iterator[tuple[str, float]]:
    """Return the use of the disk, and the age of the live release if there is one."""
    yield "akg_opensearch_disk_used_ratio", cluster.disk.used
    if cluster.release is not None:
        age = now - datetime.fromisoformat(cluster.release.released)
        yield "akg_live_release_age_seconds", age.total_seconds()


def certificate_values(settings: Settings) -> Iterator[tuple[str, float]]:
    """Return when the first certificate expires. Raise CertificateError if one of them cannot be read."""
    certificates = read_certificates(settings, engine_urls(settings))
    unreadable = [certificate.place for certificate in certificates if certificate.expires is None]
    if unreadable:
        raise CertificateError(f"Certificates that cannot be read: {', '.join(unreadable)}")
    if (first := first_expiry(certificates)) is not None:
        yield "akg_certificate_expiry_timestamp_seconds", first.timestamp()


def snapshot_values(client: OpenSearch, settings: Settings) -> Iterator[tuple[str, float]]:
    """Return whether the live release is in a snapshot: `akg snapshot create` keeps one per release."""
    live = Releases(client, settings.alias).live_index()
    snapshots = Snapshots(client, settings.alias, settings.snapshot_repository, settings.snapshot_location)
    complete = {snapshot.name for snapshot in snapshots.list_snapshots() if snapshot.state == "SUCCESS"}
    yield "akg_live_release_has_snapshot", live in complete


def rule_values(client: OpenSearch, settings: Settings) -> Iterator[tuple[str, float]]:
    """Return how the files of synonym rules and pins differ from the live ones, and their errors."""
    files, problems = read_rule_files(mappings_folder(settings))
    yield "akg_rule_file_errors", len(problems) + len(errors(files.rules))
    releases = Releases(client, settings.alias)
    live = releases.live_index()
    change = live_difference(releases.metadata(live), files.rules, files.pins)
    yield "akg_rule_file_differences", len(change.all_added) + len(change.all_removed)
