"""`akg eval names` and `akg eval typos`: whether search finds every name, and names with random typos."""

import random
from collections import Counter
from typing import Annotated

import typer

from akg.connection import command_settings
from akg.console import count_progress, stdout
from akg.evaluation import recommend_eval, search_eval
from akg.evaluation.search_eval import run_with_service
from api.engine.search_engine import SearchEngine
from api.service import GraphService


def names() -> None:
    """Search for every id, slug, name and alias, and list those whose entity is not the first hit."""

    async def run(_: GraphService, engine: SearchEngine) -> tuple[Counter[str], list[search_eval.EntityName]]:
        entity_names = [name async for name in search_eval.entity_names(engine)]
        with count_progress(len(entity_names), "Searching") as on_query:
            missed = await search_eval.names_not_first(engine, entity_names, on_query)
        return Counter(name.kind for name in entity_names), missed

    with command_settings() as settings:
        totals, missed = run_with_service(settings, run)
        missed_by_kind = Counter(name.kind for name in missed)
        for kind, total in totals.items():
            stdout.print(f"{kind:6} {total:>7,}  first {1 - missed_by_kind[kind] / total:.2%}")
        for name in missed:
            stdout.print(f"{name.entity}  {name.kind}  {name.text}", markup=False)


def typos(seed: Annotated[int, typer.Option("--seed", help="Random seed of the typos.")] = recommend_eval.SEED) -> None:
    """Measure how many names search finds despite random typos.

    Exits with 1 if a share is below its minimum.
    """

    async def run(service: GraphService, engine: SearchEngine) -> list[float]:
        entity_names = [name async for name in search_eval.entity_names(engine) if name.kind in ("name", "alias")]
        rng = random.Random(seed)  # noqa: S311 - a sample, no secret
        shares = []
        for case in search_eval.CASES:
            with count_progress(case.samples, case.label) as on_query:
                lost = await search_eval.lost_names(service, entity_names, case, rng, on_query)
            shares.append(1 - len(lost) / case.samples)
        return shares

    with command_settings() as settings:
        shares = run_with_service(settings, run)
        for case, share in zip(search_eval.CASES, shares, strict=True):
            stdout.print(f"{case.label:13} {share:.2%}  (at least {case.min_share:.0%})")
        if any(share < case.min_share for case, share in zip(search_eval.CASES, shares, strict=True)):
            raise typer.Exit(1)
