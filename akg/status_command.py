"""`akg status`: engine, releases, rules, usage and disk on one screen, and what to do about what is not well."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import typer
from opensearchpy.exceptions import ConnectionError as EngineConnectionError

from akg.advice import Files, age_seconds, warnings
from akg.building import Inputs
from akg.connection import connect, engine_urls, settings_from_environment
from akg.console import out, plain_errors
from akg.node.errors import NodeError
from api.settings import content_folder, mappings_folder
from indexer.condition import look
from indexer.lint import errors
from indexer.release import Releases
from indexer.sources import ContentError
from indexer.synonyms import SynonymError, difference, rules_and_problems, rules_from, rules_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from api.settings import Settings
    from indexer.condition import Condition

MEGABYTE = 1_000_000
GIGABYTE = 1_000_000_000
STEPS = ((86_400, "days"), (3600, "hours"), (60, "minutes"))


def status() -> None:
    """Show on one screen how everything is, and what to do about it. Exit code 1 if no release can answer."""
    with plain_errors():
        settings = settings_from_environment()
        urls = engine_urls(settings)
        found = _found(settings, ", ".join(urls))
        now = datetime.now(UTC)
        files = _files(settings, found.meta)
        for label, text in _lines(settings, found, files, now, ", ".join(urls)):
            out.print(f"{label:10} {text}", markup=False)
        told = warnings(found, files, now, usage_counted=settings.usage_months > 0)
        title = f"{len(told)} warning{'' if len(told) == 1 else 's'}" if told else "Nothing to warn of."
        out.print(f"\n{title}", markup=False)
        for one in told:
            out.print(f"! {one}", style="yellow", markup=False)
        if found.release is None or found.health == "red":
            raise typer.Exit(1)


def _found(settings: Settings, urls: str) -> Condition:
    try:
        return look(Releases(connect(settings), settings.alias), settings.usage_index)
    except EngineConnectionError:
        message = f"The engine at {urls} does not answer. `akg node status` tells about the local one."
        raise NodeError(message) from None


def _files(settings: Settings, meta: Mapping[str, Any] | None) -> Files:
    """The tables and rules of this checkout beside the live release, as far as there are any."""
    rules, problems = rules_and_problems(mappings_folder(settings) / "synonyms")
    wrong = len(problems) + len(errors(rules))
    if meta is None:
        return Files(problems=wrong)
    change = difference(rules_from(meta["rules"]), rules)
    undone = bool(change) and rules_version(rules) in meta.get("replaced", ())
    return Files(_tables_differ(settings, meta), len(change.added), len(change.removed), undone, wrong)


def _tables_differ(settings: Settings, meta: Mapping[str, Any]) -> bool | None:
    """Whether a build would make other documents; None where there are no tables that could be built."""
    try:
        inputs = Inputs.read(settings, content_folder(settings), file_rules=True)
        versions = inputs.versions(settings, meta)
    except (ContentError, SynonymError, FileNotFoundError):
        return None
    return (versions.data_version, versions.form) != (meta.get("data_version"), meta.get("form"))


def _lines(settings: Settings, found: Condition, files: Files, now: datetime, urls: str) -> Iterator[tuple[str, str]]:
    nodes = f"{found.nodes} node{'' if found.nodes == 1 else 's'}"
    yield "engine", f"{found.health}  OpenSearch {found.version} at {urls}, {nodes}"
    yield "alias", f"{settings.alias} → {', '.join(found.live) or 'nothing'}"
    if found.release is not None:
        live = found.release
        yield "release", f"{live.released}, {_ago(age_seconds(found, now))} old, data {live.data_version}"
        counts = f"{found.documents:,} in {live.size_bytes / MEGABYTE:.1f} MB"
        yield "documents", f"{counts}: {live.entities:,} entities, {live.edges:,} edges"
    if found.meta is not None:
        beside = f"{files.new_rules} new and {files.gone_rules} gone in the files"
        same = not (files.new_rules or files.gone_rules)
        count = len(found.meta["rules"])
        yield "synonyms", f"{found.meta['synonyms_version']}  {count} rules, {'as in the files' if same else beside}"
    kept = sum(one.size_bytes for one in found.releases) / MEGABYTE
    yield "kept", f"{len(found.releases)} releases, {kept:.1f} MB; a clone counts its source's files again"
    yield "usage", _usage(found, now)
    disk = found.disk
    yield "disk", f"{disk.used:.0%} of {disk.total / GIGABYTE:.1f} GB taken, {disk.free / GIGABYTE:.1f} GB free"
    yield "writer", _writer(found)


def _usage(found: Condition, now: datetime) -> str:
    usage = found.usage
    if usage.latest is None:
        return "none counted yet"
    size = f"{usage.size_bytes / MEGABYTE:.1f} MB"
    latest = _ago((now - usage.latest).total_seconds())
    return f"{usage.counts:,} counts in {usage.indices} monthly indices, {size}, latest {latest} ago"


def _writer(found: Condition) -> str:
    holder = found.writer
    if holder is None:
        return "nobody"
    ended = ", which is gone; the next one takes over" if holder["gone"] else ""
    return f"process {holder['pid']} on {holder['host']}{ended}"


def _ago(seconds: float) -> str:
    """A length of time in its largest unit."""
    for size, name in STEPS:
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} seconds"
