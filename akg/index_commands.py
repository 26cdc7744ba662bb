"""`akg index`: build a release from content, list releases, go back to one, delete old ones."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from akg.answers_ahead import with_answers
from akg.changes_report import print_changes
from akg.connection import connect, settings_from_environment
from akg.console import notes, out, plain_errors
from api.settings import content_folder, imports_folder, mappings_folder
from indexer.changes import compare, with_changes
from indexer.imports import imports_in, joined_version
from indexer.joining import joined
from indexer.ledger import Ledger, count_ledger_documents, ledger_of
from indexer.lint import sound
from indexer.lock import writer
from indexer.market.due import aged, oldest_fresh
from indexer.plan import Versions, make_plan, placed, placement
from indexer.release import KEEP, ReleaseError, Releases
from indexer.sources import fingerprint, package_of, read, stale_findings
from indexer.synonyms import difference, rules_and_problems, rules_from, rules_version
from indexer.vocabulary import read_vocabulary
from indexer.workbench import carried, following

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opensearchpy import OpenSearch

    from api.settings import Settings
    from indexer.release import Plan
    from indexer.rows import Content
    from indexer.synonyms import Rule
    from indexer.vocabulary import Vocabulary

index_app = typer.Typer(no_args_is_help=True, help="Releases of the graph in OpenSearch.")

ContentOption = Annotated[
    Path | None, typer.Option("--content", help="Content folder; default: AKG_CONTENT or the shipped one.")
]
IfChangedOption = Annotated[bool, typer.Option("--if-changed", help="Only if the live release would differ.")]
FileRulesOption = Annotated[
    bool, typer.Option("--file-rules", help="Take the rules of the files even where they were undone.")
]
AllOption = Annotated[bool, typer.Option("--all", help="Name everything that changes, not only the first ten.")]
KeepOption = Annotated[int, typer.Option("--keep", min=0, help="Releases to keep beside the live one.")]
MEGABYTE = 1_000_000
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
) -> str | None:
    """Read, check, build, verify and publish; return the new index, or None where nothing changed."""
    desk = Releases(client, settings.alias)
    inputs = Inputs.read(settings, content_path, file_rules=file_rules)
    if only_if_changed and inputs.versions(settings, live := desk.live_meta()).live_in(live):
        return None
    with _without_collections():
        content = inputs.content(settings)
        with writer(client, settings.alias) as renew, _progress() as progress:
            meta = desk.live_meta()  # under the lease: rules that went live a moment ago must not be lost
            plan, total = inputs.plan(content, meta)
            plan = placed(plan, placement(settings.index_shards, settings.index_replicas))
            own = (sum(plan.meta["counts"]["types"].values()), sum(plan.meta["counts"]["edges"].values()) // 2)
            task = progress.add_task("Indexing", total=total + count_ledger_documents(*own) + 1)

            def on_sent(documents: int) -> None:
                progress.advance(task, documents)
                renew()

            plan = replace(
                plan,
                documents=_with_changes(desk, inputs.vocabulary, plan, meta),
                meta={**plan.meta, **following(meta, rules_from(plan.meta["rules"]))},
            )
            return desk.build(plan, datetime.now(UTC), on_sent)


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

    def plan(self, content: Content, meta: Mapping[str, Any] | None) -> tuple[Plan, int]:
        """The plan of the next release beside this live one; says so where the files' rules are not taken."""
        rules = self.rules(meta)
        if rules_version(rules) != rules_version(self.files):
            notes.print(KEPT, style="yellow", markup=False)
        return make_plan(content, self.vocabulary, self.body, rules, self.stale)


def _with_changes(
    desk: Releases, vocabulary: Vocabulary, plan: Plan, meta: Mapping[str, Any] | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The documents of a plan, with what they change in the live release at their end."""
    before = desk.ledger(desk.live_index()) if meta is not None else Ledger()
    since = {name: meta[name] for name in ("data_version", "released")} if meta is not None and before.names else None
    return with_changes(with_answers(plan.documents), Ledger(forward(vocabulary)), before if since else None, since)


def ledger(desk: Releases, index: str) -> Ledger:
    """What a release holds, to be compared with another; ReleaseError where it does not say."""
    found = desk.ledger(index)
    if not found.names:
        raise ReleaseError(f"{index} was built by an older version and does not say what it holds.")
    return found


def forward(vocabulary: Vocabulary) -> frozenset[str]:
    """The edges that are no inverses."""
    return frozenset(kind.name for kind in vocabulary.edges.values() if kind.direction == "out")


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
def _without_collections() -> Iterator[None]:
    """No garbage collection: what a build makes stays to its end, and looking through it took 60 % of its time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@index_app.command()
def build(
    content: ContentOption = None,
    *,
    if_changed: IfChangedOption = False,
    file_rules: FileRulesOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    every: AllOption = False,
) -> None:
    """Build a release from the content tables and publish it."""
    with plain_errors():
        settings = settings_from_environment()
        client = connect(settings)
        tables = content or content_folder(settings)
        if dry_run:
            _dry_run(settings, Releases(client, settings.alias), tables, file_rules=file_rules, every=every)
            return
        index = build_release(settings, client, tables, only_if_changed=if_changed, file_rules=file_rules)
        if index is None:
            out.print("Nothing changed since the live release.")
            return
        made = next(one for one in Releases(client, settings.alias).complete() if one.index == index)
        out.print(f"Published {made.index}: {made.entities:,} entities, {made.edges:,} edges, {made.data_version}")


def _dry_run(settings: Settings, desk: Releases, tables: Path, *, file_rules: bool, every: bool) -> None:
    """Make the whole plan, compare it with the live release, and write nothing."""
    inputs = Inputs.read(settings, tables, file_rules=file_rules)
    meta = desk.live_meta()
    names = forward(inputs.vocabulary)
    with _without_collections(), notes.status("Making the release, without writing it"):
        plan, _ = inputs.plan(inputs.content(settings), meta)
        after = ledger_of(names, plan.documents)
        before = ledger(desk, desk.live_index()) if meta else Ledger()
    rules = difference(rules_from(meta["rules"] if meta else ()), rules_from(plan.meta["rules"]))
    out.print(f"{meta['data_version'] if meta else 'nothing'} → {plan.meta['data_version']}", markup=False)
    print_changes(compare(before, after), rules, every=every)


@index_app.command()
def diff(
    one: Annotated[str, typer.Argument(help="The earlier release.")],
    other: Annotated[str | None, typer.Argument(help="The later one; default: the live one.")] = None,
    *,
    every: AllOption = False,
) -> None:
    """Say what is other in the second release: entities, edges and synonym rules, with names."""
    with plain_errors():
        settings = settings_from_environment()
        desk = Releases(connect(settings), settings.alias)
        indices = [desk.named(one), desk.named(other) if other else desk.live_index()]
        before, after = (ledger(desk, index) for index in indices)
        rules = [rules_from(desk.meta_of(index)["rules"]) for index in indices]
        out.print(" → ".join(indices), markup=False)
        print_changes(compare(before, after), difference(*rules), every=every)


@index_app.command()
def releases() -> None:
    """List all complete releases, newest first."""
    with plain_errors():
        table = Table(box=None)
        for name in ("release", "live", "released", "data", "synonyms", "entities", "edges", "MB"):
            table.add_column(name, no_wrap=True)
        for one in _desk().complete():
            live = "live" if one.live else ""
            size = f"{one.size_bytes / MEGABYTE:.1f}"
            counts = (f"{one.entities:,}", f"{one.edges:,}")
            table.add_row(one.index, live, one.released, one.data_version, one.synonyms_version, *counts, size)
        out.print(table)


@index_app.command()
def rollback(
    to: Annotated[str | None, typer.Argument(help="A release; default: the one before the live one.")] = None,
) -> None:
    """Publish an earlier release again, in one atomic step."""
    with plain_errors():
        desk = _desk()
        with writer(desk.client, desk.alias):
            out.print(f"Live: {desk.rollback(to)}")


@index_app.command()
def prune(keep: KeepOption = KEEP) -> None:
    """Delete old releases and what unfinished builds left."""
    with plain_errors():
        desk = _desk()
        with writer(desk.client, desk.alias):
            gone = [*desk.clear_remains(), *desk.prune(keep)]
        out.print(f"Deleted: {', '.join(gone) or 'nothing'}")


def _desk() -> Releases:
    settings = settings_from_environment()
    return Releases(connect(settings), settings.alias)
