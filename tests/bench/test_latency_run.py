"""The benchmark over a small world with hardly any turns: whether its report has every part, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from bench.latency.interleaved import Pace
from bench.latency.page import PARTS, render
from bench.latency.questions import RECOMMEND, RECORD
from bench.latency.report import CACHED, ENGINE, PLAIN, PLAIN_CACHED, UNCACHED, read, write
from bench.latency.running import ROUTES, Order, measure
from tests.support.fixture_graphs import WORLD, publish

if TYPE_CHECKING:
    from pathlib import Path

    from opensearchpy import OpenSearch

WANTED = (RECORD, RECOMMEND)


def test_a_run_measures_every_contender_and_its_report_can_be_drawn(
    node_url: str, client: OpenSearch, tmp_path: Path
) -> None:
    publish(client, "akg-speed", WORLD)
    order = Order([ROUTES], WANTED, Pace(rounds=1, seconds=0.1, levels=(1,)), node_url, "akg-speed")
    steps: list[str] = []
    report = measure(order, Console(quiet=True), lambda name, _: lambda what="": steps.append(f"{name}: {what}"))
    client.indices.delete(index="akg-speed-*")
    found = {route.held.name: route for route in report.routes}
    assert found.keys() == set(WANTED)
    assert found[RECORD].requests == 1
    assert 1 <= found[RECOMMEND].requests <= 2
    contenders = {name: [cell.contender for cell in route.held.cells] for name, route in found.items()}
    assert contenders == {
        RECORD: [ENGINE, UNCACHED, CACHED, PLAIN, PLAIN_CACHED],
        RECOMMEND: [ENGINE, UNCACHED, CACHED],
    }
    assert [cell for route in report.routes for cell in route.held.cells if cell.failed] == []
    assert f"Routes: {RECORD}, 1 in flight: {CACHED}" in steps
    assert {one.program for one in report.memory} == {UNCACHED, CACHED, PLAIN, PLAIN_CACHED}
    assert report.graph.entities > 0
    write(report, tmp_path / "report.json")
    assert "{{" not in render("".join(f"{{{{{part}}}}}" for part in PARTS), read(tmp_path / "report.json"))
