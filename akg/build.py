"""The build: chooses rules and base, reads content and imports, builds documents in parallel, publishes a release."""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from opensearchpy import OpenSearch
from rich.progress import MofNCompleteColumn, TimeElapsedColumn

from akg.console import print_notice, progress, stderr
from akg.interrupts import interrupt_limit
from api.settings import Settings, imports_folder, mappings_folder, overlay_folders
from indexer.content.loader import stale_findings_digest
from indexer.content.rows import Content
from indexer.market.schedule import freshness_cutoff, mark_stale
from indexer.merge import TableFolders, data_version, merged_content
from indexer.release.bulk import BaseRelease, EncodedDocument, IndexInput, count_digest_documents, encode_documents
from indexer.release.changes import Fingerprints, count_fingerprint_documents, metadata_documents
from indexer.release.losses import GraphKeys, Guard
from indexer.release.parallel import run_jobs, worker_count
from indexer.release.plan import BuildJobs, DocumentBatch, ReleasePlan, Versions, make_plan, placement, with_placement
from indexer.release.publish import (
    CloneError,
    find_base_release,
    opensearch_version,
    publish_release,
    trial_release,
)
from indexer.release.releases import Releases
from indexer.release.stored_releases import ReleaseError
from indexer.release.writer_lease import WriterLease, writer_lease
from indexer.synonyms.publish import effective_pins, effective_rules, rules_metadata
from indexer.synonyms.rule_files import read_valid_rule_files
from schema.pins import Pin, pins_from
from schema.synonyms import SynonymRule, rules_from, rules_version
from schema.vocabulary import Vocabulary, read_vocabulary

LIVE_RULES_KEPT = (
    "The rules or pins of the files were undone or replaced, so this build keeps the live ones. "
    "`akg synonyms status` shows the difference. `--file-rules` uses the files."
)


def build_release(  # noqa: PLR0913 - one parameter for each option of `akg index build`
    settings: Settings,
    client: OpenSearch,
    content_path: Path,
    *,
    only_if_changed: bool = False,
    file_rules: bool = False,
    from_scratch: bool = False,
    allow_loss: bool = False,
) -> str | None:
    """Build, verify and publish a release; return its index, or None if nothing changed.

    Unchanged documents are copied from the live release, unless `from_scratch`. Raise ReleaseError if the release would
    lose much of what the live one has, unless `allow_loss`.
    """
    releases = Releases(client, settings.alias)
    inputs = Inputs.read(settings, content_path, file_rules=file_rules)
    if only_if_changed and inputs.versions(live := releases.live_metadata()).matches(live):
        inputs.print_kept_rules(live)
        return None
    with gc_disabled():
        content = inputs.content(settings)
        with writer_lease(client, releases.index_alias, print_notice) as lease:
            releases = replace(releases, check_lease=lease.check).planning()
            meta = releases.live_metadata()  # under the lease, to keep rules that were published a moment ago
            plan, jobs = inputs.plan(content, meta)
            if not allow_loss:
                guard = Guard(inputs.vocabulary.forward, settings.max_loss)
                guard.require_no_loss(releases, meta, plan.meta["counts"], GraphKeys(jobs.graph).has)
            plan = with_placement(plan, placement(settings.index_shards, settings.index_replicas))
            rules = rules_metadata(meta, rules_from(plan.meta["rules"]), pins_from(plan.meta["pins"]))
            plan = replace(plan, meta={**plan.meta, **rules, "engine": opensearch_version(client)})
            build = partial(_build, releases, meta, plan, jobs, lease)
            if (base := None if from_scratch else find_base_release(releases, plan)) is not None:
                try:
                    return build(base)
                except CloneError as error:
                    _print_clone_error(error)
            return build(None)


def _build(
    releases: Releases,
    meta: Mapping[str, Any] | None,
    plan: ReleasePlan,
    jobs: BuildJobs,
    lease: WriterLease,
    base: BaseRelease | None,
) -> str:
    """Build the documents in parallel, publish them, and return the name of the new index."""
    with _indexing(releases, meta, plan, jobs, lease, base) as (index_input, on_sent, _):
        return publish_release(releases, plan, datetime.now(UTC), on_sent, index_input)


@contextmanager
def trial_build(
    releases: Releases, meta: Mapping[str, Any] | None, plan: ReleasePlan, jobs: BuildJobs, lease: WriterLease
) -> Iterator[tuple[str, Fingerprints]]:
    """Build a release that is not published; yield its index, with its fingerprints, and delete it at the end."""

    @contextmanager
    def build(base: BaseRelease | None) -> Iterator[tuple[str, Fingerprints]]:
        with ExitStack() as stack:
            with _indexing(releases, meta, plan, jobs, lease, base) as (index_input, on_sent, fingerprints):
                trial = trial_release(releases, plan, datetime.now(UTC), on_sent, index_input)
                index = stack.enter_context(trial)
            yield index, fingerprints

    plan = replace(plan, meta={**plan.meta, "engine": opensearch_version(releases.client)})
    with ExitStack() as stack:
        try:
            trial = stack.enter_context(build(find_base_release(releases, plan)))
        except CloneError as error:
            _print_clone_error(error)
            trial = stack.enter_context(build(None))
        yield trial


def _print_clone_error(error: CloneError) -> None:
    stderr.print(f"{error}\nAll documents are sent instead.", style="yellow", markup=False)


@contextmanager
def _indexing(
    releases: Releases,
    meta: Mapping[str, Any] | None,
    plan: ReleasePlan,
    jobs: BuildJobs,
    lease: WriterLease,
    base: BaseRelease | None,
) -> Iterator[tuple[IndexInput, Callable[[int], None], Fingerprints]]:
    """Yield the documents, which workers build in parallel, and the function to call when some were sent.

    The fingerprints are complete when all documents were sent.
    """
    make = partial(jobs.batch, base_digests=base.digests if base else {})
    columns = (MofNCompleteColumn(), TimeElapsedColumn())
    with ExitStack() as stack:
        with lease.paused(), interrupt_limit.paused():  # the workers are forked while this process has one thread
            workers = worker_count(beside_opensearch=base is None)
            batches = stack.enter_context(run_jobs(make, len(jobs), workers))
        bar = stack.enter_context(progress(*columns))
        counts = plan.meta["counts"]
        fingerprint_documents = count_fingerprint_documents(
            sum(counts["types"].values()), sum(counts["edges"].values()) // 2
        )
        total = jobs.document_count + fingerprint_documents + 1
        task = bar.add_task("Indexing", total=total + count_digest_documents(total))

        def on_sent(documents: int) -> None:
            bar.advance(task, documents)
            lease.require()

        fingerprints = Fingerprints(frozenset(jobs.vocabulary.forward))
        documents = _documents(batches, jobs.document_count, fingerprints, *_previous(releases, meta))
        yield IndexInput(documents, base), on_sent, fingerprints


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of a build, valid as far as they can be checked without reading the tables."""

    tables: TableFolders
    vocabulary: Vocabulary
    body: Mapping[str, Any]
    files: tuple[SynonymRule, ...]
    file_pins: tuple[Pin, ...]
    file_rules: bool
    now: datetime
    stale: str

    @staticmethod
    def read(settings: Settings, content: Path, *, file_rules: bool) -> "Inputs":
        """Read mapping and rules; raise SynonymError or ContentError with every problem."""
        tables = table_folders(settings, content)
        mappings = mappings_folder(settings)
        now = datetime.now(UTC)
        files = read_valid_rule_files(mappings)
        return Inputs(
            tables,
            read_vocabulary(mappings),
            orjson.loads((mappings / "entities.json").read_bytes()),
            files.rules,
            files.pins,
            file_rules,
            now,
            stale_findings_digest(content, freshness_cutoff(now.date(), settings.market_stale_days)),
        )

    def rules(self, meta: Mapping[str, Any] | None) -> tuple[SynonymRule, ...]:
        """Return the rules of the next release."""
        return self.files if self.file_rules else effective_rules(self.files, meta, self.file_pins)

    def pins(self, meta: Mapping[str, Any] | None) -> tuple[Pin, ...]:
        """Return the pins of the next release."""
        return self.file_pins if self.file_rules else effective_pins(self.files, meta, self.file_pins)

    def with_rules_of(self, meta: Mapping[str, Any] | None) -> "Inputs":
        """Return the inputs with the rules and pins of a release, so that two builds differ only in their tables."""
        if meta is None:
            return self
        return replace(self, files=rules_from(meta["rules"]), file_pins=pins_from(meta.get("pins", ())))

    def versions(self, meta: Mapping[str, Any] | None) -> Versions:
        """Return the versions that a build would have."""
        return Versions.from_inputs(data_version(self.tables), self.rules(meta), self.body, self.stale, self.pins(meta))

    def print_kept_rules(self, meta: Mapping[str, Any] | None) -> None:
        """Print a message if the next release does not use the rules of the files."""
        if rules_version(self.rules(meta), self.pins(meta)) != rules_version(self.files, self.file_pins):
            stderr.print(LIVE_RULES_KEPT, style="yellow", markup=False)

    def content(self, settings: Settings) -> Content:
        """Return the tables, merged with imports and overlays; print the notes of the merges."""
        merged = merged_content(self.tables, self.vocabulary)
        for note in merged.notes:
            stderr.print(note, markup=False, soft_wrap=True)
        return mark_stale(merged.content, self.now.date(), settings.market_stale_days)

    def plan(self, content: Content, meta: Mapping[str, Any] | None) -> tuple[ReleasePlan, BuildJobs]:
        """Plan the next release; print a message if it does not use the rules of the files."""
        rules = self.rules(meta)
        self.print_kept_rules(meta)
        return make_plan(content, self.vocabulary, self.body, rules, self.stale, self.pins(meta))


def _previous(releases: Releases, meta: Mapping[str, Any] | None) -> tuple[Fingerprints | None, dict[str, Any] | None]:
    """Return the fingerprints and the version of the live release; None if there is none or it has no fingerprints."""
    before = releases.fingerprints(releases.live_index()) if meta is not None else Fingerprints()
    if meta is None or not before.names:
        return None, None
    return before, {name: meta[name] for name in ("data_version", "released")}


def _documents(
    batches: Iterable[DocumentBatch],
    count: int,
    after: Fingerprints,
    before: Fingerprints | None,
    since: Mapping[str, Any] | None,
) -> Iterator[EncodedDocument]:
    """Yield the documents of all batches, then the fingerprints and the changes since the live release."""
    total = 0
    for batch in batches:
        total += len(batch.documents)
        after.update(batch.fingerprints)
        yield from batch.documents
    if total != count:
        raise ReleaseError(f"The build made {total} documents instead of {count}.")
    yield from encode_documents(metadata_documents(after, before, since))


def table_folders(settings: Settings, content: Path) -> TableFolders:
    """Return the folders of a build; raise SettingsError if an overlay is missing."""
    return TableFolders(content, imports_folder(settings), overlay_folders(settings))


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Disable garbage collection: a build keeps its objects to the end, and scanning them took 60 % of its time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
