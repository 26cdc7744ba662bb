"""Every query of the Grafana dashboard has data in a real Prometheus, which scrapes a real service and the exporter."""

import json
import math
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.operator_session import OperatorSession
from tests.support.prometheus import MONITORING, Prometheus, program, prometheus
from tests.support.serving import exporting, free_port, process

DASHBOARD: dict[str, Any] = json.loads((MONITORING / "grafana.json").read_text("utf-8"))
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = [
    pytest.param(target["expr"], id=f"{panel['title']}: {target['refId']}")
    for panel in PANELS
    for target in panel["targets"]
]
PATHS = (
    *("/search?query=telework", "/search?query=telework", "/disability/low-vision", "/nowhere/at/all"),
    *("/graph", "/suggest?query=te", "/readyz", "/healthz"),
)
SECONDS = 90  # until both have been scraped twice and the rules have been evaluated


@pytest.fixture(scope="module")
def scraped(operator: OperatorSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """A Prometheus that has scraped a service under some traffic, and the exporter."""
    program("prometheus")
    admin = free_port()
    settings = {name: operator.environ[name] for name in ("AKG_OPENSEARCH_URL", "AKG_ALIAS", "AKG_DATA")}
    settings |= {"AKG_ADMIN_PORT": str(admin), "AKG_RATE_LIMIT": "60000", "AKG_USAGE_MONTHS": "0"}
    folder = tmp_path_factory.mktemp("prometheus")
    with process(settings) as served, exporting(operator.environ) as exporter:
        targets = {"akg": f"127.0.0.1:{admin}", "akg-exporter": exporter}
        with httpx.Client(base_url=served.url, timeout=30) as web, prometheus(folder, targets) as server:
            deadline = time.monotonic() + SECONDS
            while not _has_data(server):
                assert time.monotonic() < deadline, server.query("up")
                for path in PATHS:
                    web.get(path)
                time.sleep(0.5)
            yield server


def _has_data(server: Prometheus) -> bool:
    """Return whether the slower target was scraped, and the rules were evaluated over two scrapes of the service."""
    recorded = server.query("akg:slow_requests:ratio_rate5m")
    return bool(server.query("akg_rule_file_errors")) and any(not math.isnan(_value(series)) for series in recorded)


def _value(series: dict[str, Any]) -> float:
    return float(series["value"][1])


@pytest.mark.parametrize("expression", QUERIES)
def test_each_query_has_data(scraped: Prometheus, expression: str) -> None:
    found = scraped.query(expression)
    assert found
    assert any(math.isfinite(_value(series)) for series in found)


def test_no_alert_fires_over_a_service_in_order(scraped: Prometheus) -> None:
    assert scraped.query('ALERTS{alertstate="firing"}') == []


def test_panels_have_titles_and_do_not_overlap() -> None:
    assert len({panel["title"] for panel in PANELS}) == len(PANELS)
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        grid = panel["gridPos"]
        assert grid["x"] + grid["w"] <= 24
        area = {
            (x, y) for x in range(grid["x"], grid["x"] + grid["w"]) for y in range(grid["y"], grid["y"] + grid["h"])
        }
        assert not area & taken
        taken |= area


def test_every_query_reads_the_chosen_data_source() -> None:
    sources = {target["datasource"]["uid"] for panel in PANELS for target in panel["targets"]}
    assert sources == {"${datasource}"}
    assert [variable["name"] for variable in DASHBOARD["templating"]["list"]] == ["datasource"]
