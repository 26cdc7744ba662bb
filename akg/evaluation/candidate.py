"""Evaluates candidate synonym rules against the live release."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.progress import Progress

from akg.console import stderr
from akg.evaluation import comparison, search_eval
from akg.evaluation.service import open_service

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from akg.evaluation.comparison import Comparison, Hits
    from akg.evaluation.metrics import Judgment
    from api.settings import Settings
    from indexer.synonyms.publish import Candidate, RulePublisher


@dataclass(frozen=True, slots=True)
class Preview:
    """The rules that change, and how the results of queries change with them."""

    data_version: str
    before: str
    after: str
    added: Sequence[str]
    removed: Sequence[str]
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """A candidate index with new rules; `renew` extends the writer lease."""

    settings: Settings
    publisher: RulePublisher
    candidate: Candidate
    renew: Callable[[], None]


def run_on_both(trial: RuleTrial, queries: Sequence[str]) -> tuple[Sequence[Hits], Sequence[Hits]]:
    """Return the hits of every query on the live release and on the candidate."""

    async def run(index: str, progress: Progress, label: str) -> Sequence[Hits]:
        task = progress.add_task(label, total=len(queries))

        def on_query() -> None:
            progress.advance(task)
            trial.renew()

        async with open_service(trial.settings, index) as (service, _):
            return await search_eval.run_queries(service, queries, on_query)

    async def run_both() -> tuple[Sequence[Hits], Sequence[Hits]]:
        with Progress(console=stderr) as progress:
            return await asyncio.gather(
                run(trial.candidate.source.index, progress, "With the live rules"),
                run(trial.candidate.index, progress, "With the new rules"),
            )

    return asyncio.run(run_both())


def preview(trial: RuleTrial, judgments: Sequence[Judgment], queries: Sequence[str], tolerance: float) -> Preview:
    """Compare all judged queries, and the operator's own queries, on both indices."""
    before, after = run_on_both(trial, [*(judgment.query for judgment in judgments), *queries])
    candidate = trial.candidate
    return Preview(
        data_version=candidate.meta["data_version"],
        before=candidate.source.version,
        after=candidate.meta["synonyms_version"],
        added=[f"{rule.file}:{rule.line}  {rule.text}" for rule in candidate.change.added],
        removed=[f"{rule.file}:{rule.line}  {rule.text}" for rule in candidate.change.removed],
        comparison=comparison.compare(judgments, queries, before, after, tolerance),
    )


def regressions(trial: RuleTrial, judgments: Sequence[Judgment], tolerance: float) -> list[str]:
    """Return a message for each kind that drops by more than the tolerance.

    Runs only the judged queries that the changed rules can affect.
    """
    change = trial.candidate.change
    terms = [term for rule in (*change.added, *change.removed) for term in rule.terms]
    queries = set(comparison.affected_queries([judgment.query for judgment in judgments], terms))
    affected = [judgment for judgment in judgments if judgment.query in queries]
    if not affected:
        stderr.print("No judged query contains a term of the changed rules, so no score can change.")
        return []
    before, after = run_on_both(trial, [judgment.query for judgment in affected])
    return comparison.regressions(affected, before, after, tolerance, comparison.query_counts(judgments))
