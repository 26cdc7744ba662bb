"""`akg eval`: scores of search on the live release and of recommendations on the tables, as tables and as JSON."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from akg.commands.evaluation.cases import measure_precision, questions, readings, scenarios
from akg.commands.evaluation.compare import compare
from akg.commands.evaluation.history import history, record, run_on_release
from akg.commands.evaluation.names import compare_spellings, names, typos
from akg.commands.rules.files import load_valid_files, rule_publisher, rule_trial
from akg.connection import command_settings, tables_folder
from akg.console import ContentOption, JsonOption, count_progress, grid, print_json, stdout
from akg.evaluation import candidate, candidate_report, halves, metrics, recommend_eval, search_eval
from akg.evaluation.history import search_figures, table_inputs
from akg.evaluation.search_eval import judgments_file
from akg.reports.evaluation import EvalRecommend, EvalSearch, EvalSynonyms, HoldoutScoresRow, SearchScores
from api.engine.search_engine import SearchEngine
from api.service import GraphService
from api.settings import mappings_folder
from schema.errors import REFUSED, UsageError

eval_app = typer.Typer(no_args_is_help=True, help="Measure the quality of search and recommendations.")

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
        path = file or judgments or judgments_file(settings)
        judged = metrics.read_judgments(path)

        async def run(service: GraphService, _: SearchEngine) -> list[metrics.Outcome]:
            with count_progress(len(judged), "Searching") as on_query:
                return await search_eval.run_judgments(service, judged, on_query)

        outcomes, versions = run_on_release(settings, run)
        scores, by_half = metrics.scores_by_kind(outcomes), halves.scores_by_half(outcomes)
        drops = _update_report(report, scores, tolerance, metrics.SEARCH_MEASURES)
        record(settings, versions, "search", search_figures(scores, by_half), table_inputs(path))
        if json:
            print_json(EvalSearch(scores=_score_rows(scores), halves=_score_rows(by_half), regressions=drops))
        else:
            rows = [((kind,), means) for kind, means in scores.items()]
            _print_scores(("kind",), ("queries", "nDCG@10", "MRR", "success@1", "success@3"), rows, drops)
            _print_halves(by_half)
        if drops:
            raise typer.Exit(REFUSED)


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
        cases = recommend_eval.holdout_cases(tables_folder(settings, content), mappings_folder(settings), seed)
        with count_progress(sum(map(len, cases.values())), "Ranking") as on_case:
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
            comparison = candidate_report.comparison_report(preview.comparison) if preview else None
            print_json(EvalSynonyms(before=live, after=preview.after if preview else live, comparison=comparison))
        elif preview:
            candidate_report.print_text(preview)
        else:
            stdout.print("The rules of the files are already live.", markup=False)
        if preview and preview.comparison.regressions:
            raise typer.Exit(REFUSED)


def _print_scores(
    labels: Sequence[str],
    measures: Sequence[str],
    rows: Iterable[tuple[Sequence[str], metrics.Scores | metrics.MeanHoldoutScores]],
    drops: Sequence[str],
) -> None:
    table = grid(labels, measures)
    for texts, means in rows:
        count, *values = astuple(means)
        table.add_row(*texts, str(count), *(f"{value:.4f}" for value in values))
    stdout.print(table)
    if drops:
        stdout.print("\n".join(drops), style="red")


def _score_rows(scores: Mapping[str, metrics.Scores]) -> dict[str, SearchScores]:
    return {name: SearchScores(**asdict(means)) for name, means in scores.items()}


def _print_halves(by_half: Mapping[str, metrics.Scores]) -> None:
    table = grid(("half",), ("queries", "nDCG@10", "success@1"))
    for half, means in by_half.items():
        table.add_row(half, str(means.queries), f"{means.ndcg:.4f}", f"{means.success1:.4f}")
    stdout.print(table)


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


for command in (compare, questions, scenarios, readings, names, typos, history):
    eval_app.command()(command)
eval_app.command("spellings")(compare_spellings)
eval_app.command("precision")(measure_precision)
