"""What the service aims at, and whether a report shows it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.latency.names import CACHED, ENGINE, PEER_RECORD, PEER_SEARCH, SQL_ROUTE, STAC, UNCACHED
from bench.latency.questions import NEIGHBORS, RECORD, SEARCH

if TYPE_CHECKING:
    from bench.latency.report import Report

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
        *_beside(report, f"searches, of those of {STAC}", 20, PEER_SEARCH, STAC),
        *_beside(report, f"records, of items of {STAC}", 20, PEER_RECORD, STAC),
        *_beside(report, "searches, of those of datasette's SQL route", 3, PEER_SEARCH, SQL_ROUTE),
        *_beside(report, "records, of those of datasette's SQL route", 3, PEER_RECORD, SQL_ROUTE),
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


def _beside(report: Report, what: str, wanted: float, race: str, peer: str) -> list[Goal]:
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
