"""The rules of the files and of the live release, and a clone of it with the former, for several commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from akg.connection import connect
from akg.console import print_notice, stderr
from akg.evaluation.candidate import RuleTrial
from api.settings import Settings, mappings_folder
from indexer.release.releases import Releases
from indexer.release.writer_lease import WriterLease, writer_lease
from indexer.synonyms.lint import require_valid_rules
from indexer.synonyms.publish import RulePublisher
from indexer.synonyms.rules import difference, rules_and_problems
from schema.errors import UsageError
from schema.synonyms import SynonymRule


def rule_folder(settings: Settings) -> Path:
    """Return the folder of the rule files."""
    return mappings_folder(settings) / "synonyms"


def load_valid_rules(settings: Settings) -> tuple[SynonymRule, ...]:
    """Return the rules of the files; raise SynonymError with every problem that stops a build."""
    folder = rule_folder(settings)
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}. AKG_MAPPINGS must be the folder that contains `synonyms`.")
    return require_valid_rules(*rules_and_problems(folder))


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
def rule_trial(settings: Settings, rules: tuple[SynonymRule, ...]) -> Iterator[RuleTrial | None]:
    """Clone the live release with the rules, or yield None if they are live; delete the clone on any error."""
    with leased_publisher(settings) as (publisher, lease):
        if not difference(publisher.live().rules, rules):
            yield None
            return
        with stderr.status("Cloning the live release with the new rules"):
            candidate = publisher.candidate(rules, datetime.now(UTC))
        try:
            yield RuleTrial(settings, publisher, candidate, lease.require)
        except BaseException:
            publisher.discard(candidate)
            raise
