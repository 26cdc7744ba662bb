"""`akg status`: cluster, releases, rules, usage and disk, with a warning for each problem."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import typer
from opensearchpy.exceptions import ConnectionError as EngineConnectionError

from akg.build import Inputs
from akg.certificates import Certificate, expiry_warnings, first_expiry, read_certificates
from akg.commands.status_report import Files, certificate_report, is_usable, status_report, stores_queries
from akg.connection import command_settings, connect, engine_urls
from akg.console import GIGABYTE, MEGABYTE, JsonOption, pluralize, print_json, stdout
from akg.download import without_secrets
from akg.node.errors import NodeError
from api.settings import Settings, content_folder, mappings_folder
from indexer.content.problems import ContentError
from indexer.release.cluster_status import ClusterStatus, read_status
from indexer.release.formats import other_formats_notice
from indexer.release.query_logs import INSIGHTS_INDICES, QueryLogs
from indexer.release.releases import Releases
from indexer.release.retention import Release
from indexer.synonyms.lint import errors
from indexer.synonyms.pins import PINS_FILE, expired_pins
from indexer.synonyms.publish import is_replaced, live_difference
from indexer.synonyms.rule_files import read_rule_files
from indexer.synonyms.rules import SynonymError
from schema.pins import pins_from

OLD_RELEASE_DAYS = 90
DISK_USED = 0.8  # from 85 % OpenSearch allocates no shards to the disk
FLOOD_STAGE = 0.95  # the default watermark above which OpenSearch rejects writes
MAKE_ROOM = (
    "Make room: `akg index prune --keep 1` deletes old releases, `akg snapshot delete NAME` snapshots of `akg snapshot "
    "list`. OpenSearch then accepts writes again by itself."
)
MAX_LISTED = 5
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
IDLE = DAY  # a small service may have no client at night; probes are not counted


def warnings(cluster: ClusterStatus, files: Files, now: datetime, *, usage_counted: bool) -> list[str]:
    """Return all warnings, the most serious first."""
    return [
        *_disk_warnings(cluster),
        *_cluster_warnings(cluster),
        *_alias_warnings(cluster),
        *_privacy_warnings(cluster.query_logs),
        *_age_warnings(cluster, now),
        *_files_warnings(files),
        *(_usage_warnings(cluster, now) if usage_counted else ()),
    ]


def _disk_warnings(cluster: ClusterStatus) -> Iterator[str]:
    percent = f"{cluster.disk.used:.0%}"
    if cluster.blocked:
        indices = pluralize(len(cluster.blocked), "index", "indices")
        names = ", ".join(cluster.blocked[:MAX_LISTED])
        yield f"The disk is full ({percent}): OpenSearch rejects writes to {indices} ({names}). {MAKE_ROOM}"
    elif cluster.disk.used >= FLOOD_STAGE:
        yield f"The disk is full ({percent}): OpenSearch is about to reject writes. {MAKE_ROOM}"
    elif cluster.disk.used >= DISK_USED:
        yield f"The disk is {percent} full. OpenSearch rejects writes at {FLOOD_STAGE:.0%}. {MAKE_ROOM}"


def _cluster_warnings(cluster: ClusterStatus) -> Iterator[str]:
    if cluster.health == "red":
        yield "Some primary shards are unassigned, so their documents are missing: start the nodes that are down."
    if cluster.health == "yellow":
        yield "Some replica shards are unassigned: start another node or lower AKG_INDEX_REPLICAS."


def _alias_warnings(cluster: ClusterStatus) -> Iterator[str]:
    if not cluster.live:
        yield "No release is live: run `akg index build`."
    elif len(cluster.live) > 1:
        yield f"The alias points at {len(cluster.live)} indices: run `akg index rollback {cluster.live[-1]}`."
    elif cluster.release is None:
        yield "The live index is incomplete. Run `akg index rollback` for an earlier release, or `akg index build`."
    abandoned = [index for index in cluster.unfinished if index not in cluster.live]
    if abandoned and (cluster.writer is None or cluster.writer.expired):
        names = ", ".join(abandoned[:MAX_LISTED])
        yield f"A killed command left {names}: run `akg index prune`. The next build or apply deletes them, too."
    if len(cluster.releases) == 1 and cluster.live:
        yield "There is no earlier release for a rollback. The next build keeps the live one."


def _privacy_warnings(logs: QueryLogs) -> Iterator[str]:
    if logs.insights:
        names = ", ".join(logs.insights)
        yield f"Query insights record the text of queries: set {names} to false, and the exporter to none."
    if logs.insights_indices:
        indices = pluralize(len(logs.insights_indices), "index", "indices")
        yield f"{indices} of query insights may contain the text of queries: delete {INSIGHTS_INDICES}."
    if logs.slow_logs:
        names = ", ".join(logs.slow_logs[:MAX_LISTED])
        yield f"Slow logs record the text of queries: set the slow log thresholds of {names} to -1."
    if logs.audit_has_bodies:
        yield "The audit log would contain the text of queries: set `log_request_body` to false in its configuration."


def _age_warnings(cluster: ClusterStatus, now: datetime) -> Iterator[str]:
    if cluster.release is not None and (age := _age(cluster.release, now)).days >= OLD_RELEASE_DAYS:
        yield f"The release is {age.days} days old: run `akg market verify`, then `akg index build`."


def _age(release: Release, now: datetime) -> timedelta:
    return now - datetime.fromisoformat(release.released)


def _files_warnings(files: Files) -> Iterator[str]:
    if files.problems:
        yield f"The rule files have {files.problems} errors, so builds fail: `akg synonyms lint` lists them."
    if files.undone:
        yield "The rules or pins of the files were undone or replaced: revert the files, or run `akg synonyms apply`."
    elif files.added_rules or files.removed_rules:
        change = f"{files.added_rules} added, {files.removed_rules} removed"
        yield f"The rule files differ from the live rules ({change}): run `akg synonyms preview`, then `apply`."
    if files.expired_pins:
        pins = pluralize(files.expired_pins, "live pin")
        yield f"{pins} ended and no longer apply: remove them from {PINS_FILE}, or set a later day."
    if files.tables:
        yield "The tables or the mapping differ from the live release: `akg index build --dry-run` shows the changes."


def _usage_warnings(cluster: ClusterStatus, now: datetime) -> Iterator[str]:
    latest = cluster.usage.latest
    if latest is not None and now - latest > IDLE:
        idle = f"No usage was counted for {(now - latest) / HOUR:.0f} hours"
        yield f"{idle}: no client called, no service runs, or it cannot write to the usage indices. Check its log."


def status(*, json: JsonOption = False) -> None:
    """Show cluster, releases, rules, usage and disk, and what to do about each problem.

    Exits with 1 if no release is usable.
    """
    with command_settings() as settings:
        urls = ", ".join(map(without_secrets, engine_urls(settings)))
        certificates = read_certificates(settings, engine_urls(settings))
        cluster = _read_status(settings, urls)
        now = datetime.now(UTC)
        files = _files(settings, cluster.meta)
        messages = [
            *warnings(cluster, files, now, usage_counted=settings.usage_months > 0),
            *expiry_warnings(certificates, now),
        ]
        if json:
            report = status_report(settings.index_alias, urls, cluster, files, messages)
            print_json(report.model_copy(update={"certificates": list(map(certificate_report, certificates))}))
        else:
            lines = _lines(settings, cluster, files, now, urls)
            tls = [("TLS", _expiry(certificates, now))] if certificates else []
            _print_status(cluster, [*lines, *tls], messages)
        if not is_usable(cluster):
            raise typer.Exit(1)


def _print_status(cluster: ClusterStatus, lines: Sequence[tuple[str, str]], messages: Sequence[str]) -> None:
    for message in _disk_warnings(cluster):
        stdout.print(f"! {message}\n", style="red", markup=False)
    for label, text in lines:
        stdout.print(f"{label:10} {text}", markup=False)
    stdout.print(f"\n{pluralize(len(messages), 'warning') if messages else 'No warnings.'}", markup=False)
    for message in messages:
        stdout.print(f"! {message}", style="yellow", markup=False)


def _read_status(settings: Settings, urls: str) -> ClusterStatus:
    releases = Releases(connect(settings), settings.alias)
    try:
        return read_status(releases, settings.usage_index)
    except EngineConnectionError:
        raise NodeError(f"OpenSearch at {urls} is unavailable. `akg node status` shows the local node.") from None


def _files(settings: Settings, meta: Mapping[str, Any] | None) -> Files:
    """Compare the rules, pins and tables of the files with the live release."""
    files, problems = read_rule_files(mappings_folder(settings))
    problem_count = len(problems) + len(errors(files.rules))
    if meta is None:
        return Files(problems=problem_count)
    change = live_difference(meta, files.rules, files.pins)
    undone = bool(change) and is_replaced(meta, files.rules, files.pins)
    expired = len(expired_pins(pins_from(meta.get("pins", ())), datetime.now(UTC).date()))
    differs = _tables_differ(settings, meta)
    return Files(differs, len(change.all_added), len(change.all_removed), undone, problem_count, expired)


def _tables_differ(settings: Settings, meta: Mapping[str, Any]) -> bool | None:
    """Whether a build would change documents; None if the tables cannot be built."""
    try:
        inputs = Inputs.read(settings, content_folder(settings), file_rules=True)
        versions = inputs.versions(meta)
    except (ContentError, SynonymError, FileNotFoundError):
        return None
    return (versions.data_version, versions.form) != (meta.get("data_version"), meta.get("form"))


def _lines(
    settings: Settings, cluster: ClusterStatus, files: Files, now: datetime, urls: str
) -> Iterator[tuple[str, str]]:
    yield "cluster", f"{cluster.health}  OpenSearch {cluster.version} at {urls}, {pluralize(cluster.nodes, 'node')}"
    yield "alias", f"{settings.index_alias} → {', '.join(cluster.live) or 'no index'}"
    if cluster.release is not None:
        live = cluster.release
        yield "release", f"{live.released}, {_duration(_age(live, now))} old, data {live.data_version}"
        counts = f"{cluster.documents:,} in {live.size_bytes / MEGABYTE:.1f} MB"
        yield "documents", f"{counts}: {live.entities:,} entities, {live.edges:,} edges"
    if cluster.meta is not None:
        change = "same as the files"
        if files.added_rules or files.removed_rules:
            change = f"the files add {files.added_rules} and remove {files.removed_rules}"
        yield "synonyms", f"{cluster.meta['synonyms_version']}  {len(cluster.meta['rules'])} rules, {change}"
        if pins := cluster.meta.get("pins"):
            yield "pins", f"{pluralize(len(pins), 'pin')}, {files.expired_pins} ended"
    size = sum(release.size_bytes for release in cluster.releases) / MEGABYTE
    yield "releases", f"{len(cluster.releases)} releases, {size:.1f} MB; clones share files that are counted twice"
    if notice := other_formats_notice(cluster.other_formats):
        yield "formats", notice
    yield "usage", _usage(cluster, now)
    disk = cluster.disk
    yield "disk", f"{disk.used:.0%} of {disk.total / GIGABYTE:.1f} GB used, {disk.free / GIGABYTE:.1f} GB free"
    yield "writer", _writer(cluster)
    yield "queries", _query_logs(cluster.query_logs)


def _usage(cluster: ClusterStatus, now: datetime) -> str:
    usage = cluster.usage
    if usage.latest is None:
        return "no counts yet"
    size = f"{usage.size_bytes / MEGABYTE:.1f} MB"
    latest = _duration(now - usage.latest)
    return f"{usage.counts:,} counts in {usage.indices} monthly indices, {size}, latest {latest} ago"


def _writer(cluster: ClusterStatus) -> str:
    holder = cluster.writer
    if holder is None:
        return "none"
    ended = ", which was killed; the next command takes over" if holder.expired else ""
    return f"process {holder.pid} on {holder.host}{ended}"


def _expiry(certificates: list[Certificate], now: datetime) -> str:
    first = first_expiry(certificates)
    number = pluralize(len(certificates), "certificate")
    return f"{number}, the first expires in {_duration(first - now)}" if first else f"{number}, none can be read"


def _query_logs(logs: QueryLogs) -> str:
    text = "OpenSearch stores their text" if stores_queries(logs) else "OpenSearch does not store their text"
    unreadable = f"; this account may not read: {', '.join(logs.unreadable)}" if logs.unreadable else ""
    return f"{text}{unreadable}"


def _duration(duration: timedelta) -> str:
    """Return a duration in its largest unit."""
    for unit, name in ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes")):
        if duration >= 2 * unit:
            return f"{duration / unit:.0f} {name}"
    return f"{duration.total_seconds():.0f} seconds"
