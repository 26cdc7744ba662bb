"""`akg overlay`: write templates of an overlay, check it, and preview what it would change."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from akg.build import Inputs, gc_disabled, trial_build
from akg.commands.index_changes import AllOption, print_changes
from akg.commands.rules.changes import JudgmentsOption, ToleranceOption
from akg.connection import command_settings, connect
from akg.console import JsonOption, pluralize, print_json, print_notice, stdout, stop_on_sigterm
from akg.evaluation.candidate import Comparison, IndexPair, compare, run_on_both
from akg.evaluation.metrics import SEARCH_DEPTH, Judgment, read_judgments
from akg.evaluation.overlay_preview import (
    CHANGE_NAMES,
    OverlayComparison,
    check_report,
    preview_report,
    print_queries,
)
from akg.evaluation.search_eval import judgments_file
from api.settings import Settings, content_folder, imports_folder, mappings_folder, overlay_folders
from indexer.content.datapackage_schema import Package
from indexer.content.loader import load_content, read_package
from indexer.content.problems import Problem
from indexer.content.rows import Content
from indexer.merge import merge
from indexer.overlays.apply import Overlay
from indexer.overlays.folder import OverlayError, read_overlay_files
from indexer.overlays.reader import read_overlay
from indexer.overlays.templates import write_templates
from indexer.release.changes import Changes, Fingerprints
from indexer.release.changes import compare as compare_releases
from indexer.release.plan import placement, with_placement
from indexer.release.releases import Releases
from indexer.release.writer_lease import WriterLease, writer_lease
from indexer.synonyms.rules import Difference
from schema.errors import REFUSED, UsageError
from schema.vocabulary import Vocabulary, read_vocabulary

overlay_app = typer.Typer(no_args_is_help=True, help="Add products, services and wording of your own to the graph.")

FolderArgument = Annotated[Path, typer.Argument(help="Folder of the overlay.")]


@overlay_app.command()
def new(folder: FolderArgument) -> None:
    """Write commented template tables into a new or empty folder."""
    with command_settings() as settings:
        paths = write_templates(folder, read_package(content_folder(settings)))
        following = f"Fill in source.csv and the tables you need, then run `akg overlay check {folder}`."
        stdout.print(f"Wrote {len(paths)} tables into {folder}. {following}", markup=False)


@overlay_app.command()
def check(folder: FolderArgument, *, json: JsonOption = False) -> None:
    """List every problem of an overlay as `file:line: what`, with the nearest valid value.

    Exits with 1 if there is a problem.
    """
    with command_settings() as settings:
        earlier, _ = _other_overlays(settings, folder)
        vocabulary, tables = read_vocabulary(mappings_folder(settings)), content_folder(settings)
        package, content = read_package(tables), load_content(tables, vocabulary)
        below = merge(content, package, vocabulary, imports_folder(settings), earlier).content
        overlay, problems = _checked(folder, below, package, vocabulary)
        if json:
            print_json(check_report(folder, overlay, problems))
        else:
            for problem in problems:
                typer.echo(str(problem))
            typer.echo(f"No problems: {overlay}." if overlay else pluralize(len(problems), "problem"))
        if problems:
            raise typer.Exit(REFUSED)


@overlay_app.command()
def preview(
    folder: FolderArgument,
    judgments: JudgmentsOption = None,
    tolerance: ToleranceOption = 0.01,
    *,
    every: AllOption = False,
    json: JsonOption = False,
) -> None:
    """Show what an overlay adds, changes and hides, and how it changes search, on a release that is then deleted."""
    stop_on_sigterm()
    with command_settings() as settings:
        releases = Releases(connect(settings), settings.alias)
        earlier, later = _other_overlays(settings, folder)
        path = judgments or judgments_file(settings)
        judged = read_judgments(path) if judgments or path.exists() else []
        inputs = Inputs.read(settings, content_folder(settings), file_rules=False)
        without, with_overlay = (
            replace(inputs, tables=replace(inputs.tables, overlays=overlays))
            for overlays in ((*earlier, *later), (*earlier, folder, *later))
        )
        with gc_disabled(), writer_lease(releases.client, releases.index_alias, print_notice) as lease:
            trials = Trials(settings, replace(releases, check_lease=lease.check), lease)
            changes, comparison, versions = trials.compare(without, with_overlay, judged, tolerance)
        if json:
            print_json(preview_report(OverlayComparison(str(folder), *versions, changes, comparison)))
            return
        stdout.print(" → ".join(versions), markup=False)
        print_changes(changes, Difference((), ()), every=every, kinds=tuple(CHANGE_NAMES.values()))
        stdout.print()
        print_queries(comparison, every=every)


def _checked(
    folder: Path, below: Content, package: Package, vocabulary: Vocabulary
) -> tuple[Overlay | None, Sequence[Problem]]:
    """Return the overlay, or its problems."""
    try:
        return read_overlay(read_overlay_files(folder), below, package, vocabulary), ()
    except OverlayError as error:
        return None, error.problems


def _other_overlays(settings: Settings, folder: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return the overlays of the settings before and after this one; one that is not in the settings comes last."""
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}. `akg overlay new {folder}` writes templates into it.")
    folders = overlay_folders(settings)
    places = [place for place, other in enumerate(folders) if other.resolve() == folder.resolve()]
    place = places[0] if places else len(folders)
    return folders[:place], folders[place + 1 :]


@dataclass(frozen=True, slots=True)
class Trial:
    """A release to compare."""

    index: str
    version: str
    fingerprints: Fingerprints


@dataclass(frozen=True, slots=True)
class Trials:
    """Builds releases that are not published, and compares them."""

    settings: Settings
    releases: Releases
    lease: WriterLease

    def compare(
        self, without: Inputs, with_overlay: Inputs, judged: Sequence[Judgment], tolerance: float
    ) -> tuple[Changes, Comparison, tuple[str, str]]:
        """Return the changes of the graph, those of the first ten results, and both data versions."""
        self.releases.delete_leftovers()
        meta = self.releases.live_metadata()
        with self._release(without, meta) as before, self._trial(with_overlay, meta) as after:
            labels = ("Without the overlay", "With the overlay")
            pair = IndexPair(self.settings, before.index, after.index, labels, self.lease.require)
            hits = run_on_both(pair, [judgment.query for judgment in judged])
            comparison = compare(judged, (), *hits, tolerance, SEARCH_DEPTH)
            return (
                compare_releases(before.fingerprints, after.fingerprints),
                comparison,
                (before.version, after.version),
            )

    @contextmanager
    def _release(self, inputs: Inputs, meta: Mapping[str, Any] | None) -> Iterator[Trial]:
        """Yield the live release if it was built from these inputs, else one that is deleted afterwards."""
        if meta is not None and inputs.with_rules_of(meta).versions(meta).matches(meta):
            live = self.releases.live_index()
            yield Trial(live, meta["data_version"], self.releases.fingerprints(live))
            return
        with self._trial(inputs, meta) as trial:
            yield trial

    @contextmanager
    def _trial(self, inputs: Inputs, meta: Mapping[str, Any] | None) -> Iterator[Trial]:
        inputs = inputs.with_rules_of(meta)
        plan, jobs = inputs.plan(inputs.content(self.settings), meta)
        plan = with_placement(plan, placement(self.settings.index_shards, "0"))
        with trial_build(self.releases, meta, plan, jobs, self.lease) as (index, fingerprints):
            yield Trial(index, plan.meta["data_version"], fingerprints)
