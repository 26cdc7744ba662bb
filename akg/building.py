"""A release is built from content: what is read, how its documents are made, and what is told meanwhile."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from akg.answers_ahead import with_answers
from akg.console import notes
from api.settings import imports_folder, mappings_folder
from indexer.changes import last_documents
from indexer.copying import base_of, version_of
from indexer.encoding import Filling, count_digest_documents, encoded
from indexer.imports import imports_in, joined_version
from indexer.joining import joined
from indexer.ledger import Ledger, count_ledger_documents
from indexer.lint import sound
from indexer.lock import writer
from indexer.market.due import aged, oldest_fresh
from indexer.plan import Versions, make_plan, placed, placement
from indexer.processes import shared_out, useful
from indexer.release import NotCopiedError, ReleaseError, Releases
from indexer.sources import fingerprint, package_of, read, stale_findings
from indexer.synonyms import rules_and_problems, rules_from, rules_version
from indexer.vocabulary import read_vocabulary
from indexer.workbench import carried, following

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from opensearchpy import OpenSearch

    from api.settings import Settings
    from indexer.encoding import Base, Encoded
    from indexer.making import Piece, Work
    from indexer.release import Plan
    from indexer.rows import Content
    from indexer.synonyms import Rule
    from indexer.vocabulary import Vocabulary

KEPT = (
    "The rule files hold rules that were undone or replaced: this build keeps the live ones. "
    "`akg synonyms status` shows the difference; `--file-rules` takes the files."
)


def build_release(
    settings: Settings,
    client: OpenSearch,
    content_path: Path,
    *,
    only_if_changed: bool = False,
    file_rules: bool = False,
    from_scratch: bool = False,
) -> str | None:
    """Read, check, build, verify and publish; return the new index, or None where nothing changed.

    Documents that the live release has are taken over from it, unless all are made `from_scratch`.
    """
    desk = Releases(client, settings.alias)
    inputs = Inputs.read(settings, content_path, file_rules=file_rules)
    if only_if_changed and inputs.versions(settings, live := desk.live_meta()).live_in(live):
        return None
    with without_collections():
        content = inputs.content(settings)
        with writer(client, settings.alias) as renew:
            meta = desk.live_meta()  # under the lease: rules that went live a moment ago must not be lost
            plan, work = inputs.plan(content, meta)
            plan = placed(plan, placement(settings.index_shards, settings.index_replicas))
            more = {**following(meta, rules_from(plan.meta["rules"])), "engine": version_of(client)}
            plan = replace(plan, meta={**plan.meta, **more})
            build = partial(_built, desk, meta, plan, work, renew)
            if (base := None if from_scratch else base_of(desk, plan)) is not None:
                try:
                    return build(base)
                except NotCopiedError as error:
                    notes.print(f"{error}\nEvery document is sent instead.", style="yellow", markup=False)
            return build(None)


def _built(
    desk: Releases,
    meta: Mapping[str, Any] | None,
    plan: Plan,
    work: Work,
    renew: Callable[[], None],
    base: Base | None,
) -> str:
    """Make the documents in as many processes as are of use, and publish them beside the live `meta`; the new index."""
    make = partial(work.pieces, finished=with_answers, known=base.digests if base else {})
    # Processes are begun before anything here has a thread.
    with shared_out(make, work.jobs, useful(beside_engine=base is None)) as pieces, _progress() as progress:
        own = (sum(plan.meta["counts"]["types"].values()), sum(plan.meta["counts"]["edges"].values()) // 2)
        whole = work.count + count_ledger_documents(*own) + 1
        task = progress.add_task("Indexing", total=whole + count_digest_documents(whole))

        def on_sent(documents: int) -> None:
            progress.advance(task, documents)
            renew()

        written = _written(pieces, work.count, Ledger(work.vocabulary.forward), *_before(desk, meta))
        return desk.build(plan, datetime.now(UTC), on_sent, Filling(written, base))


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a build reads, sound as far as it can be told without the tables."""

    tables: Path
    vocabulary: Vocabulary
    body: Mapping[str, Any]
    files: tuple[Rule, ...]
    file_rules: bool
    now: datetime
    stale: str

    @staticmethod
    def read(settings: Settings, tables: Path, *, file_rules: bool) -> Inputs:
        """Read the mapping and the rules; SynonymError and ContentError name what is wrong."""
        mappings = mappings_folder(settings)
        now = datetime.now(UTC)
        return Inputs(
            tables,
            read_vocabulary(mappings),
            orjson.loads((mappings / "entities.json").read_bytes()),
            sound(*rules_and_problems(mappings / "synonyms")),
            file_rules,
            now,
            stale_findings(tables, oldest_fresh(now.date(), settings.market_stale_days)),
        )

    def rules(self, meta: Mapping[str, Any] | None) -> tuple[Rule, ...]:
        """The rules that a build takes, beside this live release."""
        return self.files if self.file_rules else carried(self.files, meta)

    def versions(self, settings: Settings, meta: Mapping[str, Any] | None) -> Versions:
        """What a build would make."""
        version = joined_version(fingerprint(self.tables), imports_in(imports_folder(settings)))
        return Versions.of(version, self.rules(meta), self.body, self.stale)

    def content(self, settings: Settings) -> Content:
        """The tables, joined with the imports."""
        content = with_imports(self.tables, imports_folder(settings), self.vocabulary)
        return aged(content, self.now.date(), settings.market_stale_days)

    def plan(self, content: Content, meta: Mapping[str, Any] | None) -> tuple[Plan, Work]:
        """The plan of the next release beside this live one; says so where the files' rules are not taken."""
        rules = self.rules(meta)
        if rules_version(rules) != rules_version(self.files):
            notes.print(KEPT, style="yellow", markup=False)
        return make_plan(content, self.vocabulary, self.body, rules, self.stale)


def _before(desk: Releases, meta: Mapping[str, Any] | None) -> tuple[Ledger | None, dict[str, Any] | None]:
    """What the live release holds, and which one it is; None where there is none, or none that says so."""
    before = desk.ledger(desk.live_index()) if meta is not None else Ledger()
    if meta is None or not before.names:
        return None, None
    return before, {name: meta[name] for name in ("data_version", "released")}


def _written(
    pieces: Iterable[Piece], count: int, after: Ledger, before: Ledger | None, since: Mapping[str, Any] | None
) -> Iterator[Encoded]:
    """The documents of all pieces, and with what they tell together how the release ends."""
    made = 0
    for piece in pieces:
        made += len(piece.documents)
        after.add(piece.ledger)
        yield from piece.documents
    if made != count:
        raise ReleaseError(f"{made} documents were made, {count} belong to the graph.")
    yield from encoded(last_documents(after, before, since))


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=notes
    )


def with_imports(tables: Path, folder: Path, vocabulary: Vocabulary) -> Content:
    """The content of a folder joined with every import of another; what the joins did is told as notes."""
    made = joined(read(tables, vocabulary), folder, package_of(tables), vocabulary)
    for note in made.notes:
        notes.print(note, markup=False, soft_wrap=True)
    return made.content


@contextmanager
def without_collections() -> Iterator[None]:
    """No garbage collection: what a build makes stays to its end, and looking through it took 60 % of its time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
