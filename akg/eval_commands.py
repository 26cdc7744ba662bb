"""`akg eval`: how good search is on the live release, as tables and as JSON."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import orjson
import typer
from rich.progress import track
from rich.table import Table

from akg.connection import settings_from_environment
from akg.console import notes, out, plain_errors
from akg.searching import with_service
from api import evaluation, quality
from api.words import squeeze

if TYPE_CHECKING:
    from api.answers import Answers
    from api.engine import Engine

eval_app = typer.Typer(no_args_is_help=True, help="Measure search on the live release.")


class Kind(TypedDict, total=False):
    """How a name is edited."""

    words: int
    first_letter: bool


SEED = 20261121
CASES: tuple[tuple[str, int, float, Kind], ...] = (
    ("one edit", 2000, 0.99, {}),
    ("two edits", 600, 0.95, {"words": 2}),
    ("first letter", 600, 0.80, {"first_letter": True}),
)

JudgmentsArgument = Annotated[Path, typer.Argument(help="Judgments to run: a table of query, kind, judgments, note.")]
ReportOption = Annotated[Path, typer.Option("--report", help="JSON report to compare with and to write.")]
ToleranceOption = Annotated[float, typer.Option("--tolerance", min=0, help="Drop of nDCG or success that is let pass.")]


@eval_app.command()
def search(
    judgments: JudgmentsArgument = Path("tests/search/judgments.tsv"),
    report: ReportOption = Path(".akg/eval/search.json"),
    tolerance: ToleranceOption = 0.01,
) -> None:
    """Run the judged queries; exit with 1 if a kind fell below the last report by more than the tolerance."""
    with plain_errors():
        asked = quality.read_judgments(judgments)

        async def run(answers: Answers, _: Engine) -> list[quality.Outcome]:
            ticks = iter(track(range(len(asked)), "Judging", console=notes))
            return await evaluation.judged(answers, asked, lambda: next(ticks, None))

        scores = quality.by_kind(with_service(settings_from_environment(), run))
        out.print(_table(scores))
        before = orjson.loads(report.read_bytes()) if report.exists() else {}
        fallen = quality.drops(before, scores, tolerance)
        if fallen:
            out.print("\n".join(fallen), style="red")
            raise typer.Exit(1)
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_bytes(
            orjson.dumps({kind: asdict(one) for kind, one in scores.items()}, option=orjson.OPT_INDENT_2)
        )


@eval_app.command()
def names() -> None:
    """Search for every id, slug, name and alias there is; list those that do not come first."""

    async def run(_: Answers, engine: Engine) -> tuple[Counter[str], list[evaluation.Name]]:
        wanted = [name async for name in evaluation.names(engine)]
        ticks = iter(track(range(len(wanted)), "Searching", console=notes))
        missed = await evaluation.missed(engine, wanted, lambda: next(ticks, None))
        return Counter(name.kind for name in wanted), missed

    with plain_errors():
        total, missed = with_service(settings_from_environment(), run)
        lost = Counter(name.kind for name in missed)
        for kind, number in total.items():
            out.print(f"{kind:6} {number:>7,}  first {1 - lost[kind] / number:.2%}")
        for name in missed:
            out.print(f"{name.entity}  {name.kind}  {name.text}", markup=False)


@eval_app.command()
def slips(seed: Annotated[int, typer.Option("--seed", help="Seed of the random edits.")] = SEED) -> None:
    """Edit names at random and see whether search still leads to them; exit with 1 below the stated shares."""

    async def run(answers: Answers, engine: Engine) -> list[tuple[str, float, float]]:
        wanted = [name async for name in evaluation.names(engine) if name.kind in ("name", "alias")]
        meant = evaluation.owners(wanted)
        chance = random.Random(seed)  # noqa: S311 - a sample, no secret
        found = []
        for label, number, least, kind in CASES:
            good = 0
            for _ in track(range(number), label, console=notes):
                one, text = evaluation.draw(wanted, chance, **kind)
                good += await evaluation.recovered(answers, meant[squeeze(one.text)], text)
            found.append((label, good / number, least))
        return found

    with plain_errors():
        shares = with_service(settings_from_environment(), run)
        for label, share, least in shares:
            out.print(f"{label:13} {share:.2%}  (at least {least:.0%})")
        if any(share < least for _, share, least in shares):
            raise typer.Exit(1)


def _table(scores: dict[str, quality.Scores]) -> Table:
    table = Table(box=None)
    for name in ("kind", "queries", "nDCG@10", "MRR", "success@1", "success@3"):
        table.add_column(name, justify="left" if name == "kind" else "right", no_wrap=True)
    for kind, one in scores.items():
        table.add_row(
            kind, str(one.queries), *(f"{value:.4f}" for value in (one.ndcg, one.mrr, one.success1, one.success3))
        )
    return table
