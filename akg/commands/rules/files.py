"""The rules and pins of the files and of the live release, for several commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from akg.connection import connect
from akg.console import print_notice, stderr
from akg.evaluation.candidate import RuleTrial
from api.settings import Settings, mappings_folder
from indexer.release.releases import Releases
from indexer.release.writer_lease import WriterLease, writer_lease
from indexer.synonyms.publish import RulePublisher
from indexer.synonyms.rule_files import FOLDER, RuleFiles, read_valid_rule_files
from indexer.synonyms.rules import difference
from schema.errors import UsageError


def load_valid_files(settings: Settings) -> RuleFiles:
    """Return the rules and pins of the files; raise SynonymError with every problem that stops a build."""
    folder = mappings_folder(settings) / FOLDER
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}. AKG_MAPPINGS must be the folder that contains `synonyms`.")
    return read_valid_rule_files(mappings_folder(settings))


def rule_publisher(settings: Settings) -> RulePublisher:
    """Return the publisher, without the lease: for reading."""
    return RulePublisher(Releases(connect(settings), settings.alias))


@contextmanager
def leased_publisher(settings: Settings) -> Iterator[tuple[RulePublisher, WriterLease]]:
    """Yield a publisher that holds the writer lease."""
    releases = rule_publisher(settings).releases
    with writer_lease(releases.client, releases.index_alias, print_notice) as lease:
        yield RulePublisher(replace(releases, check_lease=lease.check).planning()), lease


@contextmanager
def rule_trial(settings: Settings, files: RuleFiles) -> Iterator[RuleTrial | None]:
    """Clone the live release with rules and pins, or yield None if they are live; delete the clone on any error."""
    with leased_publisher(settings) as (publisher, lease):
        live = publisher.live()
        if not difference(live.rules, files.rules, live.pins, files.pins):
            yield None
            return
        with stderr.status("Cloning the live release with the new rules"):
            candidate = publisher.candidate(files.rules, datetime.now(UTC), files.pins)
        try:
            yield RuleTrial(settings, publisher, candidate, lease.require)
        except BaseException:
            publisher.discard(candidate)
            raise
