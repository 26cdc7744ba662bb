"""docs/monitoring.md lists exactly the metrics of the program."""

from api.app import create_app
from api.settings import Settings
from tests.support.markdown import code, rows, section
from tests.support.project import DOCS

PAGE = (DOCS / "monitoring.md").read_text("utf-8")


def test_the_page_lists_exactly_the_metrics_of_the_service() -> None:
    collectors = create_app(Settings(), ["http://127.0.0.1:9"]).collectors
    families = [family for collector in collectors for family in collector.collect()]
    suffixes = {"counter": "_total"}
    defined = {(f"{family.name}{suffixes.get(family.type, '')}", family.type) for family in families}
    table = rows(section(PAGE, "Metrics of the service"))
    assert {(code(row["metric"]), row["type"]) for row in table} == defined
