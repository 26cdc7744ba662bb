"""The report about the cluster and everything behind one alias."""

from collections.abc import Sequence

from pydantic import Field

from akg.reports.releases import ReleaseRow
from akg.reports.report import Report


class ClusterReport(Report):
    """The cluster."""

    url: str = Field(description="Its URLs, without credentials.")
    version: str = Field(description="Version of OpenSearch.")
    health: str = Field(description="green, yellow or red.")
    nodes: int = Field(description="Number of nodes.")


class RulesReport(Report):
    """The live synonym rules, and how the files differ from them."""

    synonyms_version: str | None = Field(description="Version of the live rules; null if no release is live.")
    rules: int = Field(description="Number of live rules.")
    pins: int = Field(description="Number of live pins.")
    expired_pins: int = Field(description="Number of live pins whose last day is past.")
    added: int = Field(description="Number of rules and pins that the files add.")
    removed: int = Field(description="Number of rules and pins that the files remove.")
    problems: int = Field(description="Number of errors in the files.")


class UsageReport(Report):
    """The counts of requests."""

    indices: int = Field(description="Number of monthly indices.")
    size_bytes: int = Field(description="Size of the indices.")
    counts: int = Field(description="Number of counts.")
    latest: str | None = Field(description="Time of the latest count, UTC; null if there is none.")


class DiskReport(Report):
    """The fullest disk of the cluster."""

    total_bytes: int = Field(description="Size of the disk.")
    free_bytes: int = Field(description="Free space.")
    blocked: Sequence[str] = Field(description="Indices that reject writes because the disk is full.")


class WriterReport(Report):
    """The process that holds the writer lease."""

    host: str = Field(description="Its machine.")
    pid: int = Field(description="Its process id.")
    expired: bool = Field(description="Whether it was killed, so that the next command takes over.")


class CertificateReport(Report):
    """The certificate of a URL, or of the file of a setting."""

    place: str = Field(description="The URL or the setting.")
    expires: str | None = Field(description="When it expires, UTC; null if it cannot be read.")


class Status(Report):
    """`akg status`."""

    usable: bool = Field(description="Whether a release is live and has all its shards; if not, the exit code is 1.")
    cluster: ClusterReport = Field(description="The cluster.")
    alias: str = Field(description="The index alias.")
    live: Sequence[str] = Field(description="Indices behind the alias.")
    release: ReleaseRow | None = Field(description="The live release; null if none is complete.")
    documents: int = Field(description="Number of documents of the live index.")
    releases: int = Field(description="Number of complete releases.")
    other_formats: dict[int, int] = Field(description="Number of releases of other document formats, by format.")
    rules: RulesReport = Field(description="Synonym rules.")
    tables_differ: bool | None = Field(
        description="Whether a build would change documents; null if there is no release or the tables are invalid."
    )
    usage: UsageReport = Field(description="Counts of requests.")
    disk: DiskReport = Field(description="The fullest disk.")
    writer: WriterReport | None = Field(description="Holder of the writer lease; null if there is none.")
    queries_stored: bool = Field(description="Whether OpenSearch stores the text of queries.")
    unreadable: Sequence[str] = Field(description="Settings that could store it and that this account may not read.")
    certificates: Sequence[CertificateReport] = Field((), description="Certificates of https URLs and of settings.")
    warnings: Sequence[str] = Field(description="What is wrong, with what to do, the most serious first.")


class LocalNode(Report):
    """The process of the local node."""

    pid: int = Field(description="Its process id.")
    memory_bytes: int = Field(description="Memory that it uses.")
    started: str = Field(description="When it started, UTC.")
    data: str = Field(description="Folder of its data.")


class NodeReport(Report):
    """`akg node status`."""

    running: bool = Field(description="Whether it runs; if not, the exit code is 3.")
    url: str | None = Field(description="URLs of the cluster of the settings, else of the local node; null without.")
    health: str | None = Field(description="green, yellow or red; starting or unresponsive; null if it does not run.")
    version: str | None = Field(description="Version of OpenSearch; null if it does not run.")
    nodes: int = Field(description="Number of nodes.")
    local: LocalNode | None = Field(description="The local node; null if it does not run, or for a cluster.")
