"""`akg eval` for judged cases: everyday questions, scenarios, readings, and the precision of first pages."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from akg.commands.evaluation.history import record, run_on_release
from akg.connection import command_settings
from akg.console import JsonOption, count_progress, print_json, stdout
from akg.evaluation import judged_cases, precision, search_eval
from akg.evaluation.history import table_inputs
from akg.reports.judged_cases import (
    CaseCount,
    EvalPrecision,
    EvalQuestions,
    EvalReadings,
    EvalScenarios,
    FailedCase,
    MisreadQuestion,
    UnjudgedHit,
)
from api.engine.search_engine import SearchEngine
from api.models import RecommendRequest
from api.recommend.seeds import RecommendQuery
from api.search.query import ParsedQuery, SearchRequest
from api.service import GraphService
from api.settings import Settings, mappings_folder
from schema.json_types import JsonObject


def measure_precision(
    graded: Annotated[
        Path | None,
        typer.Argument(help="Graded pairs. Default: mappings/relevance/precision.tsv."),
    ] = None,
    *,
    json: JsonOption = False,
) -> None:
    """Measure the share of right hits on the first pages of everyday questions, by the grades of two judges."""
    with command_settings() as settings:
        path = graded or _relevance(settings) / "precision.tsv"
        grades = precision.read_grades(path)

        async def run(service: GraphService, _: SearchEngine) -> list[list[dict[str, Any]]]:
            with count_progress(len(grades), "Searching") as on_query:
                return await search_eval.run_queries(service, grades, on_query, precision.PAGE_SIZE)

        pages, versions = run_on_release(settings, run)
        shown = {question: [hit["id"] for hit in hits] for question, hits in zip(grades, pages, strict=True)}
        found = precision.measure(grades, shown)
        figures = {"precision": found.share, "not judged": len(found.unjudged)}
        record(settings, versions, "precision", figures, table_inputs(path))
        if json:
            unjudged = [UnjudgedHit(question=question, id=id_) for question, id_ in found.unjudged]
            print_json(EvalPrecision(precision=found.share, judged=found.judged, unjudged=unjudged))
            return
        stdout.print(f"{found.share:.3f} of {found.judged} judged hits are right; {len(found.unjudged)} are not judged")
        for question, id_ in found.unjudged:
            stdout.print(f"{question}\t{id_}", markup=False)


def questions(
    judged: Annotated[
        Path | None,
        typer.Argument(help="Judged questions. Default: mappings/relevance/questions.tsv."),
    ] = None,
    *,
    json: JsonOption = False,
) -> None:
    """Search for everyday questions, and list those without an expected answer or with an absurd one.

    An answer is an entity among the first five, or a guide above them.
    """
    with command_settings() as settings:
        path = judged or _relevance(settings) / "questions.tsv"
        cases = judged_cases.read_questions(path)

        async def run(service: GraphService, _: SearchEngine) -> list[JsonObject]:
            with count_progress(len(cases), "Searching") as on_query:
                return await search_eval.run_searches(
                    service, [case.label for case in cases], on_query, judged_cases.ALL_PLACES
                )

        bodies, versions = run_on_release(settings, run)
        report = _question_report(cases, bodies)
        seconds = report.second_parts
        figures = {"passed": _share(_total(report)), "second parts": _share(seconds), "find nothing": report.empty}
        record(settings, versions, "questions", figures, table_inputs(path))
        if json:
            print_json(report)
            return
        _print_cases(report)
        stdout.print(f"second parts among ten: {seconds.passed} of {seconds.cases}")
        stdout.print(f"neither results nor guides: {report.empty} of {len(cases)}")


def _question_report(cases: Sequence[judged_cases.Case], bodies: Sequence[JsonObject]) -> EvalQuestions:
    pages = [judged_cases.hit_ids(body["results"]) for body in bodies]
    guides = [judged_cases.guide_ids(body["guides"]) for body in bodies]
    verdicts = list(map(judged_cases.judge, cases, pages, guides))
    second = [judged_cases.has_second_part(case, ids) for case, ids in zip(cases, pages, strict=True) if case.second]
    return EvalQuestions(
        kinds=_counts(verdicts),
        failed=_failed(verdicts),
        second_parts=CaseCount(cases=len(second), passed=sum(second)),
        empty=judged_cases.count_empty(bodies),
    )


def scenarios(*, json: JsonOption = False) -> None:
    """Recommend for judged needs of several kinds, and list those without a wanted solution or with an absurd one."""
    with command_settings() as settings:
        path = _relevance(settings) / "scenarios.tsv"
        cases = judged_cases.read_scenarios(path)

        async def run(service: GraphService, _: SearchEngine) -> list[list[str]]:
            pages = []
            with count_progress(len(cases), "Recommending") as on_case:
                for case in cases:
                    request = RecommendRequest.model_validate({**case.body, "limit": judged_cases.ALL_PLACES})
                    result = await service.recommend(RecommendQuery.parse(request))
                    pages.append(judged_cases.hit_ids(result.body["results"]))
                    on_case()
            return pages

        pages, versions = run_on_release(settings, run)
        verdicts = [judged_cases.judge(case, ids) for case, ids in zip(cases, pages, strict=True)]
        report = EvalScenarios(kinds=_counts(verdicts), failed=_failed(verdicts))
        record(settings, versions, "scenarios", {"passed": _share(_total(report))}, table_inputs(path))
        if json:
            print_json(report)
        else:
            _print_cases(report)


def readings(
    judged: Annotated[
        Path | None,
        typer.Argument(help="Questions with their parts. Default: mappings/relevance/readings.tsv."),
    ] = None,
    *,
    json: JsonOption = False,
) -> None:
    """Search for judged questions, and list those with parts that are read as something else."""
    with command_settings() as settings:
        path = judged or _relevance(settings) / "readings.tsv"
        rows = judged_cases.read_rows(path, judged_cases.READINGS)

        async def run(service: GraphService, _: SearchEngine) -> list[list[str]]:
            problems = []
            with count_progress(len(rows), "Searching") as on_query:
                for row in rows:
                    request = SearchRequest(ParsedQuery.parse(row["question"]), limit=1)
                    found = await service.search(request, ())
                    problems.append(judged_cases.judge_reading(row, found.body["reading"]))
                    on_query()
            return problems

        problems, versions = run_on_release(settings, run)
        misread = [
            MisreadQuestion(question=row["question"], problems=wrong)
            for row, wrong in zip(rows, problems, strict=True)
            if wrong
        ]
        right = len(rows) - len(misread)
        record(settings, versions, "readings", {"right": right / max(1, len(rows))}, table_inputs(path))
        if json:
            print_json(EvalReadings(questions=len(rows), right=right, misread=misread))
            return
        for one in misread:
            stdout.print(f"{one.question}: {'; '.join(one.problems)}", markup=False)
        stdout.print(f"{right} of {len(rows)} questions are read right ({right / max(1, len(rows)):.1%})")


def _relevance(settings: Settings) -> Path:
    return mappings_folder(settings) / "relevance"


def _counts(verdicts: Iterable[judged_cases.Verdict]) -> dict[str, CaseCount]:
    return {
        kind: CaseCount(cases=total, passed=passed) for kind, (passed, total) in judged_cases.shares(verdicts).items()
    }


def _failed(verdicts: Iterable[judged_cases.Verdict]) -> list[FailedCase]:
    return [
        FailedCase(kind=verdict.case.kind, case=verdict.case.label, missing=verdict.missing, absurd=verdict.absurd)
        for verdict in verdicts
        if not verdict.passes
    ]


def _total(report: EvalScenarios) -> CaseCount:
    counts = report.kinds.values()
    return CaseCount(cases=sum(count.cases for count in counts), passed=sum(count.passed for count in counts))


def _share(count: CaseCount) -> float:
    return count.passed / max(1, count.cases)


def _print_cases(report: EvalScenarios) -> None:
    for failed in report.failed:
        wrong = [*(f"missing {group}" for group in failed.missing), *(f"absurd {id_}" for id_ in failed.absurd)]
        stdout.print(f"{failed.kind}: {failed.case}: {'; '.join(wrong)}", markup=False)
    for kind, count in {**report.kinds, "all": _total(report)}.items():
        stdout.print(f"{kind:20} {count.passed:>4} of {count.cases:>4}  {_share(count):.1%}")
