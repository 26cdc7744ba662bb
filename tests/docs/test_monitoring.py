"""docs/reference/metrics.md lists exactly the metrics of the program; the runbook has each alert."""

from akg.commands.exporter import DESCRIPTIONS, FAILED
from api.app import create_app
from api.settings import Settings
from tests.support.markdown import code, rows, section, sections
from tests.support.project import DOCS
from tests.support.prometheus import rules

PAGE = (DOCS / "reference/metrics.md").read_text("utf-8")
RUNBOOK = (DOCS / "how-to/runbook.md").read_text("utf-8")


def test_the_page_lists_exactly_the_metrics_of_the_service() -> None:
    collectors = create_app(Settings(), ["http://127.0.0.1:9"]).collectors
    families = [family for collector in collectors for family in collector.collect()]
    suffixes = {"counter": "_total"}
    defined = {(f"{family.name}{suffixes.get(family.type, '')}", family.type) for family in families}
    table = rows(section(PAGE, "Metrics of the service"))
    assert {(code(row["metric"]), row["type"]) for row in table} == defined


def test_the_page_lists_exactly_the_metrics_of_the_exporter() -> None:
    table = rows(section(PAGE, "Metrics of the exporter"))
    assert [code(row["metric"]) for row in table] == [*DESCRIPTIONS, FAILED]


def test_each_runbook_names_its_alerts() -> None:
    for alert in rules("alerts.yml"):
        heading = alert["annotations"]["runbook_url"].partition("#")[2].replace("-", " ")
        (text,) = (part.text for part in sections(RUNBOOK) if part.title.lower() == heading)
        assert f"`{alert['alert']}`" in text
