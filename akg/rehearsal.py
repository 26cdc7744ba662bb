"""A candidate on the workbench, measured against the live release."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.progress import Progress

from akg.console import notes
from akg.preview import Preview
from akg.searching import searching
from api import comparison, evaluation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from api.comparison import Hits
    from api.quality import Judgment
    from api.settings import Settings
    from indexer.workbench import Candidate, Workbench


@dataclass(frozen=True, slots=True)
class Trial:
    """A candidate on the bench, under the writer lease that `renew` keeps."""

    settings: Settings
    bench: Workbench
    candidate: Candidate
    renew: Callable[[], None]


def asked_twice(trial: Trial, texts: Sequence[str]) -> tuple[Sequence[Hits], Sequence[Hits]]:
    """The hits of every text on the live release and on the candidate."""

    async def ask(index: str, progress: Progress, label: str) -> Sequence[Hits]:
        task = progress.add_task(label, total=len(texts))

        def on_query() -> None:
            progress.advance(task)
            trial.renew()

        async with searching(trial.settings, index) as (answers, _):
            return await evaluation.asked(answers, texts, on_query)

    async def both() -> tuple[Sequence[Hits], Sequence[Hits]]:
        with Progress(console=notes) as progress:
            return await asyncio.gather(
                ask(trial.candidate.source.index, progress, "With the live rules"),
                ask(trial.candidate.index, progress, "With the new rules"),
            )

    return asyncio.run(both())


def measured(trial: Trial, judgments: Sequence[Judgment], texts: Sequence[str], tolerance: float) -> Preview:
    """Ask all judged queries, and the operator's own, of both."""
    before, after = asked_twice(trial, [*(one.query for one in judgments), *texts])
    candidate = trial.candidate
    return Preview(
        data_version=candidate.meta["data_version"],
        before=candidate.source.version,
        after=candidate.meta["synonyms_version"],
        added=[f"{rule.file}:{rule.line}  {rule.text}" for rule in candidate.change.added],
        removed=[f"{rule.file}:{rule.line}  {rule.text}" for rule in candidate.change.removed],
        comparison=comparison.compare(judgments, texts, before, after, tolerance),
    )


def falls(trial: Trial, judgments: Sequence[Judgment], tolerance: float) -> list[str]:
    """The kinds of judged queries that fall beyond the tolerance; only what the changed rules can touch is asked."""
    change = trial.candidate.change
    terms = [term for rule in (*change.added, *change.removed) for term in rule.given]
    queries = set(comparison.touched([one.query for one in judgments], terms))
    chosen = [one for one in judgments if one.query in queries]
    if not chosen:
        notes.print("No judged query has a word of the changed rules: none can fall.")
        return []
    before, after = asked_twice(trial, [one.query for one in chosen])
    return comparison.falls(chosen, before, after, tolerance, comparison.sizes_of(judgments))
