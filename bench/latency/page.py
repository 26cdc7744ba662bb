"""Render a report as the page of figures: a template's text with tables where it names them, and the aims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.latency.questions import NEIGHBORS, RECORD, SEARCH
from bench.latency.report import (
    CACHED,
    ENGINE,
    PEER_RECORD,
    PEER_SEARCH,
    PLAIN,
    PLAIN_CACHED,
    SQL_ROUTE,
    STAC,
    UNCACHED,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bench.latency.report import Against, Cell, Peers, Report, Route, Spread


AT = 8  # in flight
MET, MISSED, UNKNOWN = "met", "missed", "not measured"


@dataclass(frozen=True, slots=True)
class Goal:
    """One aim in words, what is wanted, what was measured, and the verdict."""

    what: str
    wanted: str
    measured: str
    verdict: str


def goals(report: Report) -> list[Goal]:
    """All aims."""
    cached = [(route.held.name, route.held.pair(CACHED, ENGINE, AT)) for route in report.routes]
    rates = [(pair.rate.median, f", `{name}`") for name, pair in cached if pair and pair.rate]
    worst = min(rates, default=(None, ""))
    uncached = [
        _least(f"`{name}` uncached, {AT} in flight", wanted, _times(report, name))
        for name, wanted in ((SEARCH, 0.6), (RECORD, 0.4), (NEIGHBORS, 0.4))
    ]
    return [
        _least(f"any route from the cache, {AT} in flight, the slowest", 1.5, worst[0], worst[1]),
        *uncached,
        _overhead(report),
        *_peer_aims(report, f"searches, of those of {STAC}", 20, PEER_SEARCH, STAC),
        *_peer_aims(report, f"records, of items of {STAC}", 20, PEER_RECORD, STAC),
        *_peer_aims(report, "searches, of those of datasette's SQL route", 3, PEER_SEARCH, SQL_ROUTE),
        *_peer_aims(report, "records, of those of datasette's SQL route", 3, PEER_RECORD, SQL_ROUTE),
        _least("rate of a build, of a bare bulk's", 0.7, _build(report)),
    ]


def _least(what: str, wanted: float, measured: float | None, note: str = "") -> Goal:
    if measured is None:
        return Goal(what, f"≥ {wanted:g} ×", "–", UNKNOWN)
    return Goal(what, f"≥ {wanted:g} ×", f"{measured:.2f} ×{note}", MET if measured >= wanted else MISSED)


def _times(report: Report, name: str) -> float | None:
    pair = next((route.held.pair(UNCACHED, ENGINE, AT) for route in report.routes if route.held.name == name), None)
    return pair.rate.median if pair and pair.rate else None


def _overhead(report: Report) -> Goal:
    what, wanted = f"`{SEARCH}` uncached, one at a time, p50 over the engine's", 1.0
    pair = next((route.held.pair(UNCACHED, ENGINE, 1) for route in report.routes if route.held.name == SEARCH), None)
    if not pair or not pair.more_ms:
        return Goal(what, f"≤ {wanted:.1f} ms", "–", UNKNOWN)
    measured = pair.more_ms.median
    return Goal(what, f"≤ {wanted:.1f} ms", f"{measured:.2f} ms", MET if measured <= wanted else MISSED)


def _peer_aims(report: Report, what: str, wanted: float, race: str, peer: str) -> list[Goal]:
    """The service's rate as a multiple of a peer's, with its cache off, and as shipped with a warm cache."""
    found = [
        next((one.held.pair(mine, peer, AT) for one in report.peers if one.held.name == race), None)
        for mine in (UNCACHED, CACHED)
    ]
    rates = [pair.rate.median if pair and pair.rate else None for pair in found]
    return [
        _least(f"{what}, {how}", wanted, rate) for how, rate in zip(("uncached", "from the cache"), rates, strict=True)
    ]


def _build(report: Report) -> float | None:
    return report.costs.build_share.median if report.costs and report.costs.build_share else None


NOTHING = "–"
ROUTES_PLOT = "benchmarks-routes.svg"
PEER_PLOTS = {
    PEER_SEARCH: "benchmarks-search.svg",
    PEER_RECORD: "benchmarks-record.svg",
}  # as `peers/plots.py` names them
TENTHS, HUNDREDTHS = 100, 10  # from which on a figure needs no digit, or only one, behind the point


def render(template: str, report: Report) -> str:
    """The page. Each `{{name}}` of the template is one of `PARTS`."""
    page = template
    for name, part in PARTS.items():
        page = page.replace(f"{{{{{name}}}}}", part(report))
    return page


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """With as many digits as it is worth."""
    if abs(value) >= TENTHS:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= HUNDREDTHS else f"{value:.2f}"


def spread_text(spread: Spread | None) -> str:
    """The median, with the least and the most in brackets."""
    if spread is None:
        return NOTHING
    return f"{number(spread.median)} ({number(spread.low)}–{number(spread.high)})"


def median(spread: Spread | None) -> str:
    """The median alone."""
    return NOTHING if spread is None else number(spread.median)


def machine(report: Report) -> str:
    """Where and when, in sentences."""
    at, graph = report.machine, report.graph
    low, high = at.load
    return (
        f"Measured {at.began}, in {at.seconds / 60:.0f} minutes: {at.processor}, {at.cores} cores, "
        f"{at.memory_gb:.0f} GB, {at.system}, Python {at.python}. The load of the minute before was {low:.1f} when it "
        f"began and {high:.1f} when it ended. {report.rounds} rounds count, each turn {number(report.turn_seconds)} s. "
        f"The graph: {graph.entities:,} entities, {graph.edges:,} edges, {graph.documents:,} documents, "
        f"{number(graph.index_mb)} MB, data version {graph.data_version}."
    )


def alone(report: Report) -> str:
    """One question at a time: p50 and p99 of the engine, and what the service adds."""
    head = ["route", "requests", "engine p50", "service p50", "p99", "more", "from the cache p50", "p99"]
    return table(head, [_alone(route) for route in report.routes])


def _alone(route: Route) -> list[str]:
    held = route.held
    engine, service, cached = (held.cell(one, 1) for one in (ENGINE, UNCACHED, CACHED))
    pair = held.pair(UNCACHED, ENGINE, 1)
    return [
        f"`{held.name}`",
        _requests(route),
        _of(engine, lambda cell: median(cell.p50_ms)),
        _of(service, lambda cell: median(cell.p50_ms)),
        _of(service, lambda cell: median(cell.p99_ms)),
        spread_text(pair.more_ms) if pair else NOTHING,
        _of(cached, lambda cell: median(cell.p50_ms)),
        _of(cached, lambda cell: median(cell.p99_ms)),
    ]


def _requests(route: Route) -> str:
    same = route.requests == route.again
    return f"{route.requests:g}" if same else f"{route.requests:g}, again {route.again:g}"


def _of(cell: Cell | None, figure: Callable[[Cell], str]) -> str:
    return figure(cell) if cell else NOTHING


def rates(report: Report) -> str:
    """Answers per second as multiples of the engine's own."""
    levels = report.in_flight
    head = ["route", *(f"engine/s at {level}" for level in levels)]
    head += [f"service × at {level}" for level in levels] + [f"from the cache × at {level}" for level in levels]
    return table(head, [_rates(route, levels) for route in report.routes])


def _rates(route: Route, levels: Sequence[int]) -> list[str]:
    held = route.held
    engine = [_of(held.cell(ENGINE, level), lambda cell: median(cell.rate)) for level in levels]
    pairs = [held.pair(one, ENGINE, level) for one in (UNCACHED, CACHED) for level in levels]
    return [f"`{held.name}`", *engine, *(spread_text(pair.rate) if pair else NOTHING for pair in pairs)]


def plot(report: Report) -> str:
    """The same as a picture."""
    says = "Answers per second of each route as a multiple of the engine's own"
    return f"![{says}]({ROUTES_PLOT})" if report.routes else ""


def plain(report: Report) -> str:
    """The plain routes as multiples of the engine, beside the service."""
    names = (PLAIN, UNCACHED, PLAIN_CACHED, CACHED)
    head = ["route", "in flight", *(f"{name} ×" for name in names), *(f"bytes, {name}" for name in (PLAIN, UNCACHED))]
    rows = [
        [f"`{route.held.name}`", str(level), *_beside(route, level, names)]
        for route in report.routes
        if route.held.cell(PLAIN, 1)
        for level in report.in_flight
    ]
    return table(head, rows)


def _beside(route: Route, level: int, names: Sequence[str]) -> list[str]:
    pairs = [route.held.pair(name, ENGINE, level) for name in names]
    cells = [route.held.cell(name, level) for name in (PLAIN, UNCACHED)]
    return [*(spread_text(pair.rate) if pair else NOTHING for pair in pairs), *(_of(cell, _bytes) for cell in cells)]


def _bytes(cell: Cell) -> str:
    return f"{cell.bytes:,}"


def peers(report: Report) -> str:
    """One part for each race with peers: what each does, then what came of it."""
    return "\n\n".join(_peer(one) for one in report.peers) or "Not measured."


def _peer(race: Peers) -> str:
    does = {one.contender: one for one in race.does}
    head = ["", "version", "in flight", "answers/s", "p50 ms", "p99 ms", "mean bytes", "service ×", "cached ×"]
    rows = [
        [
            *(cell.contender, does[cell.contender].version, str(cell.in_flight), spread_text(cell.rate)),
            *(median(cell.p50_ms), median(cell.p99_ms), _bytes(cell)),
            *(_ratio(race.held.pair(one, cell.contender, cell.in_flight)) for one in (UNCACHED, CACHED)),
        ]
        for cell in race.held.cells
    ]
    words = "\n".join(f"- **{one.contender}**: {one.says}" for one in race.does)
    image = f"![{race.held.name}: answers per second]({PEER_PLOTS[race.held.name]})"
    return f"**{race.held.name}**, {race.queries} questions:\n\n{words}\n\n{table(head, rows)}\n\n{image}"


def _ratio(pair: Against | None) -> str:
    return spread_text(pair.rate) if pair else NOTHING


def costs(report: Report) -> str:
    """What is paid once."""
    paid = report.costs
    if paid is None:
        return "Not measured."
    rows = [
        ["first answer of `akg serve`, the node running", f"{spread_text(paid.start_serve)} s"],
        ["first answer of `akg up`, the node not running", f"{spread_text(paid.start_up)} s"],
        [f"`akg index build --from-scratch`, {paid.documents:,} documents", f"{spread_text(paid.build)} s"],
        [f"bare `_bulk` of the same, {number(paid.bulk_mb)} MB", f"{spread_text(paid.bulk)} s"],
        ["rate of the build from scratch, as a share of the bare bulk's", spread_text(paid.build_share)],
        *(
            [["`akg index build` where nothing changed since", f"{spread_text(paid.rebuild)} s"]]
            if paid.rebuild
            else []
        ),
        ["size of the index on disk", f"{number(paid.index_mb)} MB"],
    ]
    return table(["what", "median (least–most)"], rows)


def held(report: Report) -> str:
    """Memory."""
    rows = [[one.program, one.when, number(one.rss), number(one.uss)] for one in report.memory]
    return table(["program", "when", "resident MB", "of its own MB"], rows) if rows else "Not measured."


def left_out(report: Report) -> str:
    """What was not measured."""
    lines = [f"- {one.what}: {one.why}." for one in report.left_out]
    return "\n".join(["Left out of this run:", "", *lines]) if lines else "Nothing was left out of this run."


def aims(report: Report) -> str:
    """What is aimed at, and what was measured."""
    rows = [[one.what, one.wanted, one.measured, one.verdict] for one in goals(report)]
    return table(["aim", "wanted", "measured", ""], rows)


PARTS: dict[str, Callable[[Report], str]] = {
    "machine": machine,
    "alone": alone,
    "rates": rates,
    "plot": plot,
    "plain": plain,
    "peers": peers,
    "costs": costs,
    "memory": held,
    "left_out": left_out,
    "aims": aims,
}
