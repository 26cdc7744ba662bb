"""`akg eval names`, `typos` and `spellings`: whether search finds every name, also misspelt or in British spelling."""

import random
from collections import Counter
from dataclasses import asdict, replace
from typing import Annotated

import typer

from akg.commands.evaluation.history import record, run_on_release
from akg.connection import command_settings
from akg.console import JsonOption, count_progress, print_json, stdout
from akg.evaluation import recommend_eval, search_eval, spellings
from akg.reports.judged_cases import EvalNames, EvalSpellings, EvalTypos, LostSpelling, MissedName, NameCount, TypoShare
from api.engine.search_engine import SearchEngine
from api.service import GraphService
from schema.errors import REFUSED


def names(*, json: JsonOption = False) -> None:
    """Search for every id, slug, name and alias, and list those whose entity is not the first hit."""

    async def run(_: GraphService, engine: SearchEngine) -> tuple[Counter[str], list[search_eval.EntityName]]:
        entity_names = [name async for name in search_eval.entity_names(engine)]
        with count_progress(len(entity_names), "Searching") as on_query:
            missed = await search_eval.names_not_first(engine, entity_names, on_query)
        return Counter(name.kind for name in entity_names), missed

    with command_settings() as settings:
        (totals, missed), versions = run_on_release(settings, run)
        missed_by_kind = Counter(name.kind for name in missed)
        record(settings, versions, "names", {f"{kind} not first": missed_by_kind[kind] for kind in totals})
        kinds = {kind: NameCount(texts=total, first=total - missed_by_kind[kind]) for kind, total in totals.items()}
        report = EvalNames(kinds=kinds, missed=[MissedName(**asdict(name)) for name in missed])
        if json:
            print_json(report)
            return
        for kind, count in report.kinds.items():
            stdout.print(f"{kind:6} {count.texts:>7,}  first {count.first / count.texts:.2%}")
        for name in report.missed:
            stdout.print(f"{name.entity}  {name.kind}  {name.text}", markup=False)


def typos(
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the typos.")] = recommend_eval.SEED,
    samples: Annotated[
        int | None,
        typer.Option("--samples", min=1, help="Names of each kind of typo. Default: 2,000 with one edit, else 600."),
    ] = None,
    *,
    json: JsonOption = False,
) -> None:
    """Measure how many names search finds despite random typos.

    Exits with 1 if a share is below its minimum.
    """
    cases = [case if samples is None else replace(case, samples=samples) for case in search_eval.CASES]

    async def run(service: GraphService, engine: SearchEngine) -> list[TypoShare]:
        entity_names = [name async for name in search_eval.entity_names(engine) if name.kind in ("name", "alias")]
        rng = random.Random(seed)  # noqa: S311 - a sample, no secret
        shares = []
        for case in cases:
            with count_progress(case.samples, case.label) as on_query:
                lost = await search_eval.lost_names(service, entity_names, case, rng, on_query)
            share = 1 - len(lost) / case.samples
            shares.append(TypoShare(typo=case.label, names=case.samples, share=share, minimum=case.min_share))
        return shares

    with command_settings() as settings:
        shares, versions = run_on_release(settings, run)
        inputs = f"{seed}, {sum(row.names for row in shares)}"
        record(settings, versions, "typos", {row.typo: row.share for row in shares}, inputs)
        if json:
            print_json(EvalTypos(typos=shares))
        else:
            for row in shares:
                stdout.print(f"{row.typo:13} {row.share:.2%}  (at least {row.minimum:.1%})")
        if any(row.share < row.minimum for row in shares):
            raise typer.Exit(REFUSED)


def compare_spellings(*, json: JsonOption = False) -> None:
    """Measure how many names and aliases search finds in British spelling, of those it finds in American spelling.

    Exits with 1 if one is lost.
    """

    async def run(service: GraphService, engine: SearchEngine) -> tuple[int, spellings.SpellingScores]:
        names = spellings.spelled_names([name async for name in search_eval.entity_names(engine)])
        with count_progress(2 * len(names), "Searching") as on_query:
            return len(names), await spellings.compare_spellings(service, names, on_query)

    with command_settings() as settings:
        (total, scores), versions = run_on_release(settings, run)
        record(settings, versions, "spellings", {"found": scores.share, "lost": len(scores.lost)})
        report = EvalSpellings(
            names=total,
            found=scores.found,
            share=scores.share,
            minimum=spellings.MIN_SHARE,
            lost=[LostSpelling(**asdict(name)) for name in scores.lost],
        )
        if json:
            print_json(report)
        else:
            _print_spellings(report)
        if report.share < report.minimum:
            raise typer.Exit(REFUSED)


def _print_spellings(report: EvalSpellings) -> None:
    for name in report.lost:
        stdout.print(f"{name.entity}  {name.american}  {name.british}", markup=False)
    found = report.found - len(report.lost)
    stdout.print(
        f"{found:,} of {report.found:,} British spellings find their entity: {report.share:.2%}"
        f"  (at least {report.minimum:.1%})"
    )
