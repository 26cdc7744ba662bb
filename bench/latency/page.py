"""Render a report as the page of figures: a template's text with tables where it names them, and the aims."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bench.figures import table
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
    from collections.abc import Callable, Sequence

    from bench.latency.report import Held, Peers, Report, Route, Spread

AT = 8  # in flight
MET, MISSED, UNKNOWN = "met", "missed", "not measured"
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
    """One question at a time: p50 and p99 of OpenSearch, and what the service adds."""
    head = ["route", "requests", "engine p50", "service p50", "p99", "more", "from the cache p50", "p99"]
    return table(head, [_alone(route) for route in report.routes])


def _alone(route: Route) -> list[str]:
    held = route.held
    engine, service, cached = (held.cell(one, 1) for one in (ENGINE, UNCACHED, CACHED))
    pair = held.pair(UNCACHED, ENGINE, 1)
    same = route.requests == route.again
    return [
        f"`{held.name}`",
        f"{route.requests:g}" if same else f"{route.requests:g}, again {route.again:g}",
        median(engine.p50_ms if engine else None),
        median(service.p50_ms if service else None),
        median(service.p99_ms if service else None),
        spread_text(pair.more_ms if pair else None),
        median(cached.p50_ms if cached else None),
        median(cached.p99_ms if cached else None),
    ]


def rates(report: Report) -> str:
    """Responses per second as multiples of OpenSearch's own."""
    levels = report.in_flight
    head = ["route", *(f"engine/s at {level}" for level in levels)]
    head += [f"service × at {level}" for level in levels] + [f"from the cache × at {level}" for level in levels]
    return table(head, [_rates(route.held, levels) for route in report.routes])


def _rates(held: Held, levels: Sequence[int]) -> list[str]:
    engine = [held.cell(ENGINE, level) for level in levels]
    multiples = [held.multiple(one, ENGINE, level) for one in (UNCACHED, CACHED) for level in levels]
    return [f"`{held.name}`", *(median(cell.rate if cell else None) for cell in engine), *map(spread_text, multiples)]


def plot(report: Report) -> str:
    """The same as a picture."""
    says = "Answers per second of each route as a multiple of the engine's own"
    return f"![{says}]({ROUTES_PLOT})" if report.routes else ""


def plain(report: Report) -> str:
    """The plain routes as multiples of OpenSearch, beside the service."""
    names, sized = (PLAIN, UNCACHED, PLAIN_CACHED, CACHED), (PLAIN, UNCACHED)
    head = ["route", "in flight", *(f"{name} ×" for name in names), *(f"bytes, {name}" for name in sized)]
    rows = [
        [
            *(f"`{held.name}`", str(level)),
            *(spread_text(held.multiple(name, ENGINE, level)) for name in names),
            *(f"{cell.bytes:,}" if cell else NOTHING for cell in (held.cell(name, level) for name in sized)),
        ]
        for held in (route.held for route in report.routes)
        if held.cell(PLAIN, 1)
        for level in report.in_flight
    ]
    return table(head, rows)


def peers(report: Report) -> str:
    """One part for each race with peers: what each does, then the figures."""
    return "\n\n".join(_peer(one) for one in report.peers) or "Not measured."


def _peer(race: Peers) -> str:
    versions = {one.contender: one.version for one in race.does}
    head = ["", "version", "in flight", "answers/s", "p50 ms", "p99 ms", "mean bytes", "service ×", "cached ×"]
    rows = [
        [
            *(cell.contender, versions[cell.contender], str(cell.in_flight), spread_text(cell.rate)),
            *(median(cell.p50_ms), median(cell.p99_ms), f"{cell.bytes:,}"),
            *(spread_text(race.held.multiple(one, cell.contender, cell.in_flight)) for one in (UNCACHED, CACHED)),
        ]
        for cell in race.held.cells
    ]
    words = "\n".join(f"- **{one.contender}**: {one.says}" for one in race.does)
    image = f"![{race.held.name}: answers per second]({PEER_PLOTS[race.held.name]})"
    return f"**{race.held.name}**, {race.queries} questions:\n\n{words}\n\n{table(head, rows)}\n\n{image}"


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
    lines = [f"- {one.what}: {one.why}." for one in report.left_out]
    return "\n".join(["Left out of this run:", "", *lines]) if lines else "Nothing was left out of this run."


class Goal(NamedTuple):
    """One aim in words, what is wanted, what was measured, and the verdict."""

    what: str
    wanted: str
    measured: str
    verdict: str


def aims(report: Report) -> str:
    """The aims, and what was measured."""
    return table(["aim", "wanted", "measured", ""], goals(report))


def goals(report: Report) -> list[Goal]:
    """All aims."""
    routes = {route.held.name: route.held for route in report.routes}
    cached = {name: held.multiple(CACHED, ENGINE, AT) for name, held in routes.items()}
    slowest = min(((one.median, name) for name, one in cached.items() if one), default=(0, ""))[1]
    uncached = [
        _least(
            f"`{name}` uncached, {AT} in flight",
            wanted,
            routes[name].multiple(UNCACHED, ENGINE, AT) if name in routes else None,
        )
        for name, wanted in ((SEARCH, 0.6), (RECORD, 0.4), (NEIGHBORS, 0.4))
    ]
    return [
        _least(f"any route from the cache, {AT} in flight, the slowest", 1.5, cached.get(slowest), f", `{slowest}`"),
        *uncached,
        _overhead(routes.get(SEARCH)),
        *_peer_aims(report, f"searches, of those of {STAC}", 20, PEER_SEARCH, STAC),
        *_peer_aims(report, f"records, of items of {STAC}", 20, PEER_RECORD, STAC),
        *_peer_aims(report, "searches, of those of datasette's SQL route", 3, PEER_SEARCH, SQL_ROUTE),
        *_peer_aims(report, "records, of those of datasette's SQL route", 3, PEER_RECORD, SQL_ROUTE),
        _least("rate of a build, of a bare bulk's", 0.7, report.costs.build_share if report.costs else None),
    ]


def _least(what: str, wanted: float, measured: Spread | None, note: str = "") -> Goal:
    if measured is None:
        return Goal(what, f"≥ {wanted:g} ×", NOTHING, UNKNOWN)
    verdict = MET if measured.median >= wanted else MISSED
    return Goal(what, f"≥ {wanted:g} ×", f"{measured.median:.2f} ×{note}", verdict)


def _overhead(search: Held | None) -> Goal:
    what, wanted = f"`{SEARCH}` uncached, one at a time, p50 over the engine's", 1.0
    pair = search.pair(UNCACHED, ENGINE, 1) if search else None
    if not pair or not pair.more_ms:
        return Goal(what, f"≤ {wanted:.1f} ms", NOTHING, UNKNOWN)
    measured = pair.more_ms.median
    return Goal(what, f"≤ {wanted:.1f} ms", f"{measured:.2f} ms", MET if measured <= wanted else MISSED)


def _peer_aims(report: Report, what: str, wanted: float, race: str, peer: str) -> list[Goal]:
    """The service's rate as a multiple of a peer's, with its cache off, and as shipped with a warm cache."""
    held = next((one.held for one in report.peers if one.held.name == race), None)
    return [
        _least(f"{what}, {how}", wanted, held.multiple(contender, peer, AT) if held else None)
        for how, contender in (("uncached", UNCACHED), ("from the cache", CACHED))
    ]


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
