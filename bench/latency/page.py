"""Render a report as the page of figures: the template with its tables, and the aims."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench.figures import table
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
    Peers,
    RaceResult,
    Report,
    Route,
    Spread,
)
from bench.latency.route_requests import NEIGHBORS, RECORD, SEARCH

IN_FLIGHT = 8  # requests, in the aims
MET, MISSED, UNKNOWN = "met", "missed", "not measured"
EMPTY = "–"
ROUTES_PLOT = "benchmarks-routes.svg"
PEER_PLOTS = {
    PEER_SEARCH: "benchmarks-search.svg",
    PEER_RECORD: "benchmarks-record.svg",
}  # as `peers/plots.py` names them
NO_DECIMALS_FROM, ONE_DECIMAL_FROM = 100, 10  # thresholds of the number of decimals


def render(template: str, report: Report) -> str:
    """Return the page. Each `{{name}}` in the template is one of `PARTS`."""
    page = template
    for name, part in PARTS.items():
        page = page.replace(f"{{{{{name}}}}}", part(report))
    return page


def number(value: float) -> str:
    """Format a figure with about three significant digits."""
    if abs(value) >= NO_DECIMALS_FROM:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= ONE_DECIMAL_FROM else f"{value:.2f}"


def spread_text(spread: Spread | None) -> str:
    """Return the median with the range in brackets."""
    if spread is None:
        return EMPTY
    return f"{number(spread.median)} ({number(spread.low)}–{number(spread.high)})"


def median(spread: Spread | None) -> str:
    return EMPTY if spread is None else number(spread.median)


def machine(report: Report) -> str:
    at, graph = report.machine, report.graph
    low, high = at.load
    return (
        f"Measured {at.began}, in {at.seconds / 60:.0f} minutes: {at.processor}, {at.cores} cores, "
        f"{at.memory_gb:.0f} GB, {at.system}, Python {at.python}. The load average was {low:.1f} at the start "
        f"and {high:.1f} at the end. {report.rounds} measured rounds, turns of {number(report.turn_seconds)} s. "
        f"The graph: {graph.entities:,} entities, {graph.edges:,} edges, {graph.documents:,} documents, "
        f"{number(graph.index_mb)} MB, data version {graph.data_version}."
    )


def latency(report: Report) -> str:
    """Return the latency of one request at a time: of OpenSearch, and what the service adds."""
    head = ["route", "requests", "OpenSearch p50", "service p50", "p99", "added", "cached p50", "p99"]
    return table(head, [_latency_row(route) for route in report.routes])


def _latency_row(route: Route) -> list[str]:
    result = route.result
    engine, service, cached = (result.measurement(item, 1) for item in (ENGINE, UNCACHED, CACHED))
    comparison = result.comparison(UNCACHED, ENGINE, 1)
    same = route.requests == route.repeat_requests
    return [
        f"`{result.name}`",
        f"{route.requests:g}" if same else f"{route.requests:g}, repeated {route.repeat_requests:g}",
        median(engine.p50_ms if engine else None),
        median(service.p50_ms if service else None),
        median(service.p99_ms if service else None),
        spread_text(comparison.added_ms if comparison else None),
        median(cached.p50_ms if cached else None),
        median(cached.p99_ms if cached else None),
    ]


def rates(report: Report) -> str:
    """Return responses per second as multiples of the rate of OpenSearch."""
    levels = report.in_flight
    head = ["route", *(f"OpenSearch/s at {level}" for level in levels)]
    head += [f"service × at {level}" for level in levels] + [f"cached × at {level}" for level in levels]
    return table(head, [_rates_row(route.result, levels) for route in report.routes])


def _rates_row(result: RaceResult, levels: Sequence[int]) -> list[str]:
    engine = [result.measurement(ENGINE, level) for level in levels]
    multiples = [result.multiple(item, ENGINE, level) for item in (UNCACHED, CACHED) for level in levels]
    return [
        f"`{result.name}`",
        *(median(measurement.rate if measurement else None) for measurement in engine),
        *map(spread_text, multiples),
    ]


def plot(report: Report) -> str:
    description = "Responses per second of each route as a multiple of the rate of OpenSearch"
    return f"![{description}]({ROUTES_PLOT})" if report.routes else ""


def plain(report: Report) -> str:
    """Return the rates of the plain routes and the service as multiples of OpenSearch."""
    names, sized = (PLAIN, UNCACHED, PLAIN_CACHED, CACHED), (PLAIN, UNCACHED)
    head = ["route", "in flight", *(f"{name} ×" for name in names), *(f"bytes, {name}" for name in sized)]
    rows = [
        [
            *(f"`{result.name}`", str(level)),
            *(spread_text(result.multiple(name, ENGINE, level)) for name in names),
            *(
                f"{measurement.bytes:,}" if measurement else EMPTY
                for measurement in (result.measurement(name, level) for name in sized)
            ),
        ]
        for result in (route.result for route in report.routes)
        if result.measurement(PLAIN, 1)
        for level in report.in_flight
    ]
    return table(head, rows)


def peers(report: Report) -> str:
    """Return a section for each race with alternative programs."""
    return "\n\n".join(_peer(item) for item in report.peers) or "Not measured."


def _peer(race: Peers) -> str:
    versions = {item.contender: item.version for item in race.contenders}
    head = ["program", "version", "in flight", "responses/s", "p50 ms", "p99 ms", "mean bytes", "service ×", "cached ×"]
    rows = [
        [
            *(
                measurement.contender,
                versions[measurement.contender],
                str(measurement.in_flight),
                spread_text(measurement.rate),
            ),
            *(median(measurement.p50_ms), median(measurement.p99_ms), f"{measurement.bytes:,}"),
            *(
                spread_text(race.result.multiple(item, measurement.contender, measurement.in_flight))
                for item in (UNCACHED, CACHED)
            ),
        ]
        for measurement in race.result.measurements
    ]
    words = "\n".join(f"- **{item.contender}**: {item.description}" for item in race.contenders)
    image = f"![{race.result.name}: responses per second]({PEER_PLOTS[race.result.name]})"
    return f"**{race.result.name}**, {race.queries} requests:\n\n{words}\n\n{table(head, rows)}\n\n{image}"


def costs(report: Report) -> str:
    paid = report.costs
    if paid is None:
        return "Not measured."
    rows = [
        ["first response of `akg serve`, node running", f"{spread_text(paid.start_serve)} s"],
        ["first response of `akg up`, node stopped", f"{spread_text(paid.start_up)} s"],
        [f"`akg index build --from-scratch`, {paid.documents:,} documents", f"{spread_text(paid.build)} s"],
        [f"plain `_bulk` of the same documents, {number(paid.bulk_mb)} MB", f"{spread_text(paid.bulk)} s"],
        ["rate of the build from scratch, as a share of plain `_bulk`", spread_text(paid.build_share)],
        *([["`akg index build` without changes", f"{spread_text(paid.rebuild)} s"]] if paid.rebuild else []),
        ["size of the index on disk", f"{number(paid.index_mb)} MB"],
    ]
    return table(["cost", "median (range)"], rows)


def memory(report: Report) -> str:
    rows = [[item.program, item.when, number(item.rss), number(item.uss)] for item in report.memory]
    return table(["program", "when", "resident MB", "unshared MB"], rows) if rows else "Not measured."


def skipped(report: Report) -> str:
    lines = [f"- {item.name}: {item.reason}." for item in report.skipped]
    return "\n".join(["Skipped in this run:", "", *lines]) if lines else "No part was skipped."


class Goal(NamedTuple):
    """An aim with its target, the measured value and the verdict."""

    aim: str
    target: str
    measured: str
    verdict: str


def aims(report: Report) -> str:
    return table(["aim", "target", "measured", "result"], goals(report))


def goals(report: Report) -> list[Goal]:
    routes = {route.result.name: route.result for route in report.routes}
    cached = {name: result.multiple(CACHED, ENGINE, IN_FLIGHT) for name, result in routes.items()}
    slowest = min(((item.median, name) for name, item in cached.items() if item), default=(0, ""))[1]
    uncached = [
        _at_least(
            f"`{name}` uncached, {IN_FLIGHT} in flight",
            target,
            routes[name].multiple(UNCACHED, ENGINE, IN_FLIGHT) if name in routes else None,
        )
        for name, target in ((SEARCH, 0.6), (RECORD, 0.4), (NEIGHBORS, 0.4))
    ]
    return [
        _at_least(f"slowest route, cached, {IN_FLIGHT} in flight", 1.5, cached.get(slowest), f", `{slowest}`"),
        *uncached,
        _overhead(routes.get(SEARCH)),
        *_peer_aims(report, f"searches, relative to {STAC}", 20, PEER_SEARCH, STAC),
        *_peer_aims(report, f"records, relative to items of {STAC}", 20, PEER_RECORD, STAC),
        *_peer_aims(report, "searches, relative to datasette's SQL route", 3, PEER_SEARCH, SQL_ROUTE),
        *_peer_aims(report, "records, relative to datasette's SQL route", 3, PEER_RECORD, SQL_ROUTE),
        _at_least(
            "rate of a build, relative to plain `_bulk`", 0.7, report.costs.build_share if report.costs else None
        ),
    ]


def _at_least(aim: str, target: float, measured: Spread | None, note: str = "") -> Goal:
    if measured is None:
        return Goal(aim, f"≥ {target:g} ×", EMPTY, UNKNOWN)
    verdict = MET if measured.median >= target else MISSED
    return Goal(aim, f"≥ {target:g} ×", f"{measured.median:.2f} ×{note}", verdict)


def _overhead(search: RaceResult | None) -> Goal:
    aim, target = f"`{SEARCH}` uncached, one at a time, p50 minus that of OpenSearch", 1.0
    comparison = search.comparison(UNCACHED, ENGINE, 1) if search else None
    if not comparison or not comparison.added_ms:
        return Goal(aim, f"≤ {target:.1f} ms", EMPTY, UNKNOWN)
    measured = comparison.added_ms.median
    return Goal(aim, f"≤ {target:.1f} ms", f"{measured:.2f} ms", MET if measured <= target else MISSED)


def _peer_aims(report: Report, aim: str, target: float, race: str, peer: str) -> list[Goal]:
    """Return the aims for the rate relative to another program, without cache and with a warm cache."""
    result = next((item.result for item in report.peers if item.result.name == race), None)
    return [
        _at_least(f"{aim}, {how}", target, result.multiple(contender, peer, IN_FLIGHT) if result else None)
        for how, contender in (("uncached", UNCACHED), ("cached", CACHED))
    ]


PARTS: dict[str, Callable[[Report], str]] = {
    "machine": machine,
    "latency": latency,
    "rates": rates,
    "plot": plot,
    "plain": plain,
    "peers": peers,
    "costs": costs,
    "memory": memory,
    "skipped": skipped,
    "aims": aims,
}
