"""What `akg status --json` prints."""

from collections.abc import Sequence
from dataclasses import dataclass

from akg.certificates import Certificate
from akg.commands.index import release_row
from akg.reports.status import (
    CertificateReport,
    ClusterReport,
    DiskReport,
    RulesReport,
    Status,
    UsageReport,
    WriterReport,
)
from indexer.release.cluster_status import ClusterStatus
from indexer.release.query_logs import QueryLogs


@dataclass(frozen=True, slots=True)
class Files:
    """How the files differ from the live release. `tables` is None if they could not be compared."""

    tables: bool | None = None
    added_rules: int = 0
    removed_rules: int = 0
    undone: bool = False
    problems: int = 0
    expired_pins: int = 0  # of the live release


def is_usable(cluster: ClusterStatus) -> bool:
    """Return whether a complete release is live and has all its shards."""
    return cluster.release is not None and cluster.health != "red"


def stores_queries(logs: QueryLogs) -> bool:
    """Return whether OpenSearch stores the text of queries."""
    return bool(logs.insights or logs.insights_indices or logs.slow_logs or logs.audit_has_bodies)


def status_report(alias: str, urls: str, cluster: ClusterStatus, files: Files, messages: Sequence[str]) -> Status:
    """Return the status as one report."""
    usage, disk, holder = cluster.usage, cluster.disk, cluster.writer
    return Status(
        usable=is_usable(cluster),
        cluster=ClusterReport(url=urls, version=cluster.version, health=cluster.health, nodes=cluster.nodes),
        alias=alias,
        live=cluster.live,
        release=release_row(cluster.release) if cluster.release else None,
        documents=cluster.documents,
        releases=len(cluster.releases),
        other_formats={number: len(indices) for number, indices in cluster.other_formats.items()},
        rules=_rules(cluster, files),
        tables_differ=files.tables,
        usage=UsageReport(
            indices=usage.indices,
            size_bytes=usage.size_bytes,
            counts=usage.counts,
            latest=usage.latest.strftime("%Y-%m-%dT%H:%M:%SZ") if usage.latest else None,
        ),
        disk=DiskReport(total_bytes=disk.total, free_bytes=disk.free, blocked=cluster.blocked),
        writer=WriterReport(host=holder.host, pid=holder.pid, expired=holder.expired) if holder else None,
        queries_stored=stores_queries(cluster.query_logs),
        unreadable=cluster.query_logs.unreadable,
        warnings=messages,
    )


def _rules(cluster: ClusterStatus, files: Files) -> RulesReport:
    meta = cluster.meta or {}
    return RulesReport(
        synonyms_version=meta.get("synonyms_version"),
        rules=len(meta.get("rules", ())),
        pins=len(meta.get("pins", ())),
        expired_pins=files.expired_pins,
        added=files.added_rules,
        removed=files.removed_rules,
        problems=files.problems,
    )


def certificate_report(certificate: Certificate) -> CertificateReport:
    """Return what is printed of a certificate."""
    expires = certificate.expires.isoformat() if certificate.expires else None
    return CertificateReport(place=certificate.place, expires=expires)
