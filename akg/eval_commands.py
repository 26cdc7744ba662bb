"""`akg eval`: how good search is on the live release, and recommendations on the tables, as tables and as JSON."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import orjson
import typer
from rich.progress import track
from rich.table import Table

from akg import trial
from akg.connection import settings_from_environment
from akg.console import notes, out, plain_errors
from akg.searching import with_service
from api import evaluation, quality, recall
from api.settings import content_folder, mappings_folder
from api.words import squeeze

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from api.answers import Answers
    from api.engine import Engine

eval_app = typer.Typer(no_args_is_help=True, help="Measure search on the live release, and recommendations.")


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
ToleranceOption = Annotated[float, typer.Option("--tolerance", min=0, help="Drop of a figure that is let pass.")]
ContentOption = Annotated[
    Path | None, typer.Option("--content", help="Folder with the tables; default: AKG_CONTENT or the shipped one.")
]
WORDS = ("kind", "what is hidden", "order")  # columns that hold no numbers


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
        _compare(report, lambda before: quality.drops(before, scores, tolerance))
        _write(report, scores)


@eval_app.command()
def recommend(
    content: ContentOption = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the halves and of the links held out.")] = trial.SEED,
    report: ReportOption = Path(".akg/eval/recommend.json"),
    tolerance: ToleranceOption = 0.01,
) -> None:
    """Hide what sources list and rank it again; exit with 1 if a figure fell below the last report. Needs no engine."""
    with plain_errors():
        settings = settings_from_environment()
        hidden = trial.hidden_lists(content or content_folder(settings), mappings_folder(settings), seed)
        ticks = iter(track(range(sum(map(len, hidden.values()))), "Ranking", console=notes))
        parts = trial.measure(hidden, lambda: next(ticks, None))
        out.print(_trial_table(parts))
        now = {f"{part}, {order}": one for part, found in parts.items() for order, one in found.items()}
        _compare(report, lambda before: recall.drops(before, now, tolerance))
        _write(report, now)


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


def _compare(report: Path, drops: Callable[[Any], list[str]]) -> None:
    fallen = drops(orjson.loads(report.read_bytes()) if report.exists() else {})
    if fallen:
        out.print("\n".join(fallen), style="red")
        raise typer.Exit(1)


def _write(report: Path, scores: Mapping[str, Any]) -> None:
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_bytes(orjson.dumps({part: asdict(one) for part, one in scores.items()}, option=orjson.OPT_INDENT_2))


def _trial_table(parts: trial.Parts) -> Table:
    table = _columns("what is hidden", "order", "lists", "nDCG@20", "graded", "recall@20")
    for part, found in parts.items():
        for order, one in found.items():
            figures = (f"{value:.4f}" for value in (one.ndcg, one.graded, one.recall))
            table.add_row(part, order, str(one.lists), *figures)
    return table


def _table(scores: dict[str, quality.Scores]) -> Table:
    table = _columns("kind", "queries", "nDCG@10", "MRR", "success@1", "success@3")
    for kind, one in scores.items():
        table.add_row(
            kind, str(one.queries), *(f"{value:.4f}" for value in (one.ndcg, one.mrr, one.success1, one.success3))
        )
    return table


def _columns(*names: str) -> Table:
    table = Table(box=None)
    for name in names:
        table.add_column(name, justify="left" if name in WORDS else "right", no_wrap=True)
    return table
