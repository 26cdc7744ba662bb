"""Compares query results with candidate synonym rules to those with the live rules."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz.fuzz import partial_ratio
from rich.progress import Progress

from akg.console import stderr
from akg.evaluation.metrics import DIGITS, SCORE_EPSILON, SEARCH_MEASURES, Judgment, Scores, score, scores_by_kind
from akg.evaluation.search_eval import open_service, run_queries
from api.settings import Settings
from indexer.synonyms.publish import Candidate, RulePublisher
from schema.text import name_key

Hits = list[dict[str, Any]]  # the results of a search response

MAX_SHOWN = 5  # hits of a changed query, and queries of a regression
MIN_SIMILARITY = 70.0  # of 100; a term of seven letters with two typos still matches its query by 71


@dataclass(frozen=True, slots=True)
class ChangedQuery:
    """A query with other hits, or another order. `kind` and `gain` (of nDCG) are None if it is not judged."""

    query: str
    kind: str | None
    gain: float | None
    before: Sequence[Mapping[str, str]]
    after: Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The scores of each kind before and after, and every changed query, the worst first."""

    queries: int
    scores: Mapping[str, tuple[Scores, Scores]]
    changed: Sequence[ChangedQuery]
    regressions: Sequence[str]


def compare(
    judgments: Sequence[Judgment],
    queries: Sequence[str],
    before: Sequence[Hits],
    after: Sequence[Hits],
    tolerance: float,
    shown: int = MAX_SHOWN,
) -> Comparison:
    """Compare two releases by the hits of the judged queries, then of further queries, in this order.

    `shown` hits of each changed query are kept.
    """
    old, new = (
        [score(judgment, _ids(hits)) for judgment, hits in zip(judgments, all_hits, strict=False)]
        for all_hits in (before, after)
    )
    scores_before, scores_after = scores_by_kind(old), scores_by_kind(new)
    labels: list[tuple[str, str | None, float | None]] = [
        *((b.judgment.query, b.judgment.kind, round(a.ndcg - b.ndcg, DIGITS)) for b, a in zip(old, new, strict=True)),
        *((query, None, None) for query in queries),
    ]
    changed = [
        ChangedQuery(*label, _shown(old_hits[:shown]), _shown(new_hits[:shown]))
        for label, old_hits, new_hits in zip(labels, before, after, strict=True)
        if _ids(old_hits) != _ids(new_hits)
    ]
    changed.sort(key=lambda query: (query.gain is None, query.gain or 0.0))
    return Comparison(
        queries=len(labels),
        scores={kind: (scores_before[kind], scores_after[kind]) for kind in scores_after},
        changed=changed,
        regressions=regressions(judgments, before, after, tolerance),
    )


def regressions(
    judgments: Sequence[Judgment],
    before: Sequence[Hits],
    after: Sequence[Hits],
    tolerance: float,
    counts: Mapping[str, int] | None = None,
) -> list[str]:
    """Return a message for each kind whose nDCG or success drops by more than the tolerance.

    `counts` is the number of all judged queries of each kind, if only the affected ones were run.
    """
    counts = counts or query_counts(judgments)
    drops: defaultdict[tuple[str, str], float] = defaultdict(float)
    worse: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for judgment, old_hits, new_hits in zip(judgments, before, after, strict=False):
        old, new = score(judgment, _ids(old_hits)), score(judgment, _ids(new_hits))
        for kind in (judgment.kind, "all"):
            for measure in SEARCH_MEASURES:
                drops[kind, measure] += getattr(old, measure) - getattr(new, measure)
            if new.ndcg < old.ndcg:
                worse[kind].append((new.ndcg - old.ndcg, judgment.query))
    messages = []
    for (kind, measure), total in drops.items():
        drop = total / counts[kind]
        if drop > tolerance + SCORE_EPSILON:
            queries = ", ".join(repr(query) for _, query in sorted(worse[kind])[:MAX_SHOWN])
            messages.append(f"{kind}: {measure} drops by {drop:.4f}" + (f" ({queries})" if queries else ""))
    return messages


def query_counts(judgments: Iterable[Judgment]) -> dict[str, int]:
    """Count the judged queries of each kind, and of `all`."""
    counts = Counter(judgment.kind for judgment in judgments)
    return {**counts, "all": counts.total()}


def affected_queries(queries: Iterable[str], terms: Iterable[str]) -> list[str]:
    """Return the queries that rules with these terms can change, as typed or after a correction.

    Never misses one: a rule fires only if the query contains a term of it, but for a typo or two.
    """
    term_keys = {name_key(term) for term in terms} - {""}
    keys = ((query, name_key(query)) for query in queries)
    return [query for query, key in keys if any(partial_ratio(term, key) >= MIN_SIMILARITY for term in term_keys)]


def _ids(hits: Hits) -> list[str]:
    return [hit["id"] for hit in hits]


def _shown(hits: Hits) -> list[dict[str, str]]:
    return [{"id": hit["id"], "name": hit["name"], "why": hit["match"]["why"]} for hit in hits]


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
class IndexPair:
    """Two indices to compare, with a label for each; `require_lease` raises an error when the writer lease was lost."""

    settings: Settings
    before: str
    after: str
    labels: tuple[str, str]
    require_lease: Callable[[], None]


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """A candidate index with new rules; `require_lease` raises an error when the writer lease was lost."""

    settings: Settings
    publisher: RulePublisher
    candidate: Candidate
    require_lease: Callable[[], None]

    @property
    def indices(self) -> IndexPair:
        """The live release and the candidate."""
        labels = ("With the live rules", "With the new rules")
        return IndexPair(self.settings, self.candidate.source.index, self.candidate.index, labels, self.require_lease)


def run_on_both(pair: IndexPair, queries: Sequence[str]) -> tuple[Sequence[Hits], Sequence[Hits]]:
    """Return the hits of every query on both indices."""

    async def run(index: str, progress: Progress, label: str) -> Sequence[Hits]:
        task = progress.add_task(label, total=len(queries))

        def on_query() -> None:
            progress.advance(task)
            pair.require_lease()

        async with open_service(pair.settings, index) as (service, _):
            return await run_queries(service, queries, on_query)

    async def run_both() -> tuple[Sequence[Hits], Sequence[Hits]]:
        with Progress(console=stderr) as progress:
            return await asyncio.gather(
                run(pair.before, progress, pair.labels[0]),
                run(pair.after, progress, pair.labels[1]),
            )

    return asyncio.run(run_both())


def preview(trial: RuleTrial, judgments: Sequence[Judgment], queries: Sequence[str], tolerance: float) -> Preview:
    """Compare all judged queries, the operator's own queries and those of changed pins on both indices."""
    change = trial.candidate.change
    queries = list(dict.fromkeys([*queries, *(pin.query for pin in (*change.added_pins, *change.removed_pins))]))
    before, after = run_on_both(trial.indices, [*(judgment.query for judgment in judgments), *queries])
    candidate = trial.candidate
    return Preview(
        data_version=candidate.meta["data_version"],
        before=candidate.source.version,
        after=candidate.meta["synonyms_version"],
        added=[f"{rule.file}:{rule.line}  {rule.text}" for rule in change.all_added],
        removed=[f"{rule.file}:{rule.line}  {rule.text}" for rule in change.all_removed],
        comparison=compare(judgments, queries, before, after, tolerance),
    )


def candidate_regressions(trial: RuleTrial, judgments: Sequence[Judgment], tolerance: float) -> list[str]:
    """Return a message for each kind that drops by more than the tolerance.

    Runs only the judged queries that the changed rules can affect.
    """
    change = trial.candidate.change
    terms = [term for rule in (*change.added, *change.removed) for term in rule.terms]
    terms += [pin.query for pin in (*change.added_pins, *change.removed_pins)]
    queries = set(affected_queries([judgment.query for judgment in judgments], terms))
    affected = [judgment for judgment in judgments if judgment.query in queries]
    if not affected:
        stderr.print("No judged query contains a term of the changed rules, so no score can change.")
        return []
    before, after = run_on_both(trial.indices, [judgment.query for judgment in affected])
    return regressions(affected, before, after, tolerance, query_counts(judgments))
