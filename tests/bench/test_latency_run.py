"""A short benchmark run on a small graph measures every contender, and its report can be rendered."""

from pathlib import Path

from opensearchpy import OpenSearch
from rich.console import Console

from bench.latency.interleaved import Pace
from bench.latency.page import PARTS, render
from bench.latency.report import CACHED, ENGINE, PLAIN, PLAIN_CACHED, UNCACHED, read, write
from bench.latency.route_requests import FILTERED, LINKED, NEIGHBORS, RECOMMEND, RECORD
from bench.latency.routes import PLAIN_ROUTES
from bench.latency.run import ROUTES, RunOptions, measure
from tests.support.fixture_graphs import WORLD, publish

ROUTE_NAMES = (RECORD, LINKED, NEIGHBORS, FILTERED, RECOMMEND)


def test_a_run_measures_every_contender_and_its_report_can_be_rendered(
    node_url: str, client: OpenSearch, tmp_path: Path
) -> None:
    publish(client, "akg-speed", WORLD)
    options = RunOptions([ROUTES], ROUTE_NAMES, Pace(rounds=1, seconds=0.1, levels=(1,)), node_url, "akg-speed")
    steps: list[str] = []
    report = measure(options, Console(quiet=True), lambda name, _: lambda what="": steps.append(f"{name}: {what}"))
    client.indices.delete(index="akg-speed-*")
    found = {route.result.name: route for route in report.routes}
    assert found.keys() == set(ROUTE_NAMES)
    assert found[RECORD].repeat_requests == 1 <= found[RECORD].requests
    assert 1 <= found[RECOMMEND].repeat_requests <= found[RECOMMEND].requests
    for name, route in found.items():
        plain = (PLAIN, PLAIN_CACHED) if name in PLAIN_ROUTES else ()
        contenders = [measurement.contender for measurement in route.result.measurements]
        assert contenders == [ENGINE, UNCACHED, CACHED, *plain], name
    assert [
        measurement for route in report.routes for measurement in route.result.measurements if measurement.failed
    ] == []
    assert f"Routes: {RECORD}, 1 in flight: {CACHED}" in steps
    assert {one.program for one in report.memory} == {UNCACHED, CACHED, PLAIN, PLAIN_CACHED}
    assert report.graph.entities > 0
    write(report, tmp_path / "report.json")
    assert "{{" not in render("".join(f"{{{{{part}}}}}" for part in PARTS), read(tmp_path / "report.json"))
