"""`akg index build`: build a release and publish it, or show what it would change."""

from pathlib import Path
from typing import Annotated

import typer
from opensearchpy import OpenSearchException

from akg.build import Inputs, build_release, gc_disabled
from akg.commands.index_changes import AllOption, changes_report, print_changes, require_fingerprints, rule_changes
from akg.connection import command_settings, connect, tables_folder
from akg.console import ContentOption, JsonOption, print_json, stderr, stdout, stop_on_sigterm
from akg.reports.releases import IndexBuild
from api.settings import Settings
from indexer.release.changes import Fingerprints, compare, fingerprints_of
from indexer.release.releases import Releases
from indexer.release.retention import Release

IfChangedOption = Annotated[bool, typer.Option("--if-changed", help="The default; kept for scripts.", hidden=True)]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Publish a release even if tables, rules and mapping are those of the live one.")
]
AllowLossOption = Annotated[
    bool, typer.Option("--allow-loss", help="Publish even if much of what the live release has would be lost.")
]
FileRulesOption = Annotated[
    bool, typer.Option("--file-rules", help="Use the rules of the files even if they were undone.")
]


def build(  # noqa: PLR0913 - one parameter for each option
    content: ContentOption = None,
    *,
    if_changed: IfChangedOption = False,
    force: ForceOption = False,
    allow_loss: AllowLossOption = False,
    file_rules: FileRulesOption = False,
    from_scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Send every document and copy nothing from the live release.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, without writing anything.")
    ] = False,
    every: AllOption = False,
    json: JsonOption = False,
) -> None:
    """Build a release from the content tables and publish it, unless nothing changed since the live one."""
    stop_on_sigterm()
    with command_settings() as settings:
        client = connect(settings)
        releases = Releases(client, settings.alias)
        tables = tables_folder(settings, content)
        if dry_run:
            _dry_run(settings, releases, tables, file_rules=file_rules, every=every, json=json)
            return
        only_if_changed = if_changed or not (force or from_scratch)
        index = build_release(
            settings,
            client,
            tables,
            only_if_changed=only_if_changed,
            file_rules=file_rules,
            from_scratch=from_scratch,
            allow_loss=allow_loss,
        )
        _print_build(releases, index, json=json)


def _print_build(releases: Releases, index: str | None, *, json: bool) -> None:
    """Print which release was published, if any."""
    if json:
        print_json(_build_report(releases, index))
    elif index is None:
        stdout.print("Nothing changed: the live release is up to date. --force publishes a new one anyway.")
    else:
        stdout.print(f"Published {index}{_contents(_published_release(releases, index))}")


def _contents(release: Release | None) -> str:
    return f": {release.entities:,} entities, {release.edges:,} edges, {release.data_version}" if release else ""


def _published_release(releases: Releases, index: str) -> Release | None:
    """Return a published release; None if OpenSearch does not describe it, because the release is live anyway."""
    try:
        return Release.from_meta(index, releases.metadata(index), 0, live=True)
    except OpenSearchException:
        return None


def _build_report(releases: Releases, published: str | None) -> IndexBuild:
    index = published or releases.live_index()
    release = _published_release(releases, index)
    names = ("data_version", "synonyms_version", "entities", "edges")
    facts = {name: getattr(release, name, None) for name in names}
    return IndexBuild(published=published is not None, live=index, **facts)


def _dry_run(
    settings: Settings, releases: Releases, tables: Path, *, file_rules: bool, every: bool, json: bool
) -> None:
    """Plan a release and compare it with the live one."""
    inputs = Inputs.read(settings, tables, file_rules=file_rules)
    meta = releases.live_metadata()
    names = inputs.vocabulary.forward
    with gc_disabled(), stderr.status("Planning the release"):
        plan, _ = inputs.plan(inputs.content(settings), meta)
        after = fingerprints_of(names, plan.documents)
        before = require_fingerprints(releases, releases.live_index()) if meta else Fingerprints()
    rules = rule_changes(meta or {"rules": ()}, plan.meta)
    if json:
        live = releases.live_index() if meta else None
        print_json(changes_report(live, None, compare(before, after), rules))
        return
    stdout.print(f"{meta['data_version'] if meta else 'no release'} → {plan.meta['data_version']}", markup=False)
    print_changes(compare(before, after), rules, every=every)
