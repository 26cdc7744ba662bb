"""`akg eval`: scores of search on the live release and of recommendations on the tables, as tables and as JSON."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from rich.progress import MofNCompleteColumn, TimeElapsedColumn

from akg.connection import command_settings
from akg.console import ContentOption, grid, progress, stdout
from akg.evaluation import metrics, recommend_eval, search_eval
from akg.evaluation.search_eval import judgments_file, run_with_service
from api.settings import content_folder, mappings_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rich.table import Table

    from api.engine.search_engine import SearchEngine
    from api.service import GraphService

eval_app = typer.Typer(no_args_is_help=True, help="Measure the quality of search and recommendations.")

SEED = 20261121

JudgmentsArgument = Annotated[
    Path | None,
    typer.Argument(help="Judged queries, a table of query, kind, judgments, note. Default: those beside the mappings."),
]
ReportOption = Annotated[Path, typer.Option("--report", help="JSON report to compare with and to write.")]
ToleranceOption = Annotated[float, typer.Option("--tolerance", min=0, help="Largest score drop that is accepted.")]


@eval_app.command()
def search(
    judgments: JudgmentsArgument = None,
    report: ReportOption = Path(".akg/eval/search.json"),
    tolerance: ToleranceOption = 0.01,
) -> None:
    """Run the judged queries and compare their scores with the last report.

    Exits with 1 if a score of a kind dropped by more than the tolerance.
    """
    with command_settings() as settings:
        judged = metrics.read_judgments(judgments or judgments_file(settings))

        async def run(service: GraphService, _: SearchEngine) -> list[metrics.Outcome]:
            with _progress(len(judged), "Searching") as on_query:
                return await search_eval.run_judgments(service, judged, on_query)

        scores = metrics.scores_by_kind(run_with_service(settings, run))
        stdout.print(_search_table(scores))
        _compare(report, lambda before: metrics.regressions(before, scores, tolerance))
        _write(report, scores)


@eval_app.command()
def recommend(
    content: ContentOption = None,
    seed: Annotated[
        int, typer.Option("--seed", help="Random seed of the halves and of the hidden links.")
    ] = recommend_eval.SEED,
    report: ReportOption = Path(".akg/eval/recommend.json"),
    tolerance: ToleranceOption = 0.01,
) -> None:
    """Hide solutions that sources list and measure how well the ranking recovers them.

    Exits with 1 if a score dropped since the last report by more than the tolerance. Does not need OpenSearch.
    """
    with command_settings() as settings:
        cases = recommend_eval.holdout_cases(content or content_folder(settings), mappings_folder(settings), seed)
        with _progress(sum(map(len, cases.values())), "Ranking") as on_case:
            parts = recommend_eval.measure(cases, on_case)
        stdout.print(_holdout_table(parts))
        scores = {f"{part}, {name}": means for part, rankings in parts.items() for name, means in rankings.items()}
        _compare(report, lambda before: metrics.regressions(before, scores, tolerance, metrics.HOLDOUT_MEASURES))
        _write(report, scores)


@eval_app.command()
def names() -> None:
    """Search for every id, slug, name and alias, and list those whose entity is not the first hit."""

    async def run(_: GraphService, engine: SearchEngine) -> tuple[Counter[str], list[search_eval.EntityName]]:
        entity_names = [name async for name in search_eval.entity_names(engine)]
        with _progress(len(entity_names), "Searching") as on_query:
            missed = await search_eval.names_not_first(engine, entity_names, on_query)
        return Counter(name.kind for name in entity_names), missed

    with command_settings() as settings:
        totals, missed = run_with_service(settings, run)
        missed_by_kind = Counter(name.kind for name in missed)
        for kind, total in totals.items():
            stdout.print(f"{kind:6} {total:>7,}  first {1 - missed_by_kind[kind] / total:.2%}")
        for name in missed:
            stdout.print(f"{name.entity}  {name.kind}  {name.text}", markup=False)


@eval_app.command()
def typos(seed: Annotated[int, typer.Option("--seed", help="Random seed of the typos.")] = SEED) -> None:
    """Put random typos into names and measure how many search still finds.

    Exits with 1 if a share is below its minimum.
    """

    async def run(service: GraphService, engine: SearchEngine) -> list[float]:
        entity_names = [name async for name in search_eval.entity_names(engine) if name.kind in ("name", "alias")]
        rng = random.Random(seed)  # noqa: S311 - a sample, no secret
        shares = []
        for case in search_eval.CASES:
            with _progress(case.samples, case.label) as on_query:
                lost = await search_eval.lost_names(service, entity_names, case, rng, on_query)
            shares.append(1 - len(lost) / case.samples)
        return shares

    with command_settings() as settings:
        shares = run_with_service(settings, run)
        for case, share in zip(search_eval.CASES, shares, strict=True):
            stdout.print(f"{case.label:13} {share:.2%}  (at least {case.min_share:.0%})")
        if any(share < case.min_share for case, share in zip(search_eval.CASES, shares, strict=True)):
            raise typer.Exit(1)


@contextmanager
def _progress(total: int, label: str) -> Iterator[Callable[[], object]]:
    with progress(MofNCompleteColumn(), TimeElapsedColumn()) as bar:
        task = bar.add_task(label, total=total)
        yield lambda: bar.advance(task)


def _compare(report: Path, regressions: Callable[[Any], list[str]]) -> None:
    messages = regressions(orjson.loads(report.read_bytes()) if report.exists() else {})
    if messages:
        stdout.print("\n".join(messages), style="red")
        raise typer.Exit(1)


def _write(report: Path, scores: Mapping[str, Any]) -> None:
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_bytes(orjson.dumps({key: asdict(means) for key, means in scores.items()}, option=orjson.OPT_INDENT_2))


def _holdout_table(parts: recommend_eval.ScoresByPart) -> Table:
    table = grid(("hidden", "ranking"), ("lists", "nDCG@20", "graded", "recall@20"))
    for part, rankings in parts.items():
        for name, means in rankings.items():
            values = (f"{value:.4f}" for value in (means.ndcg, means.graded, means.recall))
            table.add_row(part, name, str(means.lists), *values)
    return table


def _search_table(scores: Mapping[str, metrics.Scores]) -> Table:
    table = grid(("kind",), ("queries", "nDCG@10", "MRR", "success@1", "success@3"))
    for kind, means in scores.items():
        values = (f"{value:.4f}" for value in (means.ndcg, means.mrr, means.success1, means.success3))
        table.add_row(kind, str(means.queries), *values)
    return table
