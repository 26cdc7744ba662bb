"""`akg eval`: scores of search on the live release and of recommendations on the tables, as tables and as JSON."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.progress import MofNCompleteColumn, TimeElapsedColumn

from akg.commands.compare import compare
from akg.commands.rule_files import load_valid_files, rule_publisher, rule_trial
from akg.connection import command_settings
from akg.console import ContentOption, JsonOption, grid, print_json, progress, stdout
from akg.evaluation import candidate, judged_cases, metrics, precision, recommend_eval, search_eval
from akg.evaluation.search_eval import judgments_file, run_with_service
from akg.reports.evaluation import EvalRecommend, EvalSearch, EvalSynonyms, HoldoutScoresRow, SearchScores
from api.engine.search_engine import SearchEngine
from api.models import RecommendRequest
from api.recommend.seeds import RecommendQuery
from api.search.query import ParsedQuery, SearchRequest
from api.service import GraphService
from api.settings import Settings, content_folder, mappings_folder
from schema.errors import REFUSED, UsageError
from schema.json_types import JsonObject

eval_app = typer.Typer(no_args_is_help=True, help="Measure the quality of search and recommendations.")
eval_app.command()(compare)

JudgmentsArgument = Annotated[
    Path | None,
    typer.Argument(
        help="Judged queries, a table of query, kind, judgments, note. Default: mappings/relevance/judgments.tsv."
    ),
]
JudgmentsOption = Annotated[
    Path | None,
    typer.Option("--judgments", help="The same as the argument. Default: the judged queries of the mappings."),
]
ReportOption = Annotated[Path, typer.Option("--report", help="JSON report to compare with and to write.")]
ToleranceOption = Annotated[float, typer.Option("--tolerance", min=0, help="Largest score drop that is accepted.")]


@eval_app.command()
def search(
    judgments: JudgmentsArgument = None,
    report: ReportOption = Path(".akg/eval/search.json"),
    tolerance: ToleranceOption = 0.01,
    *,
    file: JudgmentsOption = None,
    json: JsonOption = False,
) -> None:
    """Run the judged queries and compare their scores with the last report.

    Exits with 1 if a score of a kind dropped by more than the tolerance.
    """
    with command_settings() as settings:
        if file and judgments:
            raise UsageError("The judged queries are named twice. Use --judgments FILE alone.")
        judged = metrics.read_judgments(file or judgments or judgments_file(settings))

        async def run(service: GraphService, _: SearchEngine) -> list[metrics.Outcome]:
            with _progress(len(judged), "Searching") as on_query:
                return await search_eval.run_judgments(service, judged, on_query)

        scores = metrics.scores_by_kind(run_with_service(settings, run))
        drops = _update_report(report, scores, tolerance, metrics.SEARCH_MEASURES)
        if json:
            by_kind = {kind: SearchScores(**asdict(means)) for kind, means in scores.items()}
            print_json(EvalSearch(scores=by_kind, regressions=drops))
        else:
            rows = [((kind,), means) for kind, means in scores.items()]
            _print_scores(("kind",), ("queries", "nDCG@10", "MRR", "success@1", "success@3"), rows, drops)
        if drops:
            raise typer.Exit(REFUSED)


@eval_app.command(name="precision")
def measure_precision() -> None:
    """Measure the share of right hits on the first pages of everyday questions, by the grades of two judges."""
    with command_settings() as settings:
        grades = precision.read_grades(mappings_folder(settings) / "relevance" / "precision.tsv")

        async def run(service: GraphService, _: SearchEngine) -> list[list[dict[str, Any]]]:
            with _progress(len(grades), "Searching") as on_query:
                return await search_eval.run_queries(service, grades, on_query, precision.PAGE_SIZE)

        pages = run_with_service(settings, run)
        shown = {question: [hit["id"] for hit in hits] for question, hits in zip(grades, pages, strict=True)}
        found = precision.measure(grades, shown)
        stdout.print(f"{found.share:.3f} of {found.judged} judged hits are right; {len(found.unjudged)} are not judged")
        for question, id_ in found.unjudged:
            stdout.print(f"{question}\t{id_}", markup=False)


@eval_app.command()
def questions(
    judged: Annotated[
        Path | None,
        typer.Argument(help="Judged questions. Default: mappings/relevance/questions.tsv."),
    ] = None,
) -> None:
    """Search for everyday questions, and list those without an expected answer or with an absurd one.

    An answer is an entity among the first five, or a guide above them.
    """
    with command_settings() as settings:
        cases = judged_cases.read_questions(judged or _relevance(settings) / "questions.tsv")

        async def run(service: GraphService, _: SearchEngine) -> list[JsonObject]:
            with _progress(len(cases), "Searching") as on_query:
                return await search_eval.run_searches(
                    service, [case.label for case in cases], on_query, judged_cases.ALL_PLACES
                )

        bodies = run_with_service(settings, run)
        pages = [judged_cases.hit_ids(body["results"]) for body in bodies]
        guides = [judged_cases.guide_ids(body["guides"]) for body in bodies]
        _print_verdicts(list(map(judged_cases.judge, cases, pages, guides)))
        second = [
            judged_cases.has_second_part(case, ids) for case, ids in zip(cases, pages, strict=True) if case.second
        ]
        stdout.print(f"second parts among ten: {sum(second)} of {len(second)}")


@eval_app.command()
def scenarios() -> None:
    """Recommend for judged needs of several kinds, and list those without a wanted solution or with an absurd one."""
    with command_settings() as settings:
        cases = judged_cases.read_scenarios(_relevance(settings) / "scenarios.tsv")

        async def run(service: GraphService, _: SearchEngine) -> list[list[str]]:
            pages = []
            with _progress(len(cases), "Recommending") as on_case:
                for case in cases:
                    request = RecommendRequest.model_validate({**case.body, "limit": judged_cases.ALL_PLACES})
                    result = await service.recommend(RecommendQuery.parse(request))
                    pages.append(judged_cases.hit_ids(result.body["results"]))
                    on_case()
            return pages

        pages = run_with_service(settings, run)
        _print_verdicts([judged_cases.judge(case, ids) for case, ids in zip(cases, pages, strict=True)])


@eval_app.command()
def readings(
    judged: Annotated[
        Path | None,
        typer.Argument(help="Questions with their parts. Default: mappings/relevance/readings.tsv."),
    ] = None,
) -> None:
    """Search for judged questions, and list those with parts that are read as something else."""
    with command_settings() as settings:
        rows = judged_cases.read_rows(judged or _relevance(settings) / "readings.tsv", judged_cases.READINGS)

        async def run(service: GraphService, _: SearchEngine) -> list[list[str]]:
            problems = []
            with _progress(len(rows), "Searching") as on_query:
                for row in rows:
                    request = SearchRequest(ParsedQuery.parse(row["question"]), limit=1)
                    found = await service.search(request, ())
                    problems.append(judged_cases.judge_reading(row, found.body["reading"]))
                    on_query()
            return problems

        problems = run_with_service(settings, run)
        for row, wrong in zip(rows, problems, strict=True):
            if wrong:
                stdout.print(f"{row['question']}: {'; '.join(wrong)}", markup=False)
        right = sum(not wrong for wrong in problems)
        stdout.print(f"{right} of {len(rows)} questions are read right ({right / len(rows):.1%})")


def _relevance(settings: Settings) -> Path:
    return mappings_folder(settings) / "relevance"


def _print_verdicts(verdicts: Sequence[judged_cases.Verdict]) -> None:
    for verdict in verdicts:
        if not verdict.passes:
            wrong = [*(f"missing {group}" for group in verdict.missing), *(f"absurd {id_}" for id_ in verdict.absurd)]
            stdout.print(f"{verdict.case.kind}: {verdict.case.label}: {'; '.join(wrong)}", markup=False)
    shares = judged_cases.shares(verdicts)
    for kind, (passed, total) in shares.items():
        stdout.print(f"{kind:20} {passed:>4} of {total:>4}  {passed / total:.1%}")
    passed = sum(verdict.passes for verdict in verdicts)
    stdout.print(f"{'all':20} {passed:>4} of {len(verdicts):>4}  {passed / max(1, len(verdicts)):.1%}")


@eval_app.command()
def recommend(
    content: ContentOption = None,
    seed: Annotated[
        int, typer.Option("--seed", help="Random seed of the halves and of the hidden links.")
    ] = recommend_eval.SEED,
    report: ReportOption = Path(".akg/eval/recommend.json"),
    tolerance: ToleranceOption = 0.01,
    *,
    json: JsonOption = False,
) -> None:
    """Hide solutions that sources list and measure how well the ranking recovers them.

    Exits with 1 if a score dropped since the last report by more than the tolerance. Does not need OpenSearch.
    """
    with command_settings() as settings:
        cases = recommend_eval.holdout_cases(content or content_folder(settings), mappings_folder(settings), seed)
        with _progress(sum(map(len, cases.values())), "Ranking") as on_case:
            parts = recommend_eval.measure(cases, on_case)
        rows = [((part, name), means) for part, rankings in parts.items() for name, means in rankings.items()]
        scores = {", ".join(labels): means for labels, means in rows}
        drops = _update_report(report, scores, tolerance, metrics.HOLDOUT_MEASURES)
        if json:
            score_rows = [HoldoutScoresRow(hidden=part, ranking=name, **asdict(means)) for (part, name), means in rows]
            print_json(EvalRecommend(scores=score_rows, regressions=drops))
        else:
            _print_scores(("hidden", "ranking"), ("lists", "nDCG@20", "graded", "recall@20"), rows, drops)
        if drops:
            raise typer.Exit(REFUSED)


@eval_app.command()
def synonyms(
    file: JudgmentsOption = None,
    tolerance: ToleranceOption = 0.01,
    *,
    json: JsonOption = False,
) -> None:
    """Compare the scores of the judged queries with the rules of the files to those with the live rules.

    Exits with 1 if a score drops by more than the tolerance. Changes nothing.
    """
    with command_settings() as settings:
        judged = metrics.read_judgments(file or judgments_file(settings))
        with rule_trial(settings, load_valid_files(settings)) as trial:
            preview = candidate.preview(trial, judged, (), tolerance) if trial else None
            if trial:
                trial.publisher.discard(trial.candidate)
        live = preview.before if preview else rule_publisher(settings).live().version
        if json:
            comparison = candidate.comparison_report(preview.comparison) if preview else None
            print_json(EvalSynonyms(before=live, after=preview.after if preview else live, comparison=comparison))
        elif preview:
            candidate.print_text(preview)
        else:
            stdout.print("The rules of the files are already live.", markup=False)
        if preview and preview.comparison.regressions:
            raise typer.Exit(REFUSED)


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
def typos(seed: Annotated[int, typer.Option("--seed", help="Random seed of the typos.")] = recommend_eval.SEED) -> None:
    """Measure how many names search finds despite random typos.

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


def _print_scores(
    labels: Sequence[str],
    measures: Sequence[str],
    rows: Iterable[tuple[Sequence[str], metrics.Scores | metrics.MeanHoldoutScores]],
    drops: Sequence[str],
) -> None:
    table = grid(labels, measures)
    for names, means in rows:
        count, *values = astuple(means)
        table.add_row(*names, str(count), *(f"{value:.4f}" for value in values))
    stdout.print(table)
    if drops:
        stdout.print("\n".join(drops), style="red")


def _update_report(report: Path, scores: Mapping[str, Any], tolerance: float, measures: Sequence[str]) -> Sequence[str]:
    """Return the scores that dropped since the last report; write the report if there are none."""
    before = orjson.loads(report.read_bytes()) if report.exists() else {}
    drops = metrics.regressions(before, scores, tolerance, measures)
    if not drops:
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_bytes(
            orjson.dumps({key: asdict(means) for key, means in scores.items()}, option=orjson.OPT_INDENT_2)
        )
    return drops
