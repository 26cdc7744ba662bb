"""`akg eval` for judged cases: everyday questions, scenarios, readings, and the precision of first pages."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from akg.connection import command_settings
from akg.console import count_progress, stdout
from akg.evaluation import judged_cases, precision, search_eval
from akg.evaluation.search_eval import run_with_service
from api.engine.search_engine import SearchEngine
from api.models import RecommendRequest
from api.recommend.seeds import RecommendQuery
from api.search.query import ParsedQuery, SearchRequest
from api.service import GraphService
from api.settings import Settings, mappings_folder
from schema.json_types import JsonObject


def measure_precision() -> None:
    """Measure the share of right hits on the first pages of everyday questions, by the grades of two judges."""
    with command_settings() as settings:
        grades = precision.read_grades(mappings_folder(settings) / "relevance" / "precision.tsv")

        async def run(service: GraphService, _: SearchEngine) -> list[list[dict[str, Any]]]:
            with count_progress(len(grades), "Searching") as on_query:
                return await search_eval.run_queries(service, grades, on_query, precision.PAGE_SIZE)

        pages = run_with_service(settings, run)
        shown = {question: [hit["id"] for hit in hits] for question, hits in zip(grades, pages, strict=True)}
        found = precision.measure(grades, shown)
        stdout.print(f"{found.share:.3f} of {found.judged} judged hits are right; {len(found.unjudged)} are not judged")
        for question, id_ in found.unjudged:
            stdout.print(f"{question}\t{id_}", markup=False)


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
            with count_progress(len(cases), "Searching") as on_query:
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


def scenarios() -> None:
    """Recommend for judged needs of several kinds, and list those without a wanted solution or with an absurd one."""
    with command_settings() as settings:
        cases = judged_cases.read_scenarios(_relevance(settings) / "scenarios.tsv")

        async def run(service: GraphService, _: SearchEngine) -> list[list[str]]:
            pages = []
            with count_progress(len(cases), "Recommending") as on_case:
                for case in cases:
                    request = RecommendRequest.model_validate({**case.body, "limit": judged_cases.ALL_PLACES})
                    result = await service.recommend(RecommendQuery.parse(request))
                    pages.append(judged_cases.hit_ids(result.body["results"]))
                    on_case()
            return pages

        pages = run_with_service(settings, run)
        _print_verdicts([judged_cases.judge(case, ids) for case, ids in zip(cases, pages, strict=True)])


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
            with count_progress(len(rows), "Searching") as on_query:
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
